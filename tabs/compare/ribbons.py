"""Ribbons between two mirrored histograms: which part of a bin would have to go to which other."""

from __future__ import annotations

from collections.abc import Sequence

from core.color.distances import Move

WIDEST = 0.92
"""Of the widest bundle, in bins: as wide as a bar."""


def ribbons(
    moves: Sequence[Move], order: Sequence[int], top: float, bottom: float
) -> list[tuple[str, int]]:
    """The outline of each move's ribbon as an SVG path, and the bin that it comes from.

    ``order`` are the bins from left to right, one unit each; the ribbons go from ``top`` to
    ``bottom``. All are as wide as their mass, and those of one bin lie side by side in it, in the
    order of where they go, so that they do not cross there.
    """
    column = {bin_: place for place, bin_ in enumerate(order)}
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
    for move in sorted(moves, key=lambda one: column[one.target]):
        above[move] = next_up[move.source]
        next_up[move.source] += unit * move.mass
    for move in sorted(moves, key=lambda one: column[one.source]):
        below[move] = next_down[move.target]
        next_down[move.target] += unit * move.mass
    wide_first = sorted(moves, key=lambda one: -one.mass)
    return [
        (_path(above[one], below[one], unit * one.mass, top, bottom), one.source)
        for one in wide_first
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
