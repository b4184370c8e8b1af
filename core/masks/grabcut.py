"""A box and a few strokes to a mask with OpenCV's GrabCut, the same mask every time.

GrabCut (Rother, Kolmogorov, Blake 2004, doi:10.1145/1015706.1015720) learns colors inside and
outside and cuts where they change. It runs in CIELAB, where shading of one color stays closer
together than in sRGB, on the surroundings of the box, and its edge is then refined at full size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from core.errors import MaskError
from core.masks.edges import refine_edge
from core.masks.islands import drop_small

Box = tuple[int, int, int, int]

VERSION = "1"
LONGEST_SIDE = 512
ITERATIONS = 5
_SEED = 20
_MARGIN_SHARE = 0.15
_MARGIN_PX = 16

FLAT = "The marked part has one flat color, so there is no edge to find"
NOTHING = "GrabCut found no edge here"
GUESSED = "Without a box the background is guessed: a box or a cut stroke tells more."


@dataclass(frozen=True)
class GrabCutResult:
    """``pixels`` bool ``(H, W)``; ``note`` says what a person should know, or is empty."""

    pixels: np.ndarray
    note: str = ""


def _crop(box: Box, keep: np.ndarray, height: int, width: int) -> tuple[Box, Box]:
    """The box widened to hold every keep stroke, and the part of the image to work on."""
    x0, y0, x1, y1 = box
    rows, columns = np.flatnonzero(keep.any(axis=1)), np.flatnonzero(keep.any(axis=0))
    if rows.size:
        x0, y0 = min(x0, int(columns[0])), min(y0, int(rows[0]))
        x1, y1 = max(x1, int(columns[-1]) + 1), max(y1, int(rows[-1]) + 1)
    margin = max(_MARGIN_PX, math.ceil(_MARGIN_SHARE * max(x1 - x0, y1 - y0)))
    around = (
        max(x0 - margin, 0),
        max(y0 - margin, 0),
        min(x1 + margin, width),
        min(y1 + margin, height),
    )
    return (x0, y0, x1, y1), around


def _is_flat(srgb8: np.ndarray) -> bool:
    """Whether all pixels have one color; the first row tells it of nearly every photograph."""
    return bool((srgb8[0] == srgb8[0, 0]).all()) and bool((srgb8 == srgb8[0, 0]).all())


def _share(marked: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """How much of every small pixel is marked, float32, 0 to 1."""
    if not marked.any():
        return np.zeros(size[::-1], dtype=np.float32)
    shrunk: np.ndarray = cv2.resize(marked.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return shrunk


def _trimap(inside: np.ndarray, keep: np.ndarray, cut: np.ndarray, boxed: bool) -> np.ndarray:
    """GrabCut's four labels from shares of a small pixel, uint8 ``(h, w)``.

    Outside of the box is background for sure. With a box, its inside is probably object; with
    strokes alone, everything unmarked is probably background unless there are only cut strokes.
    """
    probably = cv2.GC_PR_FGD if boxed or not keep.any() else cv2.GC_PR_BGD
    trimap = np.where(inside >= 0.5, probably, cv2.GC_BGD).astype(np.uint8)
    if not np.isin(trimap, (cv2.GC_BGD, cv2.GC_PR_BGD)).any():
        # The box is the image: what touches its border is the likeliest background there is.
        rim = max(2, round(0.02 * max(trimap.shape)))
        middle = trimap[rim:-rim, rim:-rim].copy()
        trimap[:] = cv2.GC_PR_BGD
        if middle.size:
            trimap[rim:-rim, rim:-rim] = middle
    trimap[(keep > 0) & (keep >= cut)] = cv2.GC_FGD
    trimap[(cut > 0) & (cut > keep)] = cv2.GC_BGD
    return trimap


def _labels(small: np.ndarray, trimap: np.ndarray) -> np.ndarray | None:
    """The object on the small image, bool ``(h, w)``, or None where GrabCut has nothing to do."""
    object_px = np.isin(trimap, (cv2.GC_FGD, cv2.GC_PR_FGD))
    if object_px.all() or not object_px.any():
        return None
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB)
    # GrabCut starts with k-means, which draws from the generator of this thread.
    cv2.setRNGSeed(_SEED)
    try:
        cv2.grabCut(lab, trimap, None, None, None, ITERATIONS, cv2.GC_INIT_WITH_MASK)
    except cv2.error:
        # Fewer distinct colors than its mixtures have parts, on tiny or nearly flat crops.
        return None
    found: np.ndarray = np.isin(trimap, (cv2.GC_FGD, cv2.GC_PR_FGD))
    return found if found.any() else None


def grabcut(srgb8: np.ndarray, box: Box | None, keep: np.ndarray, cut: np.ndarray) -> GrabCutResult:
    """The object in ``box``, with ``keep`` strokes inside for sure and ``cut`` strokes outside.

    ``srgb8`` uint8 ``(H, W, 3)``. ``box`` is columns and rows ``(x0, y0, x1, y1)``, ends excluded;
    keep strokes that leave it widen it; None: strokes alone, on the whole image. ``keep`` and
    ``cut`` are bool ``(H, W)`` and do not overlap. Where no edge can be found the box itself is the
    result (strokes alone: the kept pixels), with a note. Raises MaskError on wrong shapes.
    """
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3:
        raise MaskError("GrabCut needs an sRGB image, uint8 of height × width × 3.")
    height, width = srgb8.shape[:2]
    if keep.shape != (height, width) or cut.shape != (height, width):
        raise MaskError("Strokes and image differ in size.")

    target, (left, top, right, bottom) = _crop(box or (0, 0, width, height), keep, height, width)
    window = (slice(top, bottom), slice(left, right))
    inside = np.zeros((height, width), dtype=bool)
    inside[target[1] : target[3], target[0] : target[2]] = True

    def unfound(why: str) -> GrabCutResult:
        # Without an edge only what the person said is known.
        said = inside if box is not None or not keep.any() else keep
        what = "the box" if box is not None else "the strokes"
        return GrabCutResult((said | keep) & ~cut, f"{why}: the mask is {what}.")

    crop, inside_crop = srgb8[window], inside[window]
    if _is_flat(crop):
        return unfound(FLAT)
    scale = min(1.0, LONGEST_SIDE / max(crop.shape[:2]))
    size = (max(round(crop.shape[1] * scale), 1), max(round(crop.shape[0] * scale), 1))
    trimap = _trimap(
        _share(inside_crop, size),
        _share(keep[window], size),
        _share(cut[window], size),
        boxed=box is not None,
    )
    found = _labels(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), trimap)
    if found is None:
        return unfound(NOTHING)

    fine = (refine_edge(crop, found) & inside_crop) | keep[window]
    fine = drop_small(fine & ~cut[window], keep[window], cut[window])
    pixels = np.zeros((height, width), dtype=bool)
    pixels[window] = (fine | keep[window]) & ~cut[window]
    if not pixels.any():
        return unfound(NOTHING)
    return GrabCutResult(pixels, "" if box is not None or cut.any() else GUESSED)
