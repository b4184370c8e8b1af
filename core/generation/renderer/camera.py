"""The camera: a long lens that frames the scene, shifted so that the object sits well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.generation.renderer.scene import Points, Scene
from truehue.core.generation.renderer.shapes import Array

_DISTANCE = 6.5
_GRID = 40
# No object takes more of the frame's width and height than this.
_WIDEST, _TALLEST = 0.60, 0.68


@dataclass(frozen=True)
class Camera:
    """Where the camera stands, its axes and its frame.

    A picture point ``(u, v)``, 0 to 1 from the top left corner, lies at
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
        """Unit directions of the rays through picture points, three float32 arrays."""
        a = (u - np.float32(self.middle_u)) * np.float32(1.0 / self.zoom)
        b = (np.float32(self.middle_v) - v) * np.float32(1.0 / self.zoom)
        scale = 1.0 / np.sqrt(a * a + b * b + 1.0)
        axes = zip(self.right, self.up, self.forward, strict=True)
        x, y, z = (
            (np.float32(r) * a + np.float32(t) * b + np.float32(f)) * scale for r, t, f in axes
        )
        return x, y, z


def framed(
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
