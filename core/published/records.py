"""The records of published tables: as their papers print them, with what is known about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from truehue.core.errors import BadInput


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
