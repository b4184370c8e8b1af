"""Figures of modifiers: the plane of size against direction, and the sizes alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.tabs.charts.figure_parts import label
from truehue.tabs.compare.tables.charts import SHAPES, run_names
from truehue.tabs.page.figures import INK, LINE, SOFT

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
    low = LEAST_RATIO / 1.12
    high = max([2.5, *(min(point.ratio, MOST_RATIO) for point in points)]) * 1.15
    boxes = [box for region in regions if (box := _box(region, low, high))]
    series = [_name(region, box) for region, box in boxes]
    for index, (run, name) in enumerate(run_names(runs).items()):
        own = [_mark(point, high) for point in points if point.run == run]
        if not own:
            continue
        shape = SHAPES[index % len(SHAPES)]
        series += [
            {
                "rows": own,
                "marker": {
                    "symbol": shape,
                    "size": 10,
                    "opacity": 1,
                    "line": {"width": 1, "color": INK},
                },
                "cliponaxis": False,
                "showlegend": False,
            },
            # The legend's mark has no color of its own: a run has many.
            {
                "rows": [{"x": None, "y": None}],
                "name": name,
                "hoverinfo": "skip",
                "marker": {
                    "symbol": f"{shape}-open",
                    "size": 10,
                    "color": INK,
                    "line": {"width": 1.6},
                },
            },
        ]
    ticks = [value for value in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if low <= value <= high]
    return {
        "height": 520,
        "margin": {"l": 58, "r": 14, "t": 34, "b": 46},
        "series": [*series, _crowded(points, high)],
        "shapes": [box for _, box in boxes],
        "lines": [{"x": 1, "dash": "dot"}, {"y": DEGREES_MOST, "color": LINE}],
        "x": {
            "type": "log",
            "title": "Size: the model's shift over people's (EMD)",
            "range": [math.log10(low), math.log10(high)],
            "tickvals": ticks,
            "ticktext": ["≤ 0.05" if value == LEAST_RATIO else f"{value:g}" for value in ticks],
            "showgrid": False,
        },
        "y": {
            "title": "Direction: angle to people's shift, °",
            "range": [-6, TOP],
            "tickvals": [0, 45, 90, 135, 180, NO_DIRECTION],
            "ticktext": ["0", "45", "90", "135", "180", "none"],
            "showgrid": False,
        },
        "legend": {"itemsizing": "constant"},
    }


def _mark(point: Point, high: float) -> dict[str, Any]:
    x, y = _place(point, high)
    return {"x": x, "y": y, "hover": point.hover, "pick": point.open, "color": point.hex}


def _place(point: Point, high: float) -> tuple[float, float]:
    """Where a point stands: in view, and in the band above where it has no direction."""
    x = min(max(point.ratio, LEAST_RATIO), high / 1.05)
    return x, NO_DIRECTION if point.angle_deg is None else point.angle_deg


def _crowded(points: Sequence[Point], high: float) -> dict[str, Any]:
    """Says how many points lie on each other at the edge of the plane and where no direction is:
    there the last one hides the others."""
    spots = Counter(
        (round(math.log10(x) / SPOT), y)
        for x, y in (_place(point, high) for point in points)
        if x <= LEAST_RATIO * 10**SPOT or y == NO_DIRECTION
    )
    rows = [
        {"x": 10 ** (SPOT * (x + 1)), "y": y, "text": f"  {count:,} here"}
        for (x, y), count in spots.items()
        if count >= CROWDED
    ]
    return _texts(rows, "middle right") | {"cliponaxis": False}


def _texts(rows: Sequence[Mapping[str, Any]], position: str) -> dict[str, Any]:
    """Texts as a series and no notes: they lie below the points that follow, and hide none."""
    return {
        "mode": "text",
        "rows": rows,
        "textposition": position,
        "textfont": {"size": 12, "color": INK},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _box(region: Region, low: float, high: float) -> tuple[Region, dict[str, Any]] | None:
    """The part of a region that is in view; None where nothing is."""
    left, right = max(region.low, low), min(region.high, high)
    bottom, top = region.angles
    if right <= left or top <= bottom:
        return None
    line = {"color": SOFT, "width": 1}
    ends = {"x0": left, "x1": right, "y0": bottom, "y1": top}
    return region, {"type": "rect", "layer": "below", "line": line, **ends}


def _name(region: Region, box: Mapping[str, Any]) -> dict[str, Any]:
    """The name and count of a region: at the left, away from the line at 1; in the band at its
    lower end, where no neighbor's name is."""
    bottom, top = region.angles
    band = bottom >= DEGREES_MOST
    row = {
        "x": box["x0"] * 1.015,
        "y": bottom + 2 if band else top - 3,
        "text": f"<b>{label(region.name, 40)}</b> {region.count:,}",
    }
    return _texts([row], "top right" if band else "bottom right")


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
    points, means = [], []
    for position, row in enumerate(rows):
        for index, (value, hex_, hover, open_) in enumerate(
            zip(row.values, row.hexes, row.hovers, row.opens, strict=True)
        ):
            # Neighbors are moved apart a little, always in the same way.
            y = position + 0.07 * ((index * 7) % 5 - 2)
            points.append({"x": value, "y": y, "color": hex_, "hover": hover, "pick": open_})
        means.append({"x": row.mean, "y": position, "hover": f"mean {row.mean:.1f} ΔE"})
    limit = max([1.0, *(value for row in rows for value in row.values)])
    dot = {"symbol": "circle", "size": 8, "opacity": 1, "line": {"width": 0.8, "color": SOFT}}
    bar = {"symbol": "line-ns", "size": 24, "line": {"width": 3, "color": INK}}
    return {
        "height": 34 * len(rows) + 84,
        "margin": {"l": 8, "r": 14, "t": 10, "b": 46},
        "series": [
            {"rows": points, "marker": dot, "cliponaxis": False},
            {"rows": means, "marker": bar},
        ],
        # Room for the marks that stand at 0.
        "x": {
            "title": "Shift from the concept without it, EMD in ΔE*ab",
            "range": [-0.03 * limit, 1.04 * limit],
        },
        "y": {
            "names": [label(row.name, 44) for row in rows],
            "range": [len(rows) - 0.5, -0.5],
        },
    }
