"""What typed words may mean beside themselves: values of facets, and words spelled so."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truehue.core.prompts.search.columns import Column
from truehue.core.prompts.search.query import Term, folded

FROM = ("category", "object", "hue", "task", "concept", "modifier", "style")
"""The facets that words are looked for in, the first offered first."""

MOST = 4
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
                if any(_alike(word, part) for part in folded(label).split())
            ]
    return suggestions


def spelled_like(terms: Iterable[str], vocabulary: Sequence[str]) -> dict[str, str]:
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
