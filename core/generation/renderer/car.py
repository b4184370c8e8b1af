"""A small car: body in the asked color, with glass, tires, rims and lamps of their own."""

from __future__ import annotations

import numpy as np

from core.generation.renderer import shapes
from core.generation.renderer.model import Model, Part
from core.generation.renderer.shapes import Array

_AXLE, _WHEEL_Z, _TIRE = 0.40, 0.125, 0.125


def car() -> Model:
    """Its length lies along x with the front at -x."""

    def cabin(x: Array, y: Array, z: Array) -> Array:
        # Narrower toward the roof, and with a flatter windshield than rear window.
        up = z - np.float32(0.33)
        front = np.float32(0.29) - np.float32(0.62) * up
        rear = np.float32(0.36) - np.float32(0.30) * up
        middle, half = (rear - front) * 0.5 + np.float32(0.02), (rear + front) * 0.5
        wide = np.float32(0.265) - np.float32(0.25) * up
        round_ = np.float32(0.07)
        dx = np.abs(x - middle) - (half - round_)
        dy = np.abs(y) - (wide - round_)
        dz = np.abs(up - np.float32(0.06)) - (np.float32(0.22) - round_)
        ox, oy, oz = np.maximum(dx, 0.0), np.maximum(dy, 0.0), np.maximum(dz, 0.0)
        inside = np.minimum(np.maximum(np.maximum(dx, dy), dz), 0.0)
        return (np.sqrt(ox * ox + oy * oy + oz * oz) + inside - round_) * np.float32(0.76)

    def body(x: Array, y: Array, z: Array) -> Array:
        # The hood slopes down to the front.
        slope = np.clip(-x - np.float32(0.20), 0.0, 0.5)
        lower = shapes.rounded_box(
            x, y, (z - np.float32(0.245)) + np.float32(0.06) * slope, (0.66, 0.285, 0.135), 0.075
        )
        whole = shapes.smooth_union(lower, cabin(x, y, z), 0.035)
        arch = shapes.length2(np.abs(x) - _AXLE, z - np.float32(_WHEEL_Z)) - np.float32(0.155)
        arch = np.maximum(arch, np.float32(0.17) - np.abs(y))
        return shapes.smooth_cut(whole, arch, 0.02)

    def glass(x: Array, y: Array, z: Array) -> Array:
        skin = cabin(x, y, z) - np.float32(0.004)
        up = z - np.float32(0.33)
        front = np.float32(-0.29) + np.float32(0.62) * up
        rear = np.float32(0.36) - np.float32(0.30) * up
        band = np.abs(z - np.float32(0.468)) - np.float32(0.066)
        pillar = np.float32(0.022) - np.abs(x - np.float32(0.07))
        sides = np.maximum(np.maximum(front + 0.085 - x, x - rear + 0.075), pillar)
        wide = np.float32(0.265) - np.float32(0.25) * up
        ends = np.abs(y) - (wide - np.float32(0.055))
        panes = np.minimum(sides, ends)
        result: Array = np.maximum(skin, np.maximum(panes, band) * np.float32(0.8))
        return result

    def wheel(x: Array, y: Array, z: Array, radius: float, half: float, out: float) -> Array:
        across = np.abs(y) - np.float32(out)
        r = shapes.length2(np.abs(x) - _AXLE, z - np.float32(_WHEEL_Z))
        return shapes.box2(r, across, radius - 0.02, half - 0.02) - np.float32(0.02)

    def tires(x: Array, y: Array, z: Array) -> Array:
        return wheel(x, y, z, _TIRE, 0.055, 0.235)

    def rims(x: Array, y: Array, z: Array) -> Array:
        return wheel(x, y, z, 0.072, 0.025, 0.272)

    def lamps(x: Array, y: Array, z: Array) -> Array:
        side = np.abs(y) - np.float32(0.185)
        return shapes.ellipsoid(x + 0.622, side, z - np.float32(0.268), (0.045, 0.060, 0.052))

    parts = (
        Part(body),
        Part(glass, albedo_linear1=0.03, blocks=False),
        Part(tires, albedo_linear1=0.025, gloss=0.1),
        Part(rims, albedo_linear1=0.55, gloss=0.6, blocks=False),
        Part(lamps, albedo_linear1=0.80, gloss=0.6, blocks=False),
    )
    return Model(parts, (-0.67, -0.31, 0.0), (0.67, 0.31, 0.62), (22, 52), (14, 26))
