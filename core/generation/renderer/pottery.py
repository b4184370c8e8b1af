"""Pottery: a vase and a teapot."""

from __future__ import annotations

import numpy as np

from core.generation.renderer import shapes
from core.generation.renderer.model import Model, Part
from core.generation.renderer.shapes import Array


def vase() -> Model:
    """A thin wall turned around the axis: foot, belly, neck and a lip that opens outward."""
    height, half_wall = 1.08, 0.022
    # The wall's radius over its height, as a polynomial through a foot, belly, neck and lip.
    knots_z = (0.0, 0.18, 0.42, 0.68, 0.88, 1.08)
    knots_r = (0.175, 0.270, 0.345, 0.225, 0.135, 0.215)
    outline = np.polynomial.Polynomial.fit(knots_z, knots_r, 5).convert().coef.astype(np.float32)

    def wall(x: Array, y: Array, z: Array) -> Array:
        r = shapes.length2(x, y)
        at = np.clip(z, half_wall, height - half_wall)
        radius = np.full_like(at, outline[-1])
        slope = np.zeros_like(at)
        for c in outline[-2::-1]:
            slope = slope * at + radius
            radius = radius * at + c
        # A slanting wall is nearer than it is across; far away by no more than its steepest slant.
        across = r - radius
        near = np.clip(across, -0.06, 0.06)
        across = near / np.sqrt(1.0 + slope * slope) + (across - near) * np.float32(0.70)
        side = shapes.length2(across, z - at)
        # The floor of the vase is a disc; outside of the wall it must not count.
        disc = shapes.box2(r, z - np.float32(half_wall), 0.16, 0.0)
        result: Array = (np.minimum(side, disc) - np.float32(half_wall)) * np.float32(0.88)
        return result

    low, high = (-0.38, -0.38, 0.0), (0.38, 0.38, height)
    return Model((Part(wall),), low, high, (0, 360), (14, 32))


def teapot() -> Model:
    """A round belly with a lid and its knob, a bent spout and a ring for a handle."""
    middle, reach2 = 0.36, 0.32**2 + 0.36**2

    def distance(x: Array, y: Array, z: Array) -> Array:
        r = shapes.length2(x, y)
        up = z - np.float32(middle)
        belly = shapes.ellipsoid(x, y, up, (0.44, 0.44, 0.345))
        foot = shapes.length2(r - 0.20, z - np.float32(0.035)) - np.float32(0.035)
        body = shapes.smooth_union(belly, foot, 0.05)
        # The lid is a flatter cap, told from the belly by its edge.
        lid = shapes.length2(r * np.float32(0.105 / 0.225), up - np.float32(0.275)) - np.float32(
            0.105
        )
        knob = shapes.length2(r, up - np.float32(0.425)) - np.float32(0.056)
        lid = shapes.smooth_union(lid, knob, 0.05)
        # The spout bows like an S: its axis leans outward as it rises.
        px = x - np.float32(0.34) - np.float32(0.055) * np.sin((z - np.float32(0.44)) * 8.0)
        pz = z - np.float32(0.24)
        along = np.clip(px * np.float32(0.32 / reach2) + pz * np.float32(0.36 / reach2), 0.0, 1.0)
        away = np.sqrt((px - along * 0.32) ** 2 + y * y + (pz - along * 0.36) ** 2)
        spout = away - (np.float32(0.105) - np.float32(0.059) * along)
        bore = np.minimum(np.float32(0.028) - away, (along - np.float32(0.7)) * np.float32(0.48))
        mouth = (pz - np.float32(0.378)) * 0.8 + (x - np.float32(0.66)) * 0.25
        spout = np.maximum(np.maximum(spout, bore), mouth) * np.float32(0.80)
        body = shapes.smooth_union(np.minimum(body, lid), spout, 0.06)
        ring = shapes.length2(x + 0.43, (up - np.float32(0.03)) * 0.92) - np.float32(0.215)
        ring = shapes.length2(ring, y * 0.85)
        handle = np.maximum(ring - np.float32(0.042), 0.34 - r)
        return shapes.smooth_union(body, handle, 0.05)

    low, high = (-0.70, -0.45, 0.0), (0.76, 0.45, 0.86)
    return Model((Part(distance),), low, high, (-40, 40), (14, 28))
