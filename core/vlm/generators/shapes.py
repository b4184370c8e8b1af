"""Plain shapes in plain colors, rendered in whole numbers and without soft borders."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from truehue.core.color.systems import Srgb8

SHAPES = ("circle", "square", "triangle", "star")
_UNIT = 1 << 16
_CORNERS: dict[str, list[tuple[int, int]]] = {
    # In 65536ths of the radius, y downward: no sine that a machine could round otherwise.
    "square": [(-46_340, -46_340), (46_340, -46_340), (46_340, 46_340), (-46_340, 46_340)],
    "triangle": [(0, -65_536), (56_755, 32_768), (-56_755, 32_768)],
    "star": [
        (0, -65_536),
        (15_405, -21_203),
        (62_329, -20_252),
        (24_926, 8_099),
        (38_521, 53_020),
        (0, 26_214),
        (-38_521, 53_020),
        (-24_926, 8_099),
        (-62_329, -20_252),
        (-15_405, -21_203),
    ],
}


def paint_shape(
    srgb8: NDArray[np.uint8], shape: str, center: tuple[int, int], radius_px: int, color: Srgb8
) -> None:
    """Paints one of ``SHAPES`` into uint8 ``(H, W, 3)``, within ``radius_px`` of (x, y)."""
    if shape == "circle":
        cv2.circle(srgb8, center, radius_px, color, cv2.FILLED, cv2.LINE_8)
        return
    corners = [
        (center[0] + (x * radius_px) // _UNIT, center[1] + (y * radius_px) // _UNIT)
        for x, y in _CORNERS[shape]
    ]
    cv2.fillPoly(srgb8, [np.array(corners, dtype=np.int32)], color, cv2.LINE_8)
