"""One picture of the diagnostic set, drawn again whenever it is asked for."""

from __future__ import annotations

import numpy as np

from core.color.systems import parse_target
from core.generation.renderer import RenderRequest, render
from core.generation.renderer.two_materials import TWO_MATERIALS, render_two_materials

TWO_MATERIAL_OBJECTS: tuple[str, ...] = tuple(TWO_MATERIALS)
DEFAULT_LIGHTS = ("overcast", "studio", "window", "hard")
DEFAULT_SIZE_PX = 512


def picture(
    object_name: str,
    light: str,
    seed: int,
    hex_: str,
    size_px: int = DEFAULT_SIZE_PX,
    two_material: str | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """``srgb8`` uint8 ``(H, W, 3)`` and the object's mask, bool ``(H, W)``.

    ``hex_`` is the asked material's color; ``two_material`` the hex of the second material, which
    lies inside the mask too (None or empty: one material). The same arguments give the same bytes.
    Raises BadInput for an object, light, color, size or seed that the renderer does not take.
    """
    albedo = parse_target(hex_).srgb8
    if two_material:
        second = parse_target(two_material).srgb8
        drawn = render_two_materials(object_name, albedo, second, light, seed, size_px)
        return drawn.srgb8, drawn.mask
    found = render(RenderRequest(object_name, albedo, light, seed, size_px))
    return found.srgb8, found.mask.pixels
