"""Color differences, vectorized over pixels and candidates by broadcasting.

Colors are CIELAB D65/2° ``(..., 3)`` of any real dtype; results are float64 ``(...)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HUE_GATE_CHROMA = 5.0
"""Below this C*ab a hue angle says nothing, so the gated hue difference is 0."""

ELEMENTARY_HUES = ((20.1, "redder"), (90.0, "yellower"), (164.3, "greener"), (237.5, "bluer"))
"""Hue angles of red, yellow, green and blue, from CIE 159:2004 (CIECAM02), which serve CIELAB to
within about ten degrees; for words alone."""
MAX_TURN_DEG = 60.0

_CHUNK = 16384  # elements a pass: the dozen temporaries of one pass then stay in the cache
_POW25_7 = 25.0**7


def delta_chroma(lab1: np.ndarray, lab2: np.ndarray) -> np.ndarray:
    """Euclidean distance in the a*b* plane of ``(..., 3)`` colors; broadcasts to ``(...)``.

    GenColorBench 3.4 calls this Delta Chroma; it is not the difference of the two C*ab.
    """
    lab1, lab2 = np.asarray(lab1, dtype=np.float64), np.asarray(lab2, dtype=np.float64)
    return np.hypot(lab1[..., 1] - lab2[..., 1], lab1[..., 2] - lab2[..., 2])


def hue_difference_deg(
    lab1: np.ndarray, lab2: np.ndarray, gate_chroma: float = HUE_GATE_CHROMA
) -> np.ndarray:
    """Absolute difference of hue angles, 0 to 180 degrees; 0 where either C*ab is below the gate.

    Colors ``(..., 3)``, broadcast to ``(...)``. The gate of 5 is the released code's; the paper
    speaks of "chroma-based reliability gating" without a figure.
    """
    lab1, lab2 = np.asarray(lab1, dtype=np.float64), np.asarray(lab2, dtype=np.float64)
    a1, b1, a2, b2 = lab1[..., 1], lab1[..., 2], lab2[..., 1], lab2[..., 2]
    cross, dot = a1 * b2 - b1 * a2, a1 * a2 + b1 * b2
    difference = np.degrees(np.abs(np.arctan2(cross, dot)))
    reliable = (np.hypot(a1, b1) >= gate_chroma) & (np.hypot(a2, b2) >= gate_chroma)
    return np.where(reliable, difference, 0.0)


def hue_word(found_deg: float, turn_deg: float) -> str:
    """Toward which elementary hue a color is turned: redder, yellower, greener or bluer.

    ``found_deg`` is the hue angle of the color, ``turn_deg`` found minus asked, -180 to 180. Empty
    beyond :data:`MAX_TURN_DEG`, where it is another hue rather than a tinge, and for no turn.
    """
    if not 0.0 < abs(turn_deg) <= MAX_TURN_DEG:
        return ""
    # Half-way: a color that went past an elementary hue by a little still went toward it.
    middle = (found_deg - 0.5 * turn_deg) % 360.0
    index = next(
        (position for position, (least, _) in enumerate(ELEMENTARY_HUES) if middle < least), 0
    )
    return ELEMENTARY_HUES[index if turn_deg > 0.0 else index - 1][1]


def delta_e00(lab1: np.ndarray, lab2: np.ndarray) -> np.ndarray:
    """CIEDE2000 of ``(..., 3)`` CIELAB colors with kL = kC = kH = 1; broadcasts to ``(...)``.

    Sharma, Wu, Dalal: "The CIEDE2000 Color-Difference Formula", Color Res. Appl. 30 (2005) 21-30,
    DOI 10.1002/col.20070; equation numbers below are theirs.

    Hue angles enter as unit vectors: their sum points along the mean hue and their cross product
    gives the hue difference, on the short arc that equations 10 and 14 choose case by case. This
    replaces seven trigonometric calls a pair by products. Opposite hues, where the sum vanishes,
    take the written rule.
    """
    lab1, lab2 = np.asarray(lab1, dtype=np.float64), np.asarray(lab2, dtype=np.float64)
    shape = np.broadcast_shapes(lab1.shape[:-1], lab2.shape[:-1])
    parts1 = [np.broadcast_to(lab1[..., i], shape).reshape(-1) for i in range(3)]
    single = lab2.ndim == 1  # one reference color: keep it a scalar, not a column
    parts2 = [
        lab2[i] if single else np.broadcast_to(lab2[..., i], shape).reshape(-1) for i in range(3)
    ]
    count = parts1[0].size
    differences = np.empty(count)
    with np.errstate(divide="ignore", invalid="ignore"):
        for start in range(0, count, _CHUNK):
            span = slice(start, start + _CHUNK)
            second = parts2 if single else [part[span] for part in parts2]
            differences[span] = _delta_e00_flat(*[part[span] for part in parts1], *second)
    return differences.reshape(shape)


def _delta_e00_flat(
    l1: np.ndarray,
    a1: np.ndarray,
    b1: np.ndarray,
    l2: np.ndarray,
    a2: np.ndarray,
    b2: np.ndarray,
) -> np.ndarray:
    """CIEDE2000 of ``(N,)`` components; the second color may be scalars."""
    b1_squared, b2_squared = b1 * b1, b2 * b2
    c_mean = 0.5 * (np.sqrt(a1 * a1 + b1_squared) + np.sqrt(a2 * a2 + b2_squared))  # (2), (3)
    scale = 1.5 - 0.5 * _chroma_weight(c_mean)  # 1 + G, (4)
    a1, a2 = a1 * scale, a2 * scale  # (5)
    c1 = np.sqrt(a1 * a1 + b1_squared)  # (6)
    c2 = np.sqrt(a2 * a2 + b2_squared)
    # Unit vectors of the hues; a color without chroma has none and adds nothing (7).
    inverse1 = np.where(c1 > 0, 1.0 / c1, 0.0)
    inverse2 = np.where(c2 > 0, 1.0 / c2, 0.0)
    u1, v1, u2, v2 = a1 * inverse1, b1 * inverse1, a2 * inverse2, b2 * inverse2
    sum_u, sum_v = u1 + u2, v1 + v2
    length = np.sqrt(sum_u * sum_u + sum_v * sum_v)
    cos_h, sin_h = sum_u / length, sum_v / length  # mean hue (14)
    # 2 sqrt(C1 C2) sin(dh / 2), with sin(dh / 2) = sin(dh) / |u1 + u2|  (10), (11)
    big_h = 2.0 * np.sqrt(c1 * c2) * (u1 * v2 - v1 * u2) / length
    opposite = ~(length > 1e-7)
    if opposite.any():
        hues = _HueVectors(u1, v1, c1), _HueVectors(u2, v2, c2)
        cos_h[opposite], sin_h[opposite], big_h[opposite] = _of_opposite(*hues, opposite)

    c_sum_half = 0.5 * (c1 + c2)
    # Multiples of the mean hue by the angle-sum rules (15).
    cos_2h = 2.0 * cos_h * cos_h - 1.0
    sin_2h = 2.0 * sin_h * cos_h
    cos_3h = cos_2h * cos_h - sin_2h * sin_h
    sin_3h = sin_2h * cos_h + cos_2h * sin_h
    cos_4h = 2.0 * cos_2h * cos_2h - 1.0
    sin_4h = 2.0 * sin_2h * cos_2h
    t = (
        1.0
        - 0.17 * (_COS30 * cos_h + _SIN30 * sin_h)
        + 0.24 * cos_2h
        + 0.32 * (_COS6 * cos_3h - _SIN6 * sin_3h)
        - 0.20 * (_COS63 * cos_4h + _SIN63 * sin_4h)
    )
    # Mean hue minus 275 degrees; turned by 180 so that no modulo is needed for 0 to 360.
    turn = np.degrees(np.arctan2(-sin_h, -cos_h)) - 95.0
    theta = np.radians(60.0) * np.exp(-((turn * 0.04) ** 2))  # 2 delta-theta (16)
    # Away from blue the angle is so small that it is its own sine to the last bit.
    sine = np.sin(theta) if theta.max(initial=0.0) >= 1e-8 else theta
    rotation = -2.0 * sine * _chroma_weight(c_sum_half)  # (17), (21)
    l_offset = (0.5 * (l1 + l2) - 50.0) ** 2
    d_l = (l2 - l1) / (1.0 + 0.015 * l_offset / np.sqrt(20.0 + l_offset))  # (8), (18)
    d_c = (c2 - c1) / (1.0 + 0.045 * c_sum_half)  # (9), (19)
    d_h = big_h / (1.0 + 0.015 * c_sum_half * t)  # (20)
    total = d_l * d_l + d_c * d_c + d_h * d_h + rotation * d_c * d_h  # (22)
    return np.sqrt(np.maximum(total, 0.0))


def _chroma_weight(mean_chroma: np.ndarray) -> np.ndarray:
    """sqrt(C^7 / (C^7 + 25^7)), the factor of (4) and (17)."""
    squared = mean_chroma * mean_chroma
    seventh = squared * squared * squared * mean_chroma
    return np.sqrt(seventh / (seventh + _POW25_7))


@dataclass(frozen=True)
class _HueVectors:
    """Hues as unit vectors ``(u, v)``, and the chroma of their colors: ``(N,)``, or scalars."""

    u: np.ndarray
    v: np.ndarray
    chroma: np.ndarray

    def at(self, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The hues in degrees, 0 to 360, and the chroma, where bool ``(N,)`` says."""
        u, v, chroma = (np.broadcast_to(x, mask.shape)[mask] for x in (self.u, self.v, self.chroma))
        return np.degrees(np.arctan2(v, u)) % 360.0, chroma


def _of_opposite(
    first: _HueVectors, second: _HueVectors, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the sum of two opposite unit vectors cannot give, where bool ``(N,)`` says: cosine and
    sine of the mean hue (14), and the hue difference (11)."""
    h1, c1 = first.at(mask)
    h2, c2 = second.at(mask)
    difference = h2 - h1
    wrapped = np.where(
        np.abs(difference) <= 180.0, difference, difference - np.copysign(360.0, difference)
    )
    both = c1 * c2 > 0
    total = h1 + h2
    across = np.where(total < 360.0, total + 360.0, total - 360.0)
    mean = np.radians(
        np.where(~both, total, np.where(np.abs(difference) <= 180.0, total, across) / 2.0)
    )
    half = np.radians(np.where(both, wrapped, 0.0) / 2.0)
    return np.cos(mean), np.sin(mean), 2.0 * np.sqrt(c1 * c2) * np.sin(half)


_COS30, _SIN30 = np.cos(np.radians(30.0)), np.sin(np.radians(30.0))
_COS6, _SIN6 = np.cos(np.radians(6.0)), np.sin(np.radians(6.0))
_COS63, _SIN63 = np.cos(np.radians(63.0)), np.sin(np.radians(63.0))
