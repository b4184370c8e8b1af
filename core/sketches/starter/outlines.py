"""Outlines that many drawings share: ellipses, boxes, bands of varying width, leaves, clouds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truehue.core.sketches.starter.curves import Path, joined, through


def ellipse(x: float, y: float, rx: float, ry: float | None = None, turn: float = 0.0) -> Path:
    """A closed ellipse about (x, y), turned clockwise in degrees; a circle without ``ry``."""
    round_ = arc(0, 0, rx, rx if ry is None else ry, (0, 360))
    return Path(round_.cubics, True).turned(turn).moved(x, y)


def arc(x: float, y: float, rx: float, ry: float, span: tuple[float, float]) -> Path:
    """An open part of an ellipse, from one angle to another in degrees (0 right, 90 down)."""
    start, end = np.radians(span)
    count = max(2, math.ceil(abs(span[1] - span[0]) / 90 - 1e-9) + 1)
    angles = np.linspace(start, end, count)
    # Exact tangents: an arc that must meet another at its ends cannot rely on free ends.
    step = 4 / 3 * math.tan((end - start) / (count - 1) / 4)
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    tangents = np.stack([-np.sin(angles), np.cos(angles)], axis=1) * step
    cubics = np.stack(
        [places[:-1], places[:-1] + tangents[:-1], places[1:] - tangents[1:], places[1:]], axis=1
    )
    return Path(cubics * np.array([rx, ry]) + np.array([x, y]), False)


def box(x: float, y: float, width: float, height: float, radius: float = 0.0) -> Path:
    """A closed rectangle from its upper left corner, its corners rounded by ``radius``."""
    right, bottom = x + width, y + height
    if radius <= 0:
        return through([(x, y), (right, y), (right, bottom), (x, bottom)], [True] * 4, closed=True)
    r = min(radius, width / 2, height / 2)
    return joined(
        arc(right - r, y + r, r, r, (-90, 0)),
        arc(right - r, bottom - r, r, r, (0, 90)),
        arc(x + r, bottom - r, r, r, (90, 180)),
        arc(x + r, y + r, r, r, (180, 270)),
    )


def band(spine: Path, widths: Sequence[float], cap: str = "flat", count: int = 0) -> Path:
    """A closed band about an open ``spine``, as wide as ``widths`` say along its length.

    ``cap`` closes the far end: ``flat``, ``round`` or ``point``; the near end is flat.
    """
    number = count or max(4, 2 * len(spine.cubics) + 1, len(widths) * 2 - 1)
    places, tangents = spine.along(number)
    halves = np.interp(np.linspace(0, 1, number), np.linspace(0, 1, len(widths)), widths) / 2
    normals = np.stack([tangents[:, 1], -tangents[:, 0]], axis=1) * halves[:, None]
    left, right = places + normals, (places - normals)[::-1]
    if cap == "flat":
        return joined(through(left), through(right))
    tip = places[-1:] + tangents[-1:] * (halves[-1] if cap == "round" else halves[-1] * 2)
    if cap == "round":
        return joined(through(np.concatenate([left, tip, right])))
    return joined(through(np.concatenate([left, tip])), through(np.concatenate([tip, right])))


def leaf(start: Sequence[float], tip: Sequence[float], width: float, bend: float = 0.0) -> Path:
    """A pointed leaf from ``start`` to ``tip``; ``bend`` moves its middle to the left."""
    base, end = np.asarray(start, dtype=float), np.asarray(tip, dtype=float)
    way = end - base
    side = np.array([way[1], -way[0]]) / max(float(np.hypot(*way)), 1e-9)

    def edge(sign: float) -> np.ndarray:
        return np.stack(
            [
                base,
                base + way * 0.22 + side * (bend * 0.55 + sign * width * 0.40),
                base + way * 0.5 + side * (bend + sign * width * 0.5),
                base + way * 0.8 + side * (bend * 0.62 + sign * width * 0.27),
                end,
            ]
        )

    return joined(through(edge(1)), through(edge(-1)[::-1]))


def rib(
    start: Sequence[float], tip: Sequence[float], bend: float = 0.0, reach: float = 0.82
) -> Path:
    """The middle vein of :func:`leaf`, over the share ``reach`` of its length."""
    base, end = np.asarray(start, dtype=float), np.asarray(tip, dtype=float)
    way = end - base
    side = np.array([way[1], -way[0]]) / max(float(np.hypot(*way)), 1e-9)
    shares = np.linspace(0, reach, 4)
    bows = 4 * shares * (1 - shares) * bend
    return through(base + shares[:, None] * way + bows[:, None] * side)


def scalloped(outline: Path, count: int, depth: float) -> Path:
    """``outline`` (closed) as ``count`` round bumps that swell outward by ``depth``."""
    places, _ = outline.along(count)
    middle = places.mean(axis=0)
    pieces = []
    for index in range(count):
        start, end = places[index], places[(index + 1) % count]
        chord = end - start
        out = np.array([chord[1], -chord[0]]) / max(float(np.hypot(*chord)), 1e-9)
        if out @ ((start + end) / 2 - middle) < 0:
            out = -out
        points = [
            start,
            start + chord * 0.18 + out * depth * 0.72,
            start + chord * 0.5 + out * depth,
            start + chord * 0.82 + out * depth * 0.72,
            end,
        ]
        pieces.append(through(points))
    return joined(*pieces)


def star(x: float, y: float, outer: float, inner: float, tips: int = 5) -> Path:
    """A closed star of straight sides about (x, y), one tip up; a polygon where radii are equal."""
    angles = np.arange(2 * tips) * math.pi / tips - math.pi / 2
    radii = np.where(np.arange(2 * tips) % 2 == 0, outer, inner)
    points = np.stack([x + radii * np.cos(angles), y + radii * np.sin(angles)], axis=1)
    return through(points, [True] * len(points), closed=True)
