"""Published results of the four papers, with sources: shown beside ours, never mixed with them.

The files lie in ``assets/published``, with a README that lists inconsistencies; they are verified
when they are read.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from truehue.core.errors import BadInput, TrueHueError

LEADERBOARD = "gencolorbench-table4"
"""The table that stands beside the leaderboard."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One of the four papers. ``year`` is None, ``arxiv`` and ``url`` are empty where the text
    that we have does not state them; ``authors`` are written ``Family, Given``."""

    id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    arxiv: str
    url: str

    @property
    def citation(self) -> str:
        """In one line, such as ``Butt et al. 2025, arXiv:2510.20586``."""
        first = self.authors[0].partition(",")[0]
        who = f"{first} et al." if len(self.authors) > 1 else first
        named = f"{who} {self.year}" if self.year else who
        return f"{named}, arXiv:{self.arxiv}" if self.arxiv else f"{named}, {self.title}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers. ``name`` is the paper's word, ``meaning`` ours.

    ``better`` is ``higher``, ``lower``, ``nearest to 1`` or ``none``. ``ours`` is the same thing's
    key with us where there is one: a task, a color system, a category. ``parts`` says of a column
    of a two-line heading what it crosses, such as concept, style and metric.
    """

    name: str
    meaning: str
    unit: str
    better: str
    ours: str
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A cell that does not reconcile: ``where`` and ``column`` name it, ``told`` says why."""

    where: Mapping[str, str]
    column: str
    told: str


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row. ``keys`` are words, such as the model; ``printed`` the cells exactly as printed, empty
    where the paper has none; ``values`` the same as numbers, None where it has none."""

    keys: Mapping[str, str]
    printed: Mapping[str, str]
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a paper. ``protocol`` is always ``paper``: what was computed under it stands
    beside ours and is never mixed with it.

    ``number`` is the paper's own (``Table 4``), ``how`` says what was computed and over what,
    ``comparable_with`` are keys of :data:`truehue.core.published.USES`, ``notes`` are for people.
    """

    id: str
    paper: Paper
    number: str
    title: str
    protocol: str
    how: str
    comparable_with: tuple[str, ...]
    keys: tuple[str, ...]
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    sha256: str
    rows: tuple[PublishedRow, ...] = field(repr=False)

    @property
    def source(self) -> str:
        """Where the numbers stand: ``Table 4 of Butt et al. 2025, arXiv:2510.20586``."""
        return f"{self.number} of {self.paper.citation}"

    def column(self, name: str) -> Column:
        """The column of that name. Raises BadInput, naming those there are."""
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(column.name for column in self.columns)
        raise BadInput(f"{self.id} has no column {name!r}. It has: {names}.")

    def find(self, **keys: str) -> tuple[PublishedRow, ...]:
        """The rows whose keys are those, all rows without one. Raises BadInput for a key that the
        table does not have."""
        for key in keys:
            if key not in self.keys:
                raise BadInput(
                    f"{self.id} has no key {key!r}. Its rows have: {', '.join(self.keys)}."
                )
        return tuple(
            row for row in self.rows if all(row.keys[key] == value for key, value in keys.items())
        )

    def row(self, **keys: str) -> PublishedRow:
        """The one row with those keys. Raises BadInput when there is none, or more than one."""
        rows = self.find(**keys)
        if len(rows) == 1:
            return rows[0]
        condition = ", ".join(f"{key} {value!r}" for key, value in keys.items()) or "no key"
        if rows:
            more = ", ".join(key for key in self.keys if key not in keys)
            raise BadInput(f"{len(rows)} rows of {self.id} have {condition}. Say also: {more}.")
        key = next(iter(keys), self.keys[0])
        values = ", ".join(dict.fromkeys(row.keys[key] for row in self.rows))
        raise BadInput(f"{self.id} has no row with {condition}. Its {key} is one of: {values}.")

    def doubt(self, row: PublishedRow, column: str) -> str:
        """Why the cell does not reconcile, empty where nothing speaks against it."""
        return " ".join(
            doubt.told
            for doubt in self.doubts
            if doubt.column == column
            and all(row.keys[key] == value for key, value in doubt.where.items())
        )


@dataclass(frozen=True, slots=True)
class Counterpart:
    """Which of our generators a published name stands for. ``ids`` are those of
    truehue.core.generation.registry, best first, empty where we have none; ``exact`` is False where
    the paper leaves open which weights it drew with; ``note`` is a sentence for people."""

    ids: tuple[str, ...]
    exact: bool
    note: str


FOLDER = Path(__file__).resolve().parents[1] / "assets" / "published"


@cache
def papers() -> tuple[Paper, ...]:
    """The four papers, in the order of the index."""
    return tuple(
        Paper(**{**entry, "authors": tuple(entry["authors"])}) for entry in _index()["papers"]
    )


@cache
def tables() -> tuple[PublishedTable, ...]:
    """Every published table, in the order of the index. Raises TrueHueError when a file is missing
    or its SHA-256 is not the one of the index."""
    return tuple(_table(entry, paper(entry["paper"])) for entry in _index()["tables"])


@cache
def counterparts() -> Mapping[tuple[str, str], Counterpart]:
    """By paper and published name."""
    rows = csv.DictReader(io.StringIO(_bytes("models.csv").decode("utf-8")))
    return MappingProxyType(
        {
            (row["paper"], row["published"]): Counterpart(
                tuple(row["ours"].split("; ")), row["exact"] == "yes", row["note"]
            )
            for row in rows
        }
    )


def _table(entry: Mapping[str, Any], paper: Paper) -> PublishedTable:
    content = _bytes(entry["file"])
    digest = hashlib.sha256(content).hexdigest()
    if digest != entry["sha256"]:
        raise TrueHueError(
            f"{FOLDER / entry['file']} was changed: its SHA-256 is not that of the published "
            f"table. Restore it with: git checkout -- assets/published/{entry['file']}"
        )
    keys = tuple(entry["keys"])
    columns = tuple(
        Column(**{"ours": "", **column, "parts": MappingProxyType(column.get("parts", {}))})
        for column in entry["columns"]
    )
    names = tuple(column.name for column in columns)
    lines = csv.DictReader(io.StringIO(content.decode("utf-8")))
    if tuple(lines.fieldnames or ()) != keys + names:
        raise TrueHueError(
            f"{FOLDER / 'index.json'} was changed: it names other columns than {entry['file']} "
            "has. Restore it with: git checkout -- assets/published/index.json"
        )
    doubts = tuple(
        Doubt(MappingProxyType(doubt["where"]), doubt["column"], doubt["told"])
        for doubt in entry["doubts"]
    )
    return PublishedTable(
        id=entry["id"],
        paper=paper,
        number=entry["number"],
        title=entry["title"],
        protocol=entry["protocol"],
        how=entry["how"],
        comparable_with=tuple(entry["comparable_with"]),
        keys=keys,
        columns=columns,
        notes=tuple(entry["notes"]),
        doubts=doubts,
        sha256=digest,
        rows=tuple(_row(line, keys, names) for line in lines),
    )


def _row(row: Mapping[str, str], keys: tuple[str, ...], columns: tuple[str, ...]) -> PublishedRow:
    printed = {name: row[name] for name in columns}
    return PublishedRow(
        MappingProxyType({key: row[key] for key in keys}),
        MappingProxyType(printed),
        MappingProxyType({name: float(cell) if cell else None for name, cell in printed.items()}),
    )


@cache
def _index() -> Mapping[str, Any]:
    index: Mapping[str, Any] = json.loads(_bytes("index.json"))
    return index


def _bytes(name: str) -> bytes:
    path = FOLDER / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise TrueHueError(
            f"A published table cannot be read from {path}. Restore it with: "
            f"git checkout -- assets/published/{name}"
        ) from error


USES: Mapping[str, str] = MappingProxyType(
    {
        "board": "the leaderboard of runs: five tasks and their average",
        "categories": "accuracy by category of object and color system",
        "names": "basic and intermediate names, modifiers",
        "trust": "the measure on images of known color",
        "questions": "vision-language models asked for an object's color",
        "concepts": "color distributions of concepts against people's",
        "colorize": "colorings by people and their quality control",
        "studies": "how a study was run",
        "judge": "how metrics agree with people's judgments",
        "vision_language": "multiple-choice questions about color",
        "fidelity": "color fidelity of photograph-like images",
    }
)
"""The results of ours that a published table accompanies."""


def paper(paper_id: str) -> Paper:
    """The paper of that id. Raises BadInput, naming the known ids."""
    for entry in papers():
        if entry.id == paper_id:
            return entry
    ids = ", ".join(entry.id for entry in papers())
    raise BadInput(f"There is no paper {paper_id!r}. Known are: {ids}.")


def table(table_id: str) -> PublishedTable:
    """The table of that id, such as ``gencolorbench-table4``. Raises BadInput, naming the known
    ids."""
    for entry in tables():
        if entry.id == table_id:
            return entry
    ids = ", ".join(entry.id for entry in tables())
    raise BadInput(f"There is no published table {table_id!r}. Known are: {ids}.")


def value(table_id: str, column: str, **keys: str) -> float | None:
    """One number: ``value("gencolorbench-table4", model="SD 3.5", column="Avg.")``.

    None where the paper has no number there. Raises BadInput when table, column or row is unknown,
    and when more than one row is meant.
    """
    published_table = table(table_id)
    return published_table.row(**keys).values[published_table.column(column).name]


def tables_for(use: str) -> tuple[PublishedTable, ...]:
    """The tables that stand beside something of ours, a key of :data:`USES`. Raises BadInput for
    any other."""
    if use not in USES:
        raise BadInput(f"Nothing of ours is called {use!r}. Choose one of: {', '.join(USES)}.")
    return tuple(entry for entry in tables() if use in entry.comparable_with)


def counterpart(paper_id: str, published: str) -> Counterpart:
    """Which of our generators a paper's name of a model stands for; no id where we have none.
    Raises BadInput for a name that stands in no table of the paper."""
    source_paper = paper(paper_id)
    names = {
        row.keys["model"]
        for entry in tables()
        if entry.paper == source_paper and "model" in entry.keys
        for row in entry.rows
    }
    if published not in names:
        raise BadInput(
            f"No table of {paper_id} names a model {published!r}. "
            f"Choose one of: {', '.join(sorted(names))}."
        )
    nothing = Counterpart((), False, "It is none of our generators.")
    return counterparts().get((paper_id, published), nothing)


def bibtex(ids: Iterable[str]) -> str:
    """BibTeX entries of papers, by their ids or the ids of their tables, each paper once. Raises
    BadInput for an id of neither."""
    by_table = {entry.id: entry.paper for entry in tables()}
    cited = dict.fromkeys(by_table[key] if key in by_table else paper(key) for key in ids)
    return "\n\n".join(_bibtex_entry(entry) for entry in cited) + "\n"


def _bibtex_entry(paper: Paper) -> str:
    """One ``@misc`` entry, with only what is known of the paper."""
    fields = {
        "title": f"{{{paper.title}}}",
        "author": " and ".join(paper.authors),
        "year": str(paper.year or ""),
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv" if paper.arxiv else "",
        "url": paper.url,
    }
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join([f"@misc{{{paper.id},", *lines, "}"])
