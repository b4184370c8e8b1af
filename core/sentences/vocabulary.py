"""The words that a sentence is read by: names of colors and objects, and what stands between."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from truehue.core.color.systems import SEARCH_ORDER, ColorTarget, parse_target, system
from truehue.core.generation.renderer import OBJECTS
from truehue.core.generation.renderer.stand_ins import known_names
from truehue.core.prompts.search.query import folded
from truehue.core.prompts.tables import css_words, objects


def _of(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOPS = _of(
    "a an the this that these those its his her their our my your it they he she we i "
    "on in at under over above below beside besides next near behind before after by of from to "
    "into onto inside outside with without within against between among along around across "
    "through towards toward for about like as and or but while whose who which where when then "
    "has have had having is are was were be been being made both each every some any no not one "
    "underwater outdoors indoors together nearby away "
    "two three four five six seven eight nine ten there here very so too just also exact same"
)
"""Words that end a noun."""

LINKS = _of(
    "is are was were be being in colored coloured painted dyed tinted rendered designed drawn "
    "color colour hex rgb hue shade entirely completely all fully looks appears tone"
)
"""Words by which a color after a noun belongs to it."""

COLORED = _of("colored coloured color colour tinted hued toned painted")
"""Words between a color and its noun: "a red colored mug"."""

COLORED_AFTER = _of("color colour colors colours hue hues tone tones shade")

MODIFIERS = _of(
    "bright pale light dark deep soft rich warm cool neon pastel vibrant muted intense faded "
    "dull hot electric vivid strong brilliant moderate"
)
"""Words that change a color, where no system has a name with them."""

COLOR_WORDS = frozenset(
    (
        *_of(
            "amaranth amber amethyst apricot aubergine auburn bordeaux bronze burgundy carmine "
            "celadon cerise cerulean champagne charcoal chartreuse chestnut claret cobalt copper "
            "cream ecru emerald eggplant fawn fuchsia heliotrope jade lilac mahogany maize "
            "marigold mauve merlot mint mulberry mustard ocher ochre periwinkle petrol pistachio "
            "puce rose ruby russet rust saffron sage sapphire scarlet seafoam sepia slate "
            "tangerine taupe terracotta topaz ultramarine umber vermilion vermillion viridian wine "
            "wisteria"
        ),
        *("burnt sienna", "burnt umber", "raw umber", "terra cotta", "lapis lazuli"),
    )
)
"""Words for colors that no system has, though some have them in longer names. Of the 949 names of
the xkcd color survey (R. Munroe, 2010, CC0) those that name a color rather than a thing, and four
of pigments and wines."""

ISH = {
    "red": "reddish",
    "orange": "orangish",
    "brown": "brownish",
    "yellow": "yellowish",
    "green": "greenish",
    "blue": "bluish",
    "purple": "purplish",
    "pink": "pinkish",
    "gray": "grayish",
}
"""How ISCC-NBS writes the first half of a compound: "blue-green" is its bluish green."""

NEGATIONS = _of("not no never without non isn isnt aren arent")

ADJECTIVES = _of(
    "small large big little tiny huge giant tall short long wide round square flat thick thin old "
    "new ancient modern vintage antique rusty shiny glossy matte smooth rough soft hard wooden "
    "metal metallic plastic glass ceramic porcelain leather paper stone cotton woolen silk steel "
    "iron brick rubber fluffy furry fuzzy striped spotted painted single pair couple simple plain "
    "beautiful cute pretty elegant fancy cheap expensive empty full open closed clean dirty broken "
    "folded fresh ripe rotten raw cooked wet dry hot cold happy sad friendly realistic detailed "
    "typical ordinary lonely young wild sliced stuffed solid transparent"
)
"""Words between a color and its noun that are no part of the noun's name."""

NO_OBJECTS = _of(
    "background backdrop photo photograph photos picture pictures image images scene scenes light "
    "lighting lights style color colors colour colours tones tone hue hues palette filter theme "
    "hour glow gradient pattern accents"
)
"""What has a color in a sentence and is no object of the picture."""

COVERS = _of("fur surface peel skin feathers petals")
"""What covers an object: its color is the object's."""

PLACED = _of("on at in under against")

SUPPORTS = _of("table desk shelf bookcase bench couch sofa chair bed counter tray plate rug sink")
"""Objects that others often lie on or stand at."""

VERBS = _of(
    "sits stands lies rests runs rides flies walks jumps eats sleeps holds wears plays swims "
    "floats hangs leans drives looks sit stand lie rest run ride fly walk jump eat sleep hold "
    "wear play swim float hang lean drive can will flew stood sat lay cut"
)

_IRREGULAR = {"knives": "knife", "sheep": "sheep", "men": "man", "geese": "goose"}


def color_named(text: str) -> ColorTarget | None:
    """The color of that name, in lower case and single blanks; of equal names the first of
    :data:`truehue.core.color.systems.SEARCH_ORDER`."""
    return _colors().get(text)


def compound_named(first: str, second: str) -> ColorTarget | None:
    """The color between two named ones: of ``light blue`` and ``green`` Light bluish green; None
    where no system has a name for it."""
    before, _, last = first.rpartition(" ")
    return color_named(f"{before} {ISH[last]} {second}".strip()) if last in ISH else None


@cache
def basic_names() -> frozenset[str]:
    """The plain names of colors, of ISCC-NBS levels 1 and 2: red, green, gray."""
    names = (color.name.lower() for key in ("l1", "l2") for color in system(key).colors)
    return frozenset(name.replace("grey", "gray") for name in names if " " not in name)


def is_color_word(text: str) -> bool:
    """Whether words name a color that no system has."""
    return text in COLOR_WORDS and color_named(text) is None and not object_named(text)


def number_color(text: str) -> ColorTarget:
    """The color of ``#RRGGBB`` or ``rgb(1, 2, 3)``; raises UnknownColor."""
    return parse_target(text)


def object_named(text: str) -> str:
    """The object of that name, in the singular or plural, as the tables write it; else empty."""
    objects = _objects()
    for form in (
        text,
        _IRREGULAR.get(text, text),
        text.removesuffix("s"),
        text.removesuffix("es"),
    ):
        if form in objects:
            return objects[form]
    return ""


@cache
def _colors() -> Mapping[str, ColorTarget]:
    colors: dict[str, ColorTarget] = {}
    for key in SEARCH_ORDER:
        for color in system(key).colors:
            text = " ".join(folded(color.name).split()).replace("grey", "gray")
            colors.setdefault(text, parse_target(f"{key}:{color.name}"))
    for name, spelled in css_words().items():
        text = " ".join(folded(spelled).split()).replace("grey", "gray")
        colors.setdefault(text, parse_target(f"css:{name}"))
    return colors


@cache
def _objects() -> Mapping[str, str]:
    object_names: dict[str, str] = {}
    for row in objects():
        for text in (row.name, row.phrase):
            object_names.setdefault(" ".join(folded(text).split()), row.name)
    for name in (*OBJECTS, *known_names()):
        object_names.setdefault(" ".join(folded(name).split()), name)
    return object_names
