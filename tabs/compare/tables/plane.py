"""Figures of modifiers: the plane of size against direction, and the sizes alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.tabs.compare.tables.charts import SHAPES, run_names
from truehue.tabs.explore.figure_parts import finished, label
from truehue.tabs.page.figures import INK, LINE, SOFT, blank

LEAST_RATIO, MOST_RATIO = 0.05, 8.0
"""What of the axis is always shown, and beyond what points stand at its edge."""
DEGREES_MOST = 180.0
NO_DIRECTION = 196.0
"""Where points without a direction stand, in a band of their own above 180 degrees."""
TOP = 212.0
"""Where the plane ends."""
SPOT, CROWDED = 0.06, 4
"""How wide a spot is, in powers of ten, and how many points of one are counted beside it."""


@dataclass(frozen=True)
class Point:
    """One modified concept of a run in the plane: ``ratio`` its shift over people's, ``angle_deg``
    None where one of the shifts has no direction; ``open`` the place of what it opens."""

    run: str
    ratio: float
    angle_deg: float | None
    hex: str
    hover: str
    open: int


@dataclass(frozen=True)
class Region:
    """A named part of the plane: from ``low`` to ``high`` times people's shift, ``angles`` in
    degrees, and how many points are in it."""

    name: str
    low: float
    high: float
    angles: tuple[float, float]
    count: int


def plane(
    points: Sequence[Point], regions: Sequence[Region], runs: Mapping[str, str]
) -> dict[str, Any]:
    """Size (log scale, 1 is people's) against direction (0 is people's); a point's fill is the mean
    color of the model's distribution, its shape tells the run. ``runs`` are names by id."""
    import plotly.graph_objects as go

    figure = blank(height=520)
    low = LEAST_RATIO / 1.12
    high = max([2.5, *(min(point.ratio, MOST_RATIO) for point in points)]) * 1.15
    for region in regions:
        _region(figure, region, low, high)
    for index, (run, name) in enumerate(run_names(runs).items()):
        own = [point for point in points if point.run == run]
        if not own:
            continue
        shape = SHAPES[index % len(SHAPES)]
        figure.add_trace(
            go.Scatter(
                x=[_place(point, high)[0] for point in own],
                y=[_place(point, high)[1] for point in own],
                mode="markers",
                customdata=[point.open for point in own],
                cliponaxis=False,
                hovertext=[point.hover for point in own],
                hovertemplate="%{hovertext}<extra></extra>",
                marker={
                    "symbol": shape,
                    "size": 10,
                    "color": [point.hex for point in own],
                    "opacity": 1,
                    "line": {"width": 1, "color": INK},
                },
                showlegend=False,
            )
        )
        # The legend's mark has no color of its own: a run has many.
        figure.add_trace(
            go.Scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=name,
                showlegend=True,
                hoverinfo="skip",
                marker={
                    "symbol": f"{shape}-open",
                    "size": 10,
                    "color": INK,
                    "line": {"width": 1.6},
                },
            )
        )
    _crowded(figure, points, high)
    figure.add_vline(x=1, line={"color": SOFT, "width": 1, "dash": "dot"})
    figure.add_hline(y=DEGREES_MOST, line={"color": LINE, "width": 1})
    ticks = [value for value in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if low <= value <= high]
    figure.update_xaxes(
        type="log",
        range=[_log(low), _log(high)],
        tickvals=ticks,
        showgrid=False,
        ticktext=["≤ 0.05" if value == LEAST_RATIO else f"{value:g}" for value in ticks],
        title_text="Size: the model's shift over people's (EMD)",
    )
    figure.update_yaxes(
        range=[-6, TOP],
        tickvals=[0, 45, 90, 135, 180, NO_DIRECTION],
        showgrid=False,
        ticktext=["0", "45", "90", "135", "180", "none"],
        title_text="Direction: angle to people's shift, °",
    )
    figure.update_layout(
        margin={"l": 58, "r": 14, "t": 34, "b": 46},
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
            "font": {"color": INK},
            "itemsizing": "constant",
        },
    )
    return finished(figure)


def _place(point: Point, high: float) -> tuple[float, float]:
    """Where a point stands: in view, and in the band above where it has no direction."""
    x = min(max(point.ratio, LEAST_RATIO), high / 1.05)
    return x, NO_DIRECTION if point.angle_deg is None else point.angle_deg


def _crowded(figure: Any, points: Sequence[Point], high: float) -> None:
    """Says how many points lie on each other at the edge of the plane and where no direction is:
    there the last one hides the others."""
    import plotly.graph_objects as go

    spots = Counter(
        (round(math.log10(x) / SPOT), y)
        for x, y in (_place(point, high) for point in points)
        if x <= LEAST_RATIO * 10**SPOT or y == NO_DIRECTION
    )
    counted = [(10 ** (SPOT * x), y, count) for (x, y), count in spots.items() if count >= CROWDED]
    figure.add_trace(
        go.Scatter(
            x=[x * 10**SPOT for x, _, _ in counted],
            y=[y for _, y, _ in counted],
            mode="text",
            text=[f"  {count:,} here" for _, _, count in counted],
            textposition="middle right",
            hoverinfo="skip",
            textfont={"size": 12, "color": INK},
            showlegend=False,
            cliponaxis=False,
        )
    )


def _region(figure: Any, region: Region, low: float, high: float) -> None:
    """Draws the part of a region that is in view, with its name and count at its edge."""
    left, right = max(region.low, low), min(region.high, high)
    bottom, top = region.angles
    if right <= left or top <= bottom:
        return
    figure.add_shape(
        type="rect",
        x0=left,
        x1=right,
        y0=bottom,
        y1=top,
        layer="below",
        line={"color": SOFT, "width": 1},
    )
    import plotly.graph_objects as go

    # A trace and no annotation: it lies below the points, and hides none. At the left, away from
    # the line at 1; in the band at its lower end, where no neighbor's name is.
    band = bottom >= DEGREES_MOST
    figure.add_trace(
        go.Scatter(
            x=[left * 1.015],
            y=[bottom + 2 if band else top - 3],
            mode="text",
            textposition="top right" if band else "bottom right",
            text=[f"<b>{label(region.name, 40)}</b> {region.count:,}"],
            hoverinfo="skip",
            textfont={"size": 12, "color": INK},
            showlegend=False,
        )
    )


@dataclass(frozen=True)
class Spread:
    """The sizes of the shifts of one row: ``values`` in ΔE, with what each shows and opens."""

    name: str
    values: tuple[float, ...]
    hexes: tuple[str, ...]
    hovers: tuple[str, ...]
    opens: tuple[int, ...]
    mean: float


def sizes(rows: Sequence[Spread]) -> dict[str, Any]:
    """A line of points a row, and its mean as a bar across."""
    import plotly.graph_objects as go

    figure = blank(height=34 * len(rows) + 84)
    # Room for the marks that stand at 0.
    limit = max([1.0, *(value for row in rows for value in row.values)])
    for position, row in enumerate(rows):
        # Neighbors are moved apart a little, always in the same way.
        up = [0.07 * ((index * 7) % 5 - 2) for index in range(len(row.values))]
        figure.add_trace(
            go.Scatter(
                x=list(row.values),
                y=[position + by for by in up],
                mode="markers",
                customdata=list(row.opens),
                hovertext=list(row.hovers),
                cliponaxis=False,
                hovertemplate="%{hovertext}<extra></extra>",
                marker={
                    "symbol": "circle",
                    "size": 8,
                    "color": list(row.hexes),
                    "opacity": 1,
                    "line": {"width": 0.8, "color": SOFT},
                },
            )
        )
        figure.add_trace(
            go.Scatter(
                x=[row.mean],
                y=[position],
                mode="markers",
                hovertext=[f"mean {row.mean:.1f} ΔE"],
                hovertemplate="%{hovertext}<extra></extra>",
                marker={"symbol": "line-ns", "size": 24, "line": {"width": 3, "color": INK}},
            )
        )
    figure.update_xaxes(
        range=[-0.03 * limit, 1.04 * limit],
        title_text="Shift from the concept without it, EMD in ΔE*ab",
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[label(row.name, 44) for row in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        ticks="",
        automargin=True,
        fixedrange=True,
    )
    figure.update_layout(margin={"l": 8, "r": 14, "t": 10, "b": 46})
    return finished(figure)


def _log(value: float) -> float:
    return math.log10(value)
