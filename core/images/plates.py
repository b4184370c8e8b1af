"""Plates of dots with a digit that differs only in the excitation of one kind of cone.

As in pseudoisochromatic plates (S. Ishihara, 1917), but computed: the dots of the digit and those
around it have cone excitations that differ in one cone alone, and a random lightness for each dot,
so that a person without that cone sees one cloud of dots. Excitations are those of V. C. Smith and
J. Pokorny, "Spectral sensitivity of the foveal cone photopigments between 400 and 500 nm", Vision
Research 15 (1975), computed from CIE 1931 XYZ. A screen that is not sRGB shows other colors: a
plate is a hint to examine, and no diagnosis.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from truehue.core.color.spaces import linear1_to_srgb1

SIZE_PX = 480
DIGITS = "2345689"
"""Digits that cannot be taken for another one turned around, or for a plain line."""
GROUND_LINEAR1 = 0.30
_RADII_PX = (13, 10, 8, 6, 4)
_TRIES = 2_500
_GAP_PX = 1.5
_DARKEST = 0.55
_SUPERSAMPLING = 4


PLACES = 4
"""Quarters of a field with a square: left and right above, then below."""
_SQUARE = 0.44


def patch_field(field: str, patch: str, index: int) -> np.ndarray:
    """A field of one color with a square of another in the middle of one quarter, both sRGB hex:
    uint8 ``(480, 480, 3)``."""
    srgb8 = np.empty((SIZE_PX, SIZE_PX, 3), np.uint8)
    srgb8[:] = list(bytes.fromhex(field[1:]))
    quarter = SIZE_PX // 2
    side = round(_SQUARE * quarter)
    top, left = (position * quarter + (quarter - side) // 2 for position in divmod(index, 2))
    srgb8[top : top + side, left : left + side] = list(bytes.fromhex(patch[1:]))
    return srgb8


class Axis(StrEnum):
    """The cones that the digit is made for; ``control`` is seen by everybody."""

    PROTAN = "protan"
    DEUTAN = "deutan"
    TRITAN = "tritan"
    CONTROL = "control"


_LMS_OF_XYZ = np.array(
    [[0.15514, 0.54312, -0.03286], [-0.15514, 0.45684, 0.03286], [0.0, 0.0, 0.00801]]
)
_XYZ_OF_LINEAR1 = np.array(
    [
        [0.4123907993, 0.3575843394, 0.1804807884],
        [0.2126390059, 0.7151686788, 0.0721923154],
        [0.0193308187, 0.1191947798, 0.9505321522],
    ]
)


@dataclass(frozen=True)
class Plate:
    """``srgb8`` is uint8 ``(480, 480, 3)``, with ``digit`` to be read."""

    srgb8: np.ndarray
    digit: str
    axis: Axis


def colors_of(axis: Axis) -> tuple[np.ndarray, np.ndarray]:
    """The colors of digit and ground at full lightness, linear sRGB 0 to 1, ``(3,)`` each.

    They lie as far as the gamut allows on either side of a gray, along the excitation of one cone.
    """
    gray = np.full(3, GROUND_LINEAR1)
    if axis is Axis.CONTROL:
        return gray * 0.35, np.full(3, 0.75)
    direction = cone_direction(axis)
    room = np.where(direction > 0, np.minimum(gray, 1 - gray), gray) / np.abs(direction)
    reach = direction * min(float((gray / np.abs(direction)).min()), float(room.min()))
    return gray + reach, gray - reach


def cone_direction(axis: Axis) -> np.ndarray:
    """The direction of linear sRGB ``(3,)`` along which only that axis' cone is excited otherwise.

    Raises ValueError for ``Axis.CONTROL``, which has none.
    """
    cone = (Axis.PROTAN, Axis.DEUTAN, Axis.TRITAN).index(axis)
    return np.asarray(np.linalg.inv(_LMS_OF_XYZ @ _XYZ_OF_LINEAR1)[:, cone])


def plate(digit: str, axis: Axis, seed: int) -> Plate:
    """A plate with one of ``DIGITS``. The same arguments give the same pixels.

    Raises ValueError for a digit that is none of them.
    """
    if digit not in DIGITS or len(digit) != 1:
        raise ValueError(f"{digit!r} is none of {DIGITS}.")
    rng = np.random.default_rng([seed, DIGITS.index(digit), list(Axis).index(axis)])
    inside = _digit_mask(digit)
    figure, ground = colors_of(axis)
    side = SIZE_PX * _SUPERSAMPLING
    linear1 = np.ones((side, side, 3), dtype=np.float32)
    for x, y, radius in _dots(rng):
        color = figure if inside[round(y), round(x)] else ground
        lightness = rng.uniform(_DARKEST, 1.0)
        center = (round(x * _SUPERSAMPLING), round(y * _SUPERSAMPLING))
        value = tuple(float(v) for v in color * lightness)
        cv2.circle(linear1, center, round(radius * _SUPERSAMPLING), value, cv2.FILLED)
    small = cv2.resize(linear1, (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_AREA)
    return Plate(np.rint(255 * linear1_to_srgb1(small)).astype(np.uint8), digit, axis)


def _digit_mask(digit: str) -> np.ndarray:
    """bool ``(480, 480)``: the digit, large, with strokes wider than two dots."""
    mask = np.zeros((SIZE_PX, SIZE_PX), dtype=np.uint8)
    font, scale, width = cv2.FONT_HERSHEY_SIMPLEX, 13.5, 68
    (text_px, height_px), _ = cv2.getTextSize(digit, font, scale, width)
    origin = ((SIZE_PX - text_px) // 2, (SIZE_PX + height_px) // 2)
    cv2.putText(mask, digit, origin, font, scale, 255, width, cv2.LINE_8)
    return np.asarray(mask > 0)


def _dots(rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """Centers and radii in pixels of dots that fill a disk and do not touch, large ones first."""
    placed = np.empty((0, 3))
    middle, disk = SIZE_PX / 2, SIZE_PX / 2 - 4
    for radius in _RADII_PX:
        for x, y in rng.uniform(0, SIZE_PX, (_TRIES, 2)):
            if np.hypot(x - middle, y - middle) > disk - radius:
                continue
            if len(placed):
                distance = np.hypot(placed[:, 0] - x, placed[:, 1] - y)
                if (distance < placed[:, 2] + radius + _GAP_PX).any():
                    continue
            placed = np.vstack([placed, (x, y, radius)])
    return [(float(x), float(y), float(r)) for x, y, r in placed]
