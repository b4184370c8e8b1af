"""What a sentence in a person's own words asks for: objects, and the colors asked of them.

No language model reads it: names of colors are found by the four systems' own names, hex and rgb,
and belong to the noun that they stand before ("a vivid red mug") or after ("the mug is blue", "a
mug in #00ff00"). A noun without a color is kept only where a table of objects has it. What cannot
be told is said in a note and asks for nothing: a guess would be judged like a wish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from truehue.core.color.systems import ColorTarget
from truehue.core.generation.renderer.stand_ins import is_place
from truehue.core.prompts.parts import object_target
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.sentences.tokens import Token, tokens_of
from truehue.core.sentences.vocabulary import (
    ADJECTIVES,
    COLORED,
    COLORED_AFTER,
    COVERS,
    LINKS,
    MODIFIERS,
    NEGATIONS,
    NO_OBJECTS,
    PLACED,
    STOPS,
    SUPPORTS,
    VERBS,
    basic_names,
    color_named,
    compound_named,
    is_color_word,
    object_named,
)

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
            f"“{self._said(start, end)}” is in none of the four color systems: if it is meant as "
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
        if is_place(noun.name) and before & PLACED:
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
        """The noun that the color before ``at`` is said of, and where to go on."""
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
    return f"“{wording}” is in none of the four color systems: the target color is {color}."
