"""From the marks of a person to one mask, the same mask whenever the marks are the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truehue.core.errors import MaskError, NoPixels
from truehue.core.images.mask import Mask
from truehue.core.masks import grabcut as grabcut_masker
from truehue.core.masks.grounded.records import Segment
from truehue.core.masks.marks import STROKES, Mark, parse_marks
from truehue.core.masks.strokes import (
    Window,
    box_pixels,
    check_work,
    paint_stroke,
    set_pixels,
    stroke_pixels,
)

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
    """The marks that count: ``whole`` and ``stored`` start over, what came before is covered."""
    first = 0
    for number, mark in enumerate(marks):
        if mark.type in ("whole", "stored"):
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


def _check_base(base: Mask | None, shape: tuple[int, int]) -> Mask:
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
    srgb8: np.ndarray, marks: Any, base: Mask | None = None, segment: PointSegmenter | None = None
) -> Mask:
    """The mask that ``marks`` (JSON as of :func:`truehue.core.masks.marks.parse_marks`) make on an
    image.

    ``srgb8`` is uint8 ``(H, W, 3)``; ``base`` is the mask that a ``stored`` mark names, of the same
    size. First comes the last of ``whole``, ``stored`` and box with keep and cut strokes; then
    brush adds and erase removes, in their order. A whole or stored mask starts over; on it there
    is no edge to search, so keep and cut paint like brush and erase. ``parameters`` hold the
    marks that take part, so the same image and these marks give the same mask again, and may hold
    a ``note`` for the user.

    Raises MaskError for marks that cannot be read or would take too long, and NoPixels when fewer
    than 2 pixels are left.
    """
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3:
        raise MaskError("Marks belong to an sRGB image, uint8 of height × width × 3.")
    height, width = srgb8.shape[:2]
    shape = (height, width)
    current = _since_start(parse_marks(marks, width, height))
    box = _current_box(current, height, width)
    check_work(((mark.points, mark.radius) for mark in current if mark.type in STROKES), shape)
    parameters: dict[str, Any] = {}
    if box is None and current and current[0].type in ("whole", "stored"):
        pixels, maker = _on_start(current, base, parameters, shape, segment)
    else:
        current, layers = _layers(current, box, shape)
        nothing = np.zeros(shape, dtype=bool)
        pixels, maker = nothing, "brush"
        keep, cut = layers.get("keep", nothing), layers.get("cut", nothing)
        points = [mark for mark in current if mark.type == "point"]
        if points:
            segment_pixels = _cut(segment, points, box[1] if box else None, shape, parameters)
            # The edge is the segmenter's: keep and cut have none to search for.
            pixels, maker = (segment_pixels | keep) & ~cut, "points"
        elif box is not None or layers.keys() & {"keep", "cut"}:
            result = grabcut_masker.grabcut(srgb8, box[1] if box else None, keep, cut)
            pixels, maker = result.pixels, "grabcut"
            parameters["grabcut"] = {
                "version": grabcut_masker.VERSION,
                "longest_side": grabcut_masker.LONGEST_SIDE,
                "iterations": grabcut_masker.ITERATIONS,
            }
            if result.note:
                parameters["note"] = result.note
        pixels = (pixels | layers.get("brush", nothing)) & ~layers.get("erase", nothing)
    parameters["marks"] = [mark.as_json() for mark in current]
    _refuse_tiny(pixels, current)
    return Mask(pixels, maker, parameters)


def _cut(
    segment: PointSegmenter | None,
    points: Sequence[Mark],
    box: Box | None,
    shape: tuple[int, int],
    parameters: dict[str, Any],
) -> np.ndarray:
    """What the segmenter cuts out at ``points``, noted in ``parameters``."""
    if segment is None:
        raise MaskError(NO_SEGMENTER)
    by = points[-1].by
    cutout = segment([mark.points[0] for mark in points], [mark.inside for mark in points], box, by)
    if cutout.pixels.dtype != bool or cutout.pixels.shape != shape:
        raise MaskError("What was cut out at these points has another size than the image.")
    cuts = parameters.setdefault("points", [])
    cuts.append({"segmenter": by, "score": round(float(cutout.score), 4)})
    return cutout.pixels


def _on_start(
    marks: Sequence[Mark],
    base: Mask | None,
    parameters: dict[str, Any],
    shape: tuple[int, int],
    segment: PointSegmenter | None,
) -> tuple[np.ndarray, str]:
    """Pixels and maker of what is done on the whole image or the stored mask that ``marks`` begin
    with.

    The stored mask is named in ``parameters``.
    """
    if marks[0].type == "stored":
        start = _check_base(base, shape)
        pixels, maker = start.pixels.copy(), start.maker
        parameters["base"] = {"maker": start.maker, "content_sha256": start.content_sha256}
    else:
        pixels, maker = np.ones(shape, dtype=bool), "whole"
    by_hand = [mark for mark in marks[1:] if mark.type != "override"]
    for mark in by_hand:
        if mark.type in STROKES:
            paint_stroke(pixels, mark.points, mark.radius, mark.type in ("keep", "brush"))
            continue
        # What is at the point, whether it is to be added or taken away.
        at_point = _cut(segment, [replace(mark, inside=True)], None, shape, parameters)
        pixels = pixels | at_point if mark.inside else pixels & ~at_point
    if not by_hand:
        return pixels, maker
    return pixels, "brush" if any(mark.type in STROKES for mark in by_hand) else "points"
