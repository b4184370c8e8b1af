"""Images made smaller for a page, as a screen seen from afar would mix them."""

from __future__ import annotations

import cv2
import numpy as np

from truehue.core.color.spaces import SRGB8_TO_LINEAR1, linear1_to_srgb1


def scaled_down(srgb8: np.ndarray, side: int) -> np.ndarray:
    """uint8 ``(h, w, 3)`` of an image ``(H, W, 3)``, its longer side at most ``side`` pixels.

    Areas are averaged in linear light: fine texture keeps its lightness, which the usual average of
    coded values darkens. An image that is small enough comes back as it is.
    """
    height, width = srgb8.shape[:2]
    longer = max(height, width)
    if longer <= side:
        return srgb8
    size = (max(1, round(width * side / longer)), max(1, round(height * side / longer)))
    linear1 = SRGB8_TO_LINEAR1.astype(np.float32).take(srgb8)
    small = cv2.resize(linear1, size, interpolation=cv2.INTER_AREA)
    return np.rint(255 * linear1_to_srgb1(small.clip(0, 1))).astype(np.uint8)
