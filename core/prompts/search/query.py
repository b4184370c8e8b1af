"""Text search: the prompts with the typed words, and alternative meanings of these words."""

from __future__ import annotations

import difflib
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.prompts.search.columns import Column

MAX_QUERY_CHARACTERS = 1_000

_APOSTROPHES = re.compile("['’‘ʼ`´]")
_NO_WORD = re.compile(r"[^\w\n]|_")
_HEX = re.compile("#[0-9a-f]{6}(?![0-9a-z])")
_TERM = re.compile(r'(-?)"([^"]*)("?)|(\S+)')
_LAST = chr(0x10FFFF)


def fold_text(text: str) -> str:
    """Lower case without accents and apostrophes; everything that is no letter or digit, line
    feeds excepted, is a blank."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        marks = {ord(sign): None for sign in set(text) if unicodedata.combining(sign)}
        text = text.translate(marks)
    return _NO_WORD.sub(" ", _APOSTROPHES.sub("", text.lower()))


@dataclass(frozen=True)
class Term:
    """One thing asked for. ``words`` in their order; the last one, or each where it is no phrase,
    may be the beginning of a word unless ``whole``. ``typed`` is the term in lower case, for ids
    and hex values, and empty for a phrase."""

    words: tuple[str, ...]
    typed: str = ""
    phrase: bool = False
    whole: bool = False
    excluded: bool = False


def terms_of(text: str) -> tuple[Term, ...]:
    """A person's search text: words, "phrases" and -exclusions.

    Raises BadInput above ``MAX_QUERY_CHARACTERS``.
    """
    if len(text) > MAX_QUERY_CHARACTERS:
        raise BadInput(
            f"A search has at most {MAX_QUERY_CHARACTERS:,} characters; this one has {len(text):,}."
        )
    terms: dict[Term, None] = {}
    for match in _TERM.finditer(re.sub("[“”„‟«»]", '"', text)):
        minus, quoted, closed, plain = match.groups()
        if plain is None:
            message = tuple(fold_text(quoted).split())
            # While it is typed a phrase has no closing mark yet, and its last word may grow.
            whole = bool(closed or minus)
            term = Term(message, "", True, whole, bool(minus))
        else:
            excluded = plain.startswith("-") and len(plain) > 1
            typed = plain.removeprefix("-") if excluded else plain
            message = tuple(fold_text(typed).split())
            term = Term(message, typed.lower(), False, excluded, excluded)
        if term.words:
            terms[term] = None
    return tuple(terms)


class WordIndex:
    """Prompts by their words, hex values and ids. Masks are bool ``(N,)``, one entry a prompt."""

    def __init__(
        self, texts: Sequence[str], ids: Sequence[str], hexes: Iterable[Sequence[str]]
    ) -> None:
        """``hexes`` are the hex values (``#dc143c``) of each prompt's colors; those in its text
        are found here."""
        self.size = len(texts)
        raw = "\n".join(_one_line(text) for text in texts)
        lines = fold_text(raw).split("\n") if texts else []
        self._lines = [f" {' '.join(line.split())} " for line in lines]
        number_of_word: dict[str, int] = {}
        positions: list[int] = []
        lengths = np.zeros(self.size, dtype=np.int64)
        lowered = raw.lower().split("\n") if "#" in raw else None
        for number, (line, colors) in enumerate(zip(self._lines, hexes, strict=False)):
            tokens = line.split()
            tokens += colors
            if lowered and "#" in lowered[number]:
                tokens += _HEX.findall(lowered[number])
            positions += [number_of_word.setdefault(word, len(number_of_word)) for word in tokens]
            lengths[number] = len(tokens)
        self._text = sorted(number_of_word)
        rank = np.empty(len(number_of_word), dtype=np.int32)
        rank[[number_of_word[word] for word in self._text]] = np.arange(
            len(number_of_word), dtype=np.int32
        )
        of_pairs = rank[np.asarray(positions, dtype=np.int64)]
        order = np.argsort(of_pairs, kind="stable")
        # All prompts of a word stand together, and so do all words with the same beginning.
        self._prompts = np.repeat(np.arange(self.size, dtype=np.int32), lengths)[order]
        self._starts = np.searchsorted(of_pairs[order], np.arange(len(number_of_word) + 1))
        self._ids = sorted((text.lower(), number) for number, text in enumerate(ids))
        self._id_texts = [text for text, _ in self._ids]

    @property
    def lines(self) -> Sequence[str]:
        """The folded texts, words separated and surrounded by one blank."""
        return self._lines

    def unknown(self, terms: Iterable[Term]) -> list[str]:
        """The words asked for that begin no word of any prompt, phrases and exclusions left out."""
        plain = [
            word for term in terms if not (term.excluded or term.phrase) for word in term.words
        ]
        return [word for word in plain if not self._begins(word)]

    @property
    def known(self) -> Sequence[str]:
        """All words of the prompts, in the order of the alphabet."""
        return self._text

    def _begins(self, word: str) -> bool:
        index = bisect_left(self._text, word)
        return index < len(self._text) and self._text[index].startswith(word)

    def mask(self, terms: Iterable[Term]) -> np.ndarray:
        """Which prompts satisfy all terms."""
        mask = np.ones(self.size, dtype=bool)
        for term in terms:
            if term.excluded:
                mask &= ~self._match_term(term)
            else:
                mask &= self._match_term(term)
            if not mask.any():
                break
        return mask

    def closeness(self, terms: Iterable[Term], rows: np.ndarray) -> np.ndarray:
        """int8 ``(len(rows),)``: 0 where all words asked for stand side by side in their order,
        1 where they do and the last goes on, 2 elsewhere."""
        parts = [word for term in terms if not term.excluded for word in term.words]
        if not parts:
            return np.zeros(len(rows), dtype=np.int8)
        start = f" {' '.join(parts)}"
        whole = f"{start} "
        lines = self._lines
        return np.fromiter(
            (0 if whole in (line := lines[row]) else 1 if start in line else 2 for row in rows),
            dtype=np.int8,
            count=len(rows),
        )

    def _match_term(self, term: Term) -> np.ndarray:
        digits = term.typed.removeprefix("#")
        if term.typed.startswith("#") and re.fullmatch("[0-9a-f]{1,6}", digits):
            return self._word(term.typed, term.whole)
        mask = np.ones(self.size, dtype=bool)
        for index, word in enumerate(term.words, 1):
            grows = not term.whole and (not term.phrase or index == len(term.words))
            mask &= self._word(word, not grows)
        if term.phrase:
            self._save_phrase(mask, term)
        elif not term.excluded:
            if re.fullmatch("[0-9a-f]{6}", digits):
                mask |= self._word(f"#{digits}", True)
            self._add_ids(mask, term.typed)
        return mask

    def _word(self, word: str, whole: bool) -> np.ndarray:
        first = bisect_left(self._text, word)
        last = bisect_left(self._text, word + ("\0" if whole else _LAST))
        mask = np.zeros(self.size, dtype=bool)
        mask[self._prompts[self._starts[first] : self._starts[last]]] = True
        return mask

    def _save_phrase(self, mask: np.ndarray, term: Term) -> None:
        if len(term.words) == 1:
            return
        phrase = f" {' '.join(term.words)}{' ' if term.whole else ''}"
        lines = self._lines
        rows = np.flatnonzero(mask)
        mask[[row for row in rows.tolist() if phrase not in lines[row]]] = False

    def _add_ids(self, mask: np.ndarray, typed: str) -> None:
        """An id is found by all of it, and by its beginning where that looks like one: with a
        letter in it and something that is none. Else a short word would find whole sets."""
        begins = any(map(str.isalpha, typed)) and not typed.isalpha()
        first = bisect_left(self._id_texts, typed)
        last = bisect_left(self._id_texts, typed + (_LAST if begins else "\0"))
        mask[[number for _, number in self._ids[first:last]]] = True


def _one_line(text: str) -> str:
    return text.replace("\n", " ") if "\n" in text else text


FROM = ("category", "object", "hue", "task", "concept", "modifier", "style")
"""The facets that words are looked for in, the first offered first."""

MAX_SUGGESTIONS = 4
SHORTEST = 3
LIKE = 0.72


@dataclass(frozen=True)
class Suggestion:
    """A facet's value that a word names: choosing it, and searching for the ``rest``, finds
    ``count`` prompts."""

    facet: str
    title: str
    value: str
    label: str
    rest: str
    count: int = 0


def values_named(columns: Mapping[str, Column], terms: Sequence[Term]) -> list[Suggestion]:
    """The values of facets whose name has one of the words, in the singular or plural.

    The order is that of :data:`FROM`, then of the words; ``count`` is not known yet.
    """
    plain = [term for term in terms if not (term.excluded or term.phrase) and len(term.words) == 1]
    suggestions = []
    for name in FROM:
        column = columns.get(name)
        if column is None:
            continue
        for term in plain:
            (word,) = term.words
            if len(word) < SHORTEST:
                continue
            rest = " ".join(_typed(other) for other in terms if other is not term)
            suggestions += [
                Suggestion(name, column.title, value, label, rest)
                for value, label in zip(column.values, column.labels, strict=True)
                if any(_alike(word, part) for part in fold_text(label).split())
            ]
    return suggestions


def suggest_spellings(terms: Iterable[str], vocabulary: Sequence[str]) -> dict[str, str]:
    """The known word most like each one that nobody knows; those that none is like are left out."""
    letters = [word for word in vocabulary if word.isalpha()]
    corrections = {}
    for word in terms:
        if len(word) < SHORTEST or not word.isalpha():
            continue
        close = difflib.get_close_matches(word[:40], letters, n=1, cutoff=LIKE)
        if close:
            corrections[word] = close[0]
    return corrections


def _alike(word: str, part: str) -> bool:
    return word == part or word == part.removesuffix("s") or part == word.removesuffix("s")


def _typed(term: Term) -> str:
    text = f'"{" ".join(term.words)}"' if term.phrase else term.typed or " ".join(term.words)
    return f"-{text}" if term.excluded else text
