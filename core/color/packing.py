"""Colors inside of a mask as one number each: 0xRRGGBB, so that they can be counted and sorted."""

from __future__ import annotations

import numpy as np

from truehue.core.errors import MaskError, NoPixels

MIN_PIXELS = 2


def unpack_srgb24(srgb24: np.ndarray) -> np.ndarray:
    """uint32 ``(...)`` of 0xRRGGBB to uint8 ``(..., 3)``."""
    return np.stack([(srgb24 >> shift) & 255 for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def check_pair(srgb8: np.ndarray, mask: np.ndarray) -> int:
    """The number of pixels inside the mask.

    Raises MaskError unless image and mask fit, NoPixels unless enough pixels are inside.
    """
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8:
        raise MaskError(
            f"An image is uint8 (H, W, 3); this one is {srgb8.dtype} {srgb8.shape}. "
            "Load it with truehue.core.images.load.load_image."
        )
    if mask.shape != srgb8.shape[:2] or mask.dtype != np.bool_:
        height, width = srgb8.shape[:2]
        raise MaskError(
            f"A mask for this image is bool ({height}, {width}); "
            f"this one is {mask.dtype} {mask.shape}."
        )
    area = int(np.count_nonzero(mask))
    if area == 0:
        raise NoPixels("The mask is empty: no pixel to measure. Mark the object first.")
    if area < MIN_PIXELS:
        raise NoPixels(
            "The mask covers one pixel, which is no object to measure. Mark a larger area."
        )
    return area


def masked_srgb24(srgb8: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Packed colors uint32 ``(N,)`` of the pixels inside, in raster order; raises as check_pair."""
    check_pair(srgb8, mask)
    return packed_inside(srgb8, mask) & np.uint32(0xFFFFFF)


def packed_inside(srgb8: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """As masked_srgb24, with the highest byte set to 255, and without checks."""
    import cv2

    rows = np.flatnonzero(mask.any(axis=1))
    slab = slice(int(rows[0]), int(rows[-1]) + 1)
    # With a fourth channel a pixel is one number, and picking it is one move instead of three.
    bgra = cv2.cvtColor(np.ascontiguousarray(srgb8[slab]), cv2.COLOR_RGB2BGRA)
    packed: np.ndarray = bgra.view("<u4")[..., 0][mask[slab]]
    return packed
