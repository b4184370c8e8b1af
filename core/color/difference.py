"""Color differences, vectorized over pixels and candidates by broadcasting.

Colors are CIELAB D65/2° ``(..., 3)`` of any real dtype; results are float64 ``(...)``.
"""

from __future__ import annotations

import math
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
# In radians: nearer to opposite, rounding is a large part of the sum of two hues.
_NEARLY_OPPOSITE = 0.05


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


def delta_e00(lab1: np.ndarray, lab2: np.ndarray, k_lightness: float = 1.0) -> np.ndarray:
    """CIEDE2000 of ``(..., 3)`` CIELAB colors with kC = kH = 1; broadcasts to ``(...)``.

    ``k_lightness`` is kL: with 2, a difference of lightness counts half.

    Sharma, Wu, Dalal: "The CIEDE2000 Color-Difference Formula", Color Res. Appl. 30 (2005) 21-30,
    DOI 10.1002/col.20070; equation numbers below are theirs.

    Hues enter as vectors: the sum of two, each as long as both chroma multiplied, points along the
    mean hue, and their cross product gives the hue difference, on the short arc that equations 10
    and 14 choose case by case. Multiples of the mean hue are polynomials in its cosine and sine.
    This replaces eight trigonometric calls a pair by products. Nearly opposite hues, where the sum
    vanishes, take the written rule.
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
            differences[span] = _delta_e00_flat(
                k_lightness, *[part[span] for part in parts1], *second
            )
    return differences.reshape(shape)


def _delta_e00_flat(
    k_lightness: float,
    l1: np.ndarray,
    a1: np.ndarray,
    b1: np.ndarray,
    l2: np.ndarray,
    a2: np.ndarray,
    b2: np.ndarray,
) -> np.ndarray:
    """CIEDE2000 of ``(N,)`` components; the second color may be scalars."""
    b1_squared, b2_squared = b1 * b1, b2 * b2
    c_mean = np.sqrt(a1 * a1 + b1_squared)  # (2)
    c_mean += np.sqrt(a2 * a2 + b2_squared)
    c_mean *= 0.5  # (3)
    scale = _chroma_weight(c_mean)
    scale *= -0.5
    scale += 1.5  # 1 + G, (4)
    a1, a2 = a1 * scale, a2 * scale  # (5)
    c1, c2 = np.sqrt(a1 * a1 + b1_squared), np.sqrt(a2 * a2 + b2_squared)  # (6)
    product = c1 * c2
    cos_h, sin_h = a1 * c2, b1 * c2
    cos_h += a2 * c1
    sin_h += b2 * c1
    length = cos_h * cos_h
    length += sin_h * sin_h
    np.sqrt(length, out=length)
    opposite = ~(length > _NEARLY_OPPOSITE * product)  # also where a color has no hue (7)
    inverse = 1.0 / length
    cos_h *= inverse  # mean hue (14)
    sin_h *= inverse
    # 2 sqrt(C1 C2) sin(dh / 2), with sin(dh / 2) = sin(dh) C1 C2 / length  (10), (11)
    d_h = a1 * b2
    d_h -= a2 * b1
    d_h *= inverse
    d_h *= 2.0 * np.sqrt(product)
    if opposite.any():
        hues = _Hues(a1, b1, c1), _Hues(a2, b2, c2)
        cos_h[opposite], sin_h[opposite], d_h[opposite] = _of_opposite(*hues, opposite)

    c_sum_half = c1 + c2
    c_sum_half *= 0.5
    weight_h = _polynomial(_T_ODD, cos_h)  # T, (15)
    weight_h *= sin_h
    weight_h += _polynomial(_T_EVEN, cos_h)
    weight_h *= c_sum_half
    weight_h *= 0.015
    weight_h += 1.0
    d_h /= weight_h  # (20)
    d_c = c2 - c1
    d_c /= 1.0 + 0.045 * c_sum_half  # (9), (19)
    l_offset = 0.5 * (l1 + l2)
    l_offset -= 50.0
    l_offset *= l_offset
    l_offset /= np.sqrt(20.0 + l_offset)
    l_offset *= 0.015
    l_offset += 1.0
    d_l = (l2 - l1) / (k_lightness * l_offset)  # (8), (18)
    total = d_l * d_l
    total += d_c * d_c
    total += d_h * d_h
    # From 0 to 110 degrees the rotation is below the last bit of the sum.
    turned = np.flatnonzero((sin_h < 0.0) | (cos_h < _COS110))
    if turned.size:
        # Mean hue minus 275 degrees; turned by 180 so that no modulo is needed for 0 to 360.
        turn = np.degrees(np.arctan2(-sin_h[turned], -cos_h[turned])) - 95.0
        theta = np.radians(60.0) * np.exp(-((turn * 0.04) ** 2))  # 2 delta-theta (16)
        rotation = -2.0 * np.sin(theta) * _chroma_weight(c_sum_half[turned])  # (17), (21)
        total[turned] += rotation * d_c[turned] * d_h[turned]  # (22)
    np.maximum(total, 0.0, out=total)
    return np.sqrt(total, out=total)


def _polynomial(coefficients: tuple[float, ...], at: np.ndarray) -> np.ndarray:
    """Values ``(N,)`` of the polynomial with these coefficients, that of the highest power first."""
    value = at * coefficients[0]
    for coefficient in coefficients[1:-1]:
        value += coefficient
        value *= at
    value += coefficients[-1]
    return value


def _chroma_weight(mean_chroma: np.ndarray) -> np.ndarray:
    """sqrt(C^7 / (C^7 + 25^7)), the factor of (4) and (17)."""
    squared = mean_chroma * mean_chroma
    seventh = squared * squared
    seventh *= squared
    seventh *= mean_chroma
    seventh /= seventh + _POW25_7
    return np.sqrt(seventh, out=seventh)


@dataclass(frozen=True)
class _Hues:
    """Colors by ``(a', b')`` and their chroma: ``(N,)``, or scalars."""

    a: np.ndarray
    b: np.ndarray
    chroma: np.ndarray

    def at(self, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The hues in degrees, 0 to 360, and the chroma, where bool ``(N,)`` says."""
        a, b, chroma = (np.broadcast_to(x, mask.shape)[mask] for x in (self.a, self.b, self.chroma))
        return np.degrees(np.arctan2(b, a + 0.0)) % 360.0, chroma  # the hue of a* = -0 is 0 too


def _of_opposite(
    first: _Hues, second: _Hues, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the sum of two nearly opposite vectors cannot give, where bool ``(N,)`` says: cosine and
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


def _t_polynomials() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """T of (15) as ``even(cos h) + sin h * odd(cos h)``: coefficients from the highest power down,
    by cos 2h = 2 cos² h - 1, cos 3h = 4 cos³ h - 3 cos h, cos 4h = 8 cos⁴ h - 8 cos² h + 1, and
    sin 3h = sin h (4 cos² h - 1), sin 4h = sin h (8 cos³ h - 4 cos h)."""
    cos30, cos6, cos63 = (math.cos(math.radians(angle)) for angle in (30.0, 6.0, 63.0))
    sin30, sin6, sin63 = (math.sin(math.radians(angle)) for angle in (30.0, 6.0, 63.0))
    even = (
        -0.20 * 8.0 * cos63,
        0.32 * 4.0 * cos6,
        0.24 * 2.0 + 0.20 * 8.0 * cos63,
        -0.17 * cos30 - 0.32 * 3.0 * cos6,
        1.0 - 0.24 - 0.20 * cos63,
    )
    odd = (-0.20 * 8.0 * sin63, -0.32 * 4.0 * sin6, 0.20 * 4.0 * sin63, -0.17 * sin30 + 0.32 * sin6)
    return even, odd


_T_EVEN, _T_ODD = _t_polynomials()
_COS110 = math.cos(math.radians(110.0))
