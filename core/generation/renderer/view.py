"""What the seed chooses: the viewpoint, the object's turn, the light's turn, the backdrop."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from core.generation.renderer.camera import Camera, framed
from core.generation.renderer.light import BRIGHTEST_BACKDROP_LINEAR1
from core.generation.renderer.objects import MODELS
from core.generation.renderer.scene import Placed, Scene

DARKEST_BACKDROP_LINEAR1 = 0.30


@dataclass(frozen=True)
class View:
    """A scene, the camera before it, how far the lights turn and the backdrop's albedo."""

    scene: Scene
    camera: Camera
    light_turn_deg: float
    backdrop_linear1: float


def view(object_name: str, seed: int) -> View:
    """The view of one object that belongs to ``seed``; the name is known to be an object's."""
    # The name enters, so that a seed does not lay the same shadow under every object.
    chance = np.random.default_rng([seed, zlib.crc32(object_name.encode())])

    def between(low: float, high: float) -> float:
        return low + (high - low) * float(chance.random())

    model = MODELS[object_name]
    scene = Scene([Placed(model, yaw_deg=between(*model.yaw_deg))])
    camera = framed(
        scene,
        azimuth_deg=between(-10.0, 10.0),
        elevation_deg=between(*model.elevation_deg),
        fill=between(0.48, 0.58),
    )
    return View(
        scene=scene,
        camera=camera,
        light_turn_deg=between(-14.0, 14.0),
        backdrop_linear1=between(DARKEST_BACKDROP_LINEAR1, BRIGHTEST_BACKDROP_LINEAR1),
    )
