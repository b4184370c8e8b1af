"""The plans of ``runs start``, by its options: the prompts, and the images that are stored."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truehue.core.color.munsell import load_munsell
from truehue.core.errors import BadInput, DatabaseBusy
from truehue.core.fidelity.cfm.registration import registered
from truehue.core.fidelity.two_passes import painted_map
from truehue.core.generation.registry import RENDERER
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.importing.folder import read_prompt_folder
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import PROMPT_SETS
from truehue.core.prompts.tables import objects
from truehue.core.refinement.settings import rows_of
from truehue.core.runs.folder import folder_named
from truehue.core.runs.protocols import protocol
from truehue.core.runs.records import ALL, EXACT, SHARED, STORED, RunPlan, StoredItem
from truehue.tabs.command.status import runs_root
from truehue.tabs.library.service import SELECTION, Library
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import read_as
from truehue.tabs.runs.plan import chosen, plans
from truehue.tabs.runs.request import CFR_MAPS, RunRequest
from truehue.tabs.runs.stored import OF_RUN, of_model, of_run

if TYPE_CHECKING:
    from truehue.storage.store import Storage

GENERATION_OPTIONS: Mapping[str, Any] = {
    "images": "",
    "seed": "",
    "seeds": SHARED,
    "keep-images": ALL,
    "size": None,
    "steps": None,
    "guidance": None,
    "batch": "1",
    "negative": "",
    "cfr": "",
    "lambda": None,
    "cfr-map": CFR_MAPS[0],
    "light": "studio",
    "failure": "none",
}
"""What ``runs start`` takes of how images are generated, with the defaults."""
_DESTINATIONS = {"lambda": "cfr_strength"}


def requested_plans(options: argparse.Namespace) -> tuple[PlanInputs, list[RunPlan]]:
    """The plans of the options of ``runs start``, and what they were made from. Raises BadInput."""
    if options.images_of and (options.model or options.images_from):
        raise BadInput("--images-of scores what is stored: leave out --model and --images-from.")
    if options.images_from and len(options.model or ()) != 1:
        raise BadInput("Say with one --model who made the images of --images-from.")
    stored = bool(options.images_of or options.images_from)
    if stored:
        refuse_generation(options)
    request = read_as(RunRequest, _fields(options, stored)).checked()
    if options.munsell:
        load_munsell(options.munsell)
    inputs = plan_inputs(options, request)
    munsell = str(Path(options.munsell).resolve()) if options.munsell else ""
    cfm = registered(Path(options.data).expanduser()) if request.cfr else None
    return inputs, plans(
        inputs.request, inputs.prompts, inputs.title, inputs.set_name, munsell, inputs.items, cfm
    )


def refuse_generation(options: argparse.Namespace) -> None:
    """Raises BadInput, naming them, for options of generation beside images that are stored."""
    given = [
        f"--{name}"
        for name, default in GENERATION_OPTIONS.items()
        if getattr(options, _DESTINATIONS.get(name, name.replace("-", "_"))) != default
    ]
    if given:
        option = "--images-of" if options.images_of else "--images-from"
        raise BadInput(
            f"{option} scores images as they are, so {', '.join(given)} would change nothing: "
            f"leave {'it' if len(given) == 1 else 'them'} out."
        )


def _fields(options: argparse.Namespace, stored: bool) -> dict[str, Any]:
    """The options as the form's fields."""
    names = (name for name in RunRequest.model_fields if hasattr(options, name))
    preset = protocol(options.protocol).set if options.protocol else ""
    models = [options.images_of] if options.images_of else options.model or [RENDERER]
    return {
        **{name: getattr(options, name) for name in names},
        "set": options.set or preset or "mini",
        **_cfr_map(options.cfr_map),
        "kind": "stored" if stored else "drawn",
        "models": models,
        "price": options.price_per_hour,
        "ray": "",
    }


def _cfr_map(name: str) -> dict[str, Any]:
    """The field of a map for CFR: of its own name, or the gray of an image file. Raises BadInput."""
    if name in CFR_MAPS:
        return {"cfr_map": name}
    path = Path(name).expanduser()
    if not path.is_file():
        raise BadInput(
            f"--cfr-map is {', '.join(CFR_MAPS)} or an image file, and {name[:80]!r} is none."
        )
    return {"cfr_map": CFR_MAPS[0], "cfr_rows": tuple(rows_of(painted_map(path)))}


def with_masks(plan: RunPlan) -> int:
    """Images of a stored run that came with a mask of an object."""
    return sum(bool(item.masks) for item in plan.items)


def describe_masks(run_plans: Sequence[RunPlan]) -> list[str]:
    """What masks the images of a stored run have, where these are what it is judged by."""
    (plan, *_) = run_plans
    if plan.kind != STORED or plan.masker.kind != EXACT:
        return []
    count, total = with_masks(plan), plan.total
    if not count:
        return [
            "None of them has a mask of its own: every one would stay unscored. Add --masker "
            "salient to measure what stands out, --masker grounded to have the objects found by "
            "name, or --masker whole for images of one color."
        ]
    rest = "" if count == total else "; the others stay unscored, or have one with --masker salient"
    return [f"{count:,} of {count_noun(total, 'image')} have masks of their own{rest}."]


def refuse_unscored(run_plan: RunPlan, masker: str | None) -> None:
    """Raises BadInput for a stored run that would score nothing, since no image has a mask and
    nobody looks for objects. ``masker`` is what was named on the command line: who names ``exact``
    wants it so."""
    (*_, sentence) = describe_masks([run_plan]) or [""]
    if masker is None and sentence and not with_masks(run_plan):
        raise BadInput(f"{sentence} With --masker exact it starts all the same.", "masker")


SHOWN = 5
_NAMED = ("Broken", "Not imported")
"""Lists of an import's report whose files are named."""


@dataclass(frozen=True)
class PlanInputs:
    """What :func:`truehue.tabs.runs.plan.plans` takes."""

    request: RunRequest
    prompts: tuple[Prompt, ...]
    title: str
    set_name: str
    items: Sequence[StoredItem] = ()


def plan_inputs(options: argparse.Namespace, request: RunRequest) -> PlanInputs:
    """The prompts of a request and, where it scores stored images, those. Raises BadInput."""
    if not request.is_stored:
        every, title, set_name = _prompts(options, request.set)
        return PlanInputs(request, chosen(every, request), title, set_name)
    if not options.images_from and request.models[0].startswith(OF_RUN):
        every, title, set_name = _prompts(options, request.set)
        prompts = chosen(every, request)
        folder = folder_named(runs_root(options), request.models[0].removeprefix(OF_RUN))
        request = request.model_copy(update={"models": (str(folder.summary()["model"]),)})
        return PlanInputs(request, prompts, title, set_name, of_run(folder, prompts))
    with _storage(options) as storage:
        library = Library(storage)
        file = Path(request.set).expanduser()
        set_id = request.set
        if file.exists() and _built_in(set_id) is None:
            set_id = str(library.take_file(file, file.name)["set_id"])
            if not set_id:
                raise BadInput(f"No prompt could be read from {file}.", "set")
        every, title, set_name = _in_library(storage, library, set_id)
        if options.images_from:
            _import(storage, options, set_id)
        prompts = chosen(every, request)
        return PlanInputs(
            request, prompts, title, set_name, of_model(storage, request.models[0], prompts)
        )


def _prompts(options: argparse.Namespace, named: str) -> tuple[Sequence[Prompt], str, str]:
    """Prompts, title and name of a built-in set, a file, or what only the database knows."""
    entry = _built_in(named)
    if entry is not None:
        return entry
    file = Path(named).expanduser()
    if file.exists():
        title = file.resolve().name
        return _of_file(file), title, title
    if not named.startswith(SELECTION) and ("/" in named or file.suffix):
        raise BadInput(f"There is no file {named}.", "set")
    unknown = ""
    if not named.startswith(SELECTION):
        built_in = ", ".join(prompt_set.id for prompt_set in PROMPT_SETS)
        unknown = f"There is no file or built-in set {named[:80]!r} (built in: {built_in}). "
    with _storage(options, unknown) as storage:
        return _in_library(storage, Library(storage), named)


def _built_in(named: str) -> tuple[Sequence[Prompt], str, str] | None:
    for prompt_set in PROMPT_SETS:
        if prompt_set.id == named:
            return prompt_set.prompts(), prompt_set.title, prompt_set.id
    return None


def _of_file(file: Path) -> tuple[Prompt, ...]:
    labels = {row.name: row.negative_labels for row in reversed(objects())}
    categories = {row.name: row.category for row in reversed(objects())}
    read_all = read_prompt_folder if file.is_dir() else read_prompts
    read = read_all(file, negative_labels=labels, categories=categories)
    sentences = [
        *read.notes,
        *(f"line {problem.line:,}: {problem.why}" for problem in read.problems[:SHOWN]),
    ]
    if len(read.problems) > SHOWN:
        sentences.append(f"… and {len(read.problems) - SHOWN:,} more lines that were not taken")
    for sentence in sentences:
        print(f"{file.name}: {sentence}", file=sys.stderr)
    if not read.prompts:
        raise BadInput(f"No prompt could be read from {file}.", "set")
    return tuple(
        prompt if prompt.source else replace(prompt, source=file.stem) for prompt in read.prompts
    )


def _in_library(
    storage: Storage, library: Library, named: str
) -> tuple[Sequence[Prompt], str, str]:
    """A set by its id or file name, or ``selection:<name>``."""
    if named.startswith(SELECTION):
        return library.index(named).prompts, named.removeprefix(SELECTION), named
    entry = _built_in(named)
    if entry is not None:
        return entry
    imported = storage.prompt_sets.all()
    for record in imported:
        if named in (record.set_id, record.name, record.file_name):
            title = record.file_name or record.name
            return library.index(record.set_id).prompts, title, title
    selections = (SELECTION + name for name, _ in library.selections())
    sets = (*(prompt_set.id for prompt_set in PROMPT_SETS), *(record.set_id for record in imported))
    names = ", ".join([*sets, *selections])
    raise BadInput(f"There is no prompt set or file {named[:80]!r}. Sets: {names}.", "set")


def _import(storage: Storage, options: argparse.Namespace, set_id: str) -> None:
    """Imports the folder, and says what became of its files."""
    from truehue.tabs.page.jobs import job_alone
    from truehue.tabs.page.roles import OWNER
    from truehue.tabs.runs.image_import import ImageFolder, import_folder
    from truehue.tabs.shell.compose import make_context

    context = make_context(storage, options.data)
    request = ImageFolder(path=options.images_from, model=options.model[0], set=set_id)
    report = import_folder(context, OWNER, request, job_alone("images"))
    for number, text in report["counts"]:
        print(f"  {number:,} {text}", file=sys.stderr)
    for listed in report["lists"]:
        if listed["title"] in _NAMED and listed["total"]:
            for item in listed["items"][:SHOWN]:
                print(f"  {listed['title'].lower()}: {item}", file=sys.stderr)
            if listed["total"] > SHOWN:
                rest = listed["total"] - SHOWN
                print(f"  {listed['title'].lower()}: {rest:,} more", file=sys.stderr)


@contextmanager
def _storage(options: argparse.Namespace, why: str = "") -> Iterator[Storage]:
    """The database, for as long as it is needed. Raises BadInput where the app has it; ``why``
    comes before what that says."""
    from truehue.storage.store import Storage

    try:
        opened = Storage.open(options.data)
    except DatabaseBusy:
        raise BadInput(
            f"{why}The app has {options.data} open, and only it knows imported sets, selections "
            "and images: start this run in the app, under Explore, Runs. Built-in sets and files "
            "of prompts work here."
        ) from None
    with opened as storage:
        yield storage
