"""Palettes in a long table: one row for each color of a concept's or a contributor's palette."""

from __future__ import annotations

from dataclasses import dataclass, field

from truehue.core.concepts.reading.cells import WEIGHT, WORDS, SourceColor, number
from truehue.core.concepts.reading.collector import Label, RowCollector
from truehue.core.concepts.reading.tables import LabelColumns, TextTable
from truehue.core.concepts.reading.transposed import ColorColumns
from truehue.core.errors import BadInput
from truehue.core.prompts.importing.tables import Record

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
    if labels.contributor is None:
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
