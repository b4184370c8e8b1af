"""Two distributions in the a*b* plane, and the transport plan from one to the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truehue.core.color.distances import Move
from truehue.core.color.uw71 import lab71, uw71
from truehue.tabs.compare.histograms import OUTLINE_PX, Histogram, escaped
from truehue.tabs.page.figures import INK, LINE, SOFT

LARGEST_PX = 46
APART = 0.3
"""How far a bin is drawn above its place for each L* over 50, in units of b*: bins of one a* and b*
stand apart then, as in a Lab solid seen from a little below."""
MAX_ARROWS = 30
WIDEST_ARROW_PX, THINNEST_ARROW_PX = 11.0, 0.8
HEAD_PX, HEAD_LENGTH_PX = 3.2, 9.0
_RANGE_A, _RANGE_B = (-104.0, 112.0), (-122.0, 116.0)
_HEIGHT_PX, _ABOVE_PX, _BELOW_PX = 520, 46, 38
PX_A_UNIT = (_HEIGHT_PX - _ABOVE_PX - _BELOW_PX) / (_RANGE_B[1] - _RANGE_B[0])
"""Pixels of one unit of a* and b* where the figure has room to its sides."""


def bin_positions(apart: bool) -> np.ndarray:
    """Where the bins stand in the plane, float64 ``(71, 2)``."""
    lab = lab71()
    shift = APART * (lab[:, 0] - 50.0) if apart else np.zeros(len(lab))
    return np.stack([lab[:, 1], lab[:, 2] + shift], axis=-1)


def bubbles(first: Histogram, second: Histogram, *, apart: bool = True) -> dict[str, Any]:
    """Discs for the first, rings for the second; areas are as their shares."""
    indices = bin_positions(apart)
    largest = max(float(first.weights.max()), float(second.weights.max()))
    series = [
        _dots(indices),
        *_discs(indices, first.weights, largest, ring=False),
        *_discs(indices, second.weights, largest, ring=True),
    ]
    return _plane(series, [f"●  {first.title}", f"○  {second.title}"])


def flow(
    first: Histogram, second: Histogram, moves: Sequence[Move], *, apart: bool = True
) -> dict[str, Any]:
    """Arrows from where the first has too much to where the second has more, as wide as the mass.

    Discs and rings are what leaves and what arrives; what both have in a bin stays and is not
    drawn. Of many moves the :data:`MAX_ARROWS` that cost most are drawn.
    """
    indices, bins = bin_positions(apart), uw71()
    sample = list(moves)[:MAX_ARROWS]
    leaving, arriving = np.zeros(len(indices)), np.zeros(len(indices))
    for move in moves:
        leaving[move.source] += move.mass
        arriving[move.target] += move.mass
    largest = max(float(leaving.max()), float(arriving.max()), 1e-12)
    radius = np.sqrt(np.maximum(leaving, arriving) / largest) * LARGEST_PX / 2.0 / PX_A_UNIT
    widest = max((move.mass for move in sample), default=1.0)
    middles, shapes = [], []
    for move in sorted(sample, key=lambda move: -move.mass):
        start, end = indices[move.source], indices[move.target]
        a, b = ((start + end) / 2.0).tolist()
        middles.append({"x": a, "y": b, "hover": move_text(move)})
        # Between bins of one a*, b* there is nowhere to go on the plane: hovering tells of it.
        if np.array_equal(start, end):
            continue
        width_px = max(THINNEST_ARROW_PX, WIDEST_ARROW_PX * move.mass / widest)
        outline = arrow(
            start, end, width_px / PX_A_UNIT, float(radius[move.source]), float(radius[move.target])
        )
        # The color that moves, with a thin line around it: light ones are seen too.
        shapes.append(
            {
                "type": "path",
                "path": _path(outline),
                "fillcolor": bins[move.source].hex,
                # Many moves of next to nothing must not hide the few that matter.
                "opacity": 0.95 if width_px >= 1.5 else 0.4,
                "line": {"color": INK, "width": 0.7},
                "name": f"{move.source}-{move.target}",
            }
        )
    series = [
        _dots(indices),
        *_discs(indices, leaving, largest, ring=False),
        *_discs(indices, arriving, largest, ring=True),
    ]
    if middles:
        marker = {"size": 14, "color": INK, "opacity": 0.0}
        series.append({"rows": middles, "marker": marker, "meta": {"is": "moves"}})
    legend = [f"●  source: {first.title}", f"○  destination: {second.title}"]
    return _plane(series, legend) | {"shapes": shapes}


def arrow(
    start: np.ndarray, end: np.ndarray, width: float, from_edge: float, to_edge: float
) -> np.ndarray:
    """The outline of an arrow, float64 ``(7, 2)``, its point first.

    It begins ``from_edge`` after ``start`` and ends ``to_edge`` before ``end``, the edges of the
    bubbles; between bubbles that nearly touch it goes from middle to middle.
    """
    along = end - start
    length = float(np.hypot(*along))
    along = along / length
    head = HEAD_LENGTH_PX / PX_A_UNIT
    if length - from_edge - to_edge < head:
        from_edge, to_edge = 0.0, 0.0
    tail, point = start + along * from_edge, end - along * to_edge
    head = min(head, 0.7 * (length - from_edge - to_edge))
    neck = point - along * head
    across = np.array([-along[1], along[0]])
    thin, wide = across * width / 2.0, across * (width / 2.0 + HEAD_PX / PX_A_UNIT)
    return np.array(
        [point, neck + wide, neck + thin, tail + thin, tail - thin, neck - thin, neck - wide]
    )


def _path(outline: np.ndarray) -> str:
    corners = (f"{a:.2f},{b:.2f}" for a, b in outline)
    return "M " + " L ".join(corners) + " Z"


def move_text(move: Move) -> str:
    """``12.3% from Vivid yellow, L* 75 to Dark brown, L* 25: 61.2 Lab, 7.5 of the EMD``."""
    bins = uw71()
    return (
        f"{100.0 * move.mass:.1f}% from {escaped(bins[move.source].name)} to "
        f"{escaped(bins[move.target].name)}:<br>{move.distance_lab:.1f} Lab, "
        f"{move.cost:.2f} of the EMD"
    )


def _plane(series: Sequence[Mapping[str, Any]], legend: Sequence[str]) -> dict[str, Any]:
    """The a*b* plane, with the lines of the legend above it."""
    axis = {
        "dtick": 25,
        "constrain": "domain",
        "zeroline": True,
        "zerolinecolor": SOFT,
        "zerolinewidth": 1,
    }
    at = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return {
        "height": _HEIGHT_PX,
        "margin": {"l": 42, "r": 8, "t": _ABOVE_PX, "b": _BELOW_PX},
        "series": list(series),
        "x": {"title": "a*", "range": list(_RANGE_A), **axis},
        "y": {"title": "b*", "range": list(_RANGE_B), "scaleanchor": "x", **axis},
        "notes": [
            {**at, "text": text, "yshift": 22 - 18 * index, "font": {"size": 12}}
            for index, text in enumerate(legend)
        ],
    }


def _dots(indices: np.ndarray) -> dict[str, Any]:
    """All bins, so that one sees where there could be mass."""
    return {
        "rows": [
            {"x": a, "y": b, "pick": bin_.index}
            for (a, b), bin_ in zip(indices.tolist(), uw71(), strict=True)
        ],
        "marker": {"size": 3.5, "color": LINE, "line": {"width": 0}},
        "hoverinfo": "none",
        "meta": {"is": "dots"},
    }


def _discs(
    indices: np.ndarray, weights: np.ndarray, largest: float, *, ring: bool
) -> list[dict[str, Any]]:
    bins = uw71()
    # The small ones last, on top of the large.
    order = [int(index) for index in np.argsort(-weights, kind="stable") if weights[index] > 0]
    rows = [
        {
            "x": float(indices[index, 0]),
            "y": float(indices[index, 1]),
            "pick": index,
            "size": float(weights[index]),
            "edgeColor" if ring else "color": bins[index].hex,
        }
        for index in order
    ]
    # Without an opacity, plotly makes bubbles translucent: other colors than those of the bins.
    marker = {"sizemode": "area", "sizeref": 2.0 * largest / LARGEST_PX**2, "opacity": 1.0}
    look = {"hoverinfo": "none", "meta": {"is": "rings" if ring else "discs"}}
    if not ring:
        line = {"width": OUTLINE_PX, "color": SOFT}
        return [{"rows": rows, "marker": {**marker, "line": line}, **look}]
    # A ring of the bin's color between two thin lines of ink: light ones are seen too.
    marker["color"] = "rgba(0,0,0,0)"
    around = [row | {"edgeColor": INK} for row in rows]
    return [
        {"rows": around, "marker": {**marker, "line": {"width": 5.5}}, **look},
        {"rows": rows, "marker": {**marker, "line": {"width": 4.0}}, **look},
    ]
