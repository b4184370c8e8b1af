"""From an image to a sketch: white paper, black lines with smooth edges, a size, no specks.

Each pixel's darkness relative to the surrounding paper decides what becomes white. Thin dark
structures are lines. Wide areas that are not nearly black are paper, even gray or colored ones:
this removes a photograph's shadows, a scan's background, gray wash and colored areas.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from truehue.core.errors import ImageError
from truehue.core.sketches.records import (
    LINE_UNITS,
    MIN_SIDE,
    Sketch,
    SketchSettings,
    SketchWarning,
    check_ink,
    scale_of,
    sketch_id,
)
from truehue.core.sketches.regions import CLOSINGS_PX, LINE, RegionMaps, regions

_SIDE = 256
"""Paper is estimated at this longer side: it changes slowly, and lines are gone sooner."""

_WIDEST_LINE = 0.066
"""Of the longer side: what is wider and lies inside no line is paper, or solid black."""

_SOLID = 0.35
"""Of the brightest paper: a wide area darker than this in every channel is solid ink."""

_STEP = 0.06
"""A paper that is so much darker than its surround, on a short way, was painted so."""


@dataclass(frozen=True)
class Flattened:
    """``lightness`` float32 ``(H, W)``, 0 black to 1 paper. ``wash_share`` is the share of pixels
    that were gray by wash and not by light, ``colored_share`` that of wide colored ones; ``colors``
    of 8 x 8 x 8 cells of RGB are in use, see :func:`colors_of`."""

    lightness: np.ndarray
    wash_share: float = 0.0
    colored_share: float = 0.0
    colors: int = 0


def flatten_on_paper(srgb8: np.ndarray) -> Flattened:
    """Each pixel of uint8 ``(H, W, 3)`` against the paper around it.

    The darkest channel counts: a yellow line is a line. Where an area has no light in a channel,
    as red paint has no blue, that channel says nothing.
    """
    height, width = srgb8.shape[:2]
    scale = min(1.0, _SIDE / max(height, width))
    small_size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(srgb8, small_size, interpolation=cv2.INTER_AREA)
    across = max(3, round(_WIDEST_LINE * max(small_size))) | 1
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, disk).astype(np.float32)
    brightest = max(float(np.percentile(closed.max(axis=2), 95)), 1.0)
    smooth = cv2.GaussianBlur(closed, (0, 0), 1.5)
    paper = cv2.resize(smooth, (width, height), interpolation=cv2.INTER_LINEAR)
    lit = paper >= _SOLID * brightest
    against = np.where(lit, srgb8 / np.maximum(paper, 1.0), np.float32(1.0)).min(axis=2)
    solid = ~lit.any(axis=2)
    against[solid] = srgb8[solid].max(axis=1) / brightest
    return Flattened(
        np.minimum(against, 1.0).astype(np.float32),
        _wash_share(closed, brightest),
        _colored_share(closed, brightest),
        colors_of(srgb8),
    )


def colors_of(srgb8: np.ndarray) -> int:
    """How many of 8 x 8 x 8 RGB cells of uint8 sRGB ``(H, W, 3)`` hold a five-hundredth of the
    pixels or more: a drawing has few, on paper in a room under 20; a photograph of things has 25
    and more."""
    cells = (srgb8 >> 5).astype(np.int64) @ np.array([64, 8, 1])
    return int((np.bincount(cells.reshape(-1)) >= cells.size / 500).sum())


def _wash_share(closed: np.ndarray, brightest: float) -> float:
    """The share of gray areas that end abruptly, as light on paper does not."""
    gray = closed.min(axis=2) / brightest
    slow = cv2.GaussianBlur(gray, (0, 0), max(gray.shape) / 12)
    darker = (gray < slow - _STEP) & (gray > _SOLID) & (_spread(closed) < 0.12)
    return float(darker.mean())


def _colored_share(closed: np.ndarray, brightest: float) -> float:
    """The share of wide areas of more color than paper and lamps have."""
    middle = np.median(closed.reshape(-1, 3), axis=0)
    balanced = closed * (float(middle.max()) / np.maximum(middle, 1.0))
    return float(((_spread(balanced) > 0.18) & (closed.max(axis=2) > _SOLID * brightest)).mean())


def _spread(colors: np.ndarray) -> np.ndarray:
    """How far the channels lie apart, 0 to 1, of float32 ``(H, W, 3)`` from 0 to 255."""
    return (colors.max(axis=2) - colors.min(axis=2)) / np.maximum(colors.max(axis=2), 1.0)


EMPTY, MOSTLY_INK, FEW_REGIONS, GAPS = "empty", "mostly-ink", "few-regions", "gaps"
SHADING, GRAY_WASH, COLORED = "shading", "gray-wash", "colored"
PHOTOGRAPH, INVERTED, SPECKS = "photograph", "inverted", "specks"

MIN_SHARE = 0.0005
"""Of the sketch: a region that a hand can hit, 23 x 23 pixels at 1024 x 1024."""

_LEAKED_SHARE = (1.0, 0.0005, 0.004, 0.02)
"""By closing: what it parts from the surround lies behind a gap where it is that large a share."""

_PARTED_SHARE = 0.004
"""What the narrowest closing parts within the drawing is behind a gap, and no end of a crease,
where it is that large a share."""

_MANY_SPECKS = 60
_MAX_BETWEEN = 0.22
_MANY_COLORS = 25


def of_image(flat: Flattened, inverted: bool) -> tuple[SketchWarning, ...]:
    """Of what was taken away from an image before lines were made of it; whether it was turned
    around, light lines on dark ground."""
    return tuple(_of_image(flat, inverted))


def _of_image(flat: Flattened, inverted: bool) -> Iterator[SketchWarning]:
    between = float(((flat.lightness > 0.25) & (flat.lightness < 0.85)).mean())
    if between > _MAX_BETWEEN or flat.colors >= _MANY_COLORS:
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
    fillable = int((sizes[inner] >= MIN_SHARE * ink.size).sum())
    if fillable < 2:
        yield SketchWarning(
            FEW_REGIONS,
            f"Only {fillable} region{'' if fillable == 1 else 's'} inside the drawing can be "
            "filled. Concepts of several colors need more, or the brush.",
        )
    tiny = int((sizes < MIN_SHARE * ink.size / 2).sum())
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


_MAX_ENLARGED = 4
_FAINTEST = 0.12
"""Lines that are not that much darker than the paper, of 1, are none."""

_LINE_BEGINS = 0.55
"""Where a line begins, of the way from its middle to the paper: half, and a bit for thin ones."""

_PAPER = 0.98
_MIN_SPECK_PX = 3
_DRAWN_PX = 4
"""How wide a line across a gap is, at a longer side of 1024."""

_EDGE_PX = 2.5
"""How far from a line, at a longer side of 1024, gray may still be its soft edge."""


def prepare(srgb8: np.ndarray, settings: SketchSettings | None = None) -> Sketch:
    """An image of a line drawing as a sketch: photographs of paper, scans, drawings in color.

    ``srgb8`` is uint8 ``(H, W, 3)`` with transparency laid over white, as
    :func:`truehue.core.images.load.load_image` gives it. White lines on black are turned around.
    Raises ImageError for other arrays and for images more than a hundred times as long as wide.
    """
    settings = settings or SketchSettings()
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3 or 0 in srgb8.shape:
        raise ImageError("An image of a drawing has 8 bits and three channels.")
    height, width = srgb8.shape[:2]
    if max(height, width) > 100 * min(height, width):
        raise ImageError(f"An image of {width} × {height} pixels is too narrow to color.")
    factor = min(settings.longer_side / max(height, width), _MAX_ENLARGED)
    size = max(1, round(width * factor)), max(1, round(height * factor))
    srgb8 = _resized(srgb8, 2 * settings.longer_side)
    inverted = _is_inverted(srgb8)
    if inverted:
        srgb8 = 255 - srgb8
    if settings.flatten:
        flat = flatten_on_paper(srgb8)
    else:
        flat = Flattened((srgb8.min(axis=2) / np.float32(255)).astype(np.float32))
    lightness = _sized(flat.lightness, size)
    ink = _inked(lightness, settings)
    if settings.speck_px:
        _without_specks(
            ink, max(_MIN_SPECK_PX, round(settings.speck_px * scale_of(ink.shape) ** 2))
        )
    if settings.flatten:
        _without_haze(ink)
    _draw_lines(ink, settings.lines)
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
    """An image with a longer side of at most so many pixels, so that nothing after it is slow."""
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
    missing = [max(0, MIN_SIDE - side) for side in sized.shape]
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


def _draw_lines(ink: np.ndarray, lines: tuple[tuple[int, int, int, int], ...]) -> None:
    """Draws black lines across gaps, as :class:`SketchSettings` has them; ``ink`` is changed."""
    import cv2

    height, width = ink.shape
    thickness = max(2, round(_DRAWN_PX * scale_of(ink.shape)))
    for line in lines:
        x0, x1 = (round(part / LINE_UNITS * (width - 1)) for part in line[::2])
        y0, y1 = (round(part / LINE_UNITS * (height - 1)) for part in line[1::2])
        cv2.line(ink, (x0, y0), (x1, y1), 0, thickness, cv2.LINE_AA)


def _without_haze(ink: np.ndarray) -> None:
    """Takes gray away that is no edge of a line: grain, wash, what shines through. Changes it."""
    import cv2

    paper = (ink >= LINE).view(np.uint8)
    if paper.all():
        ink[:] = 255
        return
    away = cv2.distanceTransform(paper, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    ink[away > max(_EDGE_PX * scale_of(ink.shape), 1.5)] = 255
