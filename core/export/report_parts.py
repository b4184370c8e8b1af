"""What a report is made of. All text is plain text: whoever writes it out escapes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; ``soft`` for what explains."""

    text: str
    soft: bool = False


@dataclass(frozen=True)
class Facts:
    """Names and values, one below the other."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Cell:
    """A cell of a table; ``below`` is smaller, such as an interval."""

    text: str
    below: str = ""
    words: bool = False


@dataclass(frozen=True)
class Table:
    """A table. The first cell of a row names it; ``tag`` stands beside the title. ``even`` tables
    have equally wide columns, so that two of them can be compared."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    tag: str = ""
    even: bool = False


@dataclass(frozen=True)
class Chart:
    """A plotly figure as plain JSON, or ``empty``, the words why there is none."""

    title: str
    words: str
    figure: Mapping[str, Any] | None = None
    empty: str = ""
    source: str = ""


@dataclass(frozen=True)
class Shot:
    """A picture that failed: ``picture`` is a PNG, or empty where it is not at hand.

    ``asked_hex`` and ``found_hex`` stand side by side; the latter is empty where nothing was found.
    """

    picture: bytes
    missing: str
    text: str
    name: str
    asked_name: str
    asked_hex: str
    found_hex: str
    number: str
    told: str


@dataclass(frozen=True)
class Shots:
    """Pictures under one title."""

    title: str
    shots: tuple[Shot, ...]


@dataclass(frozen=True)
class Code:
    """Text as it is, such as BibTeX."""

    text: str


Block = Paragraph | Facts | Table | Chart | Shots | Code


@dataclass(frozen=True)
class Section:
    """Blocks under one heading."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """A whole report."""

    title: str
    below: str
    sections: tuple[Section, ...]
