"""Signed distances of simple solids, as plain functions of coordinate arrays.

Every function takes float32 arrays ``x, y, z`` of one shape (scene units; an object is about one
unit tall; z points up) and returns the distance to the surface in the same shape, negative inside.
No function overstates a distance, so a ray may always step that far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
Distance = Callable[[Array, Array, Array], Array]


def smooth_union(a: Array, b: Array, radius: float) -> Array:
    """The union of two solids with a fillet of about ``radius`` where they meet."""
    blend = np.maximum(radius - np.abs(a - b), 0.0)
    result: Array = np.minimum(a, b) - blend * blend * (0.25 / radius)
    return result


def smooth_cut(a: Array, b: Array, radius: float) -> Array:
    """Solid ``a`` without ``b``, the new edge rounded by about ``radius``."""
    result: Array = -smooth_union(-a, b, radius)
    return result


def length2(a: Array, b: Array) -> Array:
    """Length of the vector ``(a, b)``."""
    result: Array = np.sqrt(a * a + b * b)
    return result


def box2(a: Array, b: Array, half_a: float, half_b: float) -> Array:
    """Distance to a rectangle in a plane."""
    da = np.abs(a) - half_a
    db = np.abs(b) - half_b
    outside = length2(np.maximum(da, 0.0), np.maximum(db, 0.0))
    result: Array = outside + np.minimum(np.maximum(da, db), 0.0)
    return result


def sphere(x: Array, y: Array, z: Array, radius: float) -> Array:
    """A ball around the origin."""
    result: Array = np.sqrt(x * x + y * y + z * z) - radius
    return result


def rounded_box(
    x: Array, y: Array, z: Array, half: tuple[float, float, float], rounding: float
) -> Array:
    """A box around the origin; ``half`` are its outer half sizes, rounding included."""
    dx = np.abs(x) - (half[0] - rounding)
    dy = np.abs(y) - (half[1] - rounding)
    dz = np.abs(z) - (half[2] - rounding)
    ox, oy, oz = np.maximum(dx, 0.0), np.maximum(dy, 0.0), np.maximum(dz, 0.0)
    inside = np.minimum(np.maximum(np.maximum(dx, dy), dz), 0.0)
    result: Array = np.sqrt(ox * ox + oy * oy + oz * oz) + inside - rounding
    return result


def ellipsoid(x: Array, y: Array, z: Array, half: tuple[float, float, float]) -> Array:
    """A ball stretched to the half sizes ``half``: understates the distance, more so when long."""
    a, b, c = (np.float32(1.0 / value) for value in half)
    k = np.sqrt((x * a) ** 2 + (y * b) ** 2 + (z * c) ** 2)
    result: Array = (k - 1.0) * np.float32(min(half))
    return result


Point = tuple[float, float, float]


def rod(
    x: Array, y: Array, z: Array, begin: Point, end: Point, radius: float, end_radius: float
) -> Array:
    """A straight rod with round ends, whose radius may change gently from one end to the other."""
    bx, by, bz = (np.float32(e - b) for b, e in zip(begin, end, strict=True))
    px, py, pz = (p - np.float32(b) for p, b in zip((x, y, z), begin, strict=True))
    along = (px * bx + py * by + pz * bz) * np.float32(1.0 / (bx * bx + by * by + bz * bz))
    h = np.clip(along, 0.0, 1.0)
    away = np.sqrt((px - h * bx) ** 2 + (py - h * by) ** 2 + (pz - h * bz) ** 2)
    result: Array = away - (np.float32(radius) + h * np.float32(end_radius - radius))
    return result


def rounded_cylinder(
    x: Array, y: Array, z: Array, radius: float, half_height: float, rounding: float
) -> Array:
    """An upright cylinder around the origin with rounded rims."""
    r = length2(x, y)
    return box2(r, z, radius - rounding, half_height - rounding) - np.float32(rounding)


def torus(x: Array, y: Array, z: Array, ring: float, tube: float) -> Array:
    """A ring that lies flat around the origin."""
    return length2(length2(x, y) - ring, z) - np.float32(tube)


def extruded(flat: Array, z: Array, half_height: float, rounding: float) -> Array:
    """A flat outline (its distance in the xy plane) drawn out along z, edges rounded."""
    w = np.abs(z) - (half_height - rounding)
    flat = flat + np.float32(rounding)
    outside = length2(np.maximum(flat, 0.0), np.maximum(w, 0.0))
    result: Array = outside + np.minimum(np.maximum(flat, w), 0.0) - rounding
    return result


def rotate(a: Array, b: Array, angle_rad: float) -> tuple[Array, Array]:
    """The coordinates ``(a, b)`` seen from axes turned by ``angle_rad``."""
    cos, sin = np.float32(np.cos(angle_rad)), np.float32(np.sin(angle_rad))
    return cos * a + sin * b, cos * b - sin * a


def float32(value: Any) -> Array:
    """``value`` as a float32 array."""
    return np.asarray(value, dtype=np.float32)


@dataclass(frozen=True)
class Part:
    """One solid of one material.

    ``albedo_linear1`` is None where the target color goes; otherwise the part is achromatic with
    that fixed reflectance, 0 to 1. ``gloss`` scales the light's highlight on it. ``blocks`` is
    False for small parts that lie on another one and throw no shadow worth its time. A ``metal``
    part mirrors its surroundings in its own color.
    """

    distance: Distance
    albedo_linear1: float | None = None
    gloss: float = 1.0
    blocks: bool = True
    metal: bool = False


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
