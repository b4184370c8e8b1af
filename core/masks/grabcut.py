"""A reproducible mask from a box and a few strokes with OpenCV's GrabCut: without specks and pinholes,
and with a clean edge at full size if it was computed on a smaller image.

GrabCut (Rother, Kolmogorov, Blake 2004, doi:10.1145/1015706.1015720) learns colors inside and
outside and cuts where they change. It runs in CIELAB, where shading of one color stays closer
together than in sRGB, on the surroundings of the box, and its edge is then refined at full size.

The guided filter (He, Sun, Tang 2013, doi:10.1109/TPAMI.2012.213) in its fast form
(He, Sun 2015, arXiv:1505.00996): around every pixel the mask is explained as a linear function of
the colors there, so its edge moves to where the colors change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from truehue.core.errors import MaskError

# Of the squared 0-to-1 color range: below this, a difference of colors counts as noise.
_EPSILON = 4e-4
_LONGEST_SIDE = 1024

SMALL_SHARE = 0.005

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
    labels: np.ndarray = np.isin(trimap, (cv2.GC_FGD, cv2.GC_PR_FGD))
    return labels if labels.any() else None


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
        fallback = inside if box is not None or not keep.any() else keep
        label = "the box" if box is not None else "the strokes"
        return GrabCutResult((fallback | keep) & ~cut, f"{why}: the mask is {label}.")

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
    labels = _labels(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), trimap)
    if labels is None:
        return unfound(NOTHING)

    fine = (refine_edge(crop, labels) & inside_crop) | keep[window]
    fine = drop_small(fine & ~cut[window], keep[window], cut[window])
    pixels = np.zeros((height, width), dtype=bool)
    pixels[window] = (fine | keep[window]) & ~cut[window]
    if not pixels.any():
        return unfound(NOTHING)
    return GrabCutResult(pixels, "" if box is not None or cut.any() else GUESSED)


def _pieces(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of the 4-connected piece of every pixel, 0 outside, and the area of every piece."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(pixels.view(np.uint8), connectivity=4)
    return labels, stats[:, cv2.CC_STAT_AREA]


def _small(labels: np.ndarray, areas: np.ndarray, touched: np.ndarray, limit: float) -> np.ndarray:
    """Which pieces have fewer than ``limit`` pixels, none of them ``touched``; bool, by number."""
    small: np.ndarray = areas < limit
    small[0] = False
    if small.any():
        small[np.unique(labels[touched])] = False
    return small


def drop_small(pixels: np.ndarray, keep: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """``pixels`` without crumbs and pinholes, bool ``(H, W)`` like all arguments.

    Small is below 0.5% of the largest piece. What a keep stroke touches is no crumb, what a cut
    stroke touches is no pinhole: a person meant them.
    """
    if not pixels.any():
        return pixels
    labels, areas = _pieces(pixels)
    limit = SMALL_SHARE * float(areas[1:].max())
    crumbs = _small(labels, areas, keep, limit)
    mask = pixels & ~crumbs[labels] if crumbs.any() else pixels
    labels, areas = _pieces(~mask)
    holes = _small(labels, areas, cut, limit)
    return mask | holes[labels] if holes.any() else mask


def _dot(first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> np.ndarray:
    """The sum over three planes of first × second; many times faster than a last axis of three."""
    total = first[0] * second[0]
    for channel, other in zip(first[1:], second[1:], strict=True):
        total += channel * other
    return total


def _linear_model(
    guide: np.ndarray, mask: np.ndarray, radius: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """``a``, three float32 planes, and ``b`` with mask ≈ a · guide + b around a pixel.

    ``guide`` float32 ``(H, W, 3)``, ``mask`` float32 ``(H, W)`` like all planes.
    """
    size = (2 * radius + 1, 2 * radius + 1)

    def mean(values: np.ndarray) -> np.ndarray:
        blurred: np.ndarray = cv2.blur(values, size, borderType=cv2.BORDER_REFLECT)
        return blurred

    mu, mean_mask = mean(guide), mean(mask)
    covariance = mean(guide * mask[..., None]) - mu * mean_mask[..., None]
    r, g, b = cv2.split(guide)
    mr, mg, mb = cv2.split(mu)
    rr = mean(r * r) - mr * mr + _EPSILON
    gg = mean(g * g) - mg * mg + _EPSILON
    bb = mean(b * b) - mb * mb + _EPSILON
    rg, rb, gb = mean(r * g) - mr * mg, mean(r * b) - mr * mb, mean(g * b) - mg * mb
    # The inverse of a symmetric 3 × 3 matrix, written out: equation (14) for every pixel at once.
    c_rr, c_rg, c_rb = gg * bb - gb * gb, gb * rb - rg * bb, rg * gb - gg * rb
    c_gg, c_gb, c_bb = rr * bb - rb * rb, rb * rg - rr * gb, rr * gg - rg * rg
    determinant = rr * c_rr + rg * c_rg + rb * c_rb
    kr, kg, kb = cv2.split(covariance)
    slope = [
        (c_rr * kr + c_rg * kg + c_rb * kb) / determinant,
        (c_rg * kr + c_gg * kg + c_gb * kb) / determinant,
        (c_rb * kr + c_gb * kg + c_bb * kb) / determinant,
    ]
    offset = mean_mask - _dot(slope, (mr, mg, mb))
    return [mean(plane) for plane in slope], mean(offset)


def refine_edge(srgb8: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """``coarse`` brought to the size of ``srgb8`` with its edge on the edges of the image.

    ``srgb8`` uint8 ``(H, W, 3)``, ``coarse`` bool ``(h, w)`` of the same region, ``h <= H``.
    Returns bool ``(H, W)``. Only a band of about two coarse pixels on both sides of the edge is
    decided again; all else stays as it was.
    """
    height, width = srgb8.shape[:2]
    if coarse.all() or not coarse.any():
        return np.full((height, width), bool(coarse.any()))
    scale = max(height, width) / max(coarse.shape)
    shape = (width, height)
    soft = cv2.resize(coarse.astype(np.float32), shape, interpolation=cv2.INTER_LINEAR)

    shrink = min(1.0, _LONGEST_SIDE / max(height, width))
    small = (max(round(width * shrink), 1), max(round(height * shrink), 1))
    guide = cv2.resize(srgb8, small, interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0
    mask = cv2.resize(coarse.astype(np.float32), small, interpolation=cv2.INTER_LINEAR)
    radius = max(2, round(2.5 * scale * shrink))
    slope, offset = _linear_model(guide, mask, radius)
    if shrink < 1.0:
        slope = [cv2.resize(plane, shape, interpolation=cv2.INTER_LINEAR) for plane in slope]
        offset = cv2.resize(offset, shape, interpolation=cv2.INTER_LINEAR)
    # The noise of single pixels should not fray the edge.
    quiet = cv2.split(cv2.GaussianBlur(srgb8, (0, 0), 0.7))
    guided = _dot(slope, [plane.astype(np.float32) / np.float32(255.0) for plane in quiet])
    guided += offset
    guided = cv2.GaussianBlur(guided, (0, 0), 0.8)

    width_of_band = 2 * round(2.0 * scale) + 1
    kernel = np.ones((width_of_band, width_of_band), np.uint8)
    binary = (soft > 0.5).astype(np.uint8)
    band = cv2.dilate(binary, kernel) != cv2.erode(binary, kernel)
    refined = binary.view(bool)
    np.copyto(refined, guided > 0.5, where=band)
    return refined
