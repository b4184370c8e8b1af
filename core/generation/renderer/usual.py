"""The usual colors of objects: the renderer's own, and the typical colors of concepts.

They are our own choice of a word's associations, several if it has several. They simulate a model
that generates from habit, and are no data about people's associations. Only a prompt for a color
concept is rendered in the colors of concepts; all others keep the renderer's usual colors, and
their images.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from itertools import accumulate
from types import MappingProxyType

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab

Rgb8 = tuple[int, int, int]

USUAL_APART_DELTA_E00 = 10.0
"""A usual color is at least this far from the asked one, or the next is taken."""

NEUTRAL_APART_DELTA_E00 = 20.0
"""A neutral gray is at least this far from every target color, where one of ours is."""

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
def delta_e00_of(first: Rgb8, second: Rgb8) -> float:
    """CIEDE2000 between two sRGB colors."""
    lab = srgb8_to_lab(np.array((first, second)))
    return float(delta_e00(lab[0], lab[1]))


def neutral(colors: Sequence[Rgb8]) -> Rgb8:
    """A gray that is no target color: the middle one, or the first that is far enough from all.

    Where several target colors leave none, the one farthest from the nearest of them.
    """

    def margin(gray: Rgb8) -> float:
        return min((delta_e00_of(gray, color) for color in colors), default=np.inf)

    for gray in _GRAYS:
        if margin(gray) >= NEUTRAL_APART_DELTA_E00:
            return gray
    return max(_GRAYS, key=margin)


def default_color(name: str, shape: str) -> Rgb8 | None:
    """The usual color of an object, or else of its shape; None where nothing is usual."""
    colors = _USUAL.get(name.lower()) or _USUAL.get(shape)
    return rgb8_of(colors[0]) if colors else None


def choose_usual_color(name: str, shape: str, target_rgb8: Rgb8) -> Rgb8:
    """The color that a model draws which does not listen: a usual one that is not the asked one,
    and a gray where there is none."""
    for text in _USUAL.get(name.lower()) or _USUAL.get(shape) or ():
        if delta_e00_of(rgb8_of(text), target_rgb8) >= USUAL_APART_DELTA_E00:
            return rgb8_of(text)
    return neutral([target_rgb8])


def rgb8_of(text: str) -> Rgb8:
    """Of ``#RRGGBB``."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


CONCEPT_COLORS_VERSION = "1"
"""Changes whenever a prompt for a concept no longer gets the same colors; part of a run's plan."""

# Seeds in a row take the colors of a thing about as often as their weights say, however few they
# are: each goes on by this share (the golden ratio's, the most evenly spread one).
_STEP = 0.6180339887498949

# The name, then its colors; a number behind a color is its weight, 1 where there is none.
_TABLE = """
    dog #A87B4F 3 #E8DFD0 #3B2F2A; bird #4F86B5 2 #B5452C #8A6B4A; horse #7A4B2A 3 #2B2421
    chicken #F1E9DB 2 #A5562C; bear #6B4A30 3 #2E2622; cat #8C8074 #C98A4B #2C2A2A
    wolf #7F7F7F 3 #D8D5CE; deer #A5713F; bull #5A3A26 2 #2A2220; cow #F0EDE6 2 #6A4630
    lion #CE9A4C; duck #F0CF3C 2 #6B5A45; pig #EBA9A6; bat #3A3230; whale #4A6A84; seal #6E7378
    bee #E9B824 2 #2B2622; sheep #EDE7DA; elephant #8B8988; shark #7C8790
    rabbit #EDE8E1 2 #A38A70; monkey #7A5233; goat #E6DFD2 2 #8A6B4A
    butterfly #E8862A 2 #3F6FC4; crab #D0452B; frog #5E9B35; turtle #5F7A3E; crow #1F1F24
    goose #EFECE5 2 #8A8278; spider #2B2624; ant #3A241C 2 #8E2F1E; dolphin #7F95A8
    lobster #B5302A; owl #8A6A4A; coral #F0775F; squirrel #A8602F 3 #7F7A72; camel #C49A62
    pigeon #868D97; swan #F6F5F1; donkey #8A8079

    apple #B5252B 3 #7FAF3C; apricot #F2A34A; avocado #4F6B2E 2 #A9B85A; banana #F1D02F
    blackberry #2A1E33; blueberry #3F4E8C; cantaloupe #E9B36E 2 #C8B88A; cherry #A31628
    coconut #6B4528 2 #F3EFE6; cranberry #A8192E; dragonfruit #D8347A; durian #8E9440
    fig #55335A 3 #7E8B45; grape #5B3A78 #8FB04A; grapefruit #F2A65A #E8705A
    kiwi #7FA83A #7A5C3A; lemon #F2DE3A; lime #8CBF2F; lychee #C94A55 2 #F1E6DF
    mango #EFA02F 3 #6F9C3C; melon #A9C77A 2 #E8C06A; mulberry #4A1F3D
    olive #77803A 2 #2C2A30; orange #F08A1C; papaya #EC9A3C 3 #6F9C3C; peach #F2A98A
    pear #BFC24A 3 #C79A4A; pineapple #DDAF35; plum #5E2A55; pomegranate #A8232F
    pomelo #D5CF5A; raspberry #C8284E; star fruit #E3D23C; strawberry #C8202F
    watermelon #3F7A35 #D8404A

    bagel #C98A45; biscuit #D6A662; bread #C78D4E 3 #EAD9B5; cookie #C0884A; nut #8F5E34
    pancake #D99F52; sandwich #D9B073 2 #7FA345; toast #C08040; beer #E0A32E; brownie #4A2D1E
    cereal #D9A34A; dumpling #EDE3CF; hamburger #B8793A 2 #6B3F24; muffin #B9814A 2 #5A3826
    oatmeal #D9C6A0; pie #CF9650; pudding #E9CF86 2 #5A3524; curry #C98A22; egg #F0E2CC 2 #F2B632
    pasta #EBCF85 2 #C4452E; pizza #E0A445 2 #C23B27; steak #7A3A2B; butter #F3DE82
    candy #E0457B #3FA9D9 #F2C230; milk #F8F6F0; yogurt #F6F1EA 3 #EAA9B5; coffee #4A2E1E
    tea #B5682A 2 #8CA34A; jelly #C42A3A 2 #6FAF4A; juice #F2A02A 2 #D8404A; water #A9D3E8
    chocolate #4A2818; birthday cake #F6E6DA 2 #EF9DB5; cheese #F0C54A; honey #DD9A1F
    rice #F4F1E6; salad #7DAA45; sushi #F1EEE4 #EE7F5A #2B3A2E

    acorn #8A5A2C; aloe #6F9E6A; bamboo #7FA34A; basil #3F7F35; bush #4F7F3A; cactus #4E8050
    carnation #E77F95 2 #C9283A; cherry blossom #F5C3CF; clover #4C8C3F; daisy #F7F5EC 3 #F2C230
    dandelion #F0C71F 3 #EDEAE0; ginkgo #E3C134 2 #8DAA45; ivy #3A6B35; jasmine #F8F4E6
    lavender #9A7FC4; lily #F5EFE4 2 #EE9AA5; lotus #EFA3BB; maple #C9452A 2 #E08A2A
    marigold #F0991F; mint #5FB07A; moss #6B8035; oak #5F7A3A 2 #7A5636
    orchid #C765B5 2 #F3EDF2; palm tree #4F8A3E; peony #EC8FAE; pine tree #2F5A3A
    rose #C41E3A 3 #F0B3C0 #F5EFE2; seaweed #3F5A35; straw #DCC075; sunflower #F2BC1B
    tulip #D8303F 2 #F0C22F #B75FA8; violet #6F4FA8; wheat #DDB75F

    artichoke #7F9460; arugula #4F8A35; asparagus #6F9A45; bean #6FA045 #8A4A35
    bell pepper #C9282B 2 #5C9A38 #F0BE28; bok choy #6FA355 2 #EEF0E2; broccoli #4F7F35
    brussels sprouts #7FA04A; cabbage #A9C47F 3 #6A3F6B; carrot #E87A2B; cauliflower #F1EBDA
    celery #A9C96F; chive #4F9040; corn #F2CB3D; cucumber #4F8038; eggplant #4A2A52
    garlic #F1ECE1; gourd #C9A03F 2 #6F8F45; jalapeno #4A8030; kale #3F6B38; leek #8FB565
    lettuce #8FBF55; okra #6F9C48; onion #C98F4A 2 #8A3560; parsley #4A8C35; pea #7FB540
    pepper #C9282B 2 #4F8A38; pickle #7F8F3F; potato #C4A06A; pumpkin #E0771F
    radish #CF3560 3 #F3ECE8; scallion #6FA850 2 #F0F0E4; spinach #3F7A35
    sprouts #D9E0A5 2 #8FB565; squash #E3AE3C; sweet potato #B8603A; tomato #D0352A
    zucchini #4F7A38

    beach #E3CFA0 2 #5FB3CC; cave #4F4640; desert #D9A866; forest #3A6335; grassland #86AA48
    lake #4A86AA; mountain #6F7A7A 2 #EDF0F2; island #5C9A55 #E3CFA0; sunrise #F2A26B
    sunset #E8703F 2 #7A4A7A; moon #D9D6CB; sky #77B5E0; sun #F7C72F; glacier #C3E0EC
    ocean #2A6592; waterfall #BBD6E2; rainbow #E2342F #F2C22B #43A24A #3B6FC9 #8A48B0

    cabin #855B38; castle #8F8A80; church #B9B0A0 2 #EEEAE2; hospital #EFF1F1
    palace #DDC79A; pyramid #D3AE6E; temple #B24A35 2 #D0BE98; farm #A8352C #8AA850
    aquarium #3F95BA; casino #B8232F 2 #DDB23C; factory #7F7F80 2 #99563C; igloo #DDEAF2
    skyscraper #7F98AC
"""


@dataclass(frozen=True)
class ConceptColor:
    """A usual color and its weight among those of the thing, which sum to 1."""

    srgb8: Rgb8
    weight: float


@cache
def concept_colors(concept: str) -> tuple[ConceptColor, ...]:
    """The usual colors of a thing, weights summing to 1; else the renderer's one usual color of
    that name; empty where a word brings no color to mind that we know of."""
    name = " ".join(concept.lower().split())
    if name in _colors():
        return _colors()[name]
    usual_color = default_color(name, "")
    return (ConceptColor(usual_color, 1.0),) if usual_color else ()


def color_of(concept: str, seed: int) -> Rgb8 | None:
    """The usual color of a thing that a seed draws; None where there is none.

    A thing begins at its own place, so that things do not all change colors with the same seeds;
    a modifier does not count, so a fresh apple is the red one where the apple is.
    """
    colors = concept_colors(concept)
    if not colors:
        return None
    digest = sha256(" ".join(concept.lower().split()).encode()).digest()
    value = (int.from_bytes(digest[:6], "big") / 2**48 + seed * _STEP) % 1.0
    ends = list(accumulate(color.weight for color in colors))
    return colors[min(bisect_right(ends, value), len(colors) - 1)].srgb8


@cache
def _colors() -> MappingProxyType[str, tuple[ConceptColor, ...]]:
    by_concept: dict[str, tuple[ConceptColor, ...]] = {}
    for entry in _TABLE.replace("\n", ";").split(";"):
        if entry.strip():
            name, _, rest = entry.strip().partition(" #")
            parts: list[tuple[str, float]] = []
            for word in f"#{rest}".split():
                if word.startswith("#"):
                    parts.append((word, 1.0))
                else:
                    parts[-1] = (parts[-1][0], float(word))
            total = sum(weight for _, weight in parts)
            by_concept[name] = tuple(
                ConceptColor(rgb8_of(text), weight / total) for text, weight in parts
            )
    return MappingProxyType(by_concept)
