"""Round brush strokes as pixels, exactly: a pixel is painted when its center is under the brush.

OpenCV's thick lines round radius and ends to whole pixels and differ between versions; a mask
that must be made again in some years cannot depend on that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import MaskError

# Rows under all segments of one stroke together: two seconds of work, more than a hand draws.
MAX_ROWS = 10_000_000
_CHUNK_ROWS = 1_000_000


def _row_spans(
    start: np.ndarray, end: np.ndarray, radius: float, segment: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the horizontal line at height ``y[k]`` crosses the capsule of ``segment[k]``.

    ``start`` and ``end`` are float64 ``(S, 2)``. Returns left and right, float64 ``(K,)``;
    left > right where they do not meet. A capsule is convex, so there is one interval: the hull of
    those of its two disks and the rectangle between them.
    """
    x0, y0 = start[segment].T
    x1, y1 = end[segment].T
    left, right = np.full(y.shape, np.inf), np.full(y.shape, -np.inf)
    for cx, cy in ((x0, y0), (x1, y1)):
        square = radius**2 - (y - cy) ** 2
        half = np.sqrt(np.maximum(square, 0.0))
        left = np.where(square >= 0, np.minimum(left, cx - half), left)
        right = np.where(square >= 0, np.maximum(right, cx + half), right)

    dx, dy = x1 - x0, y1 - y0
    length = np.hypot(dx, dy)
    with np.errstate(divide="ignore", invalid="ignore"):
        ux, uy = dx / length, dy / length
        # Inside the rectangle: 0 <= along <= length and -radius <= across <= radius.
        along = np.sort(np.stack([-(y - y0) * uy, length - (y - y0) * uy]) / ux, axis=0)
        across = np.sort(np.stack([(y - y0) * ux - radius, (y - y0) * ux + radius]) / uy, axis=0)
    level, upright = np.abs(uy) < 1e-12, np.abs(ux) < 1e-12
    low = np.where(level, along[0], np.where(upright, across[0], np.maximum(along[0], across[0])))
    high = np.where(level, along[1], np.where(upright, across[1], np.minimum(along[1], across[1])))
    inside = (length > 0) & (high >= low)
    inside &= ~level | (np.abs(y - y0) <= radius)
    inside &= ~upright | ((y - y0) * uy >= 0) & ((y - y0) * uy <= length)
    left = np.where(inside, np.minimum(left, x0 + low), left)
    right = np.where(inside, np.maximum(right, x0 + high), right)
    return left, right


def paint_stroke(
    pixels: np.ndarray, points: Sequence[tuple[float, float]], radius: float, value: bool = True
) -> None:
    """Sets the pixels of a stroke in ``pixels``, bool ``(H, W)``, to ``value``.

    Painted are the pixels whose center is at most ``radius`` from the line through ``points``
    (image pixels, may lie outside), and the pixel under every point, so that the thinnest dot
    paints one. Raises MaskError when the stroke is longer than a hand can draw.
    """
    height, width = pixels.shape
    line = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    # Only the part of the image that the stroke can reach.
    lowest, highest = line.min(axis=0) - radius - 1, line.max(axis=0) + radius + 1
    left, top = np.floor(lowest).clip(0, (width, height)).astype(int)
    right, bottom = np.ceil(highest).clip(0, (width, height)).astype(int)
    if right <= left or bottom <= top:
        return
    window = pixels[top:bottom, left:right]
    window[_stroke_in(line - (left, top), radius, right - left, bottom - top)] = value


def _stroke_in(line: np.ndarray, radius: float, width: int, height: int) -> np.ndarray:
    """The stroke along ``line`` float64 ``(N, 2)`` in a window, bool ``(height, width)``."""
    if len(line) == 1:
        line = np.repeat(line, 2, axis=0)
    start, end = line[:-1], line[1:]
    top = np.ceil(np.minimum(start[:, 1], end[:, 1]) - radius - 0.5).clip(0, height).astype(int)
    low = np.floor(np.maximum(start[:, 1], end[:, 1]) + radius - 0.5).clip(-1, height - 1)
    rows = np.maximum(low.astype(int) - top + 1, 0)
    if rows.sum() > MAX_ROWS:
        raise MaskError("A stroke is too long to be drawn; use several shorter ones.")

    # A span adds 1 where it starts and takes 1 where it ends: their running sum is the coverage.
    steps = np.zeros(height * (width + 1), dtype=np.int32)
    ends = np.cumsum(rows)
    first = 0
    while first < len(rows):
        last = max(int(np.searchsorted(ends, ends[first] - rows[first] + _CHUNK_ROWS)), first + 1)
        counts = rows[first:last]
        segment = np.repeat(np.arange(first, last), counts)
        offset = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
        j = top[segment] + offset
        left, right = _row_spans(start, end, radius, segment, j + 0.5)
        hit = left <= right
        i0 = np.ceil(left[hit] - 0.5).clip(0, width).astype(int)
        i1 = (np.floor(right[hit] - 0.5).clip(-1, width - 1) + 1).astype(int)
        some = i1 > i0
        base = j[hit][some] * (width + 1)
        steps += np.bincount(base + i0[some], minlength=steps.size).astype(np.int32)
        steps -= np.bincount(base + i1[some], minlength=steps.size).astype(np.int32)
        first = last
    covered: np.ndarray = np.cumsum(steps.reshape(height, width + 1), axis=1)[:, :width] > 0

    under = np.floor(line).astype(int)
    seen = ((under >= 0) & (under < (width, height))).all(axis=1)
    covered[under[seen, 1], under[seen, 0]] = True
    return covered


def box_pixels(
    box: tuple[float, float, float, float], width: int, height: int
) -> tuple[int, int, int, int]:
    """The columns and rows whose centers lie in ``box``: ``(x0, y0, x1, y1)``, ends excluded.

    Raises MaskError when there are none.
    """
    x0, y0, x1, y1 = (int(np.floor(edge + 0.5)) for edge in box)
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
    if x1 <= x0 or y1 <= y0:
        raise MaskError("The box is smaller than a pixel; draw it over the whole object.")
    return x0, y0, x1, y1
