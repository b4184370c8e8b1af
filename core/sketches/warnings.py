"""What is to be looked at before people color a sketch, in words with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truehue.core.sketches.paper import Flattened
from truehue.core.sketches.records import SketchWarning
from truehue.core.sketches.regions import CLOSINGS_PX, LINE, RegionMaps

EMPTY, MOSTLY_INK, FEW_REGIONS, GAPS = "empty", "mostly-ink", "few-regions", "gaps"
SHADING, GRAY_WASH, COLORED = "shading", "gray-wash", "colored"
PHOTOGRAPH, INVERTED, SPECKS = "photograph", "inverted", "specks"

LEAST_SHARE = 0.0005
"""Of the sketch: a region that a hand can hit, 23 x 23 pixels at 1024 x 1024."""

_LEAKED_SHARE = (1.0, 0.0005, 0.004, 0.02)
"""By closing: what it parts from the surround lies behind a gap where it is that large a share."""

_PARTED_SHARE = 0.004
"""What the narrowest closing parts within the drawing is behind a gap, and no end of a crease,
where it is that large a share."""

_MANY_SPECKS = 60
_MOST_BETWEEN = 0.22
_MANY_COLORS = 25


def of_image(flat: Flattened, inverted: bool) -> tuple[SketchWarning, ...]:
    """Of what was taken away from a picture before lines were made of it; whether it was turned
    around, light lines on dark ground."""
    return tuple(_of_image(flat, inverted))


def _of_image(flat: Flattened, inverted: bool) -> Iterator[SketchWarning]:
    between = float(((flat.lightness > 0.25) & (flat.lightness < 0.85)).mean())
    if between > _MOST_BETWEEN or flat.colors >= _MANY_COLORS:
        yield SketchWarning(
            PHOTOGRAPH,
            f"This looks like a photograph or a painting: {between:.0%} of it is neither line "
            f"nor paper, in {flat.colors} colors. Use a line drawing.",
        )
    if inverted:
        yield SketchWarning(INVERTED, "Light lines on a dark background were inverted.")
    if flat.colored_share > 0.02:
        yield SketchWarning(
            COLORED,
            f"Colored areas ({flat.colored_share:.0%} of it) were treated as paper; check for "
            "missing lines.",
        )
    if flat.wash_share > 0.01:
        yield SketchWarning(
            GRAY_WASH,
            f"Gray wash ({flat.wash_share:.0%} of it) was removed; check whether its edges "
            "left marks.",
        )


CLOSING_WORDS = ("None", "Small", "Medium", "Large")
"""What the canvas calls the closings."""


def of_regions(ink: np.ndarray, maps: RegionMaps, closing: int) -> tuple[SketchWarning, ...]:
    """Of the ink, uint8 ``(H, W)``, and the regions that it makes with the suggested closing."""
    return tuple(_of_regions(ink, maps, closing))


def _of_regions(ink: np.ndarray, maps: RegionMaps, closing: int) -> Iterator[SketchWarning]:
    line_share = float((ink < LINE).mean())
    if line_share < 0.001:
        yield SketchWarning(
            EMPTY, "There are no lines. Lower the line threshold, or use another drawing."
        )
        return
    if line_share > 0.4:
        yield SketchWarning(
            MOSTLY_INK,
            f"Ink covers {line_share:.0%} of it, which leaves little to color. Use a drawing "
            "of outlines, or lower the line threshold.",
        )
    yield from _shading(ink)
    sizes = np.bincount(maps.labels[closing].reshape(-1))[1:]
    inner = _inner(maps, closing)
    fillable = int((sizes[inner] >= LEAST_SHARE * ink.size).sum())
    if fillable < 2:
        yield SketchWarning(
            FEW_REGIONS,
            f"Only {fillable} region{'' if fillable == 1 else 's'} inside the drawing can be "
            "filled. Concepts of several colors need more, or the brush.",
        )
    tiny = int((sizes < LEAST_SHARE * ink.size / 2).sum())
    if tiny > _MANY_SPECKS:
        yield SketchWarning(
            SPECKS,
            f"Hatching or texture: {tiny} regions are too small to hit. Remove larger specks, "
            "or use a simpler drawing.",
        )
    if closing:
        yield SketchWarning(
            GAPS,
            f"Lines have gaps: with “Close gaps: {CLOSING_WORDS[closing]}”, which is set for "
            f"this drawing, regions close gaps of up to {CLOSINGS_PX[closing]} pixels.",
        )


def _shading(ink: np.ndarray) -> Iterator[SketchWarning]:
    import cv2

    gray = ((ink > 32) & (ink < 224)).view(np.uint8)
    share = float(cv2.erode(gray, np.ones((5, 5), np.uint8)).mean())
    if share > 0.002:
        yield SketchWarning(
            SHADING,
            f"There is shading in the ink ({share:.1%} of it is gray and wide). Colors under "
            "it would look darker than they are. Prepare the drawing with shading removed.",
        )


def _inner(maps: RegionMaps, closing: int) -> np.ndarray:
    """Which regions, from label 1 on, do not touch the border of the sketch: bool ``(n,)``."""
    return np.logical_not(maps.surround(closing)[1:])


def suggested_closing(maps: RegionMaps) -> int:
    """The closing that suits a sketch: the widest that parts something from the surround which is
    large enough to be meant, or the first that parts anything large; 0 where lines are whole.

    Wide closings also part what hangs together at a neck, so more than that is not suggested.
    """
    for closing in reversed(range(1, len(CLOSINGS_PX))):
        if not maps.counts[closing - 1]:
            continue  # ink all over, as of noise: there is no paper that could be parted
        before, after = maps.labels[closing - 1], maps.labels[closing]
        size = np.bincount(after.reshape(-1))
        parent = np.zeros(size.size, np.int64)
        parent[after.reshape(-1)] = before.reshape(-1)
        largest = np.zeros(maps.counts[closing - 1] + 1, np.int64)
        np.maximum.at(largest, parent, size)
        parted = size < largest[parent]
        leaked = ~_inner(maps, closing - 1)[np.maximum(parent, 1) - 1]
        leaked[1:] &= _inner(maps, closing)
        least = np.where(leaked, _LEAKED_SHARE[closing], _PARTED_SHARE if closing == 1 else 1.0)
        parted &= size >= least * after.size
        parted[0] = False
        if parted.any():
            return closing
    return 0
