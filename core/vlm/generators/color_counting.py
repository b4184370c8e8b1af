"""Color Counting: how many different colors are in the image?

A mosaic without lines or background: every pixel belongs to the nearest of some sites, and every
site has one of the colors. Each color covers at least 2% of the image and lies at least a stated
delta E00 from every other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.systems import Srgb8
from truehue.core.vlm.generators.draws import (
    Difficulty,
    Draws,
    Slot,
    illustrate,
    numbers_around,
    slots,
)
from truehue.core.vlm.generators.palette import apart, around, least_delta
from truehue.core.vlm.records import IllustratedQuestion

SIZE_PX = 384
MIN_DELTA_E00 = {Difficulty.EASY: 30.0, Difficulty.MEDIUM: 20.0, Difficulty.HARD: 10.0}
"""Between any two colors of an image."""
NUMBERS = {Difficulty.EASY: (4, 6), Difficulty.MEDIUM: (5, 9), Difficulty.HARD: (6, 12)}
SITES_A_COLOR = {Difficulty.EASY: 2, Difficulty.MEDIUM: 3, Difficulty.HARD: 4}
MIN_SHARE = 0.02


def make(
    count: int, seed: int, difficulty: Difficulty | str = Difficulty.MEDIUM
) -> Iterator[IllustratedQuestion]:
    """``count`` questions of four choices, which are numbers in a row. Raises BadInput as
    `slots`."""
    for slot in slots("color_counting", count, seed, difficulty, choices=4):
        yield _question(slot)


def _question(slot: Slot) -> IllustratedQuestion:
    draws, number = slot.draws, slot.draws.integer(*NUMBERS[slot.difficulty])
    colors = _colors(draws, number, slot.difficulty)
    while True:
        labels = mosaic(draws, number, number * SITES_A_COLOR[slot.difficulty])
        shares = np.bincount(labels.reshape(-1), minlength=number) / labels.size
        if shares.min() >= MIN_SHARE:
            break
    srgb8 = np.array(colors, dtype=np.uint8)[labels]
    return illustrate(
        slot,
        "How many different colors are in this image?",
        numbers_around(slot, number),
        srgb8,
        {
            "number": number,
            "srgb8": [list(color) for color in colors],
            "least_delta_e00": least_delta(colors),
        },
    )


def _colors(draws: Draws, number: int, difficulty: Difficulty) -> list[Srgb8]:
    """Far from one another; of hard ones two lie as near to each other as they may."""
    least = MIN_DELTA_E00[difficulty]
    if difficulty is not Difficulty.HARD:
        return apart(draws, number, least)
    while True:
        colors = apart(draws, number - 1, least)
        try:
            (twin,) = around(draws, colors[0], 1, (least, 1.5 * least))
        except ValueError:
            continue
        if least_delta([*colors, twin]) >= least:
            return draws.shuffled([*colors, twin])


def mosaic(draws: Draws, number: int, sites: int) -> NDArray[np.int64]:
    """Which of ``number`` colors each pixel has, ``(384, 384)``: the first ones at least once."""
    xy = draws.integers(0, SIZE_PX - 1, 2 * sites).reshape(-1, 2)
    y, x = np.mgrid[:SIZE_PX, :SIZE_PX]
    squared = (x[..., None] - xy[:, 0]) ** 2 + (y[..., None] - xy[:, 1]) ** 2
    return np.asarray(np.argmin(squared, axis=-1) % number)
