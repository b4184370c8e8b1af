"""From a picture to a sketch: white paper, black lines with smooth edges, a size, no specks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truehue.core.errors import ImageError
from truehue.core.sketches.paper import Flattened, flattened
from truehue.core.sketches.records import (
    LEAST_SIDE,
    Sketch,
    SketchSettings,
    SketchWarning,
    check_ink,
    scale_of,
    sketch_id,
)
from truehue.core.sketches.regions import LINE, regions
from truehue.core.sketches.warnings import of_image, of_regions, suggested_closing

_MOST_ENLARGED = 4
_FAINTEST = 0.12
"""Lines that are not that much darker than the paper, of 1, are none."""

_LINE_BEGINS = 0.55
"""Where a line begins, of the way from its middle to the paper: half, and a bit for thin ones."""

_PAPER = 0.98
_LEAST_SPECK_PX = 3
_EDGE_PX = 2.5
"""How far from a line, at a longer side of 1024, gray may still be its soft edge."""


def prepare(srgb8: np.ndarray, settings: SketchSettings | None = None) -> Sketch:
    """A picture of a line drawing as a sketch: photographs of paper, scans, drawings in color.

    ``srgb8`` is uint8 ``(H, W, 3)`` with transparency laid over white, as
    :func:`truehue.core.images.load.load_image` gives it. White lines on black are turned around.
    Raises ImageError for other arrays and for pictures more than a hundred times as long as wide.
    """
    settings = settings or SketchSettings()
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3 or 0 in srgb8.shape:
        raise ImageError("An image of a drawing has 8 bits and three channels.")
    height, width = srgb8.shape[:2]
    if max(height, width) > 100 * min(height, width):
        raise ImageError(f"An image of {width} × {height} pixels is too narrow to color.")
    factor = min(settings.longer_side / max(height, width), _MOST_ENLARGED)
    size = max(1, round(width * factor)), max(1, round(height * factor))
    srgb8 = _resized(srgb8, 2 * settings.longer_side)
    inverted = _is_inverted(srgb8)
    if inverted:
        srgb8 = 255 - srgb8
    if settings.flatten:
        flat = flattened(srgb8)
    else:
        flat = Flattened((srgb8.min(axis=2) / np.float32(255)).astype(np.float32))
    lightness = _sized(flat.lightness, size)
    ink = _inked(lightness, settings)
    if settings.speck_px:
        _without_specks(
            ink, max(_LEAST_SPECK_PX, round(settings.speck_px * scale_of(ink.shape) ** 2))
        )
    if settings.flatten:
        _without_haze(ink)
    result = of_image(replace(flat, lightness=lightness), inverted)
    return _sketch(ink, result)


def of_ink(ink: np.ndarray) -> Sketch:
    """A sketch of ink that is clean already, uint8 ``(H, W)``: 255 paper, 0 ink; not a pixel of it
    is changed. Raises BadInput for what is no ink."""
    check_ink(ink)
    return _sketch(np.array(ink, order="C"), ())


def _sketch(ink: np.ndarray, sketch_warnings: tuple[SketchWarning, ...]) -> Sketch:
    ink.flags.writeable = False
    maps = regions(ink)
    closing = suggested_closing(maps)
    return Sketch(sketch_id(ink), ink, (*sketch_warnings, *of_regions(ink, maps, closing)), closing)


def _is_inverted(srgb8: np.ndarray) -> bool:
    """Whether it is light lines on dark ground: mostly dark, and little between."""
    brightest = srgb8.max(axis=2)
    return bool((brightest < 80).mean() > 0.6) and bool(
        ((brightest >= 80) & (brightest < 180)).mean() < 0.15
    )


def _resized(srgb8: np.ndarray, limit: int) -> np.ndarray:
    """A picture with a longer side of at most so many pixels, so that nothing after it is slow."""
    import cv2

    height, width = srgb8.shape[:2]
    longer = max(height, width)
    if longer <= limit:
        return srgb8
    size = max(1, round(width * limit / longer)), max(1, round(height * limit / longer))
    return np.asarray(cv2.resize(srgb8, size, interpolation=cv2.INTER_AREA))


def _sized(lightness: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Lightness at its final width and height; sides of less than 8 pixels get more paper."""
    import cv2

    smaller = size[0] < lightness.shape[1]
    way = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    sized = cv2.resize(lightness, size, interpolation=way)
    missing = [max(0, LEAST_SIDE - side) for side in sized.shape]
    return np.pad(sized, [(0, more) for more in missing], constant_values=1.0).clip(0, 1)


def _inked(lightness: np.ndarray, settings: SketchSettings) -> np.ndarray:
    """Ink uint8 ``(H, W)``: a slope from line to paper about the threshold, so that edges stay
    smooth and faint pencil becomes black."""
    import cv2

    coded = np.rint(255 * lightness).astype(np.uint8)
    limit, _ = cv2.threshold(coded, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    dark = lightness[coded <= limit]
    middle = float(np.percentile(dark, 25)) if dark.size else 1.0
    threshold = middle + _LINE_BEGINS * (1 - middle)
    if settings.line_threshold is not None:
        threshold = settings.line_threshold / 255
    elif 1 - middle < _FAINTEST:
        return np.full(lightness.shape, 255, np.uint8)
    half = max(min(threshold - min(middle, threshold), _PAPER - threshold), 0.02)
    slope = 0.5 + (lightness - threshold) / (2 * half)
    return np.rint(255 * slope.clip(0, 1)).astype(np.uint8)


def _without_specks(ink: np.ndarray, speck_px: int) -> None:
    """Takes specks of ink away, and of paper in ink; ``ink`` is changed."""
    import cv2

    for lines, connectivity in ((True, 8), (False, 4)):
        area = ((ink < LINE) if lines else (ink >= LINE)).view(np.uint8)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(area, connectivity=connectivity)
        small = stats[:, cv2.CC_STAT_AREA] < speck_px
        small[0] = False
        specks = small[labels]
        if lines:
            ink[specks] = 255
        else:
            ink[specks] = cv2.erode(ink, np.ones((5, 5), np.uint8))[specks]


def _without_haze(ink: np.ndarray) -> None:
    """Takes gray away that is no edge of a line: grain, wash, what shines through. Changes it."""
    import cv2

    paper = (ink >= LINE).view(np.uint8)
    if paper.all():
        ink[:] = 255
        return
    away = cv2.distanceTransform(paper, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    ink[away > max(_EDGE_PX * scale_of(ink.shape), 1.5)] = 255
