"""The diagnostic set: its colors, the near colors that an image must not pass for, and its images,
rendered again on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import chroma, hue_deg, srgb8_to_lab
from truehue.core.color.systems import ColorTarget, NamedColor, parse_target, system
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.generation.renderer.two_materials import (
    PATTERNS,
    TWO_MATERIALS,
    render_two_materials,
)
from truehue.core.images.white_balance import balance_white

TWO_MATERIAL_OBJECTS: tuple[str, ...] = tuple(TWO_MATERIALS)
METAL = "metal"
MATERIALS: tuple[str, ...] = (METAL, *PATTERNS)
"""What objects can be of in place of one or two plain materials."""
DEFAULT_LIGHTS = ("overcast", "studio", "window", "hard")
DEFAULT_SIZE_PX = 512

APART_DELTA_E00 = 10.0
"""A color at least this far from the true one is another color."""
NEAR_COUNT = 5
NEUTRAL_CHROMA = 5.0
HUE_SECTOR_DEG = 30
LIGHTNESS_BAND = 20
NEAR_NEUTRAL = "near neutral"

# CSS3 has 147 names; CSS Color Level 4 added this one.
NOT_CSS3 = "rebeccapurple"
SET_SYSTEMS = ("l2", "css")

# Second materials: two neutrals and four chromatic ones, far from each other.
SECOND_HEX = ("#F2F2F2", "#B5252B", "#2B2B2B", "#2F6FC0", "#E8C040", "#4F7F35")
SECOND_APART_DELTA_E00 = 20.0
"""A second material nearer to the asked one than this would not be seen as another."""


@dataclass(frozen=True)
class ColorQuery:
    """A true color and what images of it are asked for: itself, then the near ones."""

    true: ColorTarget
    near: tuple[ColorTarget, ...]

    @property
    def targets(self) -> tuple[ColorTarget, ...]:
        """The true color first."""
        return self.true, *self.near


CORNER_PARTS = 12
"""The corner that tells the neutral has this part of the image's side: one twelfth."""


def set_colors(system_id: str) -> tuple[NamedColor, ...]:
    """The colors of a system that the set is drawn in: 29 of l2, the 147 names of CSS3.

    CSS names that share a color all count, as in the paper. Raises BadInput for an unknown system.
    """
    return tuple(color for color in system(system_id).colors if color.name != NOT_CSS3)


@cache
def near_colors(srgb8: tuple[int, int, int], system_id: str) -> tuple[NamedColor, ...]:
    """The five colors of a system nearest to one by CIEDE2000 among those at least 10 away.

    Nearest first, one a color, under the first of its names. Raises BadInput for an unknown system.
    """
    lab = np.asarray(srgb8_to_lab(np.array(srgb8, dtype=np.uint8)), dtype=np.float64)
    colors = set_colors(system_id)
    distance = np.asarray(delta_e00(np.array([color.lab for color in colors]), lab))
    by_srgb8: dict[tuple[int, int, int], NamedColor] = {}
    for index in np.argsort(distance, kind="stable"):
        if distance[index] >= APART_DELTA_E00 and len(by_srgb8) < NEAR_COUNT:
            by_srgb8.setdefault(colors[int(index)].srgb8, colors[int(index)])
    return tuple(by_srgb8.values())


def make_query(color: str, system_id: str) -> ColorQuery:
    """The target of an image of that color; ``color`` is a name of the system, or a hex.

    Raises UnknownColor and BadInput as parse_target.
    """
    true = parse_target(color, system_id)
    near = near_colors(true.srgb8, system_id)
    return ColorQuery(true, tuple(parse_target(other.name, system_id) for other in near))


def second_color(number: int, asked_srgb8: tuple[int, int, int]) -> str:
    """The hex of the second material of the image of that number: they take turns, and one that
    is too near to the target color is passed over."""
    asked_lab = np.asarray(srgb8_to_lab(np.array(asked_srgb8, dtype=np.uint8)))
    for step in range(len(SECOND_HEX)):
        hex_ = SECOND_HEX[(number + step) % len(SECOND_HEX)]
        if delta_e00(asked_lab, np.array(parse_target(hex_).lab)) >= SECOND_APART_DELTA_E00:
            return hex_
    raise AssertionError("the second colors lie too far apart for this")


def hue_key(lab: tuple[float, float, float]) -> str:
    """Its sector of 30 degrees of h_ab, "000-030" first; "near neutral" for C*ab below 5."""
    if chroma(np.array(lab)) < NEUTRAL_CHROMA:
        return NEAR_NEUTRAL
    low = int(hue_deg(np.array(lab)) // HUE_SECTOR_DEG) % 12 * HUE_SECTOR_DEG
    return f"{low:03d}-{low + HUE_SECTOR_DEG:03d}"


def lightness_key(lab: tuple[float, float, float]) -> str:
    """The band of 20 of L*, as "40-60"; white is in "80-100"."""
    low = min(int(lab[0] // LIGHTNESS_BAND), 4) * LIGHTNESS_BAND
    return f"{low}-{low + LIGHTNESS_BAND}"


def render_image(
    object_name: str,
    light: str,
    seed: int,
    hex_: str,
    size_px: int = DEFAULT_SIZE_PX,
    two_material: str | None = None,
    material: str = "",
) -> tuple[np.ndarray, np.ndarray]:
    """``srgb8`` uint8 ``(H, W, 3)`` and the object's mask, bool ``(H, W)``.

    ``hex_`` is the asked material's color; ``two_material`` the hex of the second material, which
    lies inside the mask too (None or empty: one material). ``material`` is one of
    :data:`MATERIALS`; a pattern is in the color ``two_material``. The same arguments give the same
    bytes. Raises BadInput for an object, light, color, size, seed or material that the renderer
    does not take.
    """
    albedo = parse_target(hex_).srgb8
    if two_material:
        second = parse_target(two_material).srgb8
        two_material_rendering = render_two_materials(
            object_name, albedo, second, light, seed, size_px, material
        )
        return two_material_rendering.srgb8, two_material_rendering.mask
    metal = material == METAL
    rendering = render(RenderRequest(object_name, albedo, light, seed, size_px, metal))
    return rendering.srgb8, rendering.mask.pixels


def balance_by_backdrop(srgb8: np.ndarray) -> np.ndarray:
    """The image ``srgb8``, uint8 ``(H, W, 3)``, with its backdrop made neutral, as by a gray card.

    The renderer's backdrop is gray, and its upper left corner shows no object. Raises BadInput where
    that is clipped or too dark.
    """
    side = srgb8.shape[0] // CORNER_PARTS
    return balance_white(srgb8, srgb8[:side, :side])
