"""Two images of one size, compared color by color."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab, unpack_srgb24
from truehue.core.errors import BadInput


def delta_e00_map(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """CIEDE2000 between the pixels at the same place.

    Both uint8 sRGB ``(H, W, 3)`` of one size. Returns float64 ``(H, W)``, exactly 0 where the bytes
    are equal. Colors are D65 and 2 degree; each pair of colors is computed once. Raises BadInput
    for two sizes and for what is no image.
    """
    for item in (before, after):
        if item.ndim != 3 or item.shape[2] != 3 or item.dtype != np.uint8 or not item.size:
            raise BadInput(f"An image is uint8 (H, W, 3), not {item.dtype} {item.shape}.")
    if before.shape != after.shape:
        sizes = " and ".join(f"{array.shape[1]} × {array.shape[0]}" for array in (before, after))
        raise BadInput(f"Images that are compared pixel by pixel have one size, not {sizes}.")
    pairs = _packed(before) << np.uint64(24) | _packed(after)
    distinct, indices = np.unique(pairs, return_inverse=True)
    low = np.uint64(0xFFFFFF)
    halves = [unpack_srgb24((part & low).astype(np.uint32)) for part in (distinct >> 24, distinct)]
    values = delta_e00(srgb8_to_lab(halves[0]), srgb8_to_lab(halves[1]))
    values[(halves[0] == halves[1]).all(axis=1)] = 0.0
    out: np.ndarray = values[indices.reshape(before.shape[:2])]
    return out


def _packed(srgb8: np.ndarray) -> np.ndarray:
    red, green, blue = np.moveaxis(srgb8.astype(np.uint64), 2, 0)
    return red << np.uint64(16) | green << np.uint64(8) | blue


SCALE_TOPS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Ends of the scales on which differences are shown, in ΔE00."""


def scale_top(delta_e00_of_pixels: np.ndarray) -> float:
    """The least of SCALE_TOPS that 99 of 100 pixels lie below, else the largest, in ΔE00.
    ``delta_e00_of_pixels`` float64 ``(H, W)``, as :func:`delta_e00_map` gives it."""
    limit = float(np.percentile(delta_e00_of_pixels, 99))
    return next((top for top in SCALE_TOPS if top >= limit), SCALE_TOPS[-1])


def scale_srgb8() -> np.ndarray:
    """uint8 ``(256, 3)``, the colors of the scale from 0 to its end: cividis (Nuñez, Anderton and
    Renslow 2018), whose lightness rises evenly, and which looks alike with and without red-green
    blindness."""
    import cv2

    levels = np.arange(256, dtype=np.uint8)[:, None]
    colors: np.ndarray = cv2.applyColorMap(levels, cv2.COLORMAP_CIVIDIS)[:, 0, ::-1].copy()
    return colors


def difference_image(delta_e00_of_pixels: np.ndarray, top: float) -> np.ndarray:
    """Differences ``(H, W)`` on the scale that ends at ``top``, as uint8 sRGB ``(H, W, 3)``; what
    lies above it has its last color."""
    levels = np.rint(np.clip(delta_e00_of_pixels / top, 0.0, 1.0) * 255).astype(np.uint8)
    colored: np.ndarray = scale_srgb8()[levels]
    return colored


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
    """The summary of a :func:`delta_e00_map`, float64 ``(H, W)`` in ΔE00."""
    median, percentile_95 = np.percentile(delta_e00_of_pixels, (50, 95))
    return DifferenceSummary(
        float(delta_e00_of_pixels.mean()),
        float(median),
        float(percentile_95),
        float(delta_e00_of_pixels.max()),
        float((delta_e00_of_pixels == 0).mean()),
    )
