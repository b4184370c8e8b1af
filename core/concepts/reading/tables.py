"""Tables of distributions: one row for each concept, for each bin, or for each color of a palette."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from truehue.core.color.notation import shorten
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.reading.bins import (
    COLOR,
    CONTRIBUTOR,
    COUNT_58,
    INDEX,
    KIND,
    LAB,
    LABEL,
    METHOD,
    MODIFIER,
    NEEDED,
    PEOPLE,
    RGB,
    TOLERANCE_LAB,
    UNNAMED,
    VALUE,
    WEIGHT,
    WORDS,
    FileRefused,
    Order,
    SourceColor,
    by_color,
    by_index,
    by_position,
    color_in,
    comma_is_decimal,
    index_in,
    normalize_header,
    number,
    of_lab,
    of_rgb,
)
from truehue.core.concepts.reading.collector import Label, RowCollector
from truehue.core.errors import BadInput
from truehue.core.spreadsheets import unescape_formula
from truehue.core.text_tables import DELIMITERS, Record, TextSource, records

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
        positions = [
            index for index, header in enumerate(self.header) if normalize_header(header) in names
        ]
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
    """Where a table has the fields of its rows' labels. ``words`` are the concept of rows without a
    column for it, or with nothing in it in any row (``blank``)."""

    positions: Mapping[str, int]
    words: str
    blank: bool

    @classmethod
    def of(cls, table: TextTable, concept: int | None, text: str | None) -> LabelColumns:
        """The columns of a table whose concepts are in the column ``concept``.

        What is called ``label`` or ``kind`` alone is anything; together they are what Compare
        writes.
        """
        columns = {"label": table.column(LABEL), "kind": table.column(KIND)}
        if None in columns.values():
            columns = {}
        else:
            columns["method"] = table.column(METHOD)
        columns |= {
            "concept": concept,
            "modifier": table.column(MODIFIER),
            "contributor": table.column(CONTRIBUTOR),
            "people": table.column(PEOPLE),
        }
        blank = concept is None or not any(
            row.fields[concept : concept + 1] not in ((), ("",)) for row in table.rows
        )
        positions = {name: column for name, column in columns.items() if column is not None}
        return cls(positions, (text or "") if blank else "", blank)

    def check(self, name: str) -> None:
        """Raises FileRefused where neither the file ``name`` nor ``words`` names a concept."""
        if self.blank and not self.words.strip():
            raise no_concept(name)

    def read(self, record: Record) -> Label:
        """The record of the row. Raises BadInput for a number of people that is none."""
        cells = {name: record.fields[position] for name, position in self.positions.items()}
        if "kind" in cells:
            cells = {name: unescape_formula(text) for name, text in cells.items()}
        concept, said = cells.pop("concept", ""), cells.pop("people", "")
        people = whole(said)
        nobody = bool(said) and not people
        return Label(
            f"Line {record.line}", concept or self.words, people=people, nobody=nobody, **cells
        )


def no_concept(name: str) -> FileRefused:
    """The refusal of a file that names no concept, where nobody else does."""
    return FileRefused(
        f"{name} does not name its concept. Add a column concept to the file, or enter the "
        "concept.",
        "words",
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


_COLOR_ROW = (*COLOR, "colors")


def read_wide(table: TextTable, gathering: RowCollector, as_58: bool, text: str | None) -> None:
    """Reads the table into ``gathering``.

    ``text`` is the concept of a table without a column of concepts. Raises FileRefused for a header
    that does not say which column is which bin.
    """
    concept = table.column(WORDS)
    if concept is None and normalize_header(table.header[0]) in UNNAMED:
        concept = 0
    labels = LabelColumns.of(table, concept, text)
    columns = _Columns(table, labels)
    positions, order = columns.bins(as_58)
    labels.check(table.name)
    unused = [
        header
        for index, header in enumerate(table.header)
        if header and index not in positions and index not in labels.positions.values()
    ]
    if unused:
        gathering.notes.append(f"Columns that were not used: {', '.join(unused[:20])}.")
    gathering.notes.extend(order.notes)
    names = columns.names(positions)
    for record in table.complete(gathering):
        location = f"Line {record.line}"
        try:
            label = labels.read(record)
            location = label.name
            numbers = table.numbers([record.fields[index] for index in positions], names)
        except BadInput as error:
            gathering.refuse(location, str(error))
            continue
        gathering.take_numbers(label, numbers, order)


class _Columns:
    """The bins of a table's columns."""

    def __init__(self, table: TextTable, labels: LabelColumns) -> None:
        self._table, self._concept = table, labels.positions.get("concept")
        self._rest = [
            index for index in range(len(table.header)) if index not in labels.positions.values()
        ]

    def names(self, positions: Sequence[int]) -> list[str]:
        """For messages."""
        return [f'column "{self._table.header[index]}"' for index in positions]

    def bins(self, as_58: bool) -> tuple[list[int], Order]:
        """The columns of the bins, in the file's order, and which bins they are.

        Takes a row of colors under the header out of the table.
        """
        name, header = self._table.name, self._table.header
        indices = {
            position: index
            for position in self._rest
            if (index := index_in(header[position])) is not None
        }
        below = self._colors_below(list(indices) or self._rest)
        if below:
            self._table.rows = self._table.rows[1:]
            positions = list(below)
            bin_indices = [indices[index] for index in positions] if indices else None
            bin_colors = list(below.values())
            return positions, by_color(bin_colors, self.names(positions), as_58, name, bin_indices)
        colors = self._colors_of_header()
        if indices and colors:
            raise FileRefused(
                f'{name} names some columns by index ("{header[next(iter(indices))]}") and some by '
                f'color ("{header[next(iter(colors))]}"). {NEEDED}'
            )
        if colors:
            positions = list(colors)
            return positions, by_color(list(colors.values()), self.names(positions), as_58, name)
        if indices:
            return list(indices), by_index(list(indices.values()), as_58, name)
        shown = ", ".join(f'"{header[index]}"' for index in self._rest[:3])
        raise FileRefused(
            f"{name} has no column that says which bin it is (found: {shown or 'nothing'}). "
            f"{NEEDED} Colors may also stand in a row under the header."
        )

    def _colors_of_header(self) -> dict[int, SourceColor]:
        colors = {}
        for index in self._rest:
            try:
                color = color_in(self._table.header[index])
            except BadInput as error:
                raise FileRefused(
                    f'The column "{self._table.header[index]}" of {self._table.name} cannot be '
                    f"read: {error}"
                ) from error
            if color is not None:
                colors[index] = color
        return colors

    def _colors_below(self, positions: Sequence[int]) -> dict[int, SourceColor]:
        """The colors that stand under the header, by column; none where no row of them does."""
        cells = self._table.rows[0].fields if self._table.rows else ()
        if len(cells) < len(self._table.header):
            return {}
        color_row = (
            self._concept is not None and normalize_header(cells[self._concept]) in _COLOR_ROW
        )
        # Six digits alone may be a count of pixels.
        if not color_row and not all(
            cells[index][:1] == "#" or "," in cells[index] for index in positions
        ):
            return {}
        try:
            cell_colors = {index: color_in(cells[index]) for index in positions}
        except BadInput as error:
            raise FileRefused(
                f"The colors under the header of {self._table.name} cannot be read: {error}"
            ) from error
        colors = {key: color for key, color in cell_colors.items() if color is not None}
        return colors if color_row or len(colors) in (COUNT, COUNT_58) else {}


class ColorColumns:
    """Where a table has its colors: one column of them, three of their channels, or both.

    ``places`` are these columns; none where there are no colors. Raises FileRefused where it
    cannot be told which column is which channel.
    """

    def __init__(self, table: TextTable) -> None:
        names = [normalize_header(header) for header in table.header]
        self._one = table.column(COLOR)
        three = next((ways for ways in (LAB, RGB) if set(ways) <= set(names)), ())
        twice = [name for name in three if names.count(name) > 1]
        if twice:
            raise FileRefused(
                f'{table.name} has more than one column "{twice[0]}". Keep either L, a, b or '
                "r, g, b."
            )
        self._three = [names.index(name) for name in three]
        self._read = of_lab if three == LAB else of_rgb
        self._comma, self._names = table.decimal_comma, table.header
        self.places = [*([] if self._one is None else [self._one]), *self._three]

    def color(self, record: Record) -> SourceColor:
        """The color of a row. Raises BadInput, also where its two notations are two colors."""
        row_colors: list[SourceColor] = []
        if self._one is not None:
            row_colors.append(color_of_cell(record.fields[self._one]))
        if self._three:
            numbers = [
                number(record.fields[index], self._names[index], self._comma)
                for index in self._three
            ]
            row_colors.append(self._read(numbers))
        apart = math.dist(row_colors[0].lab, row_colors[-1].lab)
        if apart > TOLERANCE_LAB:
            raise BadInput(
                f"{row_colors[0].text} and {row_colors[1].text} are two colors, {apart:.1f} CIELAB "
                "units apart"
            )
        return row_colors[0]


def color_of_cell(cell: str) -> SourceColor:
    """Raises BadInput for what is no color."""
    color = color_in(cell)
    if color is None:
        raise BadInput(f'"{shorten(cell)}" is not a color; write #RRGGBB, or L,a,b')
    return color


def read_transposed(
    table: TextTable, gathering: RowCollector, as_58: bool, text: str | None, unnamed: bool = False
) -> None:
    """Reads the table into ``gathering``. ``unnamed``: the first column has the indices or colors.

    Raises FileRefused where the bins of its rows cannot be told, or where a row has another number
    of cells than the header: then a bin of every concept is missing.
    """
    rows, colors, index = _whole_rows(table), ColorColumns(table), table.column(INDEX)
    order = _order(table, rows, colors, as_58, 0 if unnamed else None)
    gathering.notes.extend(order.notes)
    labels = [f"line {record.line}" for record in rows]
    for position, header in enumerate(table.header):
        if (
            position in colors.places
            or position == index
            or not header
            or (unnamed and position == 0)
        ):
            continue
        concept = (text or "") if normalize_header(header) in VALUE else header
        if not concept.strip():
            raise no_concept(table.name)
        label = Label(f"Column {position + 1}", concept)
        try:
            numbers = table.numbers([record.fields[position] for record in rows], labels)
        except BadInput as error:
            gathering.refuse(label.name, str(error))
            continue
        gathering.take_numbers(label, numbers, order)


def read_headerless(
    table: TextTable,
    gathering: RowCollector,
    as_58: bool,
    text: str | None,
    numbers: Sequence[float],
) -> None:
    """Reads numbers without any header, of the concept ``text``."""
    order = by_position(len(numbers), as_58, table.name)
    if not (text or "").strip():
        raise no_concept(table.name)
    gathering.notes.extend(order.notes)
    gathering.take_numbers(Label(table.name, text or ""), numbers, order)


def bare_numbers(table: TextTable) -> tuple[list[float], str] | None:
    """The numbers of a table that is one row or one column of them, and the text above a column;
    None for any other. Raises FileRefused where most are numbers, and some are none."""
    column = [table.header[0], *(record.fields[0] for record in table.rows if record.fields)]
    above = ""
    if not table.rows:
        cells = list(table.header)
        indices = [index for cell in cells if (index := index_in(cell)) is not None]
        if len(indices) > 1 and indices == list(range(len(indices))):
            raise FileRefused(f"{table.name} has no row below its header.")
    elif len(table.header) == 1 and all(
        sum(map(bool, record.fields)) <= 1 for record in table.rows
    ):
        cells = column
        if not _is_number(cells[0], table):
            above = cells.pop(0)
    else:
        return None
    if 2 * sum(_is_number(cell, table) for cell in cells) <= len(cells):
        return None
    try:
        numbers = table.numbers(cells, [f"number {index}" for index in range(len(cells))])
    except BadInput as error:
        raise FileRefused(f"{table.name} cannot be read: {error}.") from error
    return numbers, above


def is_turned_by_first_column(table: TextTable) -> bool:
    """Whether the first column, whatever it is called, has nothing but bins below its header."""
    cells = [record.fields[0] for record in table.rows if record.fields]
    if len(table.header) < 2 or len(cells) < 2:
        return False
    if all(index_in(cell) is not None for cell in cells):
        return True
    return all(cell.startswith("#") or "," in cell for cell in cells)


def _whole_rows(table: TextTable) -> list[Record]:
    rows = []
    for record in table.rows:
        try:
            rows.append(table.fitted(record))
        except BadInput as error:
            raise FileRefused(
                f"Line {record.line} of {table.name} cannot be read, and a bin of every concept "
                f"would be missing. {error}."
            ) from error
    return rows


def _order(
    table: TextTable, rows: Sequence[Record], colors: ColorColumns, as_58: bool, first: int | None
) -> Order:
    """``first`` is the column that has the indices or the colors without being called so."""
    index = table.column(INDEX)
    if index is None and first is not None:
        index = first if all(index_in(row.fields[first]) is not None for row in rows) else None
    indices: list[int] | None = None
    row_colors: list[SourceColor] = []
    for record in rows:
        try:
            if index is not None:
                indices = [*(indices or []), _index(record.fields[index])]
            if colors.places:
                row_colors.append(colors.color(record))
            elif index is None and first is not None:
                row_colors.append(color_of_cell(record.fields[first]))
        except BadInput as error:
            raise FileRefused(f"Line {record.line} of {table.name}: {error}. {NEEDED}") from error
    if row_colors:
        labels = [f"line {record.line}" for record in rows]
        return by_color(row_colors, labels, as_58, table.name, indices)
    return by_index(indices or [], as_58, table.name)


def _index(cell: str) -> int:
    index = index_in(cell)
    if index is None:
        raise BadInput(f'"{shorten(cell)}" is not an index of a bin')
    return index


def _is_number(cell: str, table: TextTable) -> bool:
    try:
        number(cell, "", table.decimal_comma)
    except BadInput:
        return False
    return True


NOTE = "Every color of a palette went to its closest UW-71 bin; the original colors are stored."
_MERGED = (
    "There is no column contributor: all colors of a concept were read as one palette of all "
    "people."
)


@dataclass
class _Palette:
    label: Label
    colors: list[SourceColor] = field(default_factory=list)
    weights: list[float | None] = field(default_factory=list)
    why: str = ""


def take_palettes(table: TextTable, gathering: RowCollector, text: str | None) -> None:
    """Reads the table into ``gathering``; the rows of a palette need not follow one another.

    A row that cannot be read takes its whole palette with it: the others' shares would be wrong
    without it. ``words`` are for a table without a column of concepts.
    """
    colors = ColorColumns(table)
    labels = LabelColumns.of(table, table.column(WORDS), text)
    labels.check(table.name)
    weight = table.column(WEIGHT)
    gathering.notes.append(NOTE)
    if "contributor" not in labels.positions:
        gathering.notes.append(_MERGED)
    palettes: dict[tuple[str, str], _Palette] = {}
    for record in table.complete(gathering):
        try:
            label = labels.read(record)
        except BadInput as error:
            gathering.refuse(f"Line {record.line}", str(error))
            continue
        palette = palettes.setdefault(
            (label.words, " ".join(label.contributor.split())), _Palette(label)
        )
        _add(palette, record, table, colors, weight)
    for palette in palettes.values():
        if palette.why:
            gathering.refuse(palette.label.name, palette.why)
            continue
        weights = [value for value in palette.weights if value is not None]
        if weights and len(weights) < len(palette.weights):
            gathering.refuse(palette.label.name, "some colors of its palette have no weight")
            continue
        gathering.take_palette(palette.label, palette.colors, weights or None)


def _add(
    palette: _Palette, record: Record, table: TextTable, colors: ColorColumns, weight: int | None
) -> None:
    try:
        palette.colors.append(colors.color(record))
        cell = "" if weight is None else record.fields[weight]
        palette.weights.append(number(cell, "the weight", table.decimal_comma) if cell else None)
    except BadInput as error:
        if not palette.why:
            palette.why = (
                f"its palette was excluded, since line {record.line} cannot be read: {error}"
            )
