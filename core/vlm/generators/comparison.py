"""Color Comparison: which of four shapes is the darkest, lightest, most saturated or warmest?

Lightness is L*, saturation is C*ab (and HSV's saturation puts the same shape first). Warmth is that
of L.-C. Ou, M. R. Luo, A. Woodcock and A. Wright, "A study of colour emotion and colour preference.
Part I", Color Research and Application 29 (2004): -0.5 + 0.02 C^1.07 cos(h - 50°).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.spaces import chroma, hue_deg
from truehue.core.vlm.generators.draws import (
    Difficulty,
    Draws,
    Slot,
    illustrate,
    slots,
    with_answer,
)
from truehue.core.vlm.generators.palette import lab_of, srgb8_of
from truehue.core.vlm.generators.shapes import SHAPES, paint_shape
from truehue.core.vlm.records import IllustratedQuestion

SIZE_PX = 400
GROUND = (196, 196, 196)
MIN_FROM_GROUND = 12.0  # of L*, or of C*ab
Measure = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def warmth(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of ``(..., 3)`` CIELAB, ``(...)``: above 0 warm, below 0 cool (Ou et al. 2004)."""
    turned = np.cos(np.radians(np.asarray(hue_deg(lab)) - 50.0))
    return np.asarray(-0.5 + 0.02 * np.asarray(chroma(lab)) ** 1.07 * turned)


MEASURES: dict[str, Measure] = {
    "darkest": lambda lab: -lab[..., 0],
    "lightest": lambda lab: np.asarray(lab[..., 0]),
    "most saturated": lambda lab: np.asarray(chroma(lab)),
    "warmest": warmth,
}
"""What is largest of the color that is asked for."""
MARGINS: dict[str, dict[Difficulty, float]] = {
    "darkest": {Difficulty.EASY: 20.0, Difficulty.MEDIUM: 10.0, Difficulty.HARD: 4.0},
    "lightest": {Difficulty.EASY: 20.0, Difficulty.MEDIUM: 10.0, Difficulty.HARD: 4.0},
    "most saturated": {Difficulty.EASY: 30.0, Difficulty.MEDIUM: 15.0, Difficulty.HARD: 8.0},
    "warmest": {Difficulty.EASY: 1.2, Difficulty.MEDIUM: 0.6, Difficulty.HARD: 0.3},
}
"""How far the first is ahead of the second, up to one and a half times as much."""
_CANDIDATES = 64


def make(
    count: int, seed: int, difficulty: Difficulty | str = Difficulty.MEDIUM
) -> Iterator[IllustratedQuestion]:
    """``count`` questions of four choices, the four comparisons in turn. Raises BadInput as
    `slots`."""
    for slot in slots("color_comparison", count, seed, difficulty, choices=4):
        yield _question(slot)


def _question(slot: Slot) -> IllustratedQuestion:
    draws, requested = slot.draws, tuple(MEASURES)[slot.index % len(MEASURES)]
    margin = MARGINS[requested][slot.difficulty]
    colors = _colors(draws, requested, margin)
    shapes = draws.shuffled(SHAPES)
    srgb8 = np.empty((SIZE_PX, SIZE_PX, 3), dtype=np.uint8)
    srgb8[:] = GROUND
    quarter, radius = SIZE_PX // 4, draws.integer(60, 80)
    positions = draws.shuffled([(x, y) for x in (1, 3) for y in (1, 3)])
    for shape, color, (x, y) in zip(shapes, colors, positions, strict=True):
        paint_shape(srgb8, shape, (x * quarter, y * quarter), radius, srgb8_of(color))
    values = MEASURES[requested](lab_of(colors))
    return illustrate(
        slot,
        f"Which shape has the {requested} color in this image?",
        [f"the {shape}" for shape in with_answer(slot, shapes[0], shapes[1:])],
        srgb8,
        {
            "asked": requested,
            "margin": round(float(values[0] - values[1:].max()), 4),
            "srgb8": {
                shape: list(srgb8_of(color)) for shape, color in zip(shapes, colors, strict=True)
            },
        },
    )


def _colors(draws: Draws, requested: str, margin: float) -> NDArray[np.uint8]:
    """Four colors ``(4, 3)``, the one that is asked for first."""
    while True:
        rgb = draws.integers(0, 255, 3 * _CANDIDATES).reshape(-1, 3).astype(np.uint8)
        lab = lab_of(rgb)
        ground = lab_of(GROUND)
        seen = (np.abs(lab[:, 0] - ground[0]) >= MIN_FROM_GROUND) | (
            np.asarray(chroma(lab)) >= MIN_FROM_GROUND
        )
        rgb, values = rgb[seen], MEASURES[requested](lab[seen])
        order = [int(index) for index in np.argsort(-values, kind="stable")]
        # Any of the upper half may be the first one: the answer is no matter of extremes.
        first = draws.pick(order[: len(order) // 2])
        second = [
            index for index in order if margin <= values[first] - values[index] <= 1.5 * margin
        ]
        lower = [index for index in order if values[first] - values[index] >= margin]
        if not second or len(lower) < 4:
            continue
        runner = draws.pick(second)
        rest = [index for index in draws.shuffled(lower) if index != runner][:2]
        picked = rgb[[first, runner, *rest]]
        if requested != "most saturated" or _hsv_agrees(picked):
            return picked


def _hsv_agrees(rgb: NDArray[np.uint8]) -> bool:
    """Whether the first color has the largest saturation in HSV too."""
    high, low = rgb.max(axis=1).astype(float), rgb.min(axis=1).astype(float)
    saturation = (high - low) / np.maximum(high, 1)
    return bool(saturation[0] > saturation[1:].max())
