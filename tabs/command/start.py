"""Start and resume runs from the command line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truehue.core.batch.execute import pausing_on_interrupt
from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.color.munsell import load_munsell
from truehue.core.command import ProgressLine, print_now
from truehue.core.errors import BadInput, DatabaseBusy, DataFolderError, TrueHueError
from truehue.core.fidelity.cfm.registration import registered
from truehue.core.fidelity.two_passes import painted_map
from truehue.core.generation.backends.endpoints import configured_endpoints
from truehue.core.generation.opening import missing
from truehue.core.generation.registry import RENDERER, model
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks import salient
from truehue.core.masks.grounded.weights import ROLES, WITHOUT, vision_model
from truehue.core.masks.grounded.weights import missing as missing_tool
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.importing.folder import read_prompt_folder
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import PROMPT_SETS
from truehue.core.prompts.tables import objects
from truehue.core.refinement.settings import rows_of
from truehue.core.runs.controls import controls_text
from truehue.core.runs.estimate import Estimate, free_bytes
from truehue.core.runs.folder import RunFolder, folder_named, run_folders
from truehue.core.runs.plan import run_id as id_of_plan
from truehue.core.runs.protocols import protocol
from truehue.core.runs.records import (
    ALL,
    DRAWN,
    EXACT,
    GROUNDED,
    SALIENT,
    SHARED,
    STORED,
    RunPlan,
    StoredItem,
)
from truehue.core.runs.worker import ExecutionSettings, WorkerSettings, execute
from truehue.tabs.batches.messages import bytes_text, time_text
from truehue.tabs.command.status import full_status_json, held_text, runs_root
from truehue.tabs.library.service import SELECTION, Library
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import read_as
from truehue.tabs.runs.messages import (
    images_text,
    money_text,
    plan_remarks,
    progress_text,
    space_problem,
)
from truehue.tabs.runs.plan import (
    about_of,
    chosen,
    default_workers,
    devices_remarks,
    plans,
    sharing_text,
)
from truehue.tabs.runs.request import CFR_MAPS, RunRequest, Workers
from truehue.tabs.runs.stored import OF_RUN, of_model, of_run
from truehue.tabs.runs.trial import Trials

if TYPE_CHECKING:
    from truehue.storage.store import Storage

FINISHED, ENDED_EARLY = 0, 3

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


ExecuteAll = Callable[[argparse.Namespace, Sequence[RunFolder], ExecutionSettings], int]


def start(options: argparse.Namespace, execute_all: ExecuteAll | None = None) -> int:
    """Makes the plans, says what they take, and executes one after the other, or as ``execute_all``
    does."""
    inputs, run_plans = requested_plans(options)
    request = inputs.request
    if not options.estimate_only:
        refuse_unscored(run_plans[0], options.masker)
    crew = workers_of(options, about_of(run_plans[0]))
    check_folder(Path(options.data).expanduser())
    remarks = plan_remarks(inputs.request, run_plans)
    if crew.team == "local":
        remarks = [*remarks, *devices_remarks(run_plans, crew.sources)]
    if crew.team == "local" and (shared := sharing_text(crew.workers, about_of(run_plans[0]))):
        remarks = [*remarks, shared]
    if options.adaptive:
        whole = "time and disk space are those of the whole set."
        remarks = [*remarks, f"At most {options.adaptive:g}% of them are generated; {whole}"]
    estimates = _say_estimate(options, run_plans, crew, request.price, remarks)
    if options.estimate_only:
        return FINISHED
    known = {folder.run_id for folder in run_folders(runs_root(options))}
    wanted_bytes = (
        sum(
            estimate.disk_bytes
            for plan, estimate in zip(run_plans, estimates, strict=True)
            if id_of_plan(plan) not in known
        )
        * (options.adaptive or 100.0)
        // 100.0
    )
    if problem := space_problem(wanted_bytes, free_bytes(runs_root(options)), runs_root(options)):
        raise BadInput(problem)
    if not _agreed(options):
        return FINISHED
    folders = [RunFolder.create(runs_root(options), plan) for plan in run_plans]
    if options.plan_only:
        return _say_planned(options, folders)
    return (execute_all or _execute_all)(options, folders, crew)


def _say_planned(options: argparse.Namespace, folders: Sequence[RunFolder]) -> int:
    """Prints the runs that are planned and not started."""
    if options.json:
        print_now(json.dumps({"planned": [folder.run_id for folder in folders]}))
        return FINISHED
    for folder in folders:
        print_now(f"Planned, not started: {folder.summary()['name']}, id {folder.run_id}")
        print_now(f"  python -m truehue runs script {folder.run_id[:8]} --slurm > job.sh")
    return FINISHED


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


def resume(options: argparse.Namespace) -> int:
    """Goes on with a run."""
    folder = folder_named(runs_root(options), options.name)
    return _execute_all(options, [folder], workers_of(options, folder.summary()))


def retry(options: argparse.Namespace) -> int:
    """Goes on, with another attempt at what failed."""
    folder = folder_named(runs_root(options), options.name)
    return _execute_all(options, [folder], workers_of(options, folder.summary()), retry_failed=True)


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


def workers_of(options: argparse.Namespace, about: Mapping[str, Any]) -> ExecutionSettings:
    """The workers that the options ask for, by default as many as the machine has GPUs or cores."""
    workers = options.workers if options.workers is not None else default_workers(about)
    ray = getattr(options, "ray", None)  # tasks of a job array have none
    servers = configured_endpoints(Path(options.endpoints) if options.endpoints else None)
    return ExecutionSettings(
        workers=read_as(Workers, {"workers": workers}).workers,
        team="local" if ray is None else "ray",
        address=ray or "",
        sources=Sources.local(Path(options.models).expanduser() if options.models else None),
        endpoints={server.name: server for server in servers},
    )


def _say_estimate(
    options: argparse.Namespace,
    run_plans: Sequence[RunPlan],
    crew: ExecutionSettings,
    price: float | None,
    remarks: Sequence[str],
) -> list[Estimate]:
    """Says what the runs will take, and returns it, one for each."""
    trials = Trials()
    # Weights that are missing are a failure of the run; an estimate only says so.
    missing = [list_missing(plan, crew) if options.estimate_only else () for plan in run_plans]
    if not (options.no_trial or options.yes) and crew.team == "local":
        ready = [plan for plan, sentences in zip(run_plans, missing, strict=True) if not sentences]
        _try_out(options, trials, ready, crew)
    each = [trials.estimate(plan, runs_root(options), crew.workers) for plan in run_plans]
    seconds = _sum(each)
    if options.json:
        cost = None if price is None or seconds is None else seconds / 3600 * price
        rows = [asdict(estimate) for estimate in each]
        masks = (
            {"with_masks": sum(map(with_masks, run_plans))} if run_plans[0].kind == STORED else {}
        )
        print_now(
            json.dumps(
                {
                    "estimate": rows,
                    "seconds": seconds,
                    "cost": cost,
                    **masks,
                    **({"missing": sum(missing, ())} if any(missing) else {}),
                }
            )
        )
        return each
    print_now(images_text(run_plans))
    for sentence in (*remarks, *describe_masks(run_plans)):
        print_now(sentence)
    for plan, estimate, sentences in zip(run_plans, each, missing, strict=True):
        print_now(f"  {plan.name}")
        pace = estimate.seconds_a_picture
        about = "" if pace is None else f"{pace:.3g} s per image and worker. "
        print_now(f"    {about}{estimate.basis}")
        if sentences:
            print_now("    It cannot start yet:")
        for sentence in sentences:
            print_now(f"    {sentence}")
    reference_set = "" if seconds is None else f", with {count_noun(crew.workers, 'worker')}"
    print_now(f"Time: {'' if seconds is None else 'about '}{time_text(seconds)}{reference_set}")
    disk_bytes = sum(estimate.disk_bytes for estimate in each)
    print_now(f"Disk: about {bytes_text(disk_bytes)} in {runs_root(options)}")
    if price is not None:
        print_now(f"Cost: {money_text(seconds, price)}, at {price:g} per hour")
    return each


def _try_out(
    options: argparse.Namespace,
    trials: Trials,
    run_plans: Sequence[RunPlan],
    crew: ExecutionSettings,
) -> None:
    def before() -> None:
        print_now("Timing a test of 3 images …", file=sys.stderr)

    settings = WorkerSettings(crew.sources, dict(crew.endpoints))
    trials.try_out(run_plans, settings, runs_root(options), before)


def _sum(each: Sequence[Estimate]) -> float | None:
    durations_s = [estimate.seconds for estimate in each if estimate.seconds is not None]
    return sum(durations_s) if len(durations_s) == len(each) else None


def _agreed(options: argparse.Namespace) -> bool:
    """Asks, where there is somebody to answer."""
    if options.yes or options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    try:
        answer = input("Start? [Y/n] ")
    except EOFError:
        return True
    return answer.strip().lower() in ("", "y", "yes")


def _execute_all(
    options: argparse.Namespace,
    folders: Sequence[RunFolder],
    crew: ExecutionSettings,
    retry_failed: bool = False,
) -> int:
    """One run after the other; one that ends early leaves the rest for later."""
    for index, folder in enumerate(folders):
        state = _execute(options, folder, crew, retry_failed)
        if state.status != "finished":
            for other in folders[index + 1 :]:
                print_now(
                    f"Not started: {other.summary()['name']}; python -m truehue runs resume "
                    f"{other.run_id[:8]}",
                    file=sys.stderr,
                )
            return ENDED_EARLY
    return FINISHED


def _execute(
    options: argparse.Namespace, folder: RunFolder, crew: ExecutionSettings, retry_failed: bool
) -> BatchState:
    name, short = folder.summary()["name"], folder.run_id[:8]
    if not options.json:
        print_now(f"{name} ({short})", file=sys.stderr)
    line = RunProgress(options.json, folder.path)
    if state_of(folder).status != "running":
        folder.set_desired_state("run")
    try:
        with pausing_on_interrupt(folder):
            state = execute(folder, crew, retry_failed=retry_failed, watch=line)
    finally:
        line.close()
    used = ingest(options, folder)
    if options.json:
        print_now(json.dumps(full_status_json(folder)))
        return state
    print_now(f"{state.status.capitalize()}: {progress_text(state)}", file=sys.stderr)
    for sentence in (state.message, used):
        if sentence:
            print_now(sentence, file=sys.stderr)
    for text, count in state.problems[:5]:
        print_now(f"  {count:,} × {text}", file=sys.stderr)
    for sentence in held_text(folder, state):
        print_now(f"  {sentence}", file=sys.stderr)
    if state.status != "finished":
        print_now(f"Go on: python -m truehue runs resume {short}", file=sys.stderr)
    elif state.failed:
        print_now(
            f"Try the failed ones again: python -m truehue runs retry {short}", file=sys.stderr
        )
    return state


def ingest(options: argparse.Namespace, folder: RunFolder) -> str:
    """Puts what was done into the database, where the app does not do it itself."""
    from truehue.storage.store import Storage

    try:
        with Storage.open(options.data) as storage:
            count = storage.runs.ingest(folder)
        return (
            f"{count_noun(count, 'image')} imported into the database of {options.data}."
            if count
            else ""
        )
    except DatabaseBusy:
        if options.shared:
            return (
                f"The app has {options.data} open. Where it was started with "
                f"--runs {runs_root(options)}, it imports the results; else, when it has ended: "
                f"python -m truehue runs import {folder.path}"
            )
        return f"The app that has {options.data} open imports the results."
    except TrueHueError as error:
        return f"The results are in {folder.path}, but not in the database: {error}"


PIPE_S, JSON_S = 30.0, 1.0


class RunProgress:
    """A ``watch`` of truehue.core.runs.worker: on a terminal one line that is written over, in a
    pipe a line every 30 seconds, with ``as_json`` an object a second on standard output. The result
    of the control images in ``folder`` comes once, on standard error."""

    def __init__(self, as_json: bool, folder: Path) -> None:
        self._json, self._last = as_json, 0.0
        self._line = ProgressLine(PIPE_S, terminal_s=0.0)
        self._folder, self._controls_said = folder, False

    def __call__(self, state: BatchState) -> None:
        if not self._controls_said and (sentences := controls_text(self._folder)):
            self._controls_said = True
            self._line.close()
            for sentence in sentences:
                print_now(sentence, file=sys.stderr)
        if not self._json:
            self._line.show(lambda: progress_text(state))
        elif time.monotonic() - self._last >= JSON_S:
            self._last = time.monotonic()
            print_now(json.dumps(asdict(state)))

    def close(self) -> None:
        """Leaves the line."""
        self._line.close()


def with_masks(plan: RunPlan) -> int:
    """Pictures of a stored run that came with a mask of an object."""
    return sum(bool(item.masks) for item in plan.items)


def describe_masks(run_plans: Sequence[RunPlan]) -> list[str]:
    """What masks the pictures of a stored run have, where these are what it is judged by."""
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
    """Raises BadInput for a stored run that would score nothing, since no picture has a mask and
    nobody looks for objects. ``masker`` is what was named on the command line: who names ``exact``
    wants it so."""
    (*_, sentence) = describe_masks([run_plan]) or [""]
    if masker is None and sentence and not with_masks(run_plan):
        raise BadInput(f"{sentence} With --masker exact it starts all the same.", "masker")


def list_missing(plan: RunPlan, crew: ExecutionSettings) -> tuple[str, ...]:
    """What is missing on this machine before the plan's models can work, a sentence each."""
    problems: list[str] = []
    if plan.kind == DRAWN:
        problems += missing(model(plan.model), None, crew.sources, crew.endpoints)
    if plan.masker.kind == SALIENT and not salient.is_available(crew.sources):
        problems.append(salient.how_to_get(crew.sources))
    if plan.masker.kind == GROUNDED:
        for role in ROLES:
            if name := getattr(plan.masker, role):
                # What else could be done without it is for people at a page.
                sentences = missing_tool(vision_model(name, role), crew.sources)
                problems += [sentence for sentence in sentences if sentence != WITHOUT[role]]
    return tuple(dict.fromkeys(problems))


def check_folder(data: Path) -> None:
    """Raises DataFolderError for a data folder that can be none, before anything is estimated."""
    inside = next((path for path in (data, *data.parents) if path.exists()), data)
    if not inside.is_dir():
        raise DataFolderError(
            f"The data folder {data} cannot be used: {inside} is a file. Choose a folder."
        )


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
