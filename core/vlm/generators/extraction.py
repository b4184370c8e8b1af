"""Color Extraction: which RGB, HSV or HEX value has the one color of the image?"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator

import numpy as np

from truehue.core.color.spaces import hex_of
from truehue.core.color.systems import Srgb8
from truehue.core.vlm.generators.draws import (
    Difficulty,
    Slot,
    illustrate,
    slots,
    with_answer,
)
from truehue.core.vlm.generators.palette import around, delta
from truehue.core.vlm.records import IllustratedQuestion

SIZE_PX = 256
NOTATIONS = ("RGB", "HSV", "HEX")
DISTANCES: dict[Difficulty, tuple[float, float]] = {
    Difficulty.EASY: (25.0, 60.0),
    Difficulty.MEDIUM: (12.0, 25.0),
    Difficulty.HARD: (6.0, 12.0),
}
"""Delta E00 from the right color to the wrong ones, which are the lower bound from one another."""
_MIN_VALUE, _MIN_SATURATION = 70, 0.12  # darker or grayer, and rounded hues say nothing


def make(
    count: int, seed: int, difficulty: Difficulty | str = Difficulty.MEDIUM
) -> Iterator[IllustratedQuestion]:
    """``count`` questions of four choices, RGB, HSV and HEX in turn. Raises BadInput as `slots`."""
    for slot in slots("color_extraction", count, seed, difficulty, choices=4):
        yield _question(slot)


def format_color(color: Srgb8, notation: str) -> str:
    """``rgb(214, 32, 38)``, ``hsv(358°, 85%, 84%)`` by whole numbers, or ``#D62026``."""
    if notation == "HEX":
        return hex_of(color)
    if notation == "RGB":
        return f"rgb({color[0]}, {color[1]}, {color[2]})"
    hue, saturation, value = colorsys.rgb_to_hsv(*(channel / 255 for channel in color))
    degrees = round(hue * 360) % 360
    return f"hsv({degrees}°, {round(saturation * 100)}%, {round(value * 100)}%)"


def _question(slot: Slot) -> IllustratedQuestion:
    notation = NOTATIONS[slot.index % len(NOTATIONS)]
    while True:
        red, green, blue = (int(channel) for channel in slot.draws.integers(0, 255, 3))
        color = (red, green, blue)
        if max(color) < _MIN_VALUE or max(color) - min(color) < _MIN_SATURATION * max(color):
            continue
        try:
            wrong = around(slot.draws, color, slot.choices - 1, DISTANCES[slot.difficulty])
        except ValueError:  # in a corner of the gamut
            continue
        texts = [format_color(each, notation) for each in (color, *wrong)]
        if len(set(texts)) == slot.choices:
            break
    srgb8 = np.empty((SIZE_PX, SIZE_PX, 3), dtype=np.uint8)
    srgb8[:] = color
    return illustrate(
        slot,
        f"What is the {notation} value of the color in this image?",
        with_answer(slot, texts[0], texts[1:]),
        srgb8,
        {
            "notation": notation,
            "srgb8": list(color),
            "choices_srgb8": [list(each) for each in with_answer(slot, color, wrong)],
            "choices_delta_e00": [delta(color, each) for each in with_answer(slot, color, wrong)],
        },
    )
