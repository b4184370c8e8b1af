"""Color Proportion: how much of the image has a color, and which color has most of it?

Every image is 400 × 400 pixels, of which 1% is exactly 1,600: shares are whole percents, pixel by
pixel. Three patterns: ``patches`` with winding borders (the pixels in the order of a smooth field),
``stripes``, and ``cells``, squares of 20 pixels in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from truehue.core.vlm.generators.draws import (
    Difficulty,
    Draws,
    Slot,
    illustrate,
    slots,
    with_answer,
)
from truehue.core.vlm.generators.palette import BASIC
from truehue.core.vlm.records import IllustratedQuestion

SIZE_PX = 400
PATTERNS = ("patches", "stripes", "cells")
COLORS = {Difficulty.EASY: (3, 3), Difficulty.MEDIUM: (4, 4), Difficulty.HARD: (5, 6)}
STEP_PERCENT = {Difficulty.EASY: 15, Difficulty.MEDIUM: 8, Difficulty.HARD: 4}
"""How far the choices are from one another."""
LEAD_PERCENT = {Difficulty.EASY: 20, Difficulty.MEDIUM: 8, Difficulty.HARD: 3}
"""How far the largest color is ahead of the second, where that is asked."""
_CELL_PX = 20
_MIN_PERCENT = 4
_MAX_PERCENT = 70  # of the color whose share is asked


def make(
    count: int, seed: int, difficulty: Difficulty | str = Difficulty.MEDIUM
) -> Iterator[IllustratedQuestion]:
    """``count`` questions of four choices, of which every third asks for the dominant color.

    Raises BadInput as `slots`.
    """
    for slot in slots("color_proportion", count, seed, difficulty, choices=4):
        yield _largest(slot) if slot.index % 3 == 2 else _share(slot)


def _share(slot: Slot) -> IllustratedQuestion:
    draws, step = slot.draws, STEP_PERCENT[slot.difficulty]
    number = draws.integer(*COLORS[slot.difficulty])
    limit = min(_MAX_PERCENT, 100 - _MIN_PERCENT * (number - 1))
    # The choices go up in steps, and the right one has its place among them.
    low = max(_MIN_PERCENT, 1 + step * slot.place)
    percent = draws.integer(low, min(limit, 98 - step * (slot.choices - 1 - slot.place)))
    shares = [percent, *_split(draws, 100 - percent, number - 1)]
    names = draws.shuffled(list(BASIC))[:number]
    choices = [f"{percent + step * (index - slot.place)}%" for index in range(slot.choices)]
    text = f"Which is closest to the proportion of the {names[0]} color in this image?"
    return _made(slot, text, choices, dict(zip(names, shares, strict=True)))


def _largest(slot: Slot) -> IllustratedQuestion:
    draws, lead = slot.draws, LEAD_PERCENT[slot.difficulty]
    number = max(slot.choices, draws.integer(*COLORS[slot.difficulty]))
    while True:
        shares = sorted(_split(draws, 100, number), reverse=True)
        if lead <= shares[0] - shares[1] <= 2 * lead:
            break
    names = draws.shuffled(list(BASIC))[:number]
    choices = with_answer(slot, names[0], names[1 : slot.choices])
    text = "Which color takes up the largest part of this image?"
    return _made(slot, text, choices, dict(zip(names, shares, strict=True)))


def _made(
    slot: Slot, text: str, choices: list[str], percents: dict[str, int]
) -> IllustratedQuestion:
    pattern = PATTERNS[(slot.index // 3) % len(PATTERNS)]
    order = slot.draws.shuffled(list(percents))
    srgb8 = paint_proportions(slot.draws, pattern, {name: percents[name] for name in order})
    return illustrate(slot, text, choices, srgb8, {"pattern": pattern, "percents": percents})


def _split(draws: Draws, total: int, parts: int) -> list[int]:
    """Whole numbers, none below the least share, that add up to ``total``."""
    room = total - _MIN_PERCENT * parts
    cuts = sorted([0, room, *(draws.integer(0, room) for _ in range(parts - 1))])
    return [_MIN_PERCENT + b - a for a, b in pairwise(cuts)]


def paint_proportions(draws: Draws, pattern: str, percents: dict[str, int]) -> NDArray[np.uint8]:
    """uint8 ``(400, 400, 3)`` with exactly these whole percents of basic colors."""
    if pattern == "patches":
        rank = np.argsort(np.argsort(field(draws, SIZE_PX).reshape(-1), kind="stable"))
    elif pattern == "stripes":
        y, x = np.mgrid[:SIZE_PX, :SIZE_PX]
        rank = (x * SIZE_PX + y if draws.integer(0, 1) else y * SIZE_PX + x).reshape(-1)
    else:
        side = SIZE_PX // _CELL_PX
        cells = np.array(draws.shuffled(range(side * side))).reshape(side, side)
        rank = np.kron(cells, np.ones((_CELL_PX, _CELL_PX), dtype=np.int64)).reshape(-1)
        rank = rank * _CELL_PX**2
    ends = np.cumsum(list(percents.values())) * SIZE_PX**2 // 100
    colors = np.array([BASIC[name] for name in percents], dtype=np.uint8)
    return colors[np.searchsorted(ends, rank, side="right")].reshape(SIZE_PX, SIZE_PX, 3)


def field(draws: Draws, size_px: int) -> NDArray[np.int64]:
    """A smooth field ``(size, size)`` by whole numbers: random values on two lattices, bilinear."""
    total = np.zeros((size_px, size_px), dtype=np.int64)
    for spacing, weight in ((100, 4), (40, 1)):
        nodes = size_px // spacing + 2
        values = draws.integers(0, 65_535, nodes * nodes).reshape(nodes, nodes)
        indices = np.arange(size_px)
        cell, part = indices // spacing, indices % spacing
        # Smoothstep, in units of spacing³, so that the lattice is not seen in the borders.
        part = part * part * (3 * spacing - 2 * part)
        whole = spacing**3
        rows = values[cell] * (whole - part)[:, None] + values[cell + 1] * part[:, None]
        both = rows[:, cell] // whole * (whole - part) + rows[:, cell + 1] // whole * part
        total += weight * np.asarray(both // whole, dtype=np.int64)
    return total
