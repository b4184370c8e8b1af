"""The colors that objects usually have, and grays that nobody asked for.

The colors are our own choice of what the word brings to mind: they act out a model that draws from
habit, and are no data about people's associations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab

Rgb8 = tuple[int, int, int]

USUAL_APART_DELTA_E00 = 10.0
"""A usual color is at least this far from the asked one, or the next is taken."""

NEUTRAL_APART_DELTA_E00 = 20.0
"""A neutral gray is at least this far from every asked color, where one of ours is."""

# Middle gray first; then lighter and darker ones.
_GRAYS: tuple[Rgb8, ...] = tuple((v, v, v) for v in (119, 185, 59, 224, 30))

_USUAL = MappingProxyType(
    {
        name: tuple(colors.split())
        for name, colors in {
            "apple": "#B5252B #7FAF3C",
            "banana": "#F1D02F #9DB53F",
            "orange": "#F08A1C",
            "lemon": "#F2DE3A",
            "mango": "#EFA02F #6F9C3C",
            "papaya": "#EC9A3C #6F9C3C",
            "guava": "#9FBF5A #E58A8A",
            "strawberry": "#C8202F",
            "broccoli": "#4F7F35",
            "carrot": "#E87A2B",
            "taxi": "#F5C518 #1E1E1E",
            "ambulance": "#F2F2F2 #C62828",
            "bus": "#E7B01F #B3272D",
            "car": "#B4B8BD #A51E24",
            "potted plant": "#4E7D3A #A5633C",
            "teddy bear": "#9A6B43 #D3B48C",
            "bear": "#6B4A30 #2E2622",
            "dog": "#A87B4F #E8DFD0",
            "cat": "#8C8074 #C98A4B",
            "horse": "#7A4B2A #2B2421",
            "sheep": "#EDE7DA",
            "cow": "#F0EDE6 #6A4630",
            "elephant": "#8B8988",
            "zebra": "#EDEDED #222222",
            "giraffe": "#D9A558",
            "tiger": "#DE8A2E",
            "parrot": "#C52A2B #2F8A3C",
            "duck": "#F0CF3C #6B5A45",
            "crocodile": "#5B6B3A",
            "shark": "#7C8790",
            "lobster": "#B5302A",
            "goldfish": "#EE8A24",
            "turtle": "#5F7A3E",
            "owl": "#8A6A4A",
            "jeans": "#33507E",
            "suitcase": "#3A3F47",
            "book": "#7A2E2B #2C4A73",
            "mug": "#F1EFEA",
            "teapot": "#F1EFEA #7A4B2E",
            "vase": "#E9E6DF #2F6E8F",
            "candle": "#F3EBD3",
            "chair": "#A0703F",
            "table": "#A0703F",
            "desk": "#A0703F",
            "bookcase": "#8B5E36",
            "wardrobe": "#8B5E36",
            "cutting board": "#C79A62",
            "baseball bat": "#C99E66",
            "baseball glove": "#9A5B2E",
            "boxing glove": "#B5232B",
            "golf ball": "#F4F4F2",
            "sports ball": "#D9762E #F4F4F2",
            "refrigerator": "#EDEDEB",
            "sink": "#EFEFED",
            "sponge": "#EBCB45",
            "hat": "#7B5B3C #2E2C2B",
            "balloon": "#CC2936",
            "ruler": "#E0BC5C",
            "kite": "#CC3344 #2F6FC0",
        }.items()
    }
)


# Plans and captions ask for the same few pairs of names' colors and grays again and again.
@lru_cache(maxsize=4096)
def apart(first: Rgb8, second: Rgb8) -> float:
    """CIEDE2000 between two sRGB colors."""
    lab = srgb8_to_lab(np.array((first, second)))
    return float(delta_e00(lab[0], lab[1]))


def neutral(colors: Sequence[Rgb8]) -> Rgb8:
    """A gray that is no asked color: the middle one, or the first that is far enough from all.

    Where several asked colors leave none, the one farthest from the nearest of them.
    """

    def room(gray: Rgb8) -> float:
        return min((apart(gray, color) for color in colors), default=np.inf)

    for gray in _GRAYS:
        if room(gray) >= NEUTRAL_APART_DELTA_E00:
            return gray
    return max(_GRAYS, key=room)


def usual(name: str, shape: str) -> Rgb8 | None:
    """The usual color of an object, or else of its shape; None where nothing is usual."""
    colors = _USUAL.get(name.lower()) or _USUAL.get(shape)
    return _rgb(colors[0]) if colors else None


def usual_instead(name: str, shape: str, target_rgb8: Rgb8) -> Rgb8:
    """The color that a model draws which does not listen: a usual one that is not the asked one,
    and a gray where there is none."""
    for text in _USUAL.get(name.lower()) or _USUAL.get(shape) or ():
        if apart(_rgb(text), target_rgb8) >= USUAL_APART_DELTA_E00:
            return _rgb(text)
    return neutral([target_rgb8])


def _rgb(text: str) -> Rgb8:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
