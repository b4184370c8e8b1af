"""A CSV file as a table: its header, its rows with their lines, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from truehue.core.concepts.reading.bin_order import WORDS, FileRefused
from truehue.core.concepts.reading.cells import (
    CONTRIBUTOR,
    KIND,
    LABEL,
    METHOD,
    MODIFIER,
    PEOPLE,
    called,
    comma_is_decimal,
    number,
)
from truehue.core.concepts.reading.collector import Label, RowCollector
from truehue.core.errors import BadInput
from truehue.core.prompts.importing.source import TextSource
from truehue.core.prompts.importing.tables import DELIMITERS, Record, records
from truehue.core.spreadsheets import unguarded

MAX_RECORDS = 500_000
_DECIMAL_COMMA = "Its numbers use a decimal comma and were read that way."


@dataclass
class TextTable:
    """The records of a file that are not blank. ``header`` is the first one's cells, without empty
    ones at its end."""

    name: str
    header: tuple[str, ...]
    rows: list[Record]
    decimal_comma: bool
    notes: list[str] = field(default_factory=list)

    def column(self, names: Sequence[str]) -> int | None:
        """The place of the column that is called by one of ``names``, or None.

        Raises FileRefused where several are.
        """
        positions = [index for index, header in enumerate(self.header) if called(header) in names]
        if len(positions) > 1:
            shown = " and ".join(f'"{self.header[index]}"' for index in positions)
            raise FileRefused(f"{self.name} has the columns {shown}: keep one of them.")
        return positions[0] if positions else None

    def complete(self, gathering: RowCollector) -> list[Record]:
        """The records with as many cells as the header; others are reported."""
        complete_records = []
        for record in self.rows:
            try:
                complete_records.append(self.fitted(record))
            except BadInput as error:
                gathering.refuse(f"Line {record.line}", str(error))
        return complete_records

    def fitted(self, record: Record) -> Record:
        """The record with as many cells as the header. Raises BadInput for another number."""
        cells = _trimmed(record.fields, len(self.header))
        if record.why or len(cells) != len(self.header):
            raise BadInput(
                record.why or f"It has {len(cells)} cells and the header {len(self.header)}"
            )
        return Record(record.line, record.raw, cells)

    def numbers(self, cells: Sequence[str], labels: Sequence[str]) -> list[float]:
        """The numbers of a row. Raises BadInput that names the column of the first that is none."""
        pairs = zip(cells, labels, strict=True)
        return [number(cell, label, self.decimal_comma) for cell, label in pairs]


@dataclass(frozen=True)
class LabelColumns:
    """Where the words of a row stand. ``words`` are those of rows that have no column for them, or
    nothing in it in any row."""

    concept: int | None
    modifier: int | None
    contributor: int | None
    people: int | None
    words: str
    label: int | None = None
    kind: int | None = None
    method: int | None = None
    blank: bool = False

    @classmethod
    def of(cls, table: TextTable, concept: int | None, text: str | None) -> LabelColumns:
        """The columns of a table whose concepts are in the column ``concept``.

        What is called ``label`` or ``kind`` alone is anything; together they are what Compare
        writes.
        """
        label, kind = table.column(LABEL), table.column(KIND)
        ours = label is not None and kind is not None
        blank = concept is None or not any(
            row.fields[concept : concept + 1] not in ((), ("",)) for row in table.rows
        )
        return cls(
            concept,
            table.column(MODIFIER),
            table.column(CONTRIBUTOR),
            table.column(PEOPLE),
            (text or "") if blank else "",
            *((label, kind, table.column(METHOD)) if ours else (None, None, None)),
            blank,
        )

    def check(self, name: str) -> None:
        """Raises FileRefused where neither the file ``name`` nor ``words`` names a concept."""
        if self.blank and not self.words.strip():
            raise no_concept(name)

    @property
    def places(self) -> frozenset[int]:
        """The columns that are labels."""
        return frozenset(column for column in self._columns.values() if column is not None)

    def read(self, record: Record) -> Label:
        """What the row is. Raises BadInput for a number of people that is none."""
        cells = {
            name: "" if column is None else record.fields[column]
            for name, column in self._columns.items()
        }
        if self.kind is not None:
            cells = {name: unguarded(text) for name, text in cells.items()}
        people = whole(cells["people"])
        return Label(
            f"Line {record.line}",
            cells["concept"] or self.words,
            cells["modifier"],
            cells["contributor"],
            people,
            nobody=bool(cells["people"]) and not people,
            label=cells["label"],
            kind=cells["kind"],
            method=cells["method"],
        )

    @property
    def _columns(self) -> dict[str, int | None]:
        names = ("concept", "modifier", "contributor", "people", "label", "kind", "method")
        return {name: getattr(self, name) for name in names}


def no_concept(name: str) -> FileRefused:
    """The refusal of a file that names no concept, where nobody else does."""
    return FileRefused(
        f"{name} does not name its concept. Add a column concept to the file, or enter the "
        "concept.",
        WORDS,
    )


def whole(text: str) -> int:
    """A number of people; 0 for an empty cell. Raises BadInput for anything else."""
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise BadInput(f'people is "{text[:40]}", which is not a whole number')
    return int(text)


def read_table(source: TextSource) -> TextTable:
    """The table in a text. Raises BadInput for a file without any record, or with too many."""
    delimiter = _delimiter(source)
    rows: list[Record] = []
    for record in records(source.lines(), delimiter):
        if record.why or record.fields:
            cells = tuple(cell.strip() for cell in record.fields)
            rows.append(Record(record.line, record.raw, cells, record.why))
        if len(rows) > MAX_RECORDS:
            raise FileRefused(f"{source.name} has more than {MAX_RECORDS:,} lines. Split it.")
    if not rows:
        raise FileRefused(f"{source.name} is empty.")
    if rows[0].why:
        raise FileRefused(f"The first line of {source.name} cannot be read. {rows[0].why}")
    comma = comma_is_decimal(cell for record in rows for cell in record.fields)
    notes = [*source.notes, *([_DECIMAL_COMMA] if comma else [])]
    return TextTable(source.name, _trimmed(rows[0].fields, 1), rows[1:], comma, notes)


def _trimmed(cells: tuple[str, ...], least: int) -> tuple[str, ...]:
    """The cells without empty ones at the end, as far as ``least`` of them are left."""
    end = len(cells)
    while end > least and not cells[end - 1]:
        end -= 1
    return cells[:end]


def _delimiter(source: TextSource) -> str:
    """The sign that cuts the first records into equally many cells, and most of them."""

    def cells(delimiter: str) -> tuple[bool, int]:
        rows = (record for record in records(source.lines(), delimiter) if record.fields)
        counts = [len(record.fields) for record in islice(rows, 3)] or [0]
        return counts[0] > 1 and len(set(counts)) == 1, counts[0]

    return max(DELIMITERS, key=cells)
