"""Figures of distributions over the UW-71 bins, every bin in its own color.

A trace of bins has their indices as ``customdata``, so that the page can name the bin below the
mouse in all figures at once. The page's colors are variables (see
:mod:`truehue.tabs.page.figures`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truehue.core.color.distances import Move
from truehue.core.color.uw71 import COUNT, Bin, uw71
from truehue.core.errors import BadInput
from truehue.tabs.page.figures import LINE, PANEL, SOFT

WIDEST = 0.92
"""Of the widest bundle, in bins: as wide as a bar."""

SORTS = {"canonical": "Canonical", "hue": "Hue", "mass": "Mass"}
ROW_PX, STRIP_PX, FRAME_PX = 112, 14, 32
MAX_LABEL = 74
OUTLINE_PX = 0.8


@dataclass(frozen=True)
class Histogram:
    """A distribution in a figure: its letter, what it is called, its shares ``(71,)``, and the
    colors of its palette (hex, CIELAB, weight), largest first."""

    letter: str
    label: str
    weights: np.ndarray = field(repr=False)
    palette: Sequence[tuple[str, tuple[float, float, float], float]] = ()

    @property
    def title(self) -> str:
        """Letter and label, short enough for a figure."""
        cut = self.label[: MAX_LABEL - 1] + "…" if len(self.label) > MAX_LABEL else self.label
        return f"<b>{self.letter}</b>  {escaped(cut)}"


def escaped(text: str) -> str:
    """Text that plotly shows as it is: it reads a few HTML tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def order_of(sort: str, shown: Sequence[Histogram]) -> list[int]:
    """The 71 bins in the order of a figure: canonical, by hue (neutrals at the end, by L*), or by
    the mean mass of all that are shown, the largest first. Raises BadInput for another word."""
    if sort == "canonical":
        return list(range(COUNT))
    if sort == "hue":
        return [bin_.index for bin_ in sorted(uw71(), key=_hue_key)]
    if sort == "mass":
        total = sum((histogram.weights for histogram in shown), np.zeros(COUNT))
        return sorted(range(COUNT), key=lambda index: (-total[index], index))
    raise BadInput(f"Bins are sorted by {', '.join(SORTS)}; not by {sort[:40]!r}.")


def _hue_key(bin_: Bin) -> tuple[float, ...]:
    if bin_.hue_deg is None:
        return 1.0, bin_.lab[0]
    # Bins of one line from the neutral axis have one hue, up to rounding.
    return 0.0, round(bin_.hue_deg, 3), bin_.lab[0], float(np.hypot(*bin_.lab[1:]))


def format_signed(value: float) -> str:
    """a* or b* with two decimals and a real minus."""
    return f"{value + 0.0:.2f}".replace("-", "−")


def histograms(shown: Sequence[Histogram], sort: str, *, one_scale: bool = True) -> dict[str, Any]:
    """One histogram below the other, bars in the colors of the bins; below each the bins' colors.

    With ``one_scale`` all have the same axis, else each has its own.
    """
    order = order_of(sort, shown)
    row = ROW_PX + STRIP_PX + FRAME_PX
    paper = row * len(shown)
    highest = max(100.0 * float(histogram.weights.max()) for histogram in shown)
    parts: list[dict[str, Any]] = []
    notes = []
    for index, histogram in enumerate(shown):
        top = 1.0 - (index * row + FRAME_PX) / paper
        foot = top - ROW_PX / paper
        scale = highest if one_scale else 100.0 * float(histogram.weights.max())
        parts += [
            _bars(histogram, order, 2 * index, (foot, top), (0, scale * 1.06)),
            _strip(order, 2 * index + 1, (foot - STRIP_PX / paper, foot)),
        ]
        notes.append(_title(histogram, 0, top, "left", "bottom") | {"yshift": 3})
    margin = {"l": 44, "r": 6, "t": 0, "b": 8}
    return _bins_chart(parts, height=paper + 8, margin=margin, notes=notes)


def mirror_histograms(
    first: Histogram,
    second: Histogram,
    sort: str,
    among: Sequence[Histogram],
    *,
    one_scale: bool = True,
    moves: Sequence[Move] = (),
) -> dict[str, Any]:
    """The first upward, the second downward; between them the bins' colors.

    Without ``one_scale`` each has its own axis. ``among`` are all that are shown: bins sorted by
    mass keep one order on the whole page. With ``moves`` there is room between the two, and
    ribbons show what would have to go where.
    """
    order = order_of(sort, among)
    up, down = (106.0 * float(histogram.weights.max()) for histogram in (first, second))
    if one_scale:
        up = down = max(up, down)
    # Half the room between the bars; of one strip in the middle without ribbons.
    room, strip = (0.18, 0.035) if moves else (0.025, 0.05)
    above, below = 0.5 + room, 0.5 - room
    parts = [
        _bars(first, order, 0, (above, 1.0), (0, up)),
        _strip(order, 1, (above - strip, above)),
        _bars(second, order, 2, (0.0, below), (down, 0)),
    ]
    if moves:
        parts.append(_strip(order, 3, (below, below + strip)))
    paths = [
        {
            "type": "path",
            "path": path,
            "xref": "x",
            "yref": "paper",
            "fillcolor": uw71()[source].hex,
            # Of thin ones the line is all that is seen: it has the color too.
            "line": {"color": uw71()[source].hex, "width": 0.9},
            "opacity": 0.85,
        }
        for path, source in ribbons(moves, order, above - strip, below + strip)
    ]
    return _bins_chart(
        parts,
        height=560 if moves else 400,
        margin={"l": 44, "r": 6, "t": 6, "b": 6},
        paths=paths,
        notes=[
            _title(first, 1, 1.0, "right", "top") | {"bgcolor": PANEL},
            _title(second, 1, 0.0, "right", "bottom") | {"bgcolor": PANEL},
        ],
    )


def palettes(shown: Sequence[Histogram]) -> dict[str, Any]:
    """One strip a distribution: its colors touch, as wide as their shares."""
    series, notes = [], []
    for index, histogram in enumerate(shown):
        start = 0.0
        for hex_, lab, weight in histogram.palette:
            text = f"{hex_}<br>L* {lab[0]:.1f} · a* {format_signed(lab[1])} · b* {format_signed(lab[2])}"
            series.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "rows": [{"x": 100.0 * weight, "y": -index}],
                    "base": [100.0 * start],
                    "width": 0.58,
                    "marker": {"color": hex_, "line": {"width": 0}},
                    "hovertemplate": f"{text}<br>{100.0 * weight:.1f}%<extra>{histogram.letter}</extra>",
                }
            )
            start += weight
        title = _title(histogram, 0, 0.29 - index, "left", "bottom")
        notes.append(title | {"xref": "x", "yref": "y", "yshift": 1})
    return {
        "height": 60 * len(shown) + 30,
        "margin": {"l": 6, "r": 18, "t": 0, "b": 26},
        "barmode": "overlay",
        "bargap": 0.0,
        "series": series,
        "notes": notes,
        "x": {
            "range": [0, 100.0],
            "ticksuffix": "%",
            "dtick": 20,
            "showgrid": False,
            "fixedrange": True,
        },
        "y": {**BARE, "range": [0.6 - len(shown), 0.68]},
    }


BARE = {
    "showgrid": False,
    "showticklabels": False,
    "showline": False,
    "ticks": "",
    "fixedrange": True,
}
"""An axis that is not seen."""


def _bins_chart(
    parts: Sequence[Mapping[str, Any]], paths: Sequence[Mapping[str, Any]] = (), **more: Any
) -> dict[str, Any]:
    """Bars and strips above each other, over one row of bins."""
    axes = {f"y{index + 1 if index else ''}": part["axis"] for index, part in enumerate(parts)}
    return {
        "bargap": 0.0,
        "barmode": "overlay",
        "series": [part["series"] for part in parts],
        "shapes": [*(part["frame"] for part in parts if "frame" in part), *paths],
        "x": {**BARE, "range": [-0.6, COUNT - 0.4]},
        **axes,
        **more,
    }


def _title(histogram: Histogram, x: float, y: float, xanchor: str, yanchor: str) -> dict[str, Any]:
    at = {"x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": xanchor, "yanchor": yanchor}
    return {**at, "text": histogram.title, "font": {"size": 12.5}}


def _bins(
    order: Sequence[int], heights: Sequence[float], index: int, **more: Any
) -> dict[str, Any]:
    """A bar a bin on the vertical axis of that place."""
    return {
        "type": "bar",
        "yaxis": f"y{index + 1}",
        "rows": [
            {"x": x, "y": height, "pick": bin_, "color": uw71()[bin_].hex}
            for x, (bin_, height) in enumerate(zip(order, heights, strict=True))
        ],
        "hoverinfo": "none",
        **more,
    }


def _bars(
    histogram: Histogram,
    order: Sequence[int],
    index: int,
    domain: tuple[float, float],
    span: tuple[float, float],
) -> dict[str, Any]:
    shares = [100.0 * float(histogram.weights[bin_]) for bin_ in order]
    # A thin line: bins as light as the page are seen too.
    line = {"width": OUTLINE_PX, "color": SOFT}
    meta = {"letter": histogram.letter, "is": "bars"}
    return {
        "series": _bins(order, shares, index, width=0.92, marker={"line": line}, meta=meta),
        "axis": {
            "domain": _inside(domain),
            "range": list(span),
            "ticksuffix": "%",
            "nticks": 5,
            "fixedrange": True,
            "anchor": "x",
        },
    }


def _strip(order: Sequence[int], index: int, domain: tuple[float, float]) -> dict[str, Any]:
    """All bins in their order, also those that are empty."""
    look = {"width": 1.0, "marker": {"line": {"width": 0}}, "meta": {"is": "strip"}}
    return {
        "series": _bins(order, [1.0] * COUNT, index, **look),
        "axis": {**BARE, "domain": _inside(domain), "range": [0, 1], "anchor": "x"},
        # One line around all of them: the white bin has an end on white paper too.
        "frame": {
            "type": "rect",
            "xref": "x",
            "yref": f"y{index + 1} domain",
            "x0": -0.5,
            "x1": COUNT - 0.5,
            "y0": 0,
            "y1": 1,
            "line": {"color": LINE, "width": 0.6},
            "fillcolor": "rgba(0,0,0,0)",
        },
    }


def _inside(domain: tuple[float, float]) -> list[float]:
    # Rounding may put an edge a hair outside of the paper, which plotly refuses.
    return [min(max(value, 0.0), 1.0) for value in domain]


def ribbons(
    moves: Sequence[Move], order: Sequence[int], top: float, bottom: float
) -> list[tuple[str, int]]:
    """The outline of each move's ribbon as an SVG path, and the bin that it comes from.

    ``order`` are the bins from left to right, one unit each; the ribbons go from ``top`` to
    ``bottom``. All are as wide as their mass, and those of one bin lie side by side in it, in the
    order of where they go, so that they do not cross there.
    """
    column = {bin_: index for index, bin_ in enumerate(order)}
    leaving, arriving = dict[int, float](), dict[int, float]()
    for move in moves:
        leaving[move.source] = leaving.get(move.source, 0.0) + move.mass
        arriving[move.target] = arriving.get(move.target, 0.0) + move.mass
    largest = max([*leaving.values(), *arriving.values()], default=0.0)
    if largest <= 0.0:
        return []
    unit = WIDEST / largest
    # Each bundle is centered in its column.
    next_up = {bin_: column[bin_] - unit * mass / 2.0 for bin_, mass in leaving.items()}
    next_down = {bin_: column[bin_] - unit * mass / 2.0 for bin_, mass in arriving.items()}
    above, below = dict[Move, float](), dict[Move, float]()
    for move in sorted(moves, key=lambda move: column[move.target]):
        above[move] = next_up[move.source]
        next_up[move.source] += unit * move.mass
    for move in sorted(moves, key=lambda move: column[move.source]):
        below[move] = next_down[move.target]
        next_down[move.target] += unit * move.mass
    wide_first = sorted(moves, key=lambda move: -move.mass)
    return [
        (_path(above[move], below[move], unit * move.mass, top, bottom), move.source)
        for move in wide_first
    ]


def _path(above: float, below: float, width: float, top: float, bottom: float) -> str:
    """Straight down at both ends, with one bend between them."""
    middle = (top + bottom) / 2.0

    def curve(start: float, end: float, to: float) -> str:
        return f"C {start:.4f},{middle:.5f} {end:.4f},{middle:.5f} {end:.4f},{to:.5f}"

    return (
        f"M {above:.4f},{top:.5f} {curve(above, below, bottom)} "
        f"L {below + width:.4f},{bottom:.5f} {curve(below + width, above + width, top)} Z"
    )
