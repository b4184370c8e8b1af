"""White balance by something in the image that is known to be white or gray.

A light that a camera did not balance tints all of an image. A neutral surface shows the tint alone.
The image is adapted from the color of that surface to D65 by the Bradford transform (ICC.1:2022,
annex E), which keeps the surface's luminance.
"""

from __future__ import annotations

import numpy as np

from truehue.core.color.shading import CLIPPED8
from truehue.core.color.spaces import (
    LINEAR1_TO_XYZ1,
    WHITE_XYZ1,
    XYZ1_TO_LINEAR1,
    linear1_to_srgb1,
    srgb8_to_linear1,
)
from truehue.core.errors import BadInput

PATCH_PX = 5
"""A neutral point is the middle of a square of so many pixels on a side."""
MIN_NEUTRAL1 = 0.01
"""A channel darker than this in linear light is noise and rounding."""
BRADFORD = np.array(
    [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
)
"""From XYZ to cone-like responses, each of which is scaled."""


def balance_white(srgb8: np.ndarray, patch_srgb8: np.ndarray) -> np.ndarray:
    """The image uint8 ``(H, W, 3)`` with the mean of a patch of it, uint8 ``(..., 3)``, made neutral.

    A channel at its end stays there: the camera stopped counting. Raises BadInput for a patch that
    is too dark or clipped, for it does not tell the tint.
    """
    if (patch_srgb8 >= CLIPPED8).any():
        raise BadInput("The neutral patch is overexposed: choose a darker gray.")
    neutral1 = srgb8_to_linear1(patch_srgb8).reshape(-1, 3).mean(axis=0)
    if neutral1.min() < MIN_NEUTRAL1:
        raise BadInput("The neutral patch is too dark to tell the tint: choose a lighter gray.")
    linear1 = srgb8_to_linear1(srgb8) @ adaptation(neutral1).T
    balanced = np.rint(255.0 * linear1_to_srgb1(np.clip(linear1, 0.0, 1.0))).astype(np.uint8)
    balanced[srgb8 >= CLIPPED8] = 255
    return balanced


def adaptation(neutral1: np.ndarray) -> np.ndarray:
    """The matrix float64 ``(3, 3)`` on linear sRGB that makes a color ``(3,)``, 0 to 1, a gray of its
    luminance."""
    xyz1 = LINEAR1_TO_XYZ1 @ neutral1
    gains = (BRADFORD @ (WHITE_XYZ1 * xyz1[1])) / (BRADFORD @ xyz1)
    scaling = np.linalg.inv(BRADFORD) @ np.diag(gains) @ BRADFORD
    return np.asarray(XYZ1_TO_LINEAR1 @ scaling @ LINEAR1_TO_XYZ1)


def patch_around(srgb8: np.ndarray, x: float, y: float) -> np.ndarray:
    """The pixels uint8 ``(H, W, 3)``, H and W at most :data:`PATCH_PX`, around a point in pixels from
    the top left. Raises BadInput outside the image."""
    height, width = srgb8.shape[:2]
    if not (0 <= x < width and 0 <= y < height):
        raise BadInput(
            f"The neutral point ({x:g}, {y:g}) is outside of the image of {width} × {height} pixels."
        )
    half = PATCH_PX // 2
    column, row = int(x), int(y)
    return srgb8[max(row - half, 0) : row + half + 1, max(column - half, 0) : column + half + 1]
