"""Objects of two materials: the target material, and a second one inside the same mask.

The mask of a real image seldom covers only one material: a book has pages, a mug a glaze. Both
materials take any color. The target material covers the larger share of the mask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.errors import BadInput
from truehue.core.generation.renderer.camera import view
from truehue.core.generation.renderer.checks import (
    check_color,
    check_size_and_seed,
    checked_light,
    develop,
)
from truehue.core.generation.renderer.light import Light
from truehue.core.generation.renderer.objects import MODELS
from truehue.core.generation.renderer.scene import PlacedShape, Scene
from truehue.core.generation.renderer.shapes import Array, Distance, Model
from truehue.core.generation.renderer.trace import trace


@dataclass(frozen=True)
class TwoMaterialRendering:
    """An image of an object of two materials.

    ``srgb8`` uint8 ``(H, W, 3)``. ``mask`` bool ``(H, W)``: every sample of the pixel lies on the
    object, whichever material it has; ``asked`` and ``second``: every sample lies on that material.
    """

    srgb8: np.ndarray
    mask: np.ndarray
    asked: np.ndarray
    second: np.ndarray


def render_two_materials(
    object_name: str,
    asked_srgb8: tuple[int, int, int],
    second_srgb8: tuple[int, int, int],
    light: str | Light = "studio",
    seed: int = 0,
    size_px: int = 1024,
    pattern: str = "",
) -> TwoMaterialRendering:
    """Draws an object of :data:`TWO_MATERIALS` as ``render`` does, seen as the same seed sees it; or
    one of :data:`PATTERNED` with a ``pattern`` of :data:`PATTERNS` in the second color.

    In every pixel linear light is ``shade × albedo`` of both materials, plus an achromatic rest, as
    under D65; no light goes from one material to the other. Raises BadInput for an unknown object,
    light or pattern, a color outside 0..255, a size outside 64..2048 or a seed below 0.
    """
    if pattern and pattern not in PATTERNS:
        raise BadInput(f"There is no pattern {pattern!r}. Choose one of: {', '.join(PATTERNS)}.")
    names = PATTERNED if pattern else tuple(TWO_MATERIALS)
    if object_name not in names:
        how = f"with {pattern}" if pattern else "of two materials"
        raise BadInput(
            f"The renderer has no {object_name!r} {how}. It can draw: {', '.join(names)}."
        )
    for color in (asked_srgb8, second_srgb8):
        check_color(color)
    check_size_and_seed(size_px, seed)
    light = checked_light(light)
    buffer = _buffer(object_name, light, int(seed), int(size_px), pattern)
    linear1 = np.repeat(buffer.added[:, None], 3, axis=1)
    for shade, color in zip(buffer.shades, (asked_srgb8, second_srgb8), strict=True):
        linear1 += shade[:, None] * srgb8_to_linear1(np.array(color)).astype(np.float32)
    square = size_px, size_px
    object_mask, second = (mask.reshape(square) for mask in buffer.masks)
    return TwoMaterialRendering(
        srgb8=develop(linear1, light).reshape(*square, 3),
        mask=buffer.whole.reshape(square),
        asked=object_mask,
        second=second,
    )


@dataclass(frozen=True)
class _Buffer:
    """All that does not depend on the colors, flat: as Traced, and the mask of the whole object."""

    shades: tuple[Array, ...]
    added: Array
    masks: tuple[Array, ...]
    whole: Array


@lru_cache(maxsize=2)
def _buffer(object_name: str, light: Light, seed: int, size_px: int, pattern: str) -> _Buffer:
    viewpoint = view(object_name, seed)
    yaw_deg = viewpoint.scene.placed[0].yaw_deg
    model = MODELS[object_name]
    models = _parted(model, PATTERNS[pattern]) if pattern else TWO_MATERIALS[object_name](model)
    # Two solids that fill the object between them: each is traced as an object of its own.
    scene = Scene([PlacedShape(model, number, yaw_deg) for number, model in enumerate(models)])
    traced = trace(replace(viewpoint, scene=scene), light, seed, size_px)
    # A pixel that the stage gives no light to has no sample on the stage.
    result = _Buffer(traced.shades, traced.added, traced.masks, traced.stage <= 0.0)
    for array in (*result.shades, result.added, *result.masks, result.whole):
        array.flags.writeable = False
    return result


def _parted(model: Model, region: Distance) -> tuple[Model, Model]:
    """The model's first part outside of the region, and inside of it."""
    whole = model.parts[0]

    def outside(x: Array, y: Array, z: Array) -> Array:
        result: Array = np.maximum(whole.distance(x, y, z), -region(x, y, z))
        return result

    def inside(x: Array, y: Array, z: Array) -> Array:
        result: Array = np.maximum(whole.distance(x, y, z), region(x, y, z))
        return result

    return (
        replace(model, parts=(replace(whole, distance=outside),)),
        replace(model, parts=(replace(whole, distance=inside),)),
    )


def _by_parts(model: Model) -> tuple[Model, Model]:
    """The model's asked part, and all others as one second material."""
    others = tuple(replace(part, albedo_linear1=None) for part in model.parts[1:])
    return replace(model, parts=model.parts[:1]), replace(model, parts=others)


def _striped_ball(model: Model) -> tuple[Model, Model]:
    def stripe(x: Array, y: Array, z: Array) -> Array:
        return np.abs(z - np.float32(0.52)) - np.float32(0.11)

    return _parted(model, stripe)


def _dipped_mug(model: Model) -> tuple[Model, Model]:
    def glaze(x: Array, y: Array, z: Array) -> Array:
        return z - np.float32(0.42)

    return _parted(model, glaze)


def _lidded_teapot(model: Model) -> tuple[Model, Model]:
    """Its lid, knob, and what else lies above the belly."""

    def top(x: Array, y: Array, z: Array) -> Array:
        return np.float32(0.60) - z

    return _parted(model, top)


TWO_MATERIALS: MappingProxyType[str, Callable[[Model], tuple[Model, Model]]] = MappingProxyType(
    {
        "book": _by_parts,
        "mug": _dipped_mug,
        "sphere": _striped_ball,
        "car": _by_parts,
        "teapot": _lidded_teapot,
    }
)
"""Objects that can have two materials, with how they divide: a book and its pages, a dipped mug,
a striped ball, a car with its windows and wheels, a teapot with another lid."""

_STRIPES, _STRIPE_SHARE = 4.5, 0.28
_DOT_STEP, _DOT_RADIUS = 0.24, 0.098


def _stripes(x: Array, y: Array, z: Array) -> Array:
    """Signed distance from slanting stripes, in the scene's units, negative inside."""
    along = (np.float32(0.6) * x + np.float32(0.8) * z) * np.float32(_STRIPES)
    away = np.abs(along - np.floor(along) - np.float32(0.5)) - np.float32(_STRIPE_SHARE / 2)
    result: Array = away * np.float32(1.0 / _STRIPES)
    return result


def _dots(x: Array, y: Array, z: Array) -> Array:
    """Signed distance from balls on a grid, which the surface cuts to dots; negative inside."""
    step = np.float32(_DOT_STEP)
    a, b, c = (p / step - np.round(p / step) for p in (x + y / 3, y - x / 3, z + x / 5))
    result: Array = (np.sqrt(a * a + b * b + c * c) * step - np.float32(_DOT_RADIUS)) * np.float32(
        0.8
    )
    return result


PATTERNS: MappingProxyType[str, Distance] = MappingProxyType({"stripes": _stripes, "dots": _dots})
"""Patterns in a second color, which takes less of the surface than the target color."""
PATTERNED: tuple[str, ...] = tuple(name for name, model in MODELS.items() if len(model.parts) == 1)
"""Objects that can have a pattern: those of one part."""

__all__ = [
    "PATTERNED",
    "PATTERNS",
    "TWO_MATERIALS",
    "TwoMaterialRendering",
    "render_two_materials",
]
