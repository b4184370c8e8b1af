"""Toys: a teddy bear."""

from __future__ import annotations

import numpy as np

from core.generation.renderer import shapes
from core.generation.renderer.model import Model, Part
from core.generation.renderer.shapes import Array


def teddy_bear() -> Model:
    """A bear that sits and looks toward -y; eyes and nose are dark, the foot soles light."""

    def fur(x: Array, y: Array, z: Array) -> Array:
        side = np.abs(x)
        body = shapes.ellipsoid(x, y, z - np.float32(0.33), (0.275, 0.25, 0.33))
        head = shapes.ellipsoid(x, y + 0.02, z - np.float32(0.79), (0.250, 0.225, 0.225))
        muzzle = shapes.ellipsoid(x, y + 0.215, z - np.float32(0.745), (0.105, 0.085, 0.085))
        ear = shapes.sphere(side - 0.195, y, z - np.float32(0.965), 0.090)
        hollow = shapes.sphere(side - 0.200, y + 0.085, z - np.float32(0.970), 0.060)
        ear = shapes.smooth_cut(ear, hollow, 0.03)
        arm = shapes.rod(side, y, z, (0.225, -0.02, 0.53), (0.355, -0.20, 0.30), 0.085, 0.082)
        leg = shapes.rod(side, y, z, (0.17, -0.08, 0.125), (0.285, -0.40, 0.125), 0.115, 0.105)
        foot = shapes.ellipsoid(side - 0.292, y + 0.435, z - np.float32(0.155), (0.11, 0.07, 0.15))
        head = np.minimum(shapes.smooth_union(head, muzzle, 0.04), ear)
        limbs = np.minimum(arm, shapes.smooth_union(leg, foot, 0.05))
        return shapes.smooth_union(np.minimum(body, head), limbs, 0.03)

    def face(x: Array, y: Array, z: Array) -> Array:
        eye = shapes.sphere(np.abs(x) - 0.088, y + 0.222, z - np.float32(0.845), 0.030)
        nose = shapes.ellipsoid(x, y + 0.295, z - np.float32(0.775), (0.045, 0.026, 0.032))
        return np.minimum(eye, nose)

    parts = (Part(fur, gloss=0.15), Part(face, albedo_linear1=0.02, blocks=False))
    return Model(parts, (-0.46, -0.52, 0.0), (0.46, 0.28, 1.07), (-38, 38), (8, 22))
