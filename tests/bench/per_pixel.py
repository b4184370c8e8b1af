"""CIEDE2000 for one pair of colors at a time, as a loop over pixels calls it.

Sharma, Wu, Dalal (2005), DOI 10.1002/col.20070, written straight from the equations. The released
code calls numpy's functions on single numbers, which takes several times as long as ``math``'s;
both are timed here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np

Lab = tuple[float, float, float]


def scalar_ciede2000(library: ModuleType) -> Callable[[Lab, Lab], float]:
    """The difference of two CIELAB colors, kL = kC = kH = 1, by ``math`` or by ``numpy``."""
    # Bound once, so that neither library pays for looking them up in every call.
    sqrt, hypot, exp = library.sqrt, library.hypot, library.exp
    sin, cos, atan2 = library.sin, library.cos, library.atan2
    radians, degrees = library.radians, library.degrees

    def difference(first: Lab, second: Lab) -> float:
        l1, a1, b1 = first
        l2, a2, b2 = second
        mean7 = ((hypot(a1, b1) + hypot(a2, b2)) / 2.0) ** 7
        g = 0.5 * (1.0 - sqrt(mean7 / (mean7 + 25.0**7)))
        a1, a2 = (1.0 + g) * a1, (1.0 + g) * a2
        c1, c2 = hypot(a1, b1), hypot(a2, b2)
        h1, h2 = degrees(atan2(b1, a1)) % 360.0, degrees(atan2(b2, a2)) % 360.0
        turn = h2 - h1
        if c1 * c2 == 0.0:
            turn = 0.0
        elif turn > 180.0:
            turn -= 360.0
        elif turn < -180.0:
            turn += 360.0
        d_h = 2.0 * sqrt(c1 * c2) * sin(radians(turn) / 2.0)
        if c1 * c2 == 0.0:
            h_mean = h1 + h2
        elif abs(h1 - h2) <= 180.0:
            h_mean = (h1 + h2) / 2.0
        elif h1 + h2 < 360.0:
            h_mean = (h1 + h2 + 360.0) / 2.0
        else:
            h_mean = (h1 + h2 - 360.0) / 2.0
        t = (
            1.0
            - 0.17 * cos(radians(h_mean - 30.0))
            + 0.24 * cos(radians(2.0 * h_mean))
            + 0.32 * cos(radians(3.0 * h_mean + 6.0))
            - 0.20 * cos(radians(4.0 * h_mean - 63.0))
        )
        l_mean, c_mean = (l1 + l2) / 2.0, (c1 + c2) / 2.0
        s_l = 1.0 + 0.015 * (l_mean - 50.0) ** 2 / sqrt(20.0 + (l_mean - 50.0) ** 2)
        s_c, s_h = 1.0 + 0.045 * c_mean, 1.0 + 0.015 * c_mean * t
        r_c = 2.0 * sqrt(c_mean**7 / (c_mean**7 + 25.0**7))
        r_t = -sin(radians(60.0 * exp(-(((h_mean - 275.0) / 25.0) ** 2)))) * r_c
        light, vivid, hue = (l2 - l1) / s_l, (c2 - c1) / s_c, d_h / s_h
        return sqrt(light * light + vivid * vivid + hue * hue + r_t * vivid * hue)

    return difference


BY_MATH = scalar_ciede2000(math)
BY_NUMPY = scalar_ciede2000(np)


def distances(lab: np.ndarray, target: Lab, difference: Callable[[Lab, Lab], float]) -> list[float]:
    """The loop over the rows of float64 ``(N, 3)``: one call a pixel."""
    return [float(difference(tuple(row.tolist()), target)) for row in lab]
