"""The G-buffer: all of a picture that does not depend on the asked color, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.generation.renderer.encode import linear1_to_srgb8
from core.generation.renderer.light import Light
from core.generation.renderer.shapes import Array
from core.generation.renderer.trace import trace
from core.generation.renderer.view import view


@dataclass(frozen=True)
class GBuffer:
    """One view of one object under one light.

    Linear light is ``shade × albedo + added`` in every pixel, anti-aliased edges included.
    ``shade`` float32 ``(H, W)``, 0 to 1: the asked material's share of the light (0 where there is
    none). ``added`` float32 ``(H, W)``, 0 upward: everything else, which is the highlight inside
    the mask, and floor, backdrop and fixed materials outside. ``mask`` bool ``(H, W)``: every
    sample of the pixel lies on the asked material. ``touched`` are flat indices of the pixels with
    ``shade`` above 0, ``rest_srgb8`` uint8 ``(H, W)`` the finished gray of all others. The arrays
    are shared and read-only.
    """

    shade: Array
    added: Array
    mask: Array
    touched: Array
    rest_srgb8: Array


@lru_cache(maxsize=6)
def gbuffer(object_name: str, light: Light, seed: int, size_px: int) -> GBuffer:
    """The G-buffer of a square picture; kept for the last six calls."""
    traced = trace(view(object_name, seed), light, seed, size_px)
    square = size_px, size_px
    result = GBuffer(
        shade=traced.shades[0].reshape(square),
        added=traced.added.reshape(square),
        mask=traced.masks[0].reshape(square),
        touched=np.flatnonzero(traced.shades[0] > 0.0),
        rest_srgb8=linear1_to_srgb8(traced.added).reshape(square),
    )
    for array in vars(result).values():
        array.flags.writeable = False
    return result
