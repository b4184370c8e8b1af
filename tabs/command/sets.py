"""Prompts and pictures for a run of the command line; the database where nothing else knows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from truehue.core.errors import BadInput, DatabaseBusy
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import PROMPT_SETS
from truehue.core.prompts.tables import objects
from truehue.core.runs.records import StoredItem
from truehue.tabs.command.status import folder_named
from truehue.tabs.library.service import SELECTION, Library
from truehue.tabs.runs.plan import chosen
from truehue.tabs.runs.request import RunSpec
from truehue.tabs.runs.stored import OF_RUN, of_model, of_run

if TYPE_CHECKING:
    from truehue.storage.store import Storage

SHOWN = 5
_NAMED = ("Broken", "Belongs to no prompt")
"""Lists of an import's report whose files are named."""


@dataclass(frozen=True)
class PlanInputs:
    """What :func:`truehue.tabs.runs.plan.plans` takes."""

    spec: RunSpec
    prompts: tuple[Prompt, ...]
    title: str
    set_name: str
    items: Sequence[StoredItem] = ()


def plan_inputs(options: argparse.Namespace, spec: RunSpec) -> PlanInputs:
    """The prompts of a spec and, where it scores pictures, those. Raises BadInput."""
    if not spec.stored:
        every, title, set_name = _prompts(options, spec.set_id)
        return PlanInputs(spec, chosen(every, spec), title, set_name)
    if not options.images_from and spec.models[0].startswith(OF_RUN):
        every, title, set_name = _prompts(options, spec.set_id)
        prompts = chosen(every, spec)
        folder = folder_named(options.root, spec.models[0].removeprefix(OF_RUN))
        spec = replace(spec, models=(str(folder.summary()["model"]),))
        return PlanInputs(spec, prompts, title, set_name, of_run(folder, prompts))
    with _storage(options) as storage:
        library = Library(storage)
        file = Path(spec.set_id).expanduser()
        set_id = spec.set_id
        if file.is_file() and _built_in(set_id) is None:
            set_id = str(library.take_file(file, file.name)["set_id"])
            if not set_id:
                raise BadInput(f"No prompt could be read from {file}.", "set")
        every, title, set_name = _in_library(storage, library, set_id)
        if options.images_from:
            _import(storage, options, set_id)
        prompts = chosen(every, spec)
        return PlanInputs(
            spec, prompts, title, set_name, of_model(storage, spec.models[0], prompts)
        )


def _prompts(options: argparse.Namespace, named: str) -> tuple[Sequence[Prompt], str, str]:
    """Prompts, title and name of a built-in set, a file, or what only the database knows."""
    entry = _built_in(named)
    if entry is not None:
        return entry
    file = Path(named).expanduser()
    if file.is_file():
        return _of_file(file), file.name, file.name
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
    read = read_prompts(file, negative_labels=labels, categories=categories)
    sentences = [
        *read.notes,
        *(f"line {problem.line}: {problem.why}" for problem in read.problems[:SHOWN]),
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
    from truehue.tabs.runs.image_import import ImageFolder, take
    from truehue.tabs.shell.compose import make_context

    context = make_context(storage, options.data)
    request = ImageFolder(path=options.images_from, model=options.model[0], set=set_id)
    report = take(context, OWNER, request, job_alone("images"))
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
