"""What the renderer can be asked for; everything else is refused in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.generation.renderer.light import LIGHTS, Light
from truehue.core.generation.renderer.objects import OBJECTS

RENDERER_VERSION = "1.0"
"""Changes whenever the same request no longer gives the same picture."""

SMALLEST_PX, LARGEST_PX = 64, 2048


def _whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_light(light: object) -> Light:
    """The light of that name, or the light itself; raises BadInput for anything else."""
    if isinstance(light, str):
        if light not in LIGHTS:
            raise BadInput(f"There is no light {light!r}. Choose one of: {', '.join(LIGHTS)}.")
        return LIGHTS[light]
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
