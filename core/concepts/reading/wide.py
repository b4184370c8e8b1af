"""Histograms or ratings in a table: one row for each concept, one column for each bin."""

from __future__ import annotations

from collections.abc import Sequence

from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.reading.bin_order import (
    COUNT_58,
    NEEDED,
    FileRefused,
    Order,
    by_color,
    by_index,
)
from truehue.core.concepts.reading.cells import (
    COLOR,
    UNNAMED,
    WORDS,
    SourceColor,
    called,
    color_in,
    index_in,
)
from truehue.core.concepts.reading.collector import RowCollector
from truehue.core.concepts.reading.tables import LabelColumns, TextTable
from truehue.core.errors import BadInput

_COLOR_ROW = (*COLOR, "colors")


def take_wide(table: TextTable, gathering: RowCollector, as_58: bool, text: str | None) -> None:
    """Reads the table into ``gathering``.

    ``words`` are for a table without a column of concepts. Raises FileRefused for a header that
    does not say which column is which bin.
    """
    concept = table.column(WORDS)
    if concept is None and called(table.header[0]) in UNNAMED:
        concept = 0
    labels = LabelColumns.of(table, concept, text)
    columns = _Columns(table, labels)
    positions, order = columns.bins(as_58)
    labels.check(table.name)
    unused = [
        header
        for index, header in enumerate(table.header)
        if header and index not in positions and index not in labels.places
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
    """What the columns of a table say of their bins."""

    def __init__(self, table: TextTable, labels: LabelColumns) -> None:
        self._table, self._concept = table, labels.concept
        self._rest = [index for index in range(len(table.header)) if index not in labels.places]

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
        color_row = self._concept is not None and called(cells[self._concept]) in _COLOR_ROW
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
