"""What an object is made of: parts, each a solid of one material."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.generation.renderer.shapes import Array

Distance = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True)
class Part:
    """One solid of one material.

    ``albedo_linear1`` is None where the asked color goes; otherwise the part is achromatic with
    that fixed reflectance, 0 to 1. ``gloss`` scales the light's highlight on it.
    """

    distance: Distance
    albedo_linear1: float | None = None
    gloss: float = 1.0


@dataclass(frozen=True)
class Model:
    """An object standing on the floor z = 0 around the z axis, about one unit in size.

    ``low`` and ``high`` are the corners of its box. The ranges, in degrees, are the turns about
    the z axis and the camera elevations from which it is easy to recognize.
    """

    parts: tuple[Part, ...]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    yaw_deg: tuple[float, float]
    elevation_deg: tuple[float, float]
