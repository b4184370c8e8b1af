"""Color Blindness: which number or letters stand in a plate of dots?

As in pseudoisochromatic plates (S. Ishihara, 1917), and made of the confusion lines of
``truehue.core.images.plates``: the dots of the figure and those around it differ along what one
kind of cone sees, so that somebody without that cone sees one cloud.

Unlike the plates for screening people, these show nothing in gray either: the position and size of
dots do not depend on the figure, the luminance Y of each is sampled from one distribution, and the
two chromaticities have the same luma (ITU-R BT.601, of the encoded values) at the same Y. So a gray
copy, by Y or by luma, shows one cloud to everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from truehue.core.color.difference import delta_chroma
from truehue.core.color.spaces import (
    LINEAR1_TO_XYZ1,
    linear1_to_srgb1,
    linear1_to_xyz1,
    xyz1_to_lab,
)
from truehue.core.images.plates import GROUND_LINEAR1, Axis, cone_direction
from truehue.core.vlm.generators.draws import (
    Difficulty,
    Draws,
    Slot,
    illustrate,
    slots,
    with_answer,
)
from truehue.core.vlm.records import IllustratedQuestion

SIZE_PX = 400
AXES = (Axis.PROTAN, Axis.DEUTAN, Axis.TRITAN)
DIGITS = "2345689"
LETTERS = "ACEHKLNPTUVX"
"""No 0, 1 and 7, and no letters that look like a digit or like one another."""
PAIR_DELTA_AB = {Difficulty.EASY: 80.0, Difficulty.MEDIUM: 60.0, Difficulty.HARD: 44.0}
"""Distance in the a*b* plane between figure and ground, at one luminance. Not CIEDE2000: across the
neutral axis its rotation term makes a strong pink and a green seem near."""
TRITAN_TIMES = 1.3
"""So much farther on the tritan axis, where everybody sees less."""
DARKEST = {Difficulty.EASY: 0.62, Difficulty.MEDIUM: 0.55, Difficulty.HARD: 0.48}
"""Y of the darkest dots, where that of the lightest is 1."""
LENGTHS = {Difficulty.EASY: (1, 1), Difficulty.MEDIUM: (1, 2), Difficulty.HARD: (2, 3)}

_RADII_PX = {1: (11, 9, 7, 5, 4), 2: (7, 6, 5, 4, 3), 3: (5, 4, 3)}
_TRIES = {1: 3_000, 2: 5_000, 3: 8_000}
_GAP_PX = 1.5
_SUPERSAMPLING = 4
_WHITE = 65_535
_LUMA = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class Pair:
    """Two colors of Y = 1 in linear sRGB ``(3,)``, and the largest Y that sRGB holds of both."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    brightest: float

    @property
    def delta_ab(self) -> float:
        """Distance of the two in the a*b* plane, at three quarters of the brightest."""
        array, other = (
            xyz1_to_lab(linear1_to_xyz1(0.75 * self.brightest * color))
            for color in (self.first, self.second)
        )
        return round(float(delta_chroma(array, other)), 3)


def make(
    count: int, seed: int, difficulty: Difficulty | str = Difficulty.MEDIUM
) -> Iterator[IllustratedQuestion]:
    """``count`` questions of four choices, the three axes in turn. Raises BadInput as `slots`."""
    for slot in slots("color_blindness", count, seed, difficulty, choices=4):
        yield _question(slot)


def _question(slot: Slot) -> IllustratedQuestion:
    draws, axis = slot.draws, AXES[slot.index % len(AXES)]
    length = draws.integer(*LENGTHS[slot.difficulty])
    signs = DIGITS if length == 1 or draws.integer(0, 1) else LETTERS
    texts: list[str] = []
    while len(texts) < slot.choices:
        text = "".join(draws.shuffled(signs)[:length])
        if text not in texts:
            texts.append(text)
    times = TRITAN_TIMES if axis is Axis.TRITAN else 1.0
    pair = pair_of(axis, times * PAIR_DELTA_AB[slot.difficulty])
    swapped = draws.integer(0, 1) == 1
    colors = (pair.second, pair.first) if swapped else (pair.first, pair.second)
    srgb8 = _painted(draws, texts[0], colors, (DARKEST[slot.difficulty], pair.brightest))
    label = "number" if signs == DIGITS else "text"
    return illustrate(
        slot,
        f"What is the {label} in the center of the image?",
        with_answer(slot, texts[0], texts[1:]),
        srgb8,
        {
            "axis": str(axis),
            "text": texts[0],
            "pair_delta_ab": pair.delta_ab,
            "figure_linear1": [round(float(v), 6) for v in colors[0]],
            "ground_linear1": [round(float(v), 6) for v in colors[1]],
            "luminance1": [
                round(DARKEST[slot.difficulty] * pair.brightest, 6),
                round(pair.brightest, 6),
            ],
        },
    )


@cache
def pair_of(axis: Axis, wanted_delta_ab: float) -> Pair:
    """The two colors of an axis that are that far from one another in a*b*.

    They lie on the line through a gray. Along it luma at one Y rises to a maximum and falls again:
    the two are where it is the same on both sides.
    """
    gray, direction = np.full(3, GROUND_LINEAR1), cone_direction(axis)
    falling, rising = direction < 0, direction > 0
    low = -0.98 * float(np.min(gray[rising] / direction[rising]))
    high = 0.98 * float(np.min(gray[falling] / -direction[falling]))

    def at(distance: float) -> NDArray[np.float64]:
        color = gray + distance * direction
        return np.asarray(color / (color @ LINEAR1_TO_XYZ1[1]))

    def luma(distance: float) -> float:
        return float(_LUMA @ linear1_to_srgb1(0.2 * at(distance)))

    steps = np.linspace(low, high, 2001)
    lumas = [luma(float(step)) for step in steps]
    top = int(np.argmax(lumas))

    def pair(end: float) -> Pair:
        """With the one color at ``end``, and the other where luma is the same beyond the top."""
        near, far = float(steps[top]), low if end > steps[top] else high
        for _ in range(50):
            half = 0.5 * (near + far)
            near, far = (half, far) if luma(half) > luma(end) else (near, half)
        first, second = sorted((end, near), reverse=True)
        brightest = 0.98 / float(max(at(first).max(), at(second).max()))
        return Pair(at(first), at(second), brightest)

    # From the side that ends at the higher luma: the other one always gets as low.
    start, end = float(steps[top]), low if lumas[0] > lumas[-1] else high
    for _ in range(30):
        half = 0.5 * (start + end)
        start, end = (half, end) if pair(half).delta_ab < wanted_delta_ab else (start, half)
    return pair(start)


def figure_mask(text: str) -> NDArray[np.bool_]:
    """``(400, 400)``: the text in the middle, as large as the disk of dots lets it be."""
    largest = ((170, 240), (276, 190), (310, 140))[len(text) - 1]
    bounds = cv2.boundingRect(_written(text, 4.0, 1))
    scale = 4.0 * min(limit / side for limit, side in zip(largest, bounds[2:], strict=True))
    mask = _written(text, scale, max(2, round(5.0 * scale)))
    x, y, width, height = cv2.boundingRect(mask)
    centered = np.zeros((SIZE_PX, SIZE_PX), dtype=bool)
    top, left = (SIZE_PX - height) // 2, (SIZE_PX - width) // 2
    centered[top : top + height, left : left + width] = mask[y : y + height, x : x + width] > 0
    return centered


def _written(text: str, scale: float, stroke_px: int) -> NDArray[np.uint8]:
    """The text somewhere on a paper that holds it, 255 on 0."""
    paper = np.zeros((2 * SIZE_PX, 3 * SIZE_PX), dtype=np.uint8)
    origin, font = (SIZE_PX // 2, 3 * SIZE_PX // 2), cv2.FONT_HERSHEY_SIMPLEX
    cv2.putText(paper, text, origin, font, scale, 255, stroke_px, cv2.LINE_8)
    return paper


def _painted(
    draws: Draws,
    text: str,
    colors: tuple[NDArray[np.float64], NDArray[np.float64]],
    luminance1: tuple[float, float],
) -> NDArray[np.uint8]:
    """The plate, by whole numbers: each dot in 16-bit linear light, averaged, then encoded."""
    inside = figure_mask(text)
    positions = _dots(draws, len(text))
    values = luminance1[1] * (luminance1[0] + (1 - luminance1[0]) * draws.units(len(positions)))
    side = SIZE_PX * _SUPERSAMPLING
    linear16 = np.full((side, side, 3), _WHITE, dtype=np.uint16)
    for (x, y, radius), value in zip(positions, values, strict=True):
        color = np.rint(colors[0 if inside[y, x] else 1] * value * _WHITE)
        center = (x * _SUPERSAMPLING + 2, y * _SUPERSAMPLING + 2)
        paint = [int(channel) for channel in color]
        cv2.circle(linear16, center, radius * _SUPERSAMPLING, paint, cv2.FILLED, cv2.LINE_8)
    rows = np.zeros((SIZE_PX, side, 3), dtype=np.uint32)
    total = np.zeros((SIZE_PX, SIZE_PX, 3), dtype=np.uint32)
    for index in range(_SUPERSAMPLING):
        rows += linear16[index::_SUPERSAMPLING]
    for index in range(_SUPERSAMPLING):
        total += rows[:, index::_SUPERSAMPLING]
    return np.asarray(_encoding()[total // _SUPERSAMPLING**2])


@cache
def _encoding() -> NDArray[np.uint8]:
    """8-bit sRGB of every 16-bit linear value."""
    return np.rint(255 * linear1_to_srgb1(np.arange(_WHITE + 1) / _WHITE)).astype(np.uint8)


def _dots(draws: Draws, length: int) -> list[tuple[int, int, int]]:
    """Centers and radii of dots that fill a disk and do not touch, large ones first.

    They know nothing of the figure: gaps along its outline would show it in gray.
    """
    y, x = np.mgrid[:SIZE_PX, :SIZE_PX].astype(np.float64)
    middle = SIZE_PX / 2
    free = middle - 6 - np.hypot(x - middle, y - middle)
    placed: list[tuple[int, int, int]] = []
    for radius in _RADII_PX[length]:
        tries = draws.integers(0, SIZE_PX - 1, 2 * _TRIES[length]).reshape(-1, 2).tolist()
        for at_x, at_y in tries:
            if free[at_y, at_x] < radius:
                continue
            placed.append((at_x, at_y, radius))
            reach = radius + _RADII_PX[length][0] + 2
            rows = slice(max(0, at_y - reach), at_y + reach + 1)
            columns = slice(max(0, at_x - reach), at_x + reach + 1)
            distance = np.hypot(x[rows, columns] - at_x, y[rows, columns] - at_y)
            np.minimum(free[rows, columns], distance - radius - _GAP_PX, out=free[rows, columns])
    return placed
