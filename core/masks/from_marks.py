"""One mask from a person's selection: the same selection always gives the same mask.

Strokes are painted exactly: a pixel is painted if its center is under the brush. OpenCV's thick
lines round radius and ends to whole pixels and differ between versions, so a mask that must stay
reproducible for years cannot depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truehue.core.errors import MaskError, NoPixels, ObjectNotFound
from truehue.core.images.pixels import Mask
from truehue.core.masks.grounded.records import Segment
from truehue.core.masks.marks import (
    NOTHING_STANDS_OUT,
    SALIENT,
    STARTS,
    STROKES,
    Mark,
    parse_marks,
)

if TYPE_CHECKING:
    from truehue.core.generation.weights.sources import Sources

# What all strokes of one request may cost, in rows under segments: a few seconds at the worst, and
# far more than a hand draws.
MAX_WORK = 10_000_000
_PIXELS_LIKE_A_ROW = 200
# A stroke of more rows is worth looking for those that need no painting.
_MANY_ROWS = 100_000
_RUN = 16
# Wider than all rounding, narrower than all that matters for the work.
_MARGIN_PX = 1e-4

Window = tuple[slice, slice]


def _row_spans(
    start: np.ndarray, end: np.ndarray, radii: np.ndarray, segment: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the horizontal line at height ``y[k]`` crosses the capsule of ``segment[k]``.

    ``start`` and ``end`` are float64 ``(S, 2)``, ``radii`` ``(S,)``. Returns left and right,
    float64 ``(K,)``; left > right where they do not meet. A capsule is convex, so there is one
    interval: the hull of those of its two disks and the rectangle between them.
    """
    radius = radii[segment]
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


def _spans(
    start: np.ndarray,
    end: np.ndarray,
    radii: np.ndarray,
    shape: tuple[int, int],
    row_mask: np.ndarray | None = None,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Segment, row, first column and end column of all that capsules paint, in large pieces.

    ``row_mask``, bool ``(runs, height)``, leaves out the rows that a run of segments need not
    paint.
    """
    height, width = shape
    top, rows = _rows(start[:, 1], end[:, 1], radii, height)
    ends = np.cumsum(rows)
    limit = max(1 << 16, height * width)
    first = 0
    while first < len(rows):
        last = max(int(np.searchsorted(ends, ends[first] - rows[first] + limit)), first + 1)
        counts = rows[first:last]
        segment = np.repeat(np.arange(first, last), counts)
        j = top[segment] + np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
        if row_mask is not None:
            needed = row_mask[segment // _RUN, j]
            segment, j = segment[needed], j[needed]
        left, right = _row_spans(start, end, radii, segment, j + 0.5)
        hit = left <= right
        i0 = np.ceil(left[hit] - 0.5).clip(0, width).astype(int)
        i1 = (np.floor(right[hit] - 0.5).clip(-1, width - 1) + 1).astype(int)
        some = i1 > i0
        yield segment[hit][some], j[hit][some], i0[some], i1[some]
        first = last


def _rows(
    y0: np.ndarray, y1: np.ndarray, radii: np.ndarray | float, height: int
) -> tuple[np.ndarray, np.ndarray]:
    """The first row that every capsule from ``y0`` to ``y1`` may paint, and how many."""
    top = np.ceil(np.minimum(y0, y1) - radii - 0.5).clip(0, height).astype(int)
    low = np.floor(np.maximum(y0, y1) + radii - 0.5).clip(-1, height - 1)
    return top, np.maximum(low.astype(int) - top + 1, 0)


def _painted(
    start: np.ndarray,
    end: np.ndarray,
    radii: np.ndarray,
    shape: tuple[int, int],
    row_mask: np.ndarray | None = None,
) -> np.ndarray:
    """The union of capsules, bool ``shape``."""
    height, width = shape
    if len(start) * height * 64 < height * width:
        # Few rows on a large area: one by one is faster than a sum over all of it.
        covered = np.zeros(shape, dtype=bool)
        for _, j, i0, i1 in _spans(start, end, radii, shape, row_mask):
            for row, left, right in zip(j.tolist(), i0.tolist(), i1.tolist(), strict=True):
                covered[row, left:right] = True
        return covered
    # A span adds 1 where it starts and takes 1 where it ends: their running sum is the coverage.
    steps = np.zeros(height * (width + 1), dtype=np.int32)
    for _, j, i0, i1 in _spans(start, end, radii, shape, row_mask):
        base = j * (width + 1)
        steps += np.bincount(base + i0, minlength=steps.size).astype(np.int32)
        steps -= np.bincount(base + i1, minlength=steps.size).astype(np.int32)
    pixels: np.ndarray = np.cumsum(steps.reshape(height, width + 1), axis=1)[:, :width] > 0
    return pixels


def _painted_long(line: np.ndarray, radius: float, shape: tuple[int, int]) -> np.ndarray:
    """The union of the capsules along ``line``, the same pixels as :func:`_painted` gives.

    Where the points of a run lie within d of the chord from its first to its last, the run and its
    chord are within d of each other everywhere. So the chord's capsule of radius - d is inside for
    sure, and that of radius + d holds all the run can paint: only rows where the second leaves the
    first ones need the segments themselves.
    """
    start, end = line[:-1], line[1:]
    first = np.arange(0, len(start), _RUN)
    run = np.arange(len(start)) // _RUN
    head, tail = line[first], line[np.minimum(first + _RUN, len(start))]
    chord, arm = (tail - head)[run], start - head[run]
    square = (chord**2).sum(axis=1)
    share = ((arm * chord).sum(axis=1) / np.where(square > 0, square, 1.0)).clip(0.0, 1.0)
    off = np.hypot(*(arm - share[:, None] * chord).T)
    deviation = np.maximum.reduceat(off, first) + _MARGIN_PX

    sure = deviation < radius
    covered = _painted(head[sure], tail[sure], (radius - deviation)[sure], shape)
    count = np.zeros((shape[0], shape[1] + 1), dtype=np.int32)
    np.cumsum(covered, axis=1, out=count[:, 1:])
    row_mask = np.zeros((len(first), shape[0]), dtype=bool)
    for number, j, i0, i1 in _spans(head, tail, radius + deviation, shape):
        uncovered = count[j, i1] - count[j, i0] < i1 - i0
        row_mask[number[uncovered], j[uncovered]] = True
    exact = _painted(start, end, np.full(len(start), radius), shape, row_mask)
    return covered | exact


def _reach(line: np.ndarray, radius: float, shape: tuple[int, int]) -> tuple[int, int, int, int]:
    """The part of the image that a stroke can reach: left, top, right, bottom, ends excluded."""
    height, width = shape
    lowest, highest = line.min(axis=0) - radius - 1, line.max(axis=0) + radius + 1
    left, top = np.floor(lowest).clip(0, (width, height)).astype(int).tolist()
    right, bottom = np.ceil(highest).clip(0, (width, height)).astype(int).tolist()
    return left, top, right, bottom


def _polyline(points: Sequence[tuple[float, float]]) -> np.ndarray:
    line = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    return np.repeat(line, 2, axis=0) if len(line) == 1 else line


def check_work(
    strokes: Iterable[tuple[Sequence[tuple[float, float]], float]], shape: tuple[int, int]
) -> None:
    """Raises MaskError when ``strokes``, points with radius, would take too long to paint."""
    work = 0
    for points, radius in strokes:
        line = _polyline(points)
        left, top, right, bottom = _reach(line, radius, shape)
        if right > left and bottom > top:
            y = line[:, 1] - top
            _, rows = _rows(y[:-1], y[1:], radius, bottom - top)
            work += int(rows.sum()) + (right - left) * (bottom - top) // _PIXELS_LIKE_A_ROW
        if work > MAX_WORK:
            raise MaskError(
                "The strokes are too long and too wide to be drawn together: take some off, or "
                "draw fewer with a smaller brush."
            )


def stroke_pixels(
    points: Sequence[tuple[float, float]], radius: float, shape: tuple[int, int]
) -> tuple[Window, np.ndarray] | None:
    """The part of an image of ``shape`` that a stroke can reach and its pixels there, bool.

    They are those whose center is at most ``radius`` from the line through ``points`` (image
    pixels, may lie outside), and the pixel under every point, so that the thinnest dot paints one.
    None when the stroke does not reach the image.
    """
    line = _polyline(points)
    left, top, right, bottom = _reach(line, radius, shape)
    if right <= left or bottom <= top:
        return None
    line = line - (left, top)
    size = (bottom - top, right - left)
    start, end = line[:-1], line[1:]
    if int(_rows(start[:, 1], end[:, 1], radius, size[0])[1].sum()) > _MANY_ROWS:
        covered = _painted_long(line, radius, size)
    else:
        covered = _painted(start, end, np.full(len(start), radius), size)
    under = np.floor(line).astype(int)
    seen = ((under >= 0) & (under < size[::-1])).all(axis=1)
    covered[under[seen, 1], under[seen, 0]] = True
    return (slice(top, bottom), slice(left, right)), covered


def paint_stroke(
    pixels: np.ndarray, points: Sequence[tuple[float, float]], radius: float, value: bool = True
) -> None:
    """Sets the pixels of a stroke in ``pixels``, bool ``(H, W)``, to ``value``."""
    height, width = pixels.shape
    stroke = stroke_pixels(points, radius, (height, width))
    if stroke is not None:
        set_pixels(pixels, *stroke, value)


def set_pixels(pixels: np.ndarray, window: Window, chosen: np.ndarray, value: bool) -> None:
    """Sets those ``chosen`` in ``window`` of ``pixels``, all bool, to ``value``."""
    if value:
        pixels[window] |= chosen
    else:
        pixels[window] &= ~chosen


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


Box = tuple[int, int, int, int]
NO_SEGMENTER = (
    "These points need a model that cuts out what a click shows, and none is at hand. Draw a box "
    "or strokes instead, or take the points back with Undo."
)


PointSegmenter = Callable[[Sequence[tuple[float, float]], Sequence[bool], Box | None, str], Segment]
"""Points ``(x, y)`` in image pixels, whether each is inside, the box around the object or None, and
the id of the segmenter (empty for the usual one), to the segment, bool ``(H, W)``."""

_AGAINST = {"keep": "cut", "cut": "keep", "brush": "erase", "erase": "brush"}


def _since_start(marks: Sequence[Mark]) -> Sequence[Mark]:
    """The marks that count: only those from the last start on."""
    first = 0
    for number, mark in enumerate(marks):
        if mark.type in STARTS:
            first = number
    return marks[first:]


def _layers(
    marks: Sequence[Mark], box: tuple[int, Box] | None, shape: tuple[int, int]
) -> tuple[list[Mark], dict[str, np.ndarray]]:
    """The marks that take part, and the pixels that each type of stroke decides.

    Later strokes cover earlier ones against them. What stands before the current box was made for
    another one: there, only strokes and points count, and only inside of the box.
    """
    layers = {
        kind: np.zeros(shape, dtype=bool)
        for kind in {mark.type for mark in marks} & _AGAINST.keys()
    }
    used_marks: list[Mark] = []
    for number, mark in enumerate(marks):
        before = box is not None and number < box[0]
        if mark.type in _AGAINST:
            stroke = stroke_pixels(mark.points, mark.radius, shape)
            if stroke is not None and box is not None and before:
                stroke = _inside(*stroke, box[1])
            if stroke is not None:
                set_pixels(layers[mark.type], *stroke, True)
                if _AGAINST[mark.type] in layers:
                    set_pixels(layers[_AGAINST[mark.type]], *stroke, False)
            elif before:
                continue
        elif before and not (box is not None and _holds(box[1], mark)):
            continue
        used_marks.append(mark)
    return used_marks, layers


def _holds(box: Box, mark: Mark) -> bool:
    """Whether the mark is a point inside of the box."""
    if mark.type != "point":
        return False
    x, y = mark.points[0]
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _inside(window: Window, chosen: np.ndarray, box: Box) -> tuple[Window, np.ndarray] | None:
    """The pixels ``chosen`` in ``window`` that lie in ``box``; None when there are none."""
    rows, columns = window
    top, bottom = max(rows.start, box[1]), min(rows.stop, box[3])
    left, right = max(columns.start, box[0]), min(columns.stop, box[2])
    if right <= left or bottom <= top:
        return None
    part = chosen[
        top - rows.start : bottom - rows.start, left - columns.start : right - columns.start
    ]
    return ((slice(top, bottom), slice(left, right)), part) if part.any() else None


def _current_box(marks: Sequence[Mark], height: int, width: int) -> tuple[int, Box] | None:
    """The last box with its place in ``marks``: a later box replaces an earlier one."""
    for number in range(len(marks) - 1, -1, -1):
        box = marks[number].box
        if box is not None:
            return number, box_pixels(box, width, height)
    return None


def _check_base(base: Mask | None, shape: tuple[int, ...]) -> Mask:
    if base is None:
        raise MaskError("The stored mask of these marks is missing; take it off or mark by hand.")
    if base.pixels.dtype != bool or base.pixels.shape != shape:
        raise MaskError("The stored mask belongs to an image of another size.")
    return base


def _refuse_tiny(pixels: np.ndarray, marks: Sequence[Mark]) -> None:
    area = int(np.count_nonzero(pixels))
    if area >= 2:
        return
    if not marks:
        raise NoPixels("Nothing is marked yet: draw a box around the object.")
    if area == 1:
        raise NoPixels("The mask is a single pixel: mark at least 2 pixels.")
    raise NoPixels("These marks leave no pixel: keep or brush some of the object.")


def mask_from_marks(
    srgb8: np.ndarray,
    marks: Any,
    base: Mask | None = None,
    segment: PointSegmenter | None = None,
    sources: Sources | None = None,
) -> Mask:
    """The mask that ``marks`` (JSON as of :func:`truehue.core.masks.marks.parse_marks`) make on an
    image.

    ``srgb8`` is uint8 ``(H, W, 3)``; ``base`` is the mask that a ``stored`` mark names, of the same
    size. First comes the last of ``whole``, ``stored``, ``salient`` and box with keep and cut
    strokes; then brush adds and erase removes, in their order. All but a box start over; on them
    there is no edge to search, so keep and cut paint like brush and erase. In a box ``by``
    ``salient`` the salient-object network looks; GrabCut does once there are keep or cut strokes,
    where nothing stands out, and in every other box. ``sources`` say where the network's weights
    are. ``parameters`` hold the marks that take part, so the same image and these marks give the
    same mask again, and may hold a ``note`` for the user.

    Raises MaskError for marks that cannot be read or would take too long, NoPixels when fewer than
    2 pixels are left, ObjectNotFound where nothing stands out and nothing else is marked, and
    ModelMissing where the weights are not on this machine.
    """
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3:
        raise MaskError("Marks belong to an sRGB image, uint8 of height × width × 3.")
    height, width = srgb8.shape[:2]
    shape = (height, width)
    current = _since_start(parse_marks(marks, width, height))
    box = _current_box(current, height, width)
    check_work(((mark.points, mark.radius) for mark in current if mark.type in STROKES), shape)
    parameters: dict[str, Any] = {}
    start = None
    if box is None and current and current[0].type in STARTS:
        start = _start(srgb8, current[0], base, parameters, sources)
        if start is None:  # nothing stands out: only what else is marked counts
            current = current[1:]
            if not current:
                raise ObjectNotFound(NOTHING_STANDS_OUT, "", SALIENT)
    if start is not None:
        pixels, maker = _on_start(current, start, parameters, segment)
    else:
        by = current[box[0]].by if box else ""
        current, layers = _layers(current, box, shape)
        nothing = np.zeros(shape, dtype=bool)
        pixels, maker = nothing, "brush"
        keep, cut = layers.get("keep", nothing), layers.get("cut", nothing)
        points = [mark for mark in current if mark.type == "point"]
        within = box[1] if box else None
        if points:
            segment_pixels = _cut(segment, points, within, shape, parameters)
            # The edge is the segmenter's: keep and cut have none to search for.
            pixels, maker = (segment_pixels | keep) & ~cut, "points"
        elif by == SALIENT and not layers.keys() & {"keep", "cut"}:
            found = _salient(srgb8, within, parameters, sources)
            if found is None:
                pixels, maker = _grabcut(srgb8, within, keep, cut, parameters)
            else:
                pixels, maker = found, SALIENT
        elif box is not None or layers.keys() & {"keep", "cut"}:
            pixels, maker = _grabcut(srgb8, within, keep, cut, parameters)
        pixels = (pixels | layers.get("brush", nothing)) & ~layers.get("erase", nothing)
    parameters["marks"] = [mark.as_json() for mark in current]
    _refuse_tiny(pixels, current)
    return Mask(pixels, maker, parameters)


def select_in_box(
    srgb8: np.ndarray, box: Sequence[float], opaque: np.ndarray | None = None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """The object inside a box ``(x0, y0, x1, y1)`` in pixels, bool ``(H, W)``, with what to know
    about it: found as *Box* in Inspect does, by the network for salient objects, or by GrabCut
    where nothing stands out or its weights are missing. Where the box holds transparent pixels of a
    cut-out, whose ``opaque`` ones are bool ``(H, W)``, it is the opaque ones. Errors as
    :func:`mask_from_marks`."""
    height, width = srgb8.shape[:2]
    corners = [float(value) for value in box]
    if len(corners) != 4:
        raise MaskError(f"A box has four numbers, x0, y0, x1, y1, not {len(corners)}.")
    if not (
        max(corners[0], 0) < min(corners[2], width) and max(corners[1], 0) < min(corners[3], height)
    ):
        raise MaskError(
            f"The box {', '.join(f'{value:g}' for value in corners)} holds no part of the image, which "
            f"is {width} × {height} pixels. Give x0, y0, x1, y1 with x0 < x1 and y0 < y1."
        )
    if opaque is not None:
        x0, y0, x1, y1 = box_pixels((corners[0], corners[1], corners[2], corners[3]), width, height)
        pixels = np.zeros_like(opaque)
        pixels[y0:y1, x0:x1] = opaque[y0:y1, x0:x1]
        if not pixels.any():
            raise NoPixels("All of the box is transparent. Draw it over the object.")
        if not opaque[y0:y1, x0:x1].all():
            return pixels, ("The opaque pixels inside the box are measured.",)
    from truehue.core.masks.salient import VERSION, is_available  # it imports OpenCV

    by = {"by": SALIENT} if is_available() else {}
    made = mask_from_marks(srgb8, [{"type": "box", "box": corners, **by}])
    finder = f"salient v{VERSION}" if made.maker == SALIENT else "GrabCut"
    note = f"The object inside the box is found by {finder}: {made.area_percent:.1f}% of the image."
    return made.pixels, tuple(filter(None, (note, made.parameters.get("note"))))


def select_salient(
    srgb8: np.ndarray,
) -> tuple[np.ndarray, tuple[str, ...], dict[str, Any]]:
    """What stands out in an image, bool ``(H, W)``, with what to know about it, and the parameters
    of the network; errors as :func:`mask_from_marks`."""
    made = mask_from_marks(srgb8, [{"type": SALIENT}])
    parameters = made.parameters[SALIENT]
    note = (
        f"The object is what stands out (salient v{parameters['version']}), "
        f"{made.area_percent:.1f}% of the image."
    )
    return made.pixels, tuple(filter(None, (note, made.parameters.get("note")))), parameters


def _cut(
    segment: PointSegmenter | None,
    points: Sequence[Mark],
    box: Box | None,
    shape: tuple[int, ...],
    parameters: dict[str, Any],
) -> np.ndarray:
    """The segmenter's mask at ``points``, recorded in ``parameters``."""
    if segment is None:
        raise MaskError(NO_SEGMENTER)
    by = points[-1].by
    cutout = segment([mark.points[0] for mark in points], [mark.inside for mark in points], box, by)
    if cutout.pixels.dtype != bool or cutout.pixels.shape != shape:
        raise MaskError("What was cut out at these points has another size than the image.")
    cuts = parameters.setdefault("points", [])
    cuts.append({"segmenter": by, "score": round(float(cutout.score), 4)})
    return cutout.pixels


def _grabcut(
    srgb8: np.ndarray,
    box: Box | None,
    keep: np.ndarray,
    cut: np.ndarray,
    parameters: dict[str, Any],
) -> tuple[np.ndarray, str]:
    """What GrabCut finds, recorded in ``parameters``, and its name as a maker."""
    from truehue.core.masks import grabcut as grabcut_masker  # it imports OpenCV

    result = grabcut_masker.grabcut(srgb8, box, keep, cut)
    parameters["grabcut"] = {
        "version": grabcut_masker.VERSION,
        "longest_side": grabcut_masker.LONGEST_SIDE,
        "iterations": grabcut_masker.ITERATIONS,
    }
    if result.note:
        parameters["note"] = result.note
    return result.pixels, "grabcut"


def _salient(
    srgb8: np.ndarray, box: Box | None, parameters: dict[str, Any], sources: Sources | None
) -> np.ndarray | None:
    """What stands out, in the box if there is one, recorded in ``parameters``; None for nothing."""
    from truehue.core.masks.salient import find_salient  # it imports OpenCV

    salient = find_salient(srgb8, box, sources)
    if not salient.stands_out:
        return None
    parameters[SALIENT] = salient.parameters
    if salient.note:
        parameters["note"] = salient.note
    return salient.pixels


def _start(
    srgb8: np.ndarray,
    mark: Mark,
    base: Mask | None,
    parameters: dict[str, Any],
    sources: Sources | None,
) -> tuple[np.ndarray, str] | None:
    """Pixels and maker of the whole image, of the stored mask, or of what stands out that marks begin
    with, named in ``parameters``; None where nothing stands out."""
    shape = srgb8.shape[:2]
    if mark.type == "stored":
        stored = _check_base(base, shape)
        parameters["base"] = {"maker": stored.maker, "content_sha256": stored.content_sha256}
        return stored.pixels.copy(), stored.maker
    if mark.type == SALIENT:
        pixels = _salient(srgb8, None, parameters, sources)
        return None if pixels is None else (pixels, SALIENT)
    return np.ones(shape, dtype=bool), "whole"


def _on_start(
    marks: Sequence[Mark],
    start: tuple[np.ndarray, str],
    parameters: dict[str, Any],
    segment: PointSegmenter | None,
) -> tuple[np.ndarray, str]:
    """Pixels and maker of what is done on the ``start`` of ``marks``."""
    pixels, maker = start
    by_hand = [mark for mark in marks[1:] if mark.type != "override"]
    for mark in by_hand:
        if mark.type in STROKES:
            paint_stroke(pixels, mark.points, mark.radius, mark.type in ("keep", "brush"))
            continue
        # What is at the point, whether it is to be added or taken away.
        at_point = _cut(segment, [replace(mark, inside=True)], None, pixels.shape[:2], parameters)
        pixels = pixels | at_point if mark.inside else pixels & ~at_point
    if not by_hand or maker == SALIENT:
        return pixels, maker
    return pixels, "brush" if any(mark.type in STROKES for mark in by_hand) else "points"
