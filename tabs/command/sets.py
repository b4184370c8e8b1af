"""Prompts and pictures for a run of the command line; the database where nothing else knows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import BadInput, DatabaseBusy
from core.prompts.importing.files import read_prompts
from core.prompts.prompt import Prompt
from core.prompts.sets import PROMPT_SETS
from core.prompts.tables import objects
from core.runs.records import StoredItem
from tabs.command.ask import found
from tabs.library.service import SELECTION, Library
from tabs.runs.plan import chosen
from tabs.runs.request import RunWish
from tabs.runs.stored import OF_RUN, of_model, of_run
from tabs.shell.compose import make_context

if TYPE_CHECKING:
    from storage.store import Storage

SHOWN = 5
_NAMED = ("Broken", "Belongs to no prompt")
"""Lists of an import's report whose files are named."""


@dataclass(frozen=True)
class Gathered:
    """What :func:`tabs.runs.plan.plans` takes."""

    wish: RunWish
    prompts: tuple[Prompt, ...]
    title: str
    set_name: str
    items: Sequence[StoredItem] = ()


def gathered(asked: argparse.Namespace, wish: RunWish) -> Gathered:
    """The prompts of a wish and, where it scores pictures, those. Raises BadInput."""
    if not wish.stored:
        every, title, set_name = _prompts(asked, wish.set_id)
        return Gathered(wish, chosen(every, wish), title, set_name)
    if not asked.images_from and wish.models[0].startswith(OF_RUN):
        every, title, set_name = _prompts(asked, wish.set_id)
        prompts = chosen(every, wish)
        folder = found(asked.root, wish.models[0].removeprefix(OF_RUN))
        wish = replace(wish, models=(str(folder.summary()["model"]),))
        return Gathered(wish, prompts, title, set_name, of_run(folder, prompts))
    with _storage(asked) as storage:
        library = Library(storage)
        file = Path(wish.set_id).expanduser()
        set_id = wish.set_id
        if file.is_file() and _built_in(set_id) is None:
            set_id = str(library.take_file(file, file.name)["set_id"])
            if not set_id:
                raise BadInput(f"No prompt could be read from {file}.", "set")
        every, title, set_name = _in_library(storage, library, set_id)
        if asked.images_from:
            _import(storage, asked, set_id)
        prompts = chosen(every, wish)
        return Gathered(wish, prompts, title, set_name, of_model(storage, wish.models[0], prompts))


def _prompts(asked: argparse.Namespace, named: str) -> tuple[Sequence[Prompt], str, str]:
    """Prompts, title and name of a built-in set, a file, or what only the database knows."""
    known = _built_in(named)
    if known is not None:
        return known
    file = Path(named).expanduser()
    if file.is_file():
        return _of_file(file), file.name, file.name
    if not named.startswith(SELECTION) and ("/" in named or file.suffix):
        raise BadInput(f"There is no file {named}.", "set")
    unknown = ""
    if not named.startswith(SELECTION):
        built_in = ", ".join(one.id for one in PROMPT_SETS)
        unknown = f"There is no file or built-in set {named[:80]!r} (built in: {built_in}). "
    with _storage(asked, unknown) as storage:
        return _in_library(storage, Library(storage), named)


def _built_in(named: str) -> tuple[Sequence[Prompt], str, str] | None:
    for one in PROMPT_SETS:
        if one.id == named:
            return one.prompts(), one.title, one.id
    return None


def _of_file(file: Path) -> tuple[Prompt, ...]:
    labels = {row.name: row.negative_labels for row in reversed(objects())}
    categories = {row.name: row.category for row in reversed(objects())}
    read = read_prompts(file, negative_labels=labels, categories=categories)
    said = [*read.notes, *(f"line {one.line}: {one.why}" for one in read.problems[:SHOWN])]
    if len(read.problems) > SHOWN:
        said.append(f"… and {len(read.problems) - SHOWN:,} more lines that were not taken")
    for sentence in said:
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
    known = _built_in(named)
    if known is not None:
        return known
    imported = storage.prompt_sets.all()
    for one in imported:
        if named in (one.set_id, one.name, one.file_name):
            title = one.file_name or one.name
            return library.index(one.set_id).prompts, title, title
    selections = (SELECTION + name for name, _ in library.selections())
    sets = (*(one.id for one in PROMPT_SETS), *(one.set_id for one in imported))
    names = ", ".join([*sets, *selections])
    raise BadInput(f"There is no prompt set or file {named[:80]!r}. Sets: {names}.", "set")


def _import(storage: Storage, asked: argparse.Namespace, set_id: str) -> None:
    """Imports the folder, and says what became of its files."""
    from tabs.page.actor import OWNER
    from tabs.page.jobs import job_alone
    from tabs.runs.image_import import ImageFolder, take

    context = make_context(storage, asked.data)
    wanted = ImageFolder(path=asked.images_from, model=asked.model[0], set=set_id)
    report = take(context, OWNER, wanted, job_alone("images"))
    for number, words in report["counts"]:
        print(f"  {number:,} {words}", file=sys.stderr)
    for listed in report["lists"]:
        if listed["title"] in _NAMED and listed["total"]:
            for item in listed["items"][:SHOWN]:
                print(f"  {listed['title'].lower()}: {item}", file=sys.stderr)
            if listed["total"] > SHOWN:
                rest = listed["total"] - SHOWN
                print(f"  {listed['title'].lower()}: {rest:,} more", file=sys.stderr)


@contextmanager
def _storage(asked: argparse.Namespace, why: str = "") -> Iterator[Storage]:
    """The database, for as long as it is needed. Raises BadInput where the app has it; ``why``
    comes before what that says."""
    from storage.store import Storage

    try:
        opened = Storage.open(asked.data)
    except DatabaseBusy:
        raise BadInput(
            f"{why}The app has {asked.data} open, and only it knows imported sets, selections and "
            "pictures: begin this run in the app, under Explore, Runs. Built-in sets and files of "
            "prompts work here."
        ) from None
    with opened as storage:
        yield storage
