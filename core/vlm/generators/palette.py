"""Colors for generators: the eleven basic ones, and colors at given distances by CIEDE2000."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import lab_to_srgb1, srgb8_to_lab
from truehue.core.color.systems import Srgb8
from truehue.core.vlm.generators.draws import Draws

BASIC: dict[str, Srgb8] = {
    "red": (214, 32, 38),
    "orange": (245, 135, 10),
    "yellow": (246, 214, 30),
    "green": (42, 148, 62),
    "blue": (32, 92, 200),
    "purple": (128, 52, 158),
    "pink": (248, 156, 190),
    "brown": (112, 66, 30),
    "black": (18, 18, 18),
    "gray": (128, 128, 128),
    "white": (246, 246, 246),
}
"""The basic color terms of English (B. Berlin and P. Kay, "Basic Color Terms", 1969), each in a
color that is nearest to the ISCC-NBS level 1 name of the same word, and at least 20 delta E00 from
every other."""

_TRIES = 200
_CANDIDATES = 96
_STEPS = np.array(list(product((-1, 0, 1), repeat=3)))


def lab_of(srgb8: Srgb8 | NDArray[np.uint8]) -> NDArray[np.float64]:
    """CIELAB ``(..., 3)`` of 8-bit colors."""
    return np.asarray(srgb8_to_lab(np.asarray(srgb8, dtype=np.uint8)), dtype=np.float64)


def delta(srgb8: Srgb8, other: Srgb8) -> float:
    """CIEDE2000 of two 8-bit colors, to a thousandth."""
    return round(float(delta_e00(lab_of(srgb8), lab_of(other))), 3)


def least_delta(colors: list[Srgb8]) -> float:
    """The smallest CIEDE2000 between two of them, to a thousandth."""
    return min(delta(a, b) for n, a in enumerate(colors) for b in colors[:n])


def srgb8_of(row: NDArray) -> Srgb8:
    """Three numbers as a color of plain whole numbers."""
    return int(row[0]), int(row[1]), int(row[2])


def apart(draws: Draws, count: int, least: float) -> list[Srgb8]:
    """``count`` colors of all of sRGB, each at least ``least`` delta E00 from every other.

    Raises ValueError where there is no room for so many.
    """
    for _ in range(_TRIES):
        rgb = draws.integers(0, 255, 3 * _CANDIDATES).reshape(-1, 3)
        picked = _greedy(rgb, lab_of(rgb.astype(np.uint8)), count, least)
        if len(picked) == count:
            return picked
    raise ValueError(f"There are hardly {count} colors {least} delta E00 apart.")


def around(draws: Draws, center: Srgb8, count: int, distances: tuple[float, float]) -> list[Srgb8]:
    """``count`` colors whose delta E00 from ``center`` lies within ``distances``, and which are at
    least the smaller of them from one another. Raises ValueError where there are not enough."""
    low, high = distances
    middle = lab_of(center)
    for _ in range(_TRIES):
        shift = (draws.units(3 * _CANDIDATES).reshape(-1, 3) - 0.5) * (4.0 * high)
        srgb1 = np.asarray(lab_to_srgb1(middle + shift))
        inside = ((srgb1 >= 0) & (srgb1 <= 1)).all(axis=1)
        rgb = np.rint(srgb1[inside] * 255).astype(np.uint8)
        lab = lab_of(rgb)
        distance = np.asarray(delta_e00(lab, middle))
        fits = (distance >= low) & (distance <= high)
        picked = _greedy(rgb[fits], lab[fits], count, low)
        if len(picked) == count:
            return picked
    raise ValueError(f"There are hardly {count} colors {low} to {high} delta E00 from {center}.")


def toward(color: Srgb8, direction: tuple[float, float, float], wanted: float) -> Srgb8:
    """The 8-bit color whose delta E00 from ``color`` comes nearest to ``wanted`` on the way along a
    direction of CIELAB; it ends at the gamut's border, so that the distance has to be measured."""
    start, way = lab_of(color), np.asarray(direction, dtype=np.float64)
    low, high = 0.0, 100.0
    for _ in range(40):
        half = 0.5 * (low + high)
        if float(delta_e00(start, start + half * way)) < wanted:
            low = half
        else:
            high = half
    srgb1 = np.asarray(lab_to_srgb1(start + low * way))
    near = np.clip(np.rint(np.clip(srgb1, 0, 1) * 255).astype(int) + _STEPS, 0, 255)
    misses = np.abs(np.asarray(delta_e00(lab_of(near.astype(np.uint8)), start)) - wanted)
    return srgb8_of(near[int(np.argmin(np.round(misses, 9)))])


def _greedy(rgb: NDArray, lab: NDArray[np.float64], count: int, least: float) -> list[Srgb8]:
    """The first ones of which each is far enough from those before it, up to ``count``."""
    picked: list[int] = []
    for index in range(len(rgb)):
        if len(picked) == count:
            break
        if not picked or float(np.min(delta_e00(lab[picked], lab[index]))) >= least:
            picked.append(index)
    return [srgb8_of(rgb[position]) for position in picked]
