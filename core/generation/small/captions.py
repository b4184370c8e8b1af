"""What the small model is asked for while it learns: captions by the benchmark's own templates.

Some pairs of a color and an object are held out: no caption of the training names them together,
so the benchmark's prompts that do are prompts the model has never seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from truehue.core.color.systems import ColorTarget
from truehue.core.generation.backends.reference import shapes_for
from truehue.core.generation.renderer.stand_ins import stand_in
from truehue.core.generation.renderer.usual import Rgb8, neutral
from truehue.core.generation.small.settings import Settings
from truehue.core.prompts.draws import rank
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.parts import BUILD_ORDER, colors
from truehue.core.prompts.prompt import Prompt, color_words, with_articles
from truehue.core.prompts.tables import ObjectRow, focused_templates, objects

MOST_OBJECTS = 2
"""In one picture of the training; prompts of three objects are left to fail."""

_HELD_OUT_KEY = "small/held-out"
_RANDOM_NUMBERS = 0.5
_SYSTEMS = ("l1", "l2", "l3", "css")


@dataclass(frozen=True)
class Caption:
    """A sentence, the shapes that its picture shows, their colors, and which of these the sentence
    asks for (a second object of no color is a gray)."""

    text: str
    shapes: tuple[str, ...]
    colors: tuple[Rgb8, ...]
    asked: tuple[bool, ...]


def is_held_out(color: ColorTarget, object_name: str, share: float) -> bool:
    """Whether this color of this object is kept out of the training; ``share`` 0 to 1.

    By the color's words, which may be of several systems, and a hash: the same everywhere.
    """
    number = int.from_bytes(rank(f"{_HELD_OUT_KEY}/{color_words(color)}/{object_name}")[:8], "big")
    return number < share * 2**64


def held_out(prompt: Prompt, share: float) -> bool:
    """Whether a prompt of the benchmark asks for a color of an object that was never shown."""
    return any(
        target.color is not None and is_held_out(target.color, target.name, share)
        for target in prompt.targets
    )


def held_out_pairs(share: float) -> list[tuple[str, str]]:
    """The held-out pairs of a color and an object, each color by its value (``l1:Blue``)."""
    names = sorted({row.name for row in objects()})
    return [
        (color.value, name)
        for system in BUILD_ORDER
        for color in colors(system)
        for name in names
        if is_held_out(color, name, share)
    ]


@cache
def color_of_words() -> dict[str, ColorTarget]:
    """The color that every name stands for in the training.

    "blue" is a color of three systems and three colors; a sentence does not say which. It is that
    of the first system in the order level 1, level 2, level 3, CSS.
    """
    meaning: dict[str, ColorTarget] = {}
    for system in BUILD_ORDER:
        for color in colors(system):
            meaning.setdefault(color_words(color), color)
    return meaning


@cache
def named_colors(system: str) -> tuple[ColorTarget, ...]:
    """The colors of a system whose name means that very color (:func:`color_of_words`)."""
    meaning = color_of_words()
    return tuple(
        color for color in colors(system) if meaning[color_words(color)].srgb8 == color.srgb8
    )


def captions(settings: Settings, chance: np.random.Generator, count: int) -> list[Caption]:
    """So many captions, drawn by ``chance`` in the shares of ``settings.mix``."""
    kinds = list(settings.mix)
    shares = np.array([settings.mix[kind] for kind in kinds])
    picks = chance.choice(len(kinds), size=count, p=shares / shares.sum())
    return [_caption(kinds[pick], settings.held_out, chance) for pick in picks]


def _caption(kind: str, share: float, chance: np.random.Generator) -> Caption:
    if kind == "several":
        choices = several_objects(share)
        return choices[int(chance.integers(len(choices)))]
    while True:
        row = objects()[int(chance.integers(len(objects())))]
        color = _color(kind, chance)
        if color is None:
            red, green, blue = (int(v) for v in chance.integers(0, 256, 3))
            return _single(kind, row, (red, green, blue), "", chance)
        if not is_held_out(color, row.name, share):
            return _single(kind, row, color.srgb8, color_words(color), chance)


def _color(kind: str, chance: np.random.Generator) -> ColorTarget | None:
    """A color of a kind of caption; None for any color at all."""
    if kind in _SYSTEMS:
        choices = named_colors(kind)
    elif chance.random() < _RANDOM_NUMBERS:
        return None
    else:
        choices = colors(BUILD_ORDER[int(chance.integers(len(BUILD_ORDER)))])
    return choices[int(chance.integers(len(choices)))]


def _single(
    kind: str, row: ObjectRow, srgb8: Rgb8, message: str, chance: np.random.Generator
) -> Caption:
    templates = focused_templates(kind if kind in ("hex", "rgb") else "name")
    template = templates[int(chance.integers(len(templates)))]
    red, green, blue = srgb8
    text = with_articles(
        template.text.format(
            object=row.phrase,
            color=message,
            hex=f"#{red:02X}{green:02X}{blue:02X}",
            r=red,
            g=green,
            b=blue,
        )
    )
    return Caption(text, (stand_in(row.name, row.category).shape,), (srgb8,), (True,))


@cache
def several_objects(share: float) -> tuple[Caption, ...]:
    """The captions of the benchmark's prompts with several objects, of which one or two are drawn,
    without held-out ones and those whose color's name means another color."""
    meaning = color_of_words()
    result = []
    for prompt in build():
        if len(prompt.targets) < 2 or held_out(prompt, share):
            continue
        color_targets = [target.color for target in prompt.targets if target.color is not None]
        if any(meaning[color_words(color)].srgb8 != color.srgb8 for color in color_targets):
            continue
        caption = caption_of(prompt)
        if len(caption.shapes) <= MOST_OBJECTS:
            result.append(caption)
    return tuple(result)


def caption_of(prompt: Prompt) -> Caption:
    """A prompt as the reference renderer would draw it: places are left out, a reference shares
    the main object's color, and what has no color is a gray."""
    main = next(target.color for target in prompt.targets if target.color is not None)
    gray = neutral([target.color.srgb8 for target in prompt.targets if target.color is not None])
    shapes, rgb8, partial_type = [], [], []
    for placed_target in shapes_for(prompt.targets):
        if placed_target.shape is None:
            continue
        target = prompt.targets[placed_target.target]
        color = target.color or (main if target.role == "reference" else None)
        shapes.append(placed_target.shape)
        rgb8.append(color.srgb8 if color else gray)
        partial_type.append(color is not None)
    return Caption(prompt.text, tuple(shapes), tuple(rgb8), tuple(partial_type))


_WORD = re.compile(r"[^\W\d_]+")


@cache
def vocabulary() -> tuple[str, ...]:
    """Every word of the benchmark's prompts, as written and in small letters, sorted."""
    terms: set[str] = set()
    for text in _texts():
        terms.update(_WORD.findall(text))
    terms |= {word.lower() for word in terms} | {word.capitalize() for word in terms}
    return tuple(sorted(terms))


def _texts() -> Iterable[str]:
    """Sentences that have all words of the benchmark: numbers, and so hex digits, are spelled."""
    for prompt in build():
        if prompt.notation != "hex":
            yield prompt.text
    for template in focused_templates("hex"):
        yield template.text.format(object="", hex="")
