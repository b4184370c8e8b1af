"""Linear light brought into the gamut and to 8-bit sRGB, exactly rounded and fast."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from truehue.core.color.spaces import lab_to_srgb1, linear1_to_srgb1, srgb1_to_linear1
from truehue.core.generation.renderer.shapes import Array

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
