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
    that fixed reflectance, 0 to 1. ``gloss`` scales the light's highlight on it. ``blocks`` is
    False for small parts that lie on another one and throw no shadow worth its time.
    """

    distance: Distance
    albedo_linear1: float | None = None
    gloss: float = 1.0
    blocks: bool = True


@dataclass(frozen=True)
class Model:
    """An object standing on the floor z = 0 around the z axis, about one unit in size.

    ``low`` and ``high`` are the corners of its box. The ranges, in degrees, are the turns about
    the z axis and the camera elevations from which it is easy to recognize. ``rays_at_once`` says
    in pieces of which size its rays are followed: more are faster for shapes of many solids, but
    where a ray stops depends on its piece in the last bits, so it never changes.
    """

    parts: tuple[Part, ...]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    yaw_deg: tuple[float, float]
    elevation_deg: tuple[float, float]
    rays_at_once: int = 98304
