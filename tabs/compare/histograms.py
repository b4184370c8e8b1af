"""Figures of distributions over the UW-71 bins, every bin in its own color.

A trace that draws bins has their indices as ``customdata``: the page names the bin below the mouse
by itself, in all figures at once. Pages' colors are variables (see
:mod:`truehue.tabs.page.figures`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truehue.core.color.distances import Move
from truehue.core.color.uw71 import COUNT, Bin, uw71
from truehue.core.errors import BadInput
from truehue.tabs.page.figures import INK, LINE, PANEL, SOFT, blank, plain_json

WIDEST = 0.92
"""Of the widest bundle, in bins: as wide as a bar."""

SORTS = {"canonical": "Canonical", "hue": "Hue", "mass": "Mass"}
ROW_PX, STRIP_PX, FRAME_PX = 112, 14, 32
MOST_LABEL = 74
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
        cut = self.label[: MOST_LABEL - 1] + "…" if len(self.label) > MOST_LABEL else self.label
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


def signed(value: float) -> str:
    """a* or b* with two decimals and a real minus."""
    return f"{value + 0.0:.2f}".replace("-", "−")


def histograms(shown: Sequence[Histogram], sort: str, *, one_scale: bool = True) -> dict[str, Any]:
    """One histogram below the other, bars in the colors of the bins; below each the bins' colors.

    With ``one_scale`` all have the same axis, else each has its own.
    """
    order = order_of(sort, shown)
    row = ROW_PX + STRIP_PX + FRAME_PX
    height = row * len(shown) + 8
    figure = blank(height=height, bargap=0.0, barmode="overlay")
    highest = max(100.0 * float(histogram.weights.max()) for histogram in shown)
    paper = height - 8
    for index, histogram in enumerate(shown):
        top = 1.0 - (index * row + FRAME_PX) / paper
        foot = top - ROW_PX / paper
        scale = highest if one_scale else 100.0 * float(histogram.weights.max())
        name, strip = _axis(2 * index), _axis(2 * index + 1)
        _bars(figure, histogram, order, name)
        _strip(figure, order, strip)
        _layout_y(figure, name, [foot, top], [0, scale * 1.06])
        _layout_strip(figure, strip, [foot - STRIP_PX / paper, foot])
        figure.add_annotation(
            x=0,
            y=top,
            xref="paper",
            yref="paper",
            text=histogram.title,
            showarrow=False,
            xanchor="left",
            yanchor="bottom",
            yshift=3,
            font={"size": 12.5, "color": INK},
        )
    _bins_axis(figure)
    figure.update_layout(margin={"l": 44, "r": 6, "t": 0, "b": 8})
    return plain_json(figure)


def mirrored(
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
    figure = blank(height=560 if moves else 400, bargap=0.0, barmode="overlay")
    up, down = (106.0 * float(histogram.weights.max()) for histogram in (first, second))
    if one_scale:
        up = down = max(up, down)
    # Half the room between the bars; of one strip in the middle without ribbons.
    room, strip = (0.18, 0.035) if moves else (0.025, 0.05)
    _bars(figure, first, order, "y")
    _strip(figure, order, "y2")
    _bars(figure, second, order, "y3")
    _layout_y(figure, "y", [0.5 + room, 1.0], [0, up])
    _layout_strip(figure, "y2", [0.5 + room - strip, 0.5 + room])
    _layout_y(figure, "y3", [0.0, 0.5 - room], [down, 0])
    if moves:
        _strip(figure, order, "y4")
        _layout_strip(figure, "y4", [0.5 - room, 0.5 - room + strip])
        edges = 0.5 + room - strip, 0.5 - room + strip
        for path, source in ribbons(moves, order, *edges):
            figure.add_shape(
                type="path",
                path=path,
                xref="x",
                yref="paper",
                fillcolor=uw71()[source].hex,
                # Of thin ones the line is all that is seen: it has the color too.
                line={"color": uw71()[source].hex, "width": 0.9},
                opacity=0.85,
            )
    for histogram, y, anchor in ((first, 1.0, "top"), (second, 0.0, "bottom")):
        figure.add_annotation(
            x=1,
            y=y,
            xref="paper",
            yref="paper",
            text=histogram.title,
            showarrow=False,
            xanchor="right",
            yanchor=anchor,
            font={"size": 12.5, "color": INK},
            bgcolor=PANEL,
        )
    _bins_axis(figure)
    figure.update_layout(margin={"l": 44, "r": 6, "t": 6, "b": 6})
    return plain_json(figure)


def palettes(shown: Sequence[Histogram]) -> dict[str, Any]:
    """One strip a distribution: its colors touch, as wide as their shares."""
    import plotly.graph_objects as go

    row = 60
    figure = blank(height=row * len(shown) + 30, barmode="overlay", bargap=0.0)
    for index, histogram in enumerate(shown):
        start = 0.0
        for hex_, lab, weight in histogram.palette:
            text = f"{hex_}<br>L* {lab[0]:.1f} · a* {signed(lab[1])} · b* {signed(lab[2])}"
            figure.add_trace(
                go.Bar(
                    x=[100.0 * weight],
                    base=[100.0 * start],
                    y=[-index],
                    width=0.58,
                    orientation="h",
                    marker={"color": hex_, "line": {"width": 0}},
                    hovertemplate=f"{text}<br>{100.0 * weight:.1f}%<extra>{histogram.letter}</extra>",
                )
            )
            start += weight
        figure.add_annotation(
            x=0,
            y=0.29 - index,
            text=histogram.title,
            showarrow=False,
            xanchor="left",
            yanchor="bottom",
            yshift=1,
            font={"size": 12.5, "color": INK},
        )
    figure.update_xaxes(range=[0, 100.0], ticksuffix="%", showgrid=False, dtick=20, fixedrange=True)
    figure.update_yaxes(
        range=[0.6 - len(shown), 0.68],
        showgrid=False,
        showticklabels=False,
        ticks="",
        fixedrange=True,
        showline=False,
    )
    figure.update_layout(margin={"l": 6, "r": 18, "t": 0, "b": 26})
    return plain_json(figure)


def _axis(index: int) -> str:
    return "y" if index == 0 else f"y{index + 1}"


def _bars(figure: Any, histogram: Histogram, order: Sequence[int], axis: str) -> None:
    import plotly.graph_objects as go

    bins = uw71()
    figure.add_trace(
        go.Bar(
            x=list(range(COUNT)),
            y=[100.0 * float(histogram.weights[index]) for index in order],
            yaxis=axis,
            width=0.92,
            customdata=list(order),
            # A thin line: bins as light as the page are seen too.
            marker={
                "color": [bins[index].hex for index in order],
                "line": {"width": OUTLINE_PX, "color": SOFT},
            },
            hoverinfo="none",
            meta={"letter": histogram.letter, "is": "bars"},
        )
    )


def _strip(figure: Any, order: Sequence[int], axis: str) -> None:
    """All bins in their order, also those that are empty."""
    import plotly.graph_objects as go

    bins = uw71()
    figure.add_trace(
        go.Bar(
            x=list(range(COUNT)),
            y=[1.0] * COUNT,
            yaxis=axis,
            width=1.0,
            customdata=list(order),
            marker={"color": [bins[index].hex for index in order], "line": {"width": 0}},
            hoverinfo="none",
            meta={"is": "strip"},
        )
    )
    # One line around all of them: the white bin has an end on white paper too.
    figure.add_shape(
        type="rect",
        xref="x",
        yref=f"{axis} domain",
        x0=-0.5,
        x1=COUNT - 0.5,
        y0=0,
        y1=1,
        line={"color": LINE, "width": 0.6},
        fillcolor="rgba(0,0,0,0)",
    )


def _bins_axis(figure: Any) -> None:
    figure.update_xaxes(
        range=[-0.6, COUNT - 0.4],
        showticklabels=False,
        ticks="",
        showgrid=False,
        showline=False,
        fixedrange=True,
    )


def _layout_y(figure: Any, name: str, domain: list[float], span: list[float]) -> None:
    figure.update_layout(
        {
            f"yaxis{name[1:]}": {
                "domain": _inside(domain),
                "range": span,
                "ticksuffix": "%",
                "nticks": 5,
                "gridcolor": LINE,
                "linecolor": LINE,
                "zeroline": False,
                "ticks": "outside",
                "tickcolor": LINE,
                "fixedrange": True,
                "anchor": "x",
            }
        }
    )


def _layout_strip(figure: Any, name: str, domain: list[float]) -> None:
    figure.update_layout(
        {
            f"yaxis{name[1:]}": {
                "domain": _inside(domain),
                "range": [0, 1],
                "showticklabels": False,
                "ticks": "",
                "showgrid": False,
                "zeroline": False,
                "showline": False,
                "fixedrange": True,
                "anchor": "x",
            }
        }
    )


def _inside(domain: list[float]) -> list[float]:
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
