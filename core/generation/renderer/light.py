"""The lights, by name, each with a one-line description."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.generation.renderer.illuminants import D65, ILLUMINANTS
from truehue.core.generation.renderer.scene import Vector
from truehue.core.generation.renderer.shapes import Array

# The brightest backdrop (see geometry): the exposure allows for the light that it gives back.
BRIGHTEST_BACKDROP_LINEAR1 = 0.62


@dataclass(frozen=True)
class Light:
    """How a scene is lit. Strengths are relative: the exposure brings them to a shade of 1.

    ``ambient`` is the light of an even dome around the scene. ``occlusion``, 0 to 1, says how far
    objects block it and how far the floor below dims it: 0 makes it the same everywhere on the
    object. The key is a round light of ``key_strength`` at ``key_azimuth_deg`` (0 behind the
    camera, positive to the right) and ``key_elevation_deg`` above the floor, with an angular
    radius of ``softness_deg`` (0.5 to 60). ``fill_strength`` is a shadowless light from the other
    side. ``gloss_strength`` and ``gloss_exponent`` shape the key's mirror highlight. All of it has
    the spectrum of ``illuminant``, D65 or one of :data:`ILLUMINANTS`.

    Raises BadInput for a light that cannot be: a strength below 0, no light at all, a number
    outside its range, or an unknown illuminant.
    """

    description: str
    ambient: float
    key_azimuth_deg: float = 0.0
    key_elevation_deg: float = 45.0
    key_strength: float = 0.0
    softness_deg: float = 5.0
    fill_strength: float = 0.0
    gloss_strength: float = 0.0
    gloss_exponent: float = 60.0
    occlusion: float = 1.0
    illuminant: str = D65

    def __post_init__(self) -> None:
        strengths = (self.ambient, self.key_strength, self.fill_strength, self.gloss_strength)
        if not all(0.0 <= value < np.inf for value in strengths) or sum(strengths[:2]) <= 0.0:
            raise BadInput(
                "A light needs strengths from 0 upward, and an ambient or a key above 0."
            )
        for name, value, low, high in (
            ("softness_deg", self.softness_deg, 0.5, 60.0),
            ("key_elevation_deg", self.key_elevation_deg, 5.0, 90.0),
            ("key_azimuth_deg", self.key_azimuth_deg, -360.0, 360.0),
            ("gloss_exponent", self.gloss_exponent, 1.0, 10_000.0),
            ("occlusion", self.occlusion, 0.0, 1.0),
        ):
            if not low <= value <= high:
                raise BadInput(f"The light's {name} must be {low:g} to {high:g}, not {value!r}.")
        if self.illuminant not in (D65, *ILLUMINANTS):
            known = ", ".join((D65, *ILLUMINANTS))
            raise BadInput(
                f"The light's illuminant must be one of: {known}; not {self.illuminant!r}."
            )


LIGHTS: MappingProxyType[str, Light] = MappingProxyType(
    {
        "even": Light(
            description="The same light from everywhere: every pixel shows the exact color.",
            ambient=1.0,
            occlusion=0.0,
        ),
        "overcast": Light(
            description="A soft gray sky: gentle shading, no highlight.",
            ambient=0.68,
            key_azimuth_deg=-25.0,
            key_elevation_deg=68.0,
            key_strength=0.36,
            softness_deg=38.0,
        ),
        "studio": Light(
            description="A large soft box, a fill and some room light, as in product photographs.",
            ambient=0.40,
            key_azimuth_deg=-38.0,
            key_elevation_deg=41.0,
            key_strength=0.72,
            softness_deg=14.0,
            fill_strength=0.12,
            gloss_strength=0.22,
            gloss_exponent=90.0,
        ),
        "window": Light(
            description="Daylight from a window at the side: long soft shadows.",
            ambient=0.22,
            key_azimuth_deg=-68.0,
            key_elevation_deg=30.0,
            key_strength=0.90,
            softness_deg=16.0,
            fill_strength=0.08,
            gloss_strength=0.14,
            gloss_exponent=50.0,
        ),
        "hard": Light(
            description="One small bright lamp: dark sharp shadows and a glossy highlight.",
            ambient=0.11,
            key_azimuth_deg=38.0,
            key_elevation_deg=48.0,
            key_strength=1.0,
            softness_deg=0.9,
            gloss_strength=0.75,
            gloss_exponent=220.0,
        ),
    }
)


TINTED_LIGHTS: MappingProxyType[str, Light] = MappingProxyType(
    {
        "lamp": replace(
            LIGHTS["hard"],
            description="As hard, of 3000 K: all is orange in a photograph balanced for daylight.",
            illuminant="blackbody 3000 K",
        ),
        "shade": replace(
            LIGHTS["overcast"],
            description="As overcast, of 8000 K: all is bluish in a photograph balanced for daylight.",
            illuminant="daylight 8000 K",
        ),
    }
)
"""Lights of another spectrum, for tests of rules. No run, and no set of images, has them by
default."""


def direction(azimuth_deg: float, elevation_deg: float) -> Vector:
    """The unit vector toward a light."""
    azimuth, elevation = np.deg2rad(azimuth_deg), np.deg2rad(elevation_deg)
    return (
        float(np.sin(azimuth) * np.cos(elevation)),
        float(-np.cos(azimuth) * np.cos(elevation)),
        float(np.sin(elevation)),
    )


@lru_cache(maxsize=64)
def key_samples(light: Light, turn_deg: float) -> tuple[tuple[Vector, ...], float, float]:
    """Unit vectors to small lights that together make the key, the middle one first; the tangent
    of the angular radius of each, and that of a cone around the middle that holds them all.

    A key that is nearly a point is one light; a soft one is several on a sunflower's spiral,
    which has no rows that would show as streaks in a shadow.
    """
    middle = np.array(direction(light.key_azimuth_deg + turn_deg, light.key_elevation_deg))
    radius = float(np.tan(np.deg2rad(light.softness_deg)))
    count = 1 if light.softness_deg < 3 else 8 if light.softness_deg < 8 else 19
    side = np.cross(middle, (0.0, 0.0, 1.0) if abs(middle[2]) < 0.99 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    other = np.cross(side, middle)
    step = np.arange(count)
    away = 0.9 * radius * np.sqrt(step / count)
    angle = step * np.pi * (3.0 - np.sqrt(5.0))
    vectors = (
        middle + (away * np.cos(angle))[:, None] * side + (away * np.sin(angle))[:, None] * other
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = tuple((float(x), float(y), float(z)) for x, y, z in vectors)
    if count == 1:
        return directions, radius, radius
    return directions, 1.6 * radius / float(np.sqrt(count)), 1.4 * radius


def fill_direction(light: Light, turn_deg: float) -> Vector:
    """The unit vector to the fill: across from the key, low."""
    return direction(light.key_azimuth_deg + turn_deg + 105.0, 22.0)


def unblocked(light: Light, normals: Array, floor_linear1: float) -> Array:
    """Light that arrives with nothing in the way, before exposure.

    ``normals`` is float ``(N, 3)``; returns float ``(N,)``. The floor gives ``floor_linear1`` of
    its own light back to what looks down.
    """

    def direct(n: Array) -> Array:
        keys = key_samples(light, 0.0)[0]
        key = np.maximum(n @ np.array(keys).T, 0.0).mean(axis=1)
        fill = np.maximum(n @ np.array(fill_direction(light, 0.0)), 0.0)
        result: Array = light.key_strength * key + light.fill_strength * fill
        return result

    up = np.array([[0.0, 0.0, 1.0]])
    floor = float(direct(up)[0]) + light.ambient
    sky = 0.5 + 0.5 * normals[:, 2]
    around = light.ambient * sky + floor * floor_linear1 * (1.0 - sky)
    ambient = light.occlusion * around + (1.0 - light.occlusion) * light.ambient
    result: Array = ambient + direct(normals)
    return result


@lru_cache(maxsize=64)
def exposure(light: Light) -> float:
    """The factor that brings the brightest possible surface to a shade of 1.

    It depends on the light alone, neither on the object nor on its color.
    """
    count = 4000
    k = np.arange(count) + 0.5
    z = 1.0 - 2.0 * k / count
    angle = k * np.pi * (3.0 - np.sqrt(5.0))
    r = np.sqrt(1.0 - z * z)
    normals = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    return float(1.0 / unblocked(light, normals, BRIGHTEST_BACKDROP_LINEAR1).max())
