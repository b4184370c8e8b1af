"""White balance by something in the image that is known to be white or gray.

A light that a camera did not balance tints all of an image. A neutral surface shows the tint alone,
so each channel of linear sRGB is scaled until that surface is neutral. Its luminance stays.
"""

from __future__ import annotations

import numpy as np

from truehue.core.color.shading import CLIPPED8
from truehue.core.color.spaces import LINEAR1_TO_XYZ1, linear1_to_srgb1, srgb8_to_linear1
from truehue.core.errors import BadInput

PATCH_PX = 5
"""A neutral point is the middle of a square of so many pixels on a side."""
MIN_NEUTRAL1 = 0.01
"""A channel darker than this in linear light is noise and rounding."""


def white_balanced(srgb8: np.ndarray, patch_srgb8: np.ndarray) -> np.ndarray:
    """The image, uint8 ``(H, W, 3)``, with the mean of a patch ``(..., 3)`` of it made neutral.

    A channel at its end stays there: the camera stopped counting. Raises BadInput for a patch that
    is too dark or clipped, for it does not tell the tint.
    """
    if (patch_srgb8 >= CLIPPED8).any():
        raise BadInput("The neutral patch is overexposed: choose a darker gray.")
    neutral1 = srgb8_to_linear1(patch_srgb8).reshape(-1, 3).mean(axis=0)
    if neutral1.min() < MIN_NEUTRAL1:
        raise BadInput("The neutral patch is too dark to tell the tint: choose a lighter gray.")
    gains = float(neutral1 @ LINEAR1_TO_XYZ1[1]) / neutral1
    levels8 = np.arange(256, dtype=np.uint8)
    table = np.empty((3, 256), dtype=np.uint8)
    for channel, gain in enumerate(gains):
        linear1 = np.clip(srgb8_to_linear1(levels8) * gain, 0.0, 1.0)
        table[channel] = np.rint(255.0 * linear1_to_srgb1(linear1))
        table[channel, CLIPPED8:] = 255
    return np.stack([table[channel].take(srgb8[..., channel]) for channel in range(3)], axis=-1)


def patch_around(srgb8: np.ndarray, x: float, y: float) -> np.ndarray:
    """The pixels around a point in pixels from the top left. Raises BadInput outside the image."""
    height, width = srgb8.shape[:2]
    if not (0 <= x < width and 0 <= y < height):
        raise BadInput(
            f"The neutral point ({x:g}, {y:g}) is outside of the image of {width} × {height} pixels."
        )
    half = PATCH_PX // 2
    column, row = int(x), int(y)
    return srgb8[max(row - half, 0) : row + half + 1, max(column - half, 0) : column + half + 1]
