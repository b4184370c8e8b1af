"""Color Illusion: do two patches have the same color, although their surround suggests otherwise?

- ``contrast``: simultaneous contrast (M. E. Chevreul, 1839): one patch on a dark or greenish
  surround, one on a light or reddish one.
- ``white``: M. White, "A new effect of pattern on perceived lightness", Perception 8 (1979): bars
  in the black and in the white stripes of a grating.
- ``munker``: the same with stripes of color (H. Munker, 1970): disks behind the stripes.
- ``cornsweet``: T. N. Cornsweet, "Visual Perception" (1970): two areas that meet in an edge from
  which both fade.

The patches of half of the questions are equal code by code; those of the others differ by a stated
delta E00. If the construction has ``counteracts``, they differ against the illusion: the patch that
it lightens is the darker one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.spaces import lab_to_srgb8
from truehue.core.color.systems import Srgb8
from truehue.core.vlm.generators.draws import (
    Difficulty,
    Draws,
    Slot,
    illustrate,
    slots,
    with_answer,
)
from truehue.core.vlm.generators.palette import delta, srgb8_of, toward
from truehue.core.vlm.records import IllustratedQuestion

WIDTH_PX, HEIGHT_PX = 480, 320
DELTA_E00 = {Difficulty.EASY: 20.0, Difficulty.MEDIUM: 12.0, Difficulty.HARD: 6.0}
"""How far unequal patches are from one another, to within half a unit."""
SAME, DIFFERENT = "They have the same color", "They have different colors"

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Scene:
    """Pixels, and boxes (left, top, right, bottom; the last two outside) that lie wholly within
    the left and the right patch."""

    srgb8: NDArray[np.uint8]
    left: list[Box]
    right: list[Box]

    @property
    def mirrored(self) -> Scene:
        """Left for right."""
        turned = [
            [(WIDTH_PX - x2, y1, WIDTH_PX - x1, y2) for x1, y1, x2, y2 in side]
            for side in (self.right, self.left)
        ]
        return Scene(np.ascontiguousarray(self.srgb8[:, ::-1]), turned[0], turned[1])


def make(
    count: int, seed: int, difficulty: Difficulty | str = Difficulty.MEDIUM
) -> Iterator[IllustratedQuestion]:
    """``count`` questions of two choices, the illusions in turn. Raises BadInput as `slots`."""
    for slot in slots("color_illusion", count, seed, difficulty, choices=2):
        yield _question(slot)


def _question(slot: Slot) -> IllustratedQuestion:
    draws = slot.draws
    # Two of each illusion, one with equal patches: so all eight come within eight questions.
    kind, draw = ILLUSIONS[(slot.index // 2) % len(ILLUSIONS)]
    equal = slot.index % 2 == 0
    base = _base(draws, kind)
    counteracts = not equal and (
        slot.difficulty is Difficulty.HARD
        or (slot.difficulty is Difficulty.MEDIUM and draws.integer(0, 1) == 1)
    )
    other = base
    if not equal:
        sign = 1.0 if counteracts else -1.0
        other = toward(base, (sign, 0.0, 0.0), DELTA_E00[slot.difficulty])
    # Every illusion lightens its left patch: half of them are shown from the other side.
    scene, colors = draw(draws, base, other), (base, other)
    if draws.integer(0, 1):
        scene, colors = scene.mirrored, (other, base)
    right, wrong = (SAME, DIFFERENT) if equal else (DIFFERENT, SAME)
    return illustrate(
        slot,
        QUESTIONS[kind],
        with_answer(slot, right, [wrong]),
        scene.srgb8,
        {
            "illusion": kind,
            "equal": equal,
            "delta_e00": delta(base, other),
            "counteracts": counteracts,
            "left_srgb8": list(colors[0]),
            "right_srgb8": list(colors[1]),
            "left_boxes": [list(box) for box in scene.left],
            "right_boxes": [list(box) for box in scene.right],
        },
    )


def _base(draws: Draws, kind: str) -> Srgb8:
    """A color of middle lightness, with room on both sides; White's and Cornsweet's are grayish."""
    chroma = draws.between(0, 8) if kind in ("white", "cornsweet") else draws.between(8, 28)
    angle = draws.between(0, 6.28)
    lab = (draws.between(48, 60), chroma * np.cos(angle), chroma * np.sin(angle))
    return srgb8_of(lab_to_srgb8(np.array(lab)))


def _canvas(color: Srgb8 = (128, 128, 128)) -> NDArray[np.uint8]:
    srgb8 = np.empty((HEIGHT_PX, WIDTH_PX, 3), dtype=np.uint8)
    srgb8[:] = color
    return srgb8


_SURROUNDS: tuple[tuple[Srgb8, Srgb8], ...] = (
    ((30, 30, 30), (226, 226, 226)),
    ((22, 70, 40), (244, 196, 208)),
    ((20, 40, 110), (250, 226, 130)),
    ((70, 20, 74), (206, 240, 190)),
)
"""Dark and light, which make what lies on them lighter and darker; and in opposite hues."""


def contrast(draws: Draws, left: Srgb8, right: Srgb8) -> Scene:
    """Two halves, a square in the middle of each."""
    dark, light = draws.pick(_SURROUNDS)
    half, side = WIDTH_PX // 2, draws.pick((60, 76, 92))
    srgb8 = _canvas(dark)
    srgb8[:, half:] = light
    boxes: list[Box] = []
    for middle, color in ((half // 2, left), (half + half // 2, right)):
        top, start = (HEIGHT_PX - side) // 2, middle - side // 2
        srgb8[top : top + side, start : start + side] = color
        boxes.append((start, top, start + side, top + side))
    return Scene(srgb8, [boxes[0]], [boxes[1]])


def white(draws: Draws, left: Srgb8, right: Srgb8) -> Scene:
    """Horizontal stripes; the left bars stand in black ones, the right ones in white ones."""
    step = draws.pick((16, 20, 32))
    srgb8 = _canvas((16, 16, 16))
    rows = np.arange(HEIGHT_PX) // step
    srgb8[rows % 2 == 1] = (240, 240, 240)
    first = (HEIGHT_PX // step // 2) // 2 * 2 - 2
    width = draws.pick((76, 92, 108))
    boxes: tuple[list[Box], list[Box]] = ([], [])
    for index, (middle, color) in enumerate(((WIDTH_PX // 4, left), (3 * WIDTH_PX // 4, right))):
        for bar in range(3):
            top = (first + 2 * bar + index) * step
            box = (middle - width // 2, top, middle + width // 2, top + step)
            srgb8[box[1] : box[3], box[0] : box[2]] = color
            boxes[index].append(box)
    return Scene(srgb8, *boxes)


_STRIPES: tuple[tuple[Srgb8, Srgb8], ...] = (
    ((250, 226, 40), (40, 60, 200)),
    ((240, 120, 200), (30, 120, 60)),
    ((250, 150, 40), (60, 60, 180)),
    ((110, 225, 235), (190, 30, 60)),
)
"""Light and dark, of opposite hues."""


def munker(draws: Draws, left: Srgb8, right: Srgb8) -> Scene:
    """Two disks that are seen through stripes: in front of the left one lie the light stripes."""
    light, dark = draws.pick(_STRIPES)
    step, radius = draws.pick((8, 10)), draws.pick((60, 72, 84))
    srgb8 = _canvas(dark)
    rows = np.arange(HEIGHT_PX)[:, None] // step % 2 == 1
    srgb8[rows[:, 0]] = light
    y, x = np.ogrid[:HEIGHT_PX, :WIDTH_PX]
    boxes: list[list[Box]] = []
    for parity, middle, color in ((0, WIDTH_PX // 4, left), (1, 3 * WIDTH_PX // 4, right)):
        inside = (x - middle) ** 2 + (y - HEIGHT_PX // 2) ** 2 <= radius**2
        srgb8[inside & (rows if parity else ~rows)] = color
        stripe = HEIGHT_PX // 2 // step
        stripe += (stripe + parity) % 2
        half = radius // 2
        boxes.append([(middle - half, stripe * step, middle + half, (stripe + 1) * step)])
    return Scene(srgb8, boxes[0], boxes[1])


def cornsweet(draws: Draws, left: Srgb8, right: Srgb8) -> Scene:
    """The left area brightens toward the middle edge, the right one darkens."""
    ramp, limit = draws.pick((90, 120)), draws.pick((40, 48, 56))
    half = WIDTH_PX // 2
    columns = np.arange(WIDTH_PX)
    distance = np.where(columns < half, half - 1 - columns, columns - half)
    rise = limit * np.maximum(ramp - distance, 0) ** 2 // ramp**2
    row = np.where((columns < half)[:, None], np.array(left), np.array(right))
    row = row + np.where(columns < half, rise, -rise)[:, None]
    srgb8 = np.repeat(np.clip(row, 0, 255).astype(np.uint8)[None], HEIGHT_PX, axis=0)
    flat = half - ramp - 1
    return Scene(srgb8, [(0, 0, flat, HEIGHT_PX)], [(WIDTH_PX - flat, 0, WIDTH_PX, HEIGHT_PX)])


ILLUSIONS: tuple[tuple[str, Callable[[Draws, Srgb8, Srgb8], Scene]], ...] = (
    ("contrast", contrast),
    ("white", white),
    ("munker", munker),
    ("cornsweet", cornsweet),
)
QUESTIONS = {
    "contrast": "Do the left and the right square have the same color?",
    "white": "Do the short bars on the left and those on the right have the same color?",
    "munker": "Do the left and the right disk behind the stripes have the same color?",
    "cornsweet": "Do the flat areas at the far left and at the far right have the same color?",
}
