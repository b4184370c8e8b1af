"""The available prompt sets, built-in and imported, and the images generated from each prompt."""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, TypedDict
from weakref import WeakKeyDictionary

from truehue.core.errors import BadInput, NotStored
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.importing.folder import folder_sha256, read_prompt_folder
from truehue.core.prompts.prompt import TASKS, Prompt
from truehue.core.prompts.search import Page, PromptIndex, Query
from truehue.core.prompts.search.columns import PromptStatus, StatusColumn
from truehue.core.prompts.sets import PROMPT_SETS, prompt_set
from truehue.core.prompts.tables import objects
from truehue.core.records import SelectionRecord
from truehue.tabs.feature import AppParts

if TYPE_CHECKING:
    from truehue.storage.store import Storage

SELECTION = "selection:"
# A prompt of the Mini set is the prompt of that id of the full one; it is drawn once for both.
SAME_AS = {"mini": "gencolorbench"}
MAX_PROBLEMS = 200


_KeptMarks = tuple[list[Mapping[str, PromptStatus]], StatusColumn]


@dataclass(frozen=True)
class SetInfo:
    """A set as people choose it."""

    id: str
    title: str
    description: str
    count: int
    imported: bool


class ReportList(TypedDict):
    """Lines of a report: the first of ``total``."""

    title: str
    items: list[str]
    total: int


class ImportReport(TypedDict):
    """What came of an imported file; ``counts`` are numbers with their words."""

    title: str
    counts: list[tuple[int, str]]
    notes: list[str]
    lists: list[ReportList]


class PromptsImport(TypedDict):
    """An imported file of prompts; ``set_id`` is empty where nothing could be read."""

    set_id: str
    report: ImportReport


class PromptTargetJson(TypedDict):
    """An object of a prompt and the color that it shall have."""

    object: str
    role: str
    hex: str
    color: str
    color_label: str


class PromptJson(TypedDict):
    """A prompt with the number and the verdict of its images."""

    id: str
    source: str
    text: str
    task: str
    task_title: str
    system: str
    targets: list[PromptTargetJson]
    drawn: int
    verdict: str


class Library:
    """Prompts by set and id, with an index of each set that is built when it is first asked for.

    Any thread may use it.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._indexes: dict[str, PromptIndex] = {}
        self._sources: WeakKeyDictionary[PromptIndex, list[str]] = WeakKeyDictionary()
        self._marks: WeakKeyDictionary[PromptIndex, dict[str, _KeptMarks]] = WeakKeyDictionary()
        self._lock, self._building = Lock(), RLock()

    @classmethod
    def of(cls, parts: AppParts) -> Library:
        """The one of an app."""
        return cls(parts.storage)

    def sets(self) -> list[SetInfo]:
        """The built-in sets, then the imported ones, newest first."""
        built_in = [
            SetInfo(
                prompt_set.id,
                prompt_set.title,
                prompt_set.description,
                len(prompt_set.prompts()),
                False,
            )
            for prompt_set in PROMPT_SETS
        ]
        imported = [
            SetInfo(
                record.set_id,
                record.file_name or record.name,
                f"Imported from {record.file_name}.",
                record.prompt_count,
                True,
            )
            for record in self._storage.prompt_sets.all()
        ]
        return built_in + imported

    def warm(self) -> None:
        """Builds what the first visitor asks for: all built-in sets, and the first one's index."""
        self.sets()
        self.index(PROMPT_SETS[0].id)

    def selections(self) -> list[tuple[str, int]]:
        """The saved selections with how many prompts each holds."""
        return [
            (selection.name, len(selection.refs)) for selection in self._storage.selections.all()
        ]

    def index(self, set_id: str) -> PromptIndex:
        """The index of a set or of ``selection:<name>``; raises BadInput for one that is not."""
        selection, name = None, set_id
        if set_id.startswith(SELECTION):
            selection = self._selection(set_id.removeprefix(SELECTION))
            # A selection that is saved again is another one.
            name = f"{set_id}\n{selection.version}"
        with self._building:
            index = self._indexes.get(name)
            if index is None:
                self.forget(set_id)
                if selection is not None:
                    index = PromptIndex(self.resolve(selection.refs)[0])
                elif any(item.id == set_id for item in PROMPT_SETS):
                    index = built_in_index(set_id)
                else:
                    index = PromptIndex(self._imported(set_id))
                self._indexes[name] = index
        return index

    def forget(self, set_id: str) -> None:
        """Gives back the index of a set, of a selection those of all its versions; it is built
        again when somebody asks for it."""
        with self._building:
            for name in [index for index in self._indexes if index.partition("\n")[0] == set_id]:
                del self._indexes[name]

    def search(self, set_id: str, query: Query, rule: str) -> tuple[PromptIndex, Page]:
        """What of a set matches, with facets; what was drawn of it is as of now."""
        index = self.index(set_id)
        return index, index.search(query, self.marks(index, rule))

    def marks(self, index: PromptIndex, rule: str) -> StatusColumn:
        """What was drawn of the prompts of an index, and what a rule says of it, as of now."""
        with self._lock:
            sources = self._sources.get(index)
            if sources is None:
                sources = sorted({canonical(prompt.source) for prompt in index.prompts})
                self._sources[index] = sources
        mappings = [self._storage.drawings.marks(source, rule) for source in sources]
        with self._lock:
            entry = self._marks.setdefault(index, {}).get(rule)
            # The storage hands out the same mapping until something was drawn or judged.
            if entry is not None and all(a is b for a, b in zip(entry[0], mappings, strict=True)):
                return entry[1]
        column = index.marks(ChainMap(*(dict(part) for part in mappings)))
        with self._lock:
            self._marks[index][rule] = (mappings, column)
        return column

    def statuses(
        self, prompts: Iterable[Prompt], rule: str
    ) -> Mapping[tuple[str, str], PromptStatus]:
        """The marks of single prompts, by set and id."""
        return {
            (source, prompt_id): mark
            for source in {canonical(prompt.source) for prompt in prompts}
            for prompt_id, mark in self._storage.drawings.marks(source, rule).items()
        }

    def take_file(self, file: Path, name: str, maker: str = "") -> PromptsImport:
        """Imports a file of prompts, or a folder of them, that ``maker`` brings as a new set.

        The answer has ``set_id`` (empty when nothing could be taken) and the report. Raises
        BadInput for a file that cannot be read at all.
        """
        name = name or "prompts.txt"
        labels = {row.name: row.negative_labels for row in reversed(objects())}
        categories = {row.name: row.category for row in reversed(objects())}
        if file.is_dir():
            reading = read_prompt_folder(file, negative_labels=labels, categories=categories)
        else:
            reading = read_prompts(file, name, negative_labels=labels, categories=categories)
        problems = [
            f"Line {problem.line:,}: {problem.why}"
            + (f" ({problem.text_excerpt})" if problem.text_excerpt else "")
            for problem in reading.problems
        ]
        set_id = ""
        if reading.prompts:
            record = self._storage.prompt_sets.add(
                Path(name).stem,
                reading.prompts,
                reading.kind,
                name,
                folder_sha256(file) if file.is_dir() else sha256_of(file),
                {"problems": problems[:MAX_PROBLEMS], "problem_count": len(problems)},
                maker,
            )
            set_id = record.set_id
        return {
            "set_id": set_id,
            "report": {
                "title": name,
                "counts": [
                    count_entry(len(reading.prompts), "prompt", "taken"),
                    count_entry(len(problems), "record", "that could not be read"),
                ],
                "notes": list(reading.notes),
                "lists": [
                    {
                        "title": "Could not be read",
                        "items": problems[:MAX_PROBLEMS],
                        "total": len(problems),
                    }
                ],
            },
        }

    def resolve(self, refs: Iterable[tuple[str, str]]) -> tuple[list[Prompt], list[str]]:
        """Prompts of pairs ``(set, id)`` in that order, and a sentence for each that is not
        there."""
        prompts: list[Prompt] = []
        missing: list[str] = []
        by_set: dict[str, PromptIndex | None] = {}
        for set_id, prompt_id in refs:
            if set_id not in by_set:
                try:
                    by_set[set_id] = self.index(set_id)
                except (BadInput, NotStored):
                    by_set[set_id] = None
            index = by_set[set_id]
            positions = index.positions(prompt_id) if index else ()
            if index is None or not positions:
                missing.append(f"There is no prompt {prompt_id[:60]!r} in the set {set_id[:60]!r}.")
            else:
                prompts.append(index.prompts[positions[0]])
        return prompts, missing

    def _selection(self, name: str) -> SelectionRecord:
        try:
            return self._storage.selections.get(name)
        except NotStored:
            raise BadInput(f"There is no selection called {name[:80]!r}.") from None

    def _imported(self, set_id: str) -> Sequence[Prompt]:
        try:
            return self._storage.prompt_sets.prompts(set_id)
        except NotStored:
            raise BadInput(f"There is no prompt set {set_id[:80]!r}.") from None


@cache
def built_in_index(set_id: str) -> PromptIndex:
    """The index of a built-in set, which is the same for every library; building that of
    GenColorBench takes a second."""
    return PromptIndex(prompt_set(set_id).prompts())


def canonical(source: str) -> str:
    """The set under which the drawings of a prompt are kept."""
    return SAME_AS.get(source, source)


def count_entry(number: int, noun: str, rest: str) -> tuple[int, str]:
    """A number of a report and the words for it: ``(1, "prompt taken")``."""
    return number, f"{noun}{'' if number == 1 else 's'} {rest}".strip()


def sha256_of(file: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def prompt_json(prompt: Prompt, marks: Mapping[tuple[str, str], PromptStatus]) -> PromptJson:
    """A prompt as the page shows it, with what was drawn of it."""
    mark = marks.get((canonical(prompt.source), prompt.id))
    return {
        "id": prompt.id,
        "source": prompt.source,
        "text": prompt.text,
        "task": prompt.task,
        "task_title": TASKS.get(prompt.task, prompt.task),
        "system": prompt.system,
        "targets": [
            {
                "object": target.name,
                "role": target.role,
                "hex": target.color.hex if target.color else "",
                "color": target.color.value if target.color else "",
                "color_label": target.color.label if target.color else "",
            }
            for target in prompt.targets
        ],
        "drawn": mark.drawn if mark else 0,
        "verdict": mark.verdict if mark else "",
    }
