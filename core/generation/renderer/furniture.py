"""Furniture: a chair."""

from __future__ import annotations

import numpy as np

from core.generation.renderer import shapes
from core.generation.renderer.model import Model, Part
from core.generation.renderer.shapes import Array


def chair() -> Model:
    """A wooden kitchen chair: four legs, a seat, two posts and three rails. Its front is at -y."""
    seat, top = 0.46, 1.06

    def distance(x: Array, y: Array, z: Array) -> Array:
        side = np.abs(x)
        board = shapes.rounded_box(x, y, z - np.float32(seat), (0.265, 0.255, 0.030), 0.022)
        front = shapes.rod(side, y, z, (0.215, -0.205, seat), (0.245, -0.235, 0.024), 0.032, 0.024)
        # A back leg and its post are one bent piece of wood.
        back = shapes.rod(side, y, z, (0.215, 0.210, seat), (0.240, 0.265, 0.024), 0.032, 0.024)
        post = shapes.rod(side, y, z, (0.215, 0.210, seat), (0.230, 0.300, top), 0.032, 0.026)
        lean = y - np.float32(0.210) - (z - np.float32(seat)) * np.float32(0.15)
        bow = lean - np.float32(0.03) * (1.0 - np.minimum(side * np.float32(1 / 0.23), 1.0) ** 2)
        rails = shapes.rounded_box(
            x, bow, np.abs(z - np.float32(0.86)) - np.float32(0.12), (0.225, 0.014, 0.055), 0.012
        )
        legs = np.minimum(np.minimum(front, back), post)
        bars = shapes.length2(side - np.float32(0.231), z - np.float32(0.22)) - np.float32(0.015)
        bars = np.maximum(bars, np.abs(y) - np.float32(0.225))
        wood = shapes.smooth_union(board, legs, 0.02)
        result: Array = np.minimum(np.minimum(wood, bars), rails * np.float32(0.95))
        return result

    low, high = (-0.28, -0.27, 0.0), (0.28, 0.35, 1.10)
    return Model((Part(distance),), low, high, (18, 62), (16, 28))
