"""Object Counting: how many objects have a color, among others of other colors?

Circles, squares, triangles and stars on a light gray ground. They do not touch: each is one
connected component of its exact color.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truehue.core.vlm.generators.draws import (
    Difficulty,
    Draws,
    Slot,
    illustrate,
    numbers_around,
    slots,
)
from truehue.core.vlm.generators.palette import BASIC
from truehue.core.vlm.generators.shapes import SHAPES, paint_shape
from truehue.core.vlm.records import IllustratedQuestion

SIZE_PX = 480
GROUND = (222, 222, 222)
NUMBERS = {Difficulty.EASY: (3, 5), Difficulty.MEDIUM: (4, 8), Difficulty.HARD: (6, 12)}
OTHERS = {Difficulty.EASY: (4, 6), Difficulty.MEDIUM: (8, 12), Difficulty.HARD: (14, 20)}
RADII_PX = {Difficulty.EASY: (26, 38), Difficulty.MEDIUM: (20, 32), Difficulty.HARD: (14, 26)}
NEIGHBORS = {
    "red": ("orange", "brown", "pink"),
    "orange": ("red", "yellow", "brown"),
    "yellow": ("orange", "green", "pink"),
    "green": ("blue", "yellow", "black"),
    "blue": ("purple", "green", "black"),
    "purple": ("blue", "pink", "red"),
    "pink": ("red", "purple", "orange"),
    "brown": ("black", "red", "orange"),
    "black": ("brown", "purple", "blue"),
}
"""What stands among the objects that are counted where it is hard: colors that are like theirs."""
_GAP_PX = 5


def make(
    count: int, seed: int, difficulty: Difficulty | str = Difficulty.MEDIUM
) -> Iterator[IllustratedQuestion]:
    """``count`` questions of four choices, which are numbers in a row. Raises BadInput as
    `slots`."""
    for slot in slots("object_counting", count, seed, difficulty, choices=4):
        yield _question(slot)


def _question(slot: Slot) -> IllustratedQuestion:
    draws = slot.draws
    name = draws.pick(tuple(NEIGHBORS))
    number = draws.integer(*NUMBERS[slot.difficulty])
    near = slot.difficulty is Difficulty.HARD
    pool = NEIGHBORS[name] if near else tuple(other for other in NEIGHBORS if other != name)
    names = [name] * number
    names += [draws.pick(pool) for _ in range(draws.integer(*OTHERS[slot.difficulty]))]
    srgb8 = np.empty((SIZE_PX, SIZE_PX, 3), dtype=np.uint8)
    srgb8[:] = GROUND
    objects = []
    for color, (x, y, radius) in zip(
        draws.shuffled(names), _positions(draws, len(names), RADII_PX[slot.difficulty]), strict=True
    ):
        shape = draws.pick(SHAPES)
        paint_shape(srgb8, shape, (x, y), radius, BASIC[color])
        objects.append({"shape": shape, "color": color, "x": x, "y": y, "radius_px": radius})
    return illustrate(
        slot,
        f"How many {name} objects are in this image?",
        numbers_around(slot, number),
        srgb8,
        {"color": name, "number": number, "objects": objects},
    )


def _positions(draws: Draws, number: int, radii: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Centers and radii of circles that neither touch one another nor the border."""
    while True:
        placed: list[tuple[int, int, int]] = []
        for _ in range(60 * number):
            radius = draws.integer(*radii)
            low, high = radius + _GAP_PX, SIZE_PX - 1 - radius - _GAP_PX
            x, y = draws.integer(low, high), draws.integer(low, high)
            if all((x - a) ** 2 + (y - b) ** 2 > (radius + r + _GAP_PX) ** 2 for a, b, r in placed):
                placed.append((x, y, radius))
                if len(placed) == number:
                    return placed
