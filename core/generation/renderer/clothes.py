"""Clothes: a hat."""

from __future__ import annotations

import numpy as np

from core.generation.renderer import shapes
from core.generation.renderer.model import Model, Part
from core.generation.renderer.shapes import Array


def hat() -> Model:
    """A felt hat with a creased crown, a brim that curls up at the sides, and a dark band."""
    oval = np.float32(0.82)

    def crown_radius(x: Array, y: Array) -> Array:
        return shapes.length2(x, y * np.float32(1.0 / 0.82)) * oval

    def felt(x: Array, y: Array, z: Array) -> Array:
        r = crown_radius(x, y)
        half = np.float32(0.295) - np.float32(0.20) * (z - np.float32(0.06))
        crown = shapes.length2(
            np.maximum(r - half + 0.07, 0.0), np.maximum(np.abs(z - 0.22) - 0.15, 0.0)
        ) - np.float32(0.07)
        inside = np.minimum(np.maximum(r - half + 0.07, np.abs(z - 0.22) - 0.15), 0.0)
        crown = crown + inside
        crease = shapes.ellipsoid(x, y, z - np.float32(0.50), (0.30, 0.085, 0.13))
        crown = shapes.smooth_cut(crown, crease, 0.06)
        out, ahead = np.minimum(np.abs(y), 0.56), np.minimum(np.abs(x), 0.62)
        curl = np.float32(0.9) * out**3 - np.float32(0.10) * ahead * ahead
        level = z - np.float32(0.075) - curl
        wide = shapes.length2(x, y * np.float32(1.10)) * np.float32(0.91)
        brim = shapes.box2(wide, level, 0.53, 0.004) - np.float32(0.014)
        return shapes.smooth_union(crown, brim * np.float32(0.85), 0.06) * np.float32(0.92)

    def band(x: Array, y: Array, z: Array) -> Array:
        r = crown_radius(x, y)
        half = np.float32(0.302) - np.float32(0.20) * (z - np.float32(0.06))
        flat = np.maximum(r - half, np.abs(z - np.float32(0.165)) - np.float32(0.042))
        result: Array = flat * np.float32(0.9)
        return result

    parts = (Part(felt, gloss=0.25), Part(band, albedo_linear1=0.05, gloss=0.4))
    return Model(parts, (-0.62, -0.56, 0.0), (0.62, 0.56, 0.46), (-40, 40), (20, 34))
