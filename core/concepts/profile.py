"""The color profile of one object in an image, without its pixels.

ColorConceptBench, appendix C.3: the masked foreground at 100 x 100 pixels, and its dominant color
from 16 x 16 x 16 RGB bins. The paper specifies neither the resampling of the image nor the color of
a bin; see :func:`sample_of` and :func:`profile_of` for our choices.
"""

from __future__ import annotations

import numpy as np

from truehue.core.color import uw71
from truehue.core.color.spaces import check_pair
from truehue.core.concepts.records import ColorProfile

SAMPLE_SIDE = 100
DOMINANT_BINS = 16
CELLS = 8
"""To a channel: extraction pools pixels in 8 x 8 x 8 cells."""

MIN_COVERED = 0.5
_ROUNDING = 1e-6
"""Relative: cv2 holds the shares of areas in single precision; a half still counts as one."""


def profile_of(srgb8: np.ndarray, mask: np.ndarray) -> ColorProfile:
    """The colors of the object inside the mask.

    ``srgb8`` uint8 ``(H, W, 3)``, ``mask`` bool ``(H, W)``. The dominant color is the mean sRGB of
    the sample's pixels in the fullest RGB bin (of equally full ones, in that of the lowest number,
    256 r + 16 g + b). Nothing here is drawn by chance. Raises MaskError when image and mask do not
    fit, NoPixels when fewer than two pixels are inside.
    """
    mask_px = check_pair(srgb8, mask)
    sample = sample_of(srgb8, mask).astype(np.int64)
    bins = _cell(sample, DOMINANT_BINS)
    per_bin = np.bincount(bins, minlength=DOMINANT_BINS**3)
    fullest = int(np.argmax(per_bin))
    red, green, blue = (float(value) for value in sample[bins == fullest].mean(axis=0))
    cell = _cell(sample, CELLS)
    counts = np.bincount(cell, minlength=CELLS**3)
    sums = np.stack(
        [np.bincount(cell, weights=channel, minlength=CELLS**3) for channel in sample.T], axis=-1
    )
    cells = np.flatnonzero(counts)
    per_uw71 = uw71.pixel_counts(srgb8, mask)
    some = np.flatnonzero(per_uw71)
    return ColorProfile(
        mask_px=mask_px,
        sampled_px=sample.shape[0],
        dominant_srgb=(red, green, blue),
        dominant_share=float(per_bin[fullest]) / sample.shape[0],
        cells=_ints(cells),
        counts=_ints(counts[cells]),
        sums=_ints(sums[cells].reshape(-1)),
        bins=_ints(some),
        bin_counts=_ints(per_uw71[some]),
    )


def sample_of(srgb8: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The object at 100 x 100 pixels or fewer: uint8 ``(N, 3)`` sRGB, in raster order.

    Our reading: the box around the mask is cut out, and a side of more than 100 pixels is reduced
    to 100 (none is enlarged; the sides are independent). Each pixel of the sample is the mean sRGB
    of the object's pixels under it, by area; those beside the object do not color its edge. It
    belongs to the object where the object covers at least half as much of it as of the pixel
    that it covers most. Of an object with any breadth some pixels are covered wholly, so this means
    half of the pixel; a line thinner than that does not vanish. Halves are rounded up.

    Raises as :func:`truehue.core.color.spaces.check_pair`.
    """
    check_pair(srgb8, mask)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    cut, inside = srgb8[box], mask[box]
    height, width = inside.shape
    if max(height, width) <= SAMPLE_SIDE:
        return np.ascontiguousarray(cut[inside])
    import cv2

    size = (min(width, SAMPLE_SIDE), min(height, SAMPLE_SIDE))
    # In double precision, a channel at a time: sums of bytes are exact, and large images fit.
    weight = inside.astype(np.float64)
    covered = cv2.resize(weight, size, interpolation=cv2.INTER_AREA)
    belongs = covered >= float(covered.max()) * (MIN_COVERED - _ROUNDING)
    colored = [
        cv2.resize(cut[..., channel] * weight, size, interpolation=cv2.INTER_AREA)[belongs]
        for channel in range(3)
    ]
    mean = np.stack(colored, axis=-1) / covered[belongs][:, None]
    return np.floor(np.clip(mean * (1.0 + _ROUNDING) + 0.5, 0.0, 255.0)).astype(np.uint8)


def _cell(srgb: np.ndarray, per_channel: int) -> np.ndarray:
    """Numbers int64 ``(N,)`` of the RGB cells of whole colors ``(N, 3)``, red the slowest."""
    red, green, blue = (srgb * per_channel // 256).T
    return (red * per_channel + green) * per_channel + blue


def _ints(values: np.ndarray) -> tuple[int, ...]:
    return tuple(int(value) for value in values)
