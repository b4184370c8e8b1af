"""The stage: a gray floor that curves up into a gray backdrop, as in a photographer's studio."""

from __future__ import annotations

import numpy as np

from core.generation.renderer.scene import Points
from core.generation.renderer.shapes import Array

_CURVE_BEGINS = 1.5
_CURVE_RADIUS = 3.0


def hit(position: Array, direction: Points) -> tuple[Points, Points]:
    """Where rays from ``position`` meet the stage, and the unit normals there.

    The stage is the floor z = 0, a quarter of a cylinder and a wall; the camera looks along +y.
    """
    px, py, pz = (np.float32(v) for v in position)
    dx, dy, dz = direction
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(dz < 0, -pz / dz, np.float32(np.inf))
        on_floor = py + t * dy <= _CURVE_BEGINS
        # The far crossing of the circle around (_CURVE_BEGINS, _CURVE_RADIUS) in the yz plane.
        qy, qz = np.float32(py - _CURVE_BEGINS), np.float32(pz - _CURVE_RADIUS)
        a = dy * dy + dz * dz
        b = qy * dy + qz * dz
        c = qy * qy + qz * qz - np.float32(_CURVE_RADIUS**2)
        t_curve = (-b + np.sqrt(np.maximum(b * b - a * c, 0.0))) / a
        on_curve = pz + t_curve * dz < _CURVE_RADIUS
        t_wall = (_CURVE_BEGINS + _CURVE_RADIUS - py) / dy
        t = np.where(on_floor, t, np.where(on_curve, t_curve, t_wall)).astype(np.float32)
    x, y, z = px + t * dx, py + t * dy, np.maximum(pz + t * dz, 0.0)
    ny = np.clip((_CURVE_BEGINS - y) / _CURVE_RADIUS, -1.0, 0.0)
    nz = np.sqrt(1.0 - ny * ny)
    return (x, y, z), (np.zeros_like(x), ny, nz)
