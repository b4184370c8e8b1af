"""Parse a free sentence: its objects and their target colors.

No language model is involved. Color names are found by the systems' own names, hex and rgb,
and belong to the noun that follows ("a vivid red mug") or precedes them ("the mug is blue", "a mug
in #00ff00"). A noun without a color becomes a target only if the table of objects has it. An
ambiguous part yields a note and no target: a guess would be scored like a real target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from truehue.core.color.systems import SEARCH_ORDER, STANDARDS, ColorTarget, parse_target, system
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.generation.renderer import OBJECTS
from truehue.core.generation.renderer.stand_ins import is_location, known_names
from truehue.core.prompts.parts import object_target
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.prompts.search.query import fold_text
from truehue.core.prompts.tables import css_spellings, objects


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
"""Words that have a color in a sentence but are no object of the image."""

COVERS = _of("fur surface peel skin feathers petals")
"""Words for the covering of an object: its color is the object's."""

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
            text = " ".join(fold_text(color.name).split()).replace("grey", "gray")
            # People call colors sand and blue green too: a thing, and what ISCC-NBS has better.
            modified = " " in text and text.split()[0] not in basic_names()
            if key in STANDARDS or text in COLOR_WORDS or modified:
                colors.setdefault(text, parse_target(f"{key}:{color.name}"))
    for name, spelled in css_spellings().items():
        text = " ".join(fold_text(spelled).split()).replace("grey", "gray")
        colors.setdefault(text, parse_target(f"css:{name}"))
    return colors


@cache
def _objects() -> Mapping[str, str]:
    object_names: dict[str, str] = {}
    for row in objects():
        for text in (row.name, row.phrase):
            object_names.setdefault(" ".join(fold_text(text).split()), row.name)
    for name in (*OBJECTS, *known_names()):
        object_names.setdefault(" ".join(fold_text(name).split()), name)
    return object_names


MAX_WORDS = 2_000
"""Words that are read; what follows in a very long text is left."""

_TOKEN = re.compile(r"#[0-9A-Za-z]+|rgb\s*\([^()]*\)?|(-?)([^\W_]+)|(['’]s)\b|([,.;:!?()]|\n)")


@dataclass(frozen=True)
class Token:
    """A word in lower case, or a sign; ``glued`` by a hyphen to the one before."""

    text: str
    glued: bool = False
    sign: bool = False
    color: ColorTarget | None = None


def tokens_of(text: str) -> tuple[Token, ...]:
    """The words and signs of a text, the first :data:`MAX_WORDS` of them."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, hyphen = match[2], match[1] == "-"
        if word:
            tokens.append(Token(word.lower().replace("grey", "gray"), hyphen))
        elif match[3]:
            tokens.append(Token("is"))
        elif match[4]:
            tokens.append(Token(match[4], sign=True))
        else:
            tokens.append(_number(match[0]))
        if len(tokens) >= MAX_WORDS:
            break
    return tuple(tokens)


def _number(text: str) -> Token:
    try:
        return Token(text, color=number_color(text))
    except UnknownColor:
        return Token(text, sign=True)


FARTHEST = 12
"""A color belongs to no noun that ends more words before it."""

JOINS = frozenset(("and", "or"))
"""Words between several colors of one object: "black-and-white"."""

_VERB_ENDINGS = ("ing", "ed", "ly")


@dataclass(frozen=True)
class Reading:
    """What was found: ``targets`` in the order of the sentence, those without a color among them;
    ``notes`` are sentences about what was named and is not asked for."""

    targets: tuple[ObjectTarget, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[ObjectTarget, ...]:
        """The objects that a color is asked of."""
        return tuple(target for target in self.targets if target.color is not None)


@dataclass
class _Noun:
    """An object that the sentence names, from token ``start`` to before ``end``."""

    name: str
    start: int
    end: int
    color: ColorTarget | None = None


@lru_cache(maxsize=1024)
def read_sentence(text: str) -> Reading:
    """Objects and colors of a text of any length; an empty text has none. Raises nothing."""
    reader = _Reader(tokens_of(text))
    reader.read()
    return reader.reading()


class _Reader:
    """One pass over the tokens from left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._nouns: list[_Noun] = []
        self._notes: list[str] = []

    def read(self) -> None:
        """Finds all nouns and the colors that belong to them."""
        index = 0
        while index < len(self._tokens):
            length, color = self._color_at(index)
            if self._tokens[index].text.startswith(("#", "rgb")) and color is None:
                self._notes.append(
                    f"“{self._tokens[index].text[:40]}” is no color that can be read."
                )
            if color is not None:
                index = self._take_color(index, index + length, color)
                continue
            if length := self._color_word_at(index):
                index = self._note_color_word(index, index + length)
                continue
            name, length = self._object_at(index)
            if name:
                self._nouns.append(_Noun(name, index, index + length))
                index += length
                continue
            index += 1

    def reading(self) -> Reading:
        """The nouns as targets; those that only carry others, and have no color, left out."""
        nouns = [noun for noun in self._nouns if noun.color or not self._carries(noun)]
        targets = tuple(object_target(noun.name, noun.color) for noun in nouns)
        return Reading(targets, tuple(dict.fromkeys(self._notes)))

    def _color_at(self, index: int) -> tuple[int, ColorTarget | None]:
        """The longest color that begins here, in tokens."""
        token = self._tokens[index]
        if token.color is not None:
            return 1, token.color
        parts = self._words(index, 5)
        for length in range(len(parts), 0, -1):
            if color := color_named(" ".join(parts[:length])):
                return length, color
        return 0, None

    def _color_word_at(self, index: int) -> int:
        """How many tokens a color that no system has takes here."""
        parts = self._words(index, 2)
        fits = (n for n in range(len(parts), 0, -1) if is_color_word(" ".join(parts[:n])))
        return next(fits, 0)

    def _note_color_word(self, start: int, end: int) -> int:
        """Says of which noun a color that no system has is said; returns where to go on."""
        if end < len(self._tokens) and self._color_at(end)[1] is not None:
            return end  # "mustard yellow": the note is that of a modifier
        noun, after = self._noun_after(end)
        owner = noun or self._noun_before(start) or self._unknown_before(start)
        if noun is None and not self._linked(start):
            return end
        if owner is None:
            return end
        if owner not in self._nouns:
            self._nouns.append(owner)
        self._notes.append(
            f"“{self._said(start, end)}” is in none of the color systems: if it is meant as "
            f"a color, choose one for the {owner.name}."
        )
        return after if noun else end

    def _compound(self, start: int, end: int) -> tuple[int, ColorTarget | None]:
        """Where a second color, which with the first makes one name, ends, and the color of both:
        "blue-green", "navy blue". ``end`` and None where there is none, the end of the second and
        None where no system has a name for both."""
        length, second = self._color_at(end) if end < len(self._tokens) else (0, None)
        if second is None or self._tokens[start].color or self._tokens[end].color:
            return end, None
        last, text = end + length, self._said(end, end + length)
        glued, basic = self._tokens[end].glued, text in basic_names()
        if not glued and not basic:
            return end, None  # "a white linen shirt"
        between = compound_named(self._said(start, end), text)
        is_thing = not glued and self._object_at(end)[0] and self._noun_after(last)[0] is None
        if is_thing:
            return end, None  # "a red orange"
        if between is None and basic and self._tokens[end - 1].text not in basic_names():
            first = self._said(start, end)
            self._notes.append(_longer_name(self._said(start, last), first))
            return last, self._color_at(start)[1]
        return last, between

    def _object_at(self, index: int) -> tuple[str, int]:
        """The longest known object that begins here, and how many tokens it takes."""
        parts = self._words(index, 3)
        for length in range(len(parts), 0, -1):
            if name := object_named(" ".join(parts[:length])):
                return name, length
        return "", 0

    def _words(self, index: int, limit: int) -> list[str]:
        parts = []
        for token in self._tokens[index : index + limit]:
            if token.sign or token.color is not None:
                break
            parts.append(token.text)
        return parts

    def _take_color(self, start: int, end: int, color: ColorTarget) -> int:
        """Gives a color to its noun; returns where to go on."""
        last, both = self._compound(start, end)
        two_colors = last > end and both is None
        if both is not None:
            color, end = both, last
        wording = self._said(start, end)
        name, length = self._object_at(start)
        if name and start + length == end and self._color_after_colored(end):
            self._nouns.append(_Noun(name, start, end))  # "an orange colored olive"
            return end
        if any(token.text in NEGATIONS for token in self._tokens[max(0, start - 2) : start]):
            self._notes.append(
                f"“not {wording}” cannot be scored: only a color that is wanted can."
            )
            return end
        following = self._tokens[end] if end < len(self._tokens) else None
        glued = following is not None and following.glued and following.text not in COLORED | JOINS
        if glued and not two_colors:
            return end + 1  # "red-haired" is no red thing
        colors, last = self._more_colors(last if two_colors else end)
        colors += two_colors
        noun, after = self._noun_after(last)
        owner = noun or self._noun_before(start)
        if colors and owner is None and self._linked(start):
            owner = self._unknown_before(start)
        if colors and owner is not None:
            if owner not in self._nouns:
                self._nouns.append(owner)
            self._notes.append(
                f"The {owner.name} is named with several colors: only an object with one target "
                "color is scored."
            )
            return after if noun else last
        if noun is not None:
            self._note_longer_name(start, wording, color)
            return self._give(noun, color, start, wording) or after
        return self._settle(start, end, color, wording)

    def _note_longer_name(self, start: int, wording: str, color: ColorTarget) -> None:
        """Says it where the word before changes the color: "bright blue", "blood-red"."""
        before = self._tokens[start - 1].text if start else ""
        if before in MODIFIERS or is_color_word(before) or self._tokens[start].glued:
            self._notes.append(_longer_name(f"{before} {wording}", color.label))

    def _give(self, noun: _Noun, color: ColorTarget, start: int, wording: str) -> int:
        """The color to a noun that follows it; where to go on, or 0 for the end of the noun."""
        before = {token.text for token in self._tokens[max(0, start - 2) : start]}
        owner = self._noun_before(start)
        if noun.name in COVERS and owner is not None and "with" in before:
            owner.color = color  # "a dog with white fur"
            return noun.end
        if is_location(noun.name) and before & PLACED:
            self._notes.append(f"“{wording} {noun.name}” says where it is: it is not scored.")
            return noun.end
        noun.color = color
        self._nouns.append(noun)
        return 0

    def _color_after_colored(self, index: int) -> bool:
        """Whether "colored" and a color stand here."""
        start = index
        while self._text(index) in COLORED:
            index += 1
        return start < index < len(self._tokens) and self._color_at(index)[1] is not None

    def _settle(self, start: int, end: int, color: ColorTarget, wording: str) -> int:
        """A color with no noun after it: of the noun before, or itself a thing ("an orange")."""
        after = self._text(end)
        number = self._tokens[start].color is not None  # which can be nothing but a color
        linked = number or self._linked(start) or after in COLORED_AFTER
        name, length = self._object_at(start)
        if name and not linked:
            self._nouns.append(_Noun(name, start, start + length))
            return start + length
        owner = self._noun_before(start) if linked else None
        if owner is None and linked:
            owner = self._unknown_before(start)
            if owner is not None:
                self._nouns.append(owner)
        if owner is not None and owner.color is None:
            self._note_longer_name(start, wording, color)
            owner.color = color
        elif after in NO_OBJECTS:
            self._notes.append(f"“{wording} {after}” describes the whole image: it is not scored.")
        return end

    def _more_colors(self, end: int) -> tuple[int, int]:
        """How many colors follow by commas and "and", and where the last of them ends."""
        count, index = 0, end
        while index < len(self._tokens):
            gap = index
            while gap < len(self._tokens) and self._tokens[gap].text in {",", *JOINS}:
                gap += 1
            length = self._color_at(gap)[0] if index < gap < len(self._tokens) else 0
            if not length:
                break
            # "A mug and an orange", "red, orange" alone: what is a thing here is no second color.
            count, index = count + 1, gap + length
        return count, index

    def _noun_after(self, position: int) -> tuple[_Noun | None, int]:
        """The noun that the color before ``position`` is said of, and where to go on."""
        while self._text(position) in COLORED:
            position += 1
        if self._text(position) == "," and self._text(position + 1) in ADJECTIVES:
            position += 1
        length = self._object_at(position)[1] if position < len(self._tokens) else 0
        if length > 1:  # "pair of jeans": known with the small word in it
            return _Noun(
                self._object_at(position)[0], position, position + length
            ), position + length
        run: list[str] = []
        index = position
        while index < len(self._tokens) and not self._ends(index, run):
            run.append(self._tokens[index].text)
            index += 1
        first = 0
        while first < len(run) - 1 and run[first] in ADJECTIVES:
            first += 1
        run, position = run[first:], position + first
        if not run or run[-1] in NO_OBJECTS or run[0] in COLORED_AFTER or run[0] in VERBS:
            return None, position
        for start in range(len(run)):
            name, length = self._object_at(position + start)
            end = start + length
            if name and (end >= len(run) or _is_verb(run[end])):
                return _Noun(name, position + start, position + end), position + end
        return _Noun(" ".join(run), position, index), index

    def _ends(self, index: int, run: Sequence[str]) -> bool:
        """Whether the run of words of a noun ends before this token."""
        token = self._tokens[index]
        if token.sign or token.color is not None or len(run) == 4:
            return True
        if token.text in STOPS or token.text in LINKS:
            return True
        return bool(run) and run[-1] not in ADJECTIVES and _is_verb(token.text)

    def _linked(self, start: int) -> bool:
        """Whether what stands before says that a noun has the color: "is", "in", "painted"."""
        parts = [token.text for token in self._tokens[max(0, start - 3) : start]]
        noun_just_before = bool(self._nouns) and self._nouns[-1].end == start
        return noun_just_before or any(word in LINKS for word in parts)

    def _noun_before(self, start: int) -> _Noun | None:
        """The last noun before a color, of the same sentence, that has none yet."""
        for noun in reversed(self._nouns):
            if noun.end < start - FARTHEST:
                return None
            between = self._tokens[noun.end : start]
            if any(token.text in ".;!?\n" for token in between if token.sign):
                return None
            if noun.color is None:
                return noun
        return None

    def _unknown_before(self, start: int) -> _Noun | None:
        """A noun that no table has, before "is", "in" or "painted"."""
        index = start
        skipped = LINKS | COLORED | STOPS | ADJECTIVES
        while index and (
            self._tokens[index - 1].sign is False and self._tokens[index - 1].text in skipped
        ):
            index -= 1
        end = index
        while (
            index and not self._tokens[index - 1].sign and self._tokens[index - 1].text not in STOPS
        ):
            index -= 1
        parts = [token.text for token in self._tokens[index:end]]
        used = any(noun.start < end and noun.end > index for noun in self._nouns[-8:])
        if not parts or used or parts[-1] in NO_OBJECTS or len(parts) > 3:
            return None
        return _Noun(" ".join(parts), index, end)

    def _carries(self, noun: _Noun) -> bool:
        """Whether a noun is only where things are: "on a table"."""
        before = {token.text for token in self._tokens[max(0, noun.start - 3) : noun.start]}
        return noun.name in SUPPORTS and bool(before & PLACED)

    def _text(self, index: int) -> str:
        return self._tokens[index].text if index < len(self._tokens) else ""

    def _said(self, start: int, end: int) -> str:
        return " ".join(token.text for token in self._tokens[start:end])


def _is_verb(word: str) -> bool:
    return word in VERBS or word.endswith(_VERB_ENDINGS)


def _longer_name(wording: str, color: str) -> str:
    return f"“{wording}” is in none of the color systems: the target color is {color}."


@lru_cache(maxsize=1024)
def no_target_reason(prompt: str) -> str:
    """Why a prompt gives no target color, as far as it can be said; empty prompts give none."""
    if not prompt:
        return "No target color."
    notes = read_sentence(prompt).notes[:1]
    try:
        parse_target(prompt)
        notes = ("It names a color, and no object that has it.",)
    except (BadInput, UnknownColor):
        pass
    return " ".join(("No target color in the prompt.", *notes))
