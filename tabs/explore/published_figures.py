"""Published tables as the figures of Explore's analyses."""

from __future__ import annotations

from functools import cache

from core.analysis.groups import (
    CATEGORIES,
    OVERALL,
)
from core.analysis.records import (
    Slice,
)
from core.published import Column, PublishedRow, PublishedTable, table
from tabs.explore.figure_parts import (
    HeatCell,
    Picks,
    Published,
    finished,
    heat_map,
    label,
    percent_text,
)

TABLE_11 = "gencolorbench-table11"

ROW_NAMES = {"l2": "L2", "l3": "L3", "css": "CSS", OVERALL: "Mean of the three"}


@cache
def published_categories(shown: str) -> Published:
    """The paper's Table 11 for one color system, to stand beside ours."""
    found = table(TABLE_11)
    columns = {column.ours: column for column in found.columns}
    names = [name for name in CATEGORIES if name in columns]
    rows = found.find(color_type=shown)
    cells = [[_published_cell(found, row, columns[name]) for name in names] for row in rows]
    figure = heat_map(
        cells,
        [_short(name) for name in names],
        [label(row.keys["model"]) for row in rows],
        Picks(Slice()),
        row_px=22,
        text_px=10,
    )
    return Published(
        finished(figure),
        f"As published: {found.number}, {ROW_NAMES[shown]}",
        f"The paper’s own models, pictures and prompts, judged under {found.protocol}. {found.how}",
        "\n".join((found.source, *found.notes)),
    )


def _published_cell(found: PublishedTable, row: PublishedRow, column: Column) -> HeatCell:
    value = row.values[column.name]
    doubt = found.doubt(row, column.name)
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
