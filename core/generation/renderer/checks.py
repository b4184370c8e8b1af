"""Checks of the renderer's arguments, and exactly rounded conversion of linear light to sRGB."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from truehue.core.color.spaces import lab_to_srgb1, linear1_to_srgb1, srgb1_to_linear1
from truehue.core.errors import BadInput
from truehue.core.generation.renderer.illuminants import to_illuminant
from truehue.core.generation.renderer.light import LIGHTS, TINTED_LIGHTS, Light
from truehue.core.generation.renderer.objects import OBJECTS
from truehue.core.generation.renderer.shapes import Array

RENDERER_VERSION = "1.0"
"""Changes whenever the same request no longer gives the same image."""

SMALLEST_PX, LARGEST_PX = 64, 2048


def _whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_light(light: object) -> Light:
    """The light of that name, or the light itself; raises BadInput for anything else."""
    if isinstance(light, str):
        lights = {**LIGHTS, **TINTED_LIGHTS}
        if light not in lights:
            raise BadInput(f"There is no light {light!r}. Choose one of: {', '.join(lights)}.")
        return lights[light]
    if not isinstance(light, Light):
        raise BadInput("The light must be the name of a light or a Light.")
    return light


def check_object(name: object) -> None:
    """Raises BadInput for what is no object of the renderer."""
    if name not in OBJECTS:
        raise BadInput(f"The renderer has no object {name!r}. It can draw: {', '.join(OBJECTS)}.")


def check_color(srgb8: Sequence[object]) -> None:
    """Raises BadInput for what is no sRGB color of three whole numbers."""
    albedo = tuple(srgb8)
    if len(albedo) != 3 or not all(
        _whole(v) and 0 <= v <= 255  # type: ignore[operator]
        for v in albedo
    ):
        raise BadInput(f"The color must be three whole numbers from 0 to 255, not {albedo}.")


def check_size_and_seed(size_px: object, seed: object) -> None:
    """Raises BadInput for a size outside 64..2048 or a seed below 0."""
    if not _whole(size_px) or not SMALLEST_PX <= size_px <= LARGEST_PX:  # type: ignore[operator]
        raise BadInput(
            f"The size must be a whole number of pixels from {SMALLEST_PX} to {LARGEST_PX}, "
            f"not {size_px!r}."
        )
    if not _whole(seed) or seed < 0:  # type: ignore[operator]
        raise BadInput(f"The seed must be a whole number from 0 upward, not {seed!r}.")


_BINS = 1 << 16


@lru_cache(maxsize=1)
def _tables() -> tuple[Array, Array]:
    """The 8-bit value at the foot of each bin of linear light, and where the next value begins."""
    foot = np.round(255.0 * linear1_to_srgb1(np.arange(_BINS + 1) / _BINS)).astype(np.uint8)
    begins = srgb1_to_linear1((np.arange(256) + 0.5) / 255.0).astype(np.float32)
    return foot, begins


def linear1_to_srgb8(linear1: Array) -> Array:
    """Clips to 0..1, applies the sRGB transfer function (IEC 61966-2-1) and rounds to 8 bits.

    Float32 of any shape to uint8 of the same shape. A bin is finer than a step of the result, so
    it holds at most one border between two values, and one comparison settles the rounding.
    """
    foot, begins = _tables()
    values = np.clip(linear1, 0.0, 1.0).astype(np.float32, copy=False)
    # 65536 is a power of two: the product is exact, so no value lands in the wrong bin.
    result = foot.take((values * np.float32(_BINS)).astype(np.int32))
    result += values >= begins.take(result)
    return result


def develop(linear1: Array, light: Light) -> Array:
    """The pixels uint8 ``(..., 3)`` of an image that is ``linear1`` float32 under D65, in a light."""
    return linear1_to_srgb8(to_illuminant(linear1, light.illuminant))


def srgb8_step_linear1(linear1: Array) -> Array:
    """How much linear light one step of the 8-bit value is worth there; same shape, float32."""
    _, begins = _tables()
    value = np.clip(linear1_to_srgb8(linear1), 1, 254)
    result: Array = begins.take(value) - begins.take(value - 1)
    return result


def in_srgb(lab: np.ndarray) -> np.ndarray:
    """The color ``(3,)`` brought into sRGB by less chroma alone: L* and hue stay.

    The largest factor on a* and b* up to 1 that leaves all channels within 0 to 1, by bisection to
    1e-5. L* is within 0 to 100.
    """

    def fits(factor: float) -> bool:
        srgb1 = lab_to_srgb1(lab * (1.0, factor, factor))
        return bool((srgb1 > -1e-6).all() and (srgb1 < 1.0 + 1e-6).all())

    if fits(1.0):
        return lab
    low, high = 0.0, 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return np.asarray(lab * (1.0, low, low))
