"""From the marks of a person to one mask, the same mask whenever the marks are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import MaskError, NoPixels
from core.masks import grabcut as grabcut_masker
from core.masks.describe import describe as describe_maker
from core.masks.marks import Mark, parse_marks
from core.masks.mask import Mask
from core.masks.strokes import box_pixels, paint_stroke

Box = tuple[int, int, int, int]


def _since_start(marks: Sequence[Mark]) -> Sequence[Mark]:
    """The marks that count: ``whole`` and ``stored`` start over, what came before is covered."""
    first = 0
    for number, mark in enumerate(marks):
        if mark.type in ("whole", "stored"):
            first = number
    return marks[first:]


def _painted(
    marks: Sequence[Mark],
    adds: str,
    takes: str,
    box: tuple[int, Box] | None,
    shape: tuple[int, int],
) -> tuple[np.ndarray, np.ndarray]:
    """Pixels that the strokes ``adds`` and ``takes`` decide, later ones over earlier ones.

    Strokes from before the current box were made for another one: they count only inside of it.
    """
    added, taken = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for number, mark in enumerate(marks):
        if box is not None and number == box[0]:
            x0, y0, x1, y1 = box[1]
            inside = np.zeros(shape, dtype=bool)
            inside[y0:y1, x0:x1] = True
            added &= inside
            taken &= inside
        if mark.type in (adds, takes):
            paint_stroke(added, mark.points, mark.radius, mark.type == adds)
            paint_stroke(taken, mark.points, mark.radius, mark.type == takes)
    return added, taken


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


def mask_from_marks(srgb8: np.ndarray, marks: Any, base: Mask | None = None) -> Mask:
    """The mask that ``marks`` (JSON as of :func:`core.masks.marks.parse_marks`) make on an image.

    ``srgb8`` is uint8 ``(H, W, 3)``; ``base`` is the mask that a ``stored`` mark names, of the same
    size. First comes the last of ``whole``, ``stored`` and box with keep and cut strokes; then
    brush adds and erase removes, in their order. A whole or stored mask starts over; on it there
    is no edge to search, so keep and cut paint like brush and erase. ``parameters`` hold all marks,
    so the same image and marks give the same mask again, and may hold a ``note`` for the user.

    Raises MaskError for marks that cannot be read and NoPixels when fewer than 2 pixels are left.
    """
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3:
        raise MaskError("Marks belong to an sRGB image, uint8 of height × width × 3.")
    height, width = srgb8.shape[:2]
    parsed = parse_marks(marks, width, height)
    parameters: dict[str, Any] = {"marks": [mark.as_json() for mark in parsed]}
    current = _since_start(parsed)
    kinds = {mark.type for mark in current}
    box = _current_box(current, height, width)
    first = current[0].type if current else ""
    maker = "brush"
    if box is None and first in ("whole", "stored"):
        if first == "stored":
            start = _check_base(base, (height, width))
            pixels = start.pixels.copy()
            parameters["base"] = {"maker": start.maker, "content_sha256": start.content_sha256}
        else:
            pixels = np.ones((height, width), dtype=bool)
        for mark in current[1:]:
            paint_stroke(pixels, mark.points, mark.radius, mark.type in ("keep", "brush"))
        if len(current) == 1:
            maker = start.maker if first == "stored" else "whole"
    else:
        pixels = np.zeros((height, width), dtype=bool)
        if box is not None or kinds & {"keep", "cut"}:
            keep, cut = _painted(current, "keep", "cut", box, (height, width))
            result = grabcut_masker.grabcut(srgb8, box[1] if box else None, keep, cut)
            pixels = result.pixels
            maker = "grabcut"
            parameters["grabcut"] = {
                "version": grabcut_masker.VERSION,
                "longest_side": grabcut_masker.LONGEST_SIDE,
                "iterations": grabcut_masker.ITERATIONS,
            }
            if result.note:
                parameters["note"] = result.note
        added, taken = _painted(current, "brush", "erase", box, (height, width))
        pixels = (pixels | added) & ~taken
    _refuse_tiny(pixels, current)
    return Mask(pixels, maker, parameters)


def describe(mask: Mask) -> str:
    """One line for people, with the area; ``GrabCut · box, 2 strokes · 99 px · 4.0%``."""
    words = describe_maker(mask.maker, mask.parameters)
    return f"{words} · {mask.area_px:,} px · {mask.area_percent:.1f}%"
