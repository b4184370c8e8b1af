"""The stage: a gray floor that curves up into a gray backdrop, and what the seed chooses of it: the
viewpoint, the turns of object and light."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from truehue.core.generation.renderer.camera import Camera, framed
from truehue.core.generation.renderer.light import BRIGHTEST_BACKDROP_LINEAR1
from truehue.core.generation.renderer.objects import MODELS
from truehue.core.generation.renderer.scene import PlacedShape, Points, Scene
from truehue.core.generation.renderer.shapes import Array

DARKEST_BACKDROP_LINEAR1 = 0.30

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


@dataclass(frozen=True)
class Viewpoint:
    """A scene, the camera before it, how far the lights turn and the backdrop's albedo."""

    scene: Scene
    camera: Camera
    light_turn_deg: float
    backdrop_linear1: float


def view(object_name: str, seed: int) -> Viewpoint:
    """The view of one object that belongs to ``seed``; the name is known to be an object's."""
    # The name enters, so that a seed does not lay the same shadow under every object.
    chance = np.random.default_rng([seed, zlib.crc32(object_name.encode())])

    def between(low: float, high: float) -> float:
        return low + (high - low) * float(chance.random())

    model = MODELS[object_name]
    scene = Scene([PlacedShape(model, yaw_deg=between(*model.yaw_deg))])
    camera = framed(
        scene,
        azimuth_deg=between(-10.0, 10.0),
        elevation_deg=between(*model.elevation_deg),
        fill=between(0.48, 0.58),
    )
    return Viewpoint(
        scene=scene,
        camera=camera,
        light_turn_deg=between(-14.0, 14.0),
        backdrop_linear1=between(DARKEST_BACKDROP_LINEAR1, BRIGHTEST_BACKDROP_LINEAR1),
    )
