"""The parameters of a link to Compare, checked, and its sources resolved one by one."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truehue.core.concepts.matching import concept_of, normal
from truehue.core.concepts.records import EXTRACTED, METHODS
from truehue.core.concepts.scores import by_id
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import Concept
from truehue.tabs.compare.histograms import SORTS
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.links import whole
from truehue.tabs.sources.distributions import distribution, label_of, measure

if TYPE_CHECKING:
    from truehue.core.concepts.distribution import Distribution

MAX_SOURCES = 6
MAX_WORDS = 80
LETTERS = "ABCDEF"


@dataclass(frozen=True)
class ConceptQuestion:
    """A question to this view: a concept by its words, sources, and how to show them.

    ``concept`` is None for words that are not of ColorConceptBench. ``pair`` are places in
    ``sources``; ``apart`` draws bins of one a*, b* beside each other; ``one_scale`` gives all
    histograms the same axis; ``ribbons`` shows what moves between those of the pair, which is
    usual where there are but two.
    """

    words: str
    concept: Concept | None
    sources: tuple[str, ...]
    method: str
    sort: str
    pair: tuple[int, int]
    apart: bool
    one_scale: bool
    ribbons: bool


@dataclass(frozen=True)
class PageSource:
    """A source as a distribution, or the sentence that says why it is none.

    ``measured`` of ``images`` were measured so far where others are still to be: there is neither
    of the two then.
    """

    letter: str
    source: str
    label: str
    distribution: Distribution | None = field(repr=False)
    problem: str = ""
    measured: int = 0
    images: int = 0


def read_concept(query: Mapping[str, str]) -> tuple[str, Concept | None]:
    """The concept of a link: ``concept`` is an id, ``words`` a normal form. Raises BadInput for an
    id that there is not, and where both are missing."""
    concept_id = query.get("concept", "").strip()
    if concept_id:
        concept = by_id().get(concept_id)
        if concept is None:
            raise BadInput(
                f"There is no concept {concept_id[:MAX_WORDS]!r}. Choose one from the list above."
            )
        return concept.words, concept
    text = normal(query.get("words", "")[:MAX_WORDS])
    if not text:
        raise BadInput("Choose a concept first.")
    return text, concept_of(text)


def question_of(query: Mapping[str, str]) -> ConceptQuestion:
    """Checks a question. Raises BadInput for what is not known."""
    # One's own images can be compared before anyone says what they show.
    alone = not (query.get("concept") or query.get("words")) and query.get("d")
    text, concept = ("", None) if alone else read_concept(query)
    listed = [part.strip() for part in query.get("d", "").split(",")]
    sources = tuple(dict.fromkeys(part for part in listed if part))
    if len(sources) > MAX_SOURCES:
        raise BadInput(
            f"At most {MAX_SOURCES} distributions can be compared; these are {len(sources)}. "
            "Remove some."
        )
    method, sort = query.get("method") or EXTRACTED, query.get("sort") or "hue"
    if method not in METHODS:
        raise BadInput(f"There is no method {method[:40]!r}: {', '.join(METHODS)}.")
    if sort not in SORTS:
        raise BadInput(f"Bins are sorted by {', '.join(SORTS)}; not by {sort[:40]!r}.")
    return ConceptQuestion(
        text,
        concept,
        sources,
        method,
        sort,
        _pair(query.get("pair", ""), len(sources)),
        query.get("apart", "1") != "0",
        query.get("scale", "one") != "own",
        (query.get("between") or ("moves" if len(sources) == 2 else "bins")) == "moves",
    )


def _pair(text: str, count: int) -> tuple[int, int]:
    """Two places, ``0-1`` when nothing that fits is given: one may have been removed."""
    first, _, second = text.partition("-")
    a, b = whole(first, count - 1), whole(second, count - 1)
    return (0, 1) if a is None or b is None or a == b else (a, b)


def page_sources(
    context: Context, question: ConceptQuestion, budget_s: float = math.inf
) -> list[PageSource]:
    """Every source by itself: one that cannot be had leaves the others alone. Images that were not
    measured yet are measured for ``budget_s``; the next call goes on."""
    entries = []
    until_s = time.monotonic() + budget_s
    for letter, source in zip(LETTERS, question.sources, strict=False):
        try:
            measured, images = measure(context, source, question.words, until_s)
            if measured < images:
                label = label_of(context, source)
                entries.append(
                    PageSource(letter, source, label, None, measured=measured, images=images)
                )
                continue
            source_distribution = distribution(context, source, question.words, question.method)
        except Exception as error:  # in words at its place; unforeseen ones are logged
            entries.append(
                PageSource(letter, source, _source_name(context, source), None, message_of(error))
            )
        else:
            entries.append(
                PageSource(letter, source, source_distribution.label, source_distribution)
            )
    return entries


def pair_of(context: Context, question: ConceptQuestion) -> tuple[PageSource, PageSource]:
    """The two that are looked at closely. Raises BadInput where there are no two, and with the
    words of the one that cannot be had."""
    if len(question.sources) < 2:
        raise BadInput("Add a second distribution to compare with.")
    every = page_sources(context, question)
    first, second = (every[index] for index in question.pair)
    for entry in (first, second):
        if entry.distribution is None:
            raise BadInput(f"{entry.letter}: {entry.problem}")
    return first, second


def _source_name(context: Context, source: str) -> str:
    try:
        return label_of(context, source)
    except Exception:  # the problem itself is told; here is but a name missing
        return source
