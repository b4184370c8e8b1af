"""The camera, and the floor and background of the objects."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from truehue.core.generation.renderer.light import BRIGHTEST_BACKDROP_LINEAR1
from truehue.core.generation.renderer.objects import MODELS
from truehue.core.generation.renderer.scene import PlacedShape, Points, Scene
from truehue.core.generation.renderer.shapes import Array

_DISTANCE = 6.5
_GRID = 40
# No object takes more of the frame's width and height than this.
_WIDEST, _TALLEST = 0.60, 0.68


@dataclass(frozen=True)
class Camera:
    """Where the camera stands, its axes and its frame.

    An image point ``(u, v)``, 0 to 1 from the top left corner, lies at
    ``((u - middle_u) / zoom, (middle_v - v) / zoom)`` on the plane one unit before the camera.
    """

    position: Array
    right: Array
    up: Array
    forward: Array
    zoom: float
    middle_u: float
    middle_v: float

    def rays(self, u: Array, v: Array) -> Points:
        """Unit directions of the rays through image points, three float32 arrays."""
        a = (u - np.float32(self.middle_u)) * np.float32(1.0 / self.zoom)
        b = (np.float32(self.middle_v) - v) * np.float32(1.0 / self.zoom)
        scale = 1.0 / np.sqrt(a * a + b * b + 1.0)
        axes = zip(self.right, self.up, self.forward, strict=True)
        x, y, z = (
            (np.float32(r) * a + np.float32(t) * b + np.float32(f)) * scale for r, t, f in axes
        )
        return x, y, z


def frame_scene(
    scene: Scene,
    azimuth_deg: float,
    elevation_deg: float,
    fill: float,
    widest: float = _WIDEST,
    tallest: float = _TALLEST,
) -> Camera:
    """A camera from which the scene fills about ``fill`` of the frame, 0 to 1: the geometric mean
    of its width and height there, so that flat, tall and compact objects look equally large.
    It takes no more than ``widest`` of the frame's width and ``tallest`` of its height.

    The frame depends on directions alone, so it is the same at every size.
    """
    azimuth, elevation = np.deg2rad(azimuth_deg), np.deg2rad(elevation_deg)
    back = np.array(
        [
            np.sin(azimuth) * np.cos(elevation),
            -np.cos(azimuth) * np.cos(elevation),
            np.sin(elevation),
        ]
    )
    position = scene.center + _DISTANCE * back
    forward = -back
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)

    points = np.concatenate([_solid(solo) for solo in scene.solos]) - position
    depth = points @ forward
    a, b = points @ right / depth, points @ up / depth
    width, height = float(np.ptp(a)), float(np.ptp(b))
    zoom = min(fill / float(np.sqrt(width * height)), widest / width, tallest / height)
    return Camera(
        position=position,
        right=right,
        up=up,
        forward=forward,
        zoom=zoom,
        middle_u=0.5 - zoom * float(a.min() + a.max()) / 2,
        middle_v=0.525 + zoom * float(b.min() + b.max()) / 2,
    )


def _solid(scene: Scene) -> Array:
    """Points of a grid that lie inside a scene of one object, float32 ``(N, 3)``."""
    axes = [np.linspace(scene.low[i], scene.high[i], _GRID) for i in range(3)]
    x, y, z = (g.ravel().astype(np.float32) for g in np.meshgrid(*axes, indexing="ij"))
    inside = scene.distance(x, y, z) < 0.01
    return np.stack([x[inside], y[inside], z[inside]], axis=1)


DARKEST_BACKDROP_LINEAR1 = 0.30

_CURVE_BEGINS = 1.5
_CURVE_RADIUS = 3.0


def hit_stage(position: Array, direction: Points) -> tuple[Points, Points]:
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
    camera = frame_scene(
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
