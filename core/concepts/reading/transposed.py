"""Histograms or ratings in a table: one row for each bin, one column for each concept; and 71 bare
numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from truehue.core.color.notation import shortened
from truehue.core.concepts.reading.bin_order import (
    NEEDED,
    TOLERANCE_LAB,
    FileRefused,
    Order,
    by_color,
    by_index,
    by_place,
)
from truehue.core.concepts.reading.cells import (
    COLOR,
    INDEX,
    LAB,
    RGB,
    VALUE,
    SourceColor,
    called,
    color_in,
    index_in,
    number,
    of_lab,
    of_rgb,
)
from truehue.core.concepts.reading.collector import Label, RowCollector
from truehue.core.concepts.reading.tables import TextTable, no_concept
from truehue.core.errors import BadInput
from truehue.core.prompts.importing.tables import Record


class ColorColumns:
    """Where a table has its colors: one column of them, three of their channels, or both.

    ``places`` are these columns; none where there are no colors. Raises FileRefused where it
    cannot be told which column is which channel.
    """

    def __init__(self, table: TextTable) -> None:
        names = [called(header) for header in table.header]
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
        raise BadInput(f'"{shortened(cell)}" is not a color; write #RRGGBB, or L,a,b')
    return color


def take_turned(
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
        concept = (text or "") if called(header) in VALUE else header
        if not concept.strip():
            raise no_concept(table.name)
        label = Label(f"Column {position + 1}", concept)
        try:
            numbers = table.numbers([record.fields[position] for record in rows], labels)
        except BadInput as error:
            gathering.refuse(label.name, str(error))
            continue
        gathering.take_numbers(label, numbers, order)


def take_bare(
    table: TextTable,
    gathering: RowCollector,
    as_58: bool,
    text: str | None,
    numbers: Sequence[float],
) -> None:
    """Reads numbers without any header, of the concept ``words``."""
    order = by_place(len(numbers), as_58, table.name)
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
    elif len(table.header) == 1 and all(len(_cells(record)) <= 1 for record in table.rows):
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
    if index is None and first is not None and _all_indices(rows, first):
        index = first
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
        raise BadInput(f'"{shortened(cell)}" is not an index of a bin')
    return index


def _cells(record: Record) -> list[str]:
    return [cell for cell in record.fields if cell]


def _all_indices(rows: Sequence[Record], index: int) -> bool:
    return all(index_in(record.fields[index]) is not None for record in rows)


def _is_number(cell: str, table: TextTable) -> bool:
    try:
        number(cell, "", table.decimal_comma)
    except BadInput:
        return False
    return True
