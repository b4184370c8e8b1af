"""Two distributions in the a*b* plane, and what would have to move from one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.color.distances import Move
from core.color.uw71 import lab71, uw71
from tabs.compare_histograms import OUTLINE_PX, Shown, escaped
from tabs.figures import INK, LINE, SOFT, blank, plain_json

LARGEST_PX = 46
APART = 0.3
"""How far a bin is drawn above its place for each L* over 50, in units of b*: bins of one a* and b*
stand apart then, as in a Lab solid seen from a little below."""
MOST_ARROWS = 40
WIDEST_ARROW_PX, THINNEST_ARROW_PX = 11.0, 1.0
_RANGE_A, _RANGE_B = (-104.0, 112.0), (-122.0, 116.0)


def places(apart: bool) -> np.ndarray:
    """Where the bins stand in the plane, float64 ``(71, 2)``."""
    lab = lab71()
    shift = APART * (lab[:, 0] - 50.0) if apart else np.zeros(len(lab))
    return np.stack([lab[:, 1], lab[:, 2] + shift], axis=-1)


def bubbles(first: Shown, second: Shown, *, apart: bool = True) -> dict[str, Any]:
    """Discs for the first, rings for the second; areas are as their shares."""
    figure = _plane()
    at = places(apart)
    largest = max(float(first.weights.max()), float(second.weights.max()))
    _dots(figure, at)
    _discs(figure, at, first.weights, largest, ring=False)
    _discs(figure, at, second.weights, largest, ring=True)
    _legend(figure, (f"●  {first.title}", f"○  {second.title}"))
    return plain_json(figure)


def flow(
    first: Shown, second: Shown, moves: Sequence[Move], *, apart: bool = True
) -> dict[str, Any]:
    """Arrows from where the first has too much to where the second has more, as wide as the mass.

    Discs and rings are what leaves and what arrives; what both have in a bin stays and is not
    drawn. Of many moves the :data:`MOST_ARROWS` that cost most are drawn.
    """
    import plotly.graph_objects as go

    figure = _plane()
    at = places(apart)
    drawn = list(moves)[:MOST_ARROWS]
    leaving, arriving = np.zeros(len(at)), np.zeros(len(at))
    for move in moves:
        leaving[move.source] += move.mass
        arriving[move.target] += move.mass
    largest = max(float(leaving.max()), float(arriving.max()), 1e-12)
    _dots(figure, at)
    _discs(figure, at, leaving, largest, ring=False)
    _discs(figure, at, arriving, largest, ring=True)
    widest = max((move.mass for move in drawn), default=1.0)
    middles, words = [], []
    for move in sorted(drawn, key=lambda one: -one.mass):
        start, end = at[move.source], at[move.target]
        width = max(THINNEST_ARROW_PX, WIDEST_ARROW_PX * move.mass / widest)
        figure.add_annotation(
            x=float(end[0]), y=float(end[1]), ax=float(start[0]), ay=float(start[1]),
            xref="x", yref="y", axref="x", ayref="y", text="", showarrow=True, arrowhead=2,
            # Heads grow with the line; those of wide arrows would hide what they point at.
            arrowsize=max(0.4, min(1.3, 3.4 / width)), arrowwidth=width, arrowcolor=INK,
            opacity=0.62, name=f"{move.source}-{move.target}",
        )  # fmt: skip
        middles.append((start + end) / 2.0)
        words.append(move_words(move))
    if middles:
        figure.add_trace(go.Scatter(
            x=[float(middle[0]) for middle in middles], y=[float(middle[1]) for middle in middles],
            mode="markers", marker={"size": 14, "color": INK, "opacity": 0.0}, text=words,
            hovertemplate="%{text}<extra></extra>", meta={"is": "moves"},
        ))  # fmt: skip
    _legend(figure, (f"●  leaves {first.title}", f"○  arrives, for {second.title}"))
    return plain_json(figure)


def move_words(move: Move) -> str:
    """``12.3% from Vivid yellow, L* 75 to Dark brown, L* 25: 61.2 Lab, 7.5 of the EMD``."""
    bins = uw71()
    return (
        f"{100.0 * move.mass:.1f}% from {escaped(bins[move.source].name)} to "
        f"{escaped(bins[move.target].name)}:<br>{move.distance_lab:.1f} Lab, "
        f"{move.cost:.2f} of the EMD"
    )


def _plane() -> Any:
    figure = blank(height=520)
    figure.update_xaxes(range=list(_RANGE_A), title_text="a*", dtick=25, constrain="domain",
                        zeroline=True, zerolinecolor=SOFT, zerolinewidth=1)  # fmt: skip
    figure.update_yaxes(range=list(_RANGE_B), title_text="b*", dtick=25, scaleanchor="x",
                        constrain="domain", zeroline=True, zerolinecolor=SOFT,
                        zerolinewidth=1)  # fmt: skip
    figure.update_layout(margin={"l": 42, "r": 8, "t": 46, "b": 38})
    return figure


def _dots(figure: Any, at: np.ndarray) -> None:
    """All bins, so that one sees where there could be mass."""
    import plotly.graph_objects as go

    figure.add_trace(go.Scatter(
        x=at[:, 0].tolist(), y=at[:, 1].tolist(), mode="markers",
        marker={"size": 3.5, "color": LINE, "line": {"width": 0}},
        customdata=[bin_.index for bin_ in uw71()], hoverinfo="none", meta={"is": "dots"},
    ))  # fmt: skip


def _discs(figure: Any, at: np.ndarray, weights: np.ndarray, largest: float, *, ring: bool) -> None:
    import plotly.graph_objects as go

    bins = uw71()
    # The small ones last, on top of the large.
    order = [int(index) for index in np.argsort(-weights, kind="stable") if weights[index] > 0]
    colors = [bins[index].hex for index in order]
    common = {
        "x": [float(at[index, 0]) for index in order],
        "y": [float(at[index, 1]) for index in order], "mode": "markers",
        "customdata": order,
    }  # fmt: skip
    size = {
        "size": [float(weights[index]) for index in order], "sizemode": "area",
        "sizeref": 2.0 * largest / LARGEST_PX**2,
    }  # fmt: skip
    words = {"hoverinfo": "none", "meta": {"is": "rings" if ring else "discs"}}
    if not ring:
        line = {"width": OUTLINE_PX, "color": SOFT}
        figure.add_trace(go.Scatter(**common, marker={**size, "color": colors, "line": line},
                                    **words))  # fmt: skip
        return
    # A ring of the bin's color between two thin lines of ink: light ones are seen too.
    for width, color in ((5.5, INK), (4.0, colors)):
        marker = {**size, "color": "rgba(0,0,0,0)", "line": {"width": width, "color": color},
                  "opacity": 1.0}  # fmt: skip
        figure.add_trace(go.Scatter(**common, marker=marker, **words))


def _legend(figure: Any, lines: Sequence[str]) -> None:
    for place, text in enumerate(lines):
        figure.add_annotation(
            x=0, y=1, xref="paper", yref="paper", text=text, showarrow=False, xanchor="left",
            yanchor="bottom", yshift=22 - 18 * place, font={"size": 12, "color": INK},
        )  # fmt: skip
