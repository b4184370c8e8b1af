"""Two pictures of one size, color by color."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.color.difference import delta_e00
from core.color.packing import unpack_srgb24
from core.color.spaces import srgb8_to_lab
from core.errors import BadInput


def delta_e00_map(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """CIEDE2000 between the pixels at the same place.

    Both uint8 sRGB ``(H, W, 3)`` of one size. Returns float64 ``(H, W)``, exactly 0 where the bytes
    are equal. Colors are D65 and 2 degree; each pair of colors is computed once. Raises BadInput
    for two sizes and for what is no image.
    """
    for one in (before, after):
        if one.ndim != 3 or one.shape[2] != 3 or one.dtype != np.uint8 or not one.size:
            raise BadInput(f"An image is uint8 (H, W, 3), not {one.dtype} {one.shape}.")
    if before.shape != after.shape:
        sizes = " and ".join(f"{one.shape[1]} × {one.shape[0]}" for one in (before, after))
        raise BadInput(f"Pictures that are compared pixel by pixel have one size, not {sizes}.")
    pairs = _packed(before) << np.uint64(24) | _packed(after)
    distinct, place = np.unique(pairs, return_inverse=True)
    low = np.uint64(0xFFFFFF)
    halves = [unpack_srgb24((part & low).astype(np.uint32)) for part in (distinct >> 24, distinct)]
    values = delta_e00(srgb8_to_lab(halves[0]), srgb8_to_lab(halves[1]))
    values[(halves[0] == halves[1]).all(axis=1)] = 0.0
    out: np.ndarray = values[place.reshape(before.shape[:2])]
    return out


def _packed(srgb8: np.ndarray) -> np.ndarray:
    red, green, blue = np.moveaxis(srgb8.astype(np.uint64), 2, 0)
    return red << np.uint64(16) | green << np.uint64(8) | blue


@dataclass(frozen=True)
class DifferenceSummary:
    """CIEDE2000 over all pixels: mean, median, 95th percentile and most; ``equal_share`` of the
    pixels, 0 to 1, have the very same bytes."""

    mean: float
    median: float
    percentile_95: float
    most: float
    equal_share: float


def difference_summary(delta_e00_of_pixels: np.ndarray) -> DifferenceSummary:
    """The summary of :func:`delta_e00_map`."""
    median, percentile_95 = np.percentile(delta_e00_of_pixels, (50, 95))
    return DifferenceSummary(
        float(delta_e00_of_pixels.mean()),
        float(median),
        float(percentile_95),
        float(delta_e00_of_pixels.max()),
        float((delta_e00_of_pixels == 0).mean()),
    )
