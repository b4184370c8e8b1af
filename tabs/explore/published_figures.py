"""Published tables as the figures of Explore's analyses."""

from __future__ import annotations

from functools import cache

from truehue.core.analysis.groups import CATEGORIES, OVERALL
from truehue.core.published import Column, PublishedRow, PublishedTable, table
from truehue.tabs.explore.figure_parts import (
    HeatCell,
    Published,
    heat_map,
    label,
    percent_text,
)

TABLE_11 = "gencolorbench-table11"

ROW_NAMES = {"l2": "L2", "l3": "L3", "css": "CSS", OVERALL: "Mean of the three"}


@cache
def published_categories(shown: str) -> Published:
    """The paper's Table 11 for one color system, to stand beside ours."""
    published_table = table(TABLE_11)
    columns = {column.ours: column for column in published_table.columns}
    names = [name for name in CATEGORIES if name in columns]
    rows = published_table.find(color_type=shown)
    cells = [
        [_published_cell(published_table, row, columns[name]) for name in names] for row in rows
    ]
    figure = heat_map(
        cells,
        [_short(name) for name in names],
        [label(row.keys["model"]) for row in rows],
        row_px=22,
        text_px=10,
    )
    return Published(
        figure,
        f"As published: {published_table.number}, {ROW_NAMES[shown]}",
        f"The paper’s own models, images and prompts, scored under "
        f"{published_table.protocol}. {published_table.how}",
        "\n".join((published_table.source, *published_table.notes)),
    )


def _published_cell(published_table: PublishedTable, row: PublishedRow, column: Column) -> HeatCell:
    value = row.values[column.name]
    doubt = published_table.doubt(row, column.name)
    hover = (
        f"{label(row.keys['model'])}, {ROW_NAMES[row.keys['color_type']]}<br>"
        f"<b>{column.meaning}</b><br>{row.printed[column.name] or 'no number'}% as published"
    )
    return HeatCell(_wrong(value), percent_text(value), f"{hover}<br>{doubt}" if doubt else hover)


def _short(category: str) -> str:
    """The first word of a category: ``Furniture``."""
    return label(category.split()[0])


def _wrong(percent: float | None) -> float | None:
    """The shade of a share of passes: the stronger, the more verdicts fail."""
    return None if percent is None else 100.0 - percent
