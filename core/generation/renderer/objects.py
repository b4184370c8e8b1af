"""The objects by name, and the six simple ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from truehue.core.generation.renderer import shapes
from truehue.core.generation.renderer.shapes import Array, Model, Part
from truehue.core.generation.renderer.solids import (
    apple,
    banana,
    car,
    chair,
    hat,
    teapot,
    teddy_bear,
    vase,
)

__all__ = ["MODELS", "OBJECTS", "Model", "Part"]


def _sphere() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.sphere(x, y, z - 0.5, 0.5)

    return Model((Part(distance),), (-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), (0, 360), (12, 30))


def _cube() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.rounded_box(x, y, z - 0.4, (0.4, 0.4, 0.4), 0.035)

    return Model((Part(distance),), (-0.4, -0.4, 0.0), (0.4, 0.4, 0.8), (22, 68), (20, 34))


def _cylinder() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.rounded_cylinder(x, y, z - 0.5, 0.36, 0.5, 0.03)

    return Model((Part(distance),), (-0.36, -0.36, 0.0), (0.36, 0.36, 1.0), (0, 360), (18, 34))


def _torus() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.torus(x, y, z - 0.19, 0.42, 0.19)

    return Model((Part(distance),), (-0.61, -0.61, 0.0), (0.61, 0.61, 0.38), (0, 360), (30, 46))


def _mug() -> Model:
    wall_radius, wall_half, height, corner = 0.362, 0.030, 0.88, 0.10
    turn_radius, turn_height = wall_radius - corner, wall_half + corner

    def distance(x: Array, y: Array, z: Array) -> Array:
        r = shapes.length2(x, y)
        # The middle of the wall as a line of the (r, z) profile: flat bottom, round corner, upright
        # wall. Thickened where it ends, it gets a rim that is a true half circle.
        out, down = r - np.float32(turn_radius), np.float32(turn_height) - z
        turn = shapes.length2(np.maximum(out, 0.0), np.maximum(down, 0.0))
        line = turn + np.minimum(np.maximum(out, down), 0.0) - corner
        body = shapes.length2(line, np.maximum(z - (height - wall_half), 0.0)) - wall_half
        # The handle is a ring stretched upward, cut off where it would enter the hollow.
        stretched = np.maximum(np.abs(z - 0.47) - 0.07, 0.0)
        ring = shapes.length2(shapes.length2(x - 0.40, stretched) - 0.215, y * 0.85)
        handle = np.maximum(ring - np.float32(0.045), wall_radius - r)
        return shapes.smooth_union(body, handle, 0.05)

    return Model((Part(distance),), (-0.4, -0.4, 0.0), (0.67, 0.4, 0.9), (-50, 12), (20, 34))


def _book() -> Model:
    half_width, half_thick, half_height, board = 0.39, 0.125, 0.5, 0.017
    spine_x, bulge = -half_width + 0.05, 0.17
    center_x = spine_x + bulge
    radius = float(np.hypot(half_thick - board, bulge))

    def cover(x: Array, y: Array, z: Array) -> Array:
        # Two boards and a rounded spine as one thick line of the outline seen from above.
        middle, half = (half_width - board + spine_x) / 2, (half_width - board - spine_x) / 2
        off = np.maximum(np.abs(x - middle) - half, 0.0)
        boards = shapes.length2(off, np.abs(y) - (half_thick - board))
        spine = np.abs(shapes.length2(x - center_x, y) - radius)
        # The arc counts only within its own angle; beyond it the boards' ends are nearer.
        within = np.abs(y) * bulge < (center_x - x) * (half_thick - board)
        line = np.minimum(spine + np.float32(9.0) * ~within, boards)
        # The hinge: a shallow groove in both boards beside the spine.
        groove = shapes.length2(x - (spine_x + 0.06), np.abs(y) - (half_thick + 0.012))
        outline = np.maximum(line - np.float32(board), np.float32(0.026) - groove)
        return shapes.extruded(outline, z - half_height, half_height, 0.010)

    def pages(x: Array, y: Array, z: Array) -> Array:
        half = (half_width - 0.035, half_thick - board, half_height - 0.032)
        return shapes.rounded_box(x - 0.005, y, z - half_height, half, 0.004)

    parts = (Part(cover), Part(pages, albedo_linear1=0.82, gloss=0.0))
    return Model(parts, (-0.40, -0.13, 0.0), (0.40, 0.13, 1.0), (-46, -24), (18, 32))


# The pieces that the pictures of these six have always been drawn in.
_SIMPLE_RAYS_AT_ONCE = 32768

_SIMPLE: dict[str, Callable[[], Model]] = {
    "sphere": _sphere,
    "cube": _cube,
    "cylinder": _cylinder,
    "torus": _torus,
    "mug": _mug,
    "book": _book,
}
_RICH: dict[str, Callable[[], Model]] = {
    "apple": apple,
    "banana": banana,
    "vase": vase,
    "teapot": teapot,
    "chair": chair,
    "car": car,
    "hat": hat,
    "teddy bear": teddy_bear,
}

MODELS: MappingProxyType[str, Model] = MappingProxyType(
    {
        **{
            name: replace(build(), rays_at_once=_SIMPLE_RAYS_AT_ONCE)
            for name, build in _SIMPLE.items()
        },
        **{name: build() for name, build in _RICH.items()},
    }
)
OBJECTS: tuple[str, ...] = tuple(MODELS)
