"""Fruit: an apple with its stem and a banana with its two tips."""

from __future__ import annotations

import numpy as np

from core.generation.renderer import shapes
from core.generation.renderer.model import Model, Part
from core.generation.renderer.shapes import Array


def apple() -> Model:
    """A ring so thick that its hole closes to two hollows, narrower toward the floor."""
    ring, tube, middle = 0.180, 0.325, 0.385

    def flesh(x: Array, y: Array, z: Array) -> Array:
        up = z - np.float32(middle)
        # Widest above the middle; five faint lobes toward the floor.
        wide = np.float32(1.02) - np.float32(0.40) * np.clip(up, -0.45, 0.4)
        x, y = x * wide, y * wide
        r = shapes.length2(x, y)
        inverse = 1.0 / np.maximum(r, 1e-6)
        c2 = (x * inverse) ** 2
        near = np.minimum(r * 2.5, 1.0)
        lobes = x * inverse * (c2 * (16.0 * c2 - 20.0) + 5.0) * near * near
        low = np.clip(0.25 - up, 0.0, 0.6)
        body = shapes.length2(r - ring, up * np.float32(0.90)) - tube
        result: Array = (body - np.float32(0.05) * low * low * lobes) * np.float32(0.76)
        return result

    def stem(x: Array, y: Array, z: Array) -> Array:
        bent = x - np.float32(0.9) * np.clip(z - np.float32(0.60), 0.0, 0.3) ** 2
        ends = (0.0, 0.0, 0.60), (0.03, 0.0, 0.86)
        return shapes.rod(bent, y, z, *ends, 0.016, 0.026) * np.float32(0.85)

    parts = (Part(flesh), Part(stem, albedo_linear1=0.06, gloss=0.2))
    return Model(parts, (-0.58, -0.58, 0.0), (0.58, 0.58, 0.90), (0, 360), (14, 30))


def banana() -> Model:
    """An arc lying on the floor, with five faint edges; stalk and blossom end are dark."""
    ring, thick, thin, back = 0.60, 0.150, 0.040, 0.38
    half = float(np.deg2rad(69.0))

    def on_spine(angle: float) -> shapes.Point:
        return ring * float(np.sin(angle)), ring * float(np.cos(angle)) - back, thick

    def peel(x: Array, y: Array, z: Array) -> Array:
        y = y + np.float32(back)
        angle = np.arctan2(x, y)
        held = np.clip(angle, -half, half)
        cos, sin = np.cos(held), np.sin(held)
        up = z - np.float32(thick)
        out = shapes.length2(x * cos - y * sin, x * sin + y * cos - ring)
        away = shapes.length2(out, up)
        # Blunt at the blossom, drawn out into the stalk.
        begin = np.float32(0.9) - np.clip((held + np.float32(half)) * 1.8, 0.0, 0.9)
        end = np.clip((np.float32(half - 0.20) - held) * 1.7, 0.0, 1.0)
        radius = np.sqrt(1.0 - begin * begin) * (end * end * (3.0 - 2.0 * end))
        # Behind the arc both ends are equally far, and at its center the whole of it is: there
        # no place on it may be thicker than another.
        radius *= 1.0 - np.clip((np.float32(-half) - angle) * 1.2, 0.0, 1.0)
        radius *= np.clip(shapes.length2(x, y) * 3.0, 0.0, 1.0)
        radius = np.float32(thin) + np.float32(thick - thin) * radius
        c2 = (up / np.maximum(away, 1e-6)) ** 2
        edges = up * (c2 * (16.0 * c2 - 20.0) + 5.0) * np.float32(0.03 / thick)
        edges *= np.minimum(np.float32(thick) / np.maximum(away, 1e-6), 1.0)
        result: Array = (away - radius * (1.0 - edges)) * np.float32(0.76)
        return result

    blossom = on_spine(-half - 0.12), on_spine(-half - 0.02)
    stalk = on_spine(half - 0.01), on_spine(half + 0.035)

    def tips(x: Array, y: Array, z: Array) -> Array:
        low = shapes.rod(x, y, z, *blossom, 0.026, 0.034)
        return np.minimum(low, shapes.rod(x, y, z, *stalk, 0.043, 0.046))

    parts = (Part(peel), Part(tips, albedo_linear1=0.05, gloss=0.2, blocks=False))
    return Model(parts, (-0.70, -0.32, 0.0), (0.70, 0.38, 0.31), (-30, 40), (34, 50))
