"""The view "A concept" of Compare: distributions of one concept, compared, as JSON."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.color.distances import compare, emd_flow
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.own import PREFIX
from truehue.core.concepts.records import METHODS, PIXELS
from truehue.core.prompts.concepts import Concept, concepts
from truehue.tabs.compare.concept.link import (
    ConceptQuestion,
    PageSource,
    page_sources,
    pair_of,
    question_of,
    read_concept,
)
from truehue.tabs.compare.concept.plane import MAX_ARROWS, bubbles, flow
from truehue.tabs.compare.histograms import (
    SORTS,
    Histogram,
    histograms,
    mirror_histograms,
    order_of,
    palettes,
)
from truehue.tabs.compare.images import ImageRow, image_row
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.shared_answers import NamedChoice
from truehue.tabs.sources.distributions import Choice, choices, describe_kind, masks_note
from truehue.tabs.sources.numbers import (
    METRICS,
    IntervalJson,
    Metric,
    NumberJson,
    PairMetric,
    interval_json,
    metrics_json,
    numbers_json,
)

if TYPE_CHECKING:
    from truehue.core.concepts.distribution import Distribution, Intervals

MEASURE_S = 1.0
"""For so long the images of a question are measured; the page asks again until all are."""
DRAWS = 500
SEED = 71
MAX_KEPT = 60
SHOWN_BINS = 5
MAX_AT_FIRST = 3
RATINGS_NOTE = "ratings, normalized"

_KEPT: LruCache[Intervals] = LruCache(MAX_KEPT)
_DRAWN: LruCache[np.ndarray | None] = LruCache(MAX_KEPT)


class BinJson(TypedDict):
    """A bin of UW-71."""

    index: int
    name: str
    hex: str
    lab: list[float]


class BinsView(TypedDict):
    """The bins, and what does not depend on data."""

    bins: list[BinJson]
    orders: dict[str, list[int]]
    sorts: list[NamedChoice]
    methods: list[NamedChoice]
    metrics: list[PairMetric]


class DistributionJson(TypedDict):
    """A source; only the first fields where it has no distribution: then ``problem`` says why, or
    ``measuring`` how many of its images are measured."""

    letter: str
    source: str
    label: str
    problem: str
    measuring: list[int] | None
    kind: NotRequired[str]
    count: NotRequired[int]
    counted: NotRequired[str]
    notes: NotRequired[list[str]]
    weights: NotRequired[list[float]]
    fullest: NotRequired[list[int]]
    pictures: NotRequired[bool]
    people: NotRequired[bool]
    fixed: NotRequired[str]
    image: NotRequired[ImageRow | None]
    masks: NotRequired[str]


class PairNumbers(TypedDict):
    """The numbers of two distributions; ``dominant`` are their fullest bins."""

    a: str
    b: str
    letters: list[str]
    numbers: dict[str, NumberJson]
    dominant: list[int]
    tied: list[int]
    hue_literal: float


class MoveJson(TypedDict):
    """A mass that moves from one bin to another."""

    source: int
    target: int
    mass: float
    distance: float
    cost: float


class FlowView(TypedDict):
    """The transport plan of a pair; its figure has the largest ``drawn`` moves."""

    moves: list[MoveJson]
    emd: float
    moved: float
    letters: list[str]
    drawn: int
    drawn_cost: float
    figure: dict[str, Any]


class ConceptView(TypedDict):
    """The distributions of a concept, the numbers of every pair, and the figures."""

    distributions: list[DistributionJson]
    pairs: list[PairNumbers]
    pair: list[int]
    figures: dict[str, dict[str, Any]]
    flow: FlowView | None
    between: str


class IntervalsView(TypedDict):
    """The intervals of the numbers of a pair, by metric."""

    a: str
    b: str
    draws: int
    intervals: dict[str, IntervalJson | None]
    undefined: dict[str, int]
    notes: list[str]


class ConceptFacts(TypedDict):
    """A concept of ColorConceptBench."""

    id: str
    words: str
    thing: str
    modifier: str
    kind: str
    category: str


class SourceChoice(TypedDict):
    """A source that can be compared."""

    source: str
    label: str
    kind: str
    count: int
    note: str


class ConceptChoices(TypedDict):
    """A concept with its siblings and sources; ``begin`` are those that are shown first."""

    words: str
    concept: ConceptFacts | None
    siblings: list[ConceptFacts]
    choices: list[SourceChoice]
    begin: list[str]


def bins_view() -> BinsView:
    """The 71 bins, their orders that do not depend on data, methods and metrics."""
    return {
        "bins": [
            {"index": bin_.index, "name": bin_.name, "hex": bin_.hex, "lab": list(bin_.lab)}
            for bin_ in uw71()
        ],
        "orders": {sort: order_of(sort, []) for sort in ("canonical", "hue")},
        "sorts": [{"id": sort, "name": name} for sort, name in SORTS.items()],
        "methods": [{"id": method, "name": text} for method, text in METHODS.items()],
        "metrics": metrics_json(),
    }


def concept_view(context: Context, query: Mapping[str, str]) -> ConceptView:
    """Distributions, their figures and the numbers of every pair.

    ``query``: ``concept`` or ``words``, ``d`` (sources), ``method``, ``sort``, ``pair``, ``apart``,
    ``scale``, ``between``. A source that cannot be had is told at its place. Raises BadInput for a
    question that is none.
    """
    question = question_of(query)
    every = page_sources(context, question, MEASURE_S)
    measured_entries = [entry for entry in every if entry.distribution is not None]
    # Instead of one that cannot be had, the first two that can.
    usable = [index for index, entry in enumerate(every) if entry.distribution is not None]
    if len(usable) > 1 and not set(question.pair) <= set(usable):
        question = replace(question, pair=(usable[0], usable[1]))
    shown = {entry.source: histogram_of(entry) for entry in measured_entries}
    answer: ConceptView = {
        "distributions": [_with_image(context, question, entry) for entry in every],
        "pairs": [_pair(first, second) for first, second in combinations(measured_entries, 2)],
        "pair": list(question.pair),
        "figures": {},
        "flow": None,
        "between": "moves" if question.ribbons else "bins",
    }
    if measured_entries:
        listed = list(shown.values())
        answer["figures"]["histograms"] = histograms(
            listed, question.sort, one_scale=question.one_scale
        )
        answer["figures"]["palettes"] = palettes(listed)
    closely = _closely(question, every, shown)
    if closely:
        first, second = closely
        answer["figures"]["mirrored"] = mirror_histograms(
            first,
            second,
            question.sort,
            list(shown.values()),
            one_scale=question.one_scale,
            moves=emd_flow(first.weights, second.weights) if question.ribbons else (),
        )
        answer["figures"]["map"] = bubbles(first, second, apart=question.apart)
        answer["flow"] = _moves(first, second, apart=question.apart)
    return answer


def flow_view(context: Context, query: Mapping[str, str]) -> FlowView:
    """The transport plan from the first of the pair to the second. Raises BadInput."""
    question = question_of(query)
    first, second = (histogram_of(entry) for entry in pair_of(context, question))
    return _moves(first, second, apart=question.apart)


def intervals_view(context: Context, query: Mapping[str, str]) -> IntervalsView:
    """95% bootstrap intervals of the numbers of the ``pair``, over images or people.

    Each as ``low``, ``high`` and ``text``, or None; ``notes`` say what was kept as it is, and why.
    Raises BadInput.
    """
    first, second = pair_of(context, question_of(query))
    intervals = intervals_of(first, second)
    return {
        "a": first.source,
        "b": second.source,
        "draws": intervals.draws,
        "intervals": {
            metric.id: interval_json(metric, span_of(metric, intervals)) for metric in METRICS
        },
        "undefined": {metric.id: intervals.undefined.get(metric.field, 0) for metric in METRICS},
        "notes": list(intervals.notes),
    }


def intervals_of(first: PageSource, second: PageSource) -> Intervals:
    """The intervals of a pair; both must have been found. Those of the last pairs are kept: a table
    is saved with the numbers that are on the page. So are the draws of the last distributions: one
    stands in several pairs."""
    from truehue.core.concepts.distribution import draws_of, intervals_of_draws

    assert first.distribution is not None
    assert second.distribution is not None
    sides = (first.distribution, second.distribution)
    contents = tuple(_content(distribution) for distribution in sides)

    def compute() -> Intervals:
        first_drawn, second_drawn = (
            _DRAWN.get((content, side), partial(draws_of, distribution, side, DRAWS, SEED))
            for side, (distribution, content) in enumerate(zip(sides, contents, strict=True))
        )
        return intervals_of_draws(*sides, first_drawn, second_drawn)

    return _KEPT.get(contents, compute)


def _content(distribution: Distribution) -> Hashable:
    """All that the draws of a distribution depend on."""
    return (
        distribution.label,
        distribution.method,
        distribution.weights.tobytes(),
        distribution.profiles,
        distribution.units,
        tuple(row.weights.tobytes() for row in distribution.rows),
    )


def span_of(metric: Metric, intervals: Intervals) -> tuple[float, float] | None:
    """The interval of a metric; of the dominant bin it is the share of draws, twice."""
    if metric.id != "dominant_equal":
        return intervals.get(metric.field)
    share = intervals.dominant_equal
    return None if share is None else (share, share)


def histogram_of(entry: PageSource) -> Histogram:
    """The distribution for figures, with its palette."""
    assert entry.distribution is not None
    return Histogram(
        entry.letter, entry.label, entry.distribution.weights, palette_of(entry.distribution)
    )


def palette_of(
    distribution: Distribution,
) -> list[tuple[str, tuple[float, float, float], float]]:
    """Hex, CIELAB and weight of the colors, heaviest first: of an extraction the merged palette,
    else the bins themselves, which are all that is known."""
    extraction = distribution.extraction
    if extraction is not None and distribution.method != PIXELS:
        palette = extraction.palette
        colors = zip(palette.lab, palette.weights, strict=True)
        swatches = [
            (hex_of(lab_to_srgb8(lab)), (float(lab[0]), float(lab[1]), float(lab[2])), float(w))
            for lab, w in colors
        ]
    else:
        swatches = [
            (bin_.hex, bin_.lab, float(distribution.weights[bin_.index]))
            for bin_ in uw71()
            if distribution.weights[bin_.index] > 0
        ]
    return sorted(swatches, key=lambda color: -color[2])


def _entry_json(entry: PageSource) -> DistributionJson:
    head: DistributionJson = {
        "letter": entry.letter,
        "source": entry.source,
        "label": entry.label,
        "problem": entry.problem,
        "measuring": [entry.measured, entry.images] if entry.images else None,
    }
    if entry.distribution is None:
        return head
    weights = entry.distribution.weights
    fullest = sorted(range(len(weights)), key=lambda index: (-weights[index], index))
    return {
        **head,
        "kind": describe_kind(entry.distribution),
        "count": entry.distribution.count,
        "counted": _count_text(entry.distribution),
        "notes": list(entry.distribution.notes),
        "weights": [round(float(value), 7) for value in weights],
        "fullest": fullest[:SHOWN_BINS],
        "pictures": entry.distribution.of_pictures,
        "people": entry.distribution.of_people,
        "fixed": entry.distribution.fixed,
    }


def _with_image(context: Context, question: ConceptQuestion, entry: PageSource) -> DistributionJson:
    """A row; of a single image with what it is measured by, of images with whose mask counts."""
    row = _entry_json(entry)
    if entry.distribution is not None:
        row["image"] = image_row(context, entry.source, question.words)
        row["masks"] = masks_note(context, entry.source, question.words)
    return row


def _count_text(distribution: Distribution) -> str:
    if distribution.of_pictures and not distribution.of_people:
        return count_noun(distribution.count, "image")
    if distribution.count:
        return f"{distribution.count:,} {'person' if distribution.count == 1 else 'people'}"
    return "a mean of an unknown number of people" if distribution.of_people else "a mean"


def _pair(first: PageSource, second: PageSource) -> PairNumbers:
    assert first.distribution is not None
    assert second.distribution is not None
    numbers = compare(first.distribution.weights, second.distribution.weights)
    return {
        "a": first.source,
        "b": second.source,
        "letters": [first.letter, second.letter],
        "numbers": numbers_json(numbers),
        "dominant": list(numbers.dominant),
        "tied": list(numbers.tied),
        "hue_literal": numbers.delta_hue_literal_deg,
    }


def _closely(
    question: ConceptQuestion, every: Sequence[PageSource], shown: Mapping[str, Histogram]
) -> tuple[Histogram, Histogram] | None:
    """The pair that is looked at, where both of it are there."""
    if len(every) < 2:
        return None
    first, second = (every[index].source for index in question.pair)
    return (shown[first], shown[second]) if first in shown and second in shown else None


def _moves(first: Histogram, second: Histogram, *, apart: bool) -> FlowView:
    moves = emd_flow(first.weights, second.weights)
    return {
        "moves": [
            {
                "source": move.source,
                "target": move.target,
                "mass": move.mass,
                "distance": move.distance_lab,
                "cost": move.cost,
            }
            for move in moves
        ],
        "emd": sum(move.cost for move in moves),
        "moved": sum(move.mass for move in moves),
        "letters": [first.letter, second.letter],
        "drawn": min(len(moves), MAX_ARROWS),
        "drawn_cost": sum(move.cost for move in moves[:MAX_ARROWS]),
        "figure": flow(first, second, moves, apart=apart),
    }


def choices_view(context: Context, query: Mapping[str, str]) -> ConceptChoices:
    """A concept: its siblings, the distributions that can be compared, and the first selection.

    Raises BadInput for a concept that there is not.
    """
    text, concept = read_concept(query)
    entries = choices(context, text)
    return {
        "words": text,
        "concept": None if concept is None else concept_json(concept),
        "siblings": []
        if concept is None
        else [concept_json(candidate) for candidate in _family(context, concept)],
        "choices": [
            {
                "source": choice.source,
                "label": choice.label,
                "kind": choice.kind,
                "count": choice.count,
                "note": choice.note,
            }
            for choice in entries
        ],
        "begin": [choice.source for choice in begin_with(entries)],
    }


def _family(context: Context, concept: Concept) -> Sequence[Concept]:
    """A thing and its modified concepts."""
    if concept.id.startswith(PREFIX):
        own = context.storage.profiles.own_concepts()
        return [
            entry
            for entry in own
            if (entry.concept, entry.category) == (concept.concept, concept.category)
        ]
    return [entry for entry in concepts() if entry.base_id == concept.base_id]


def concept_json(concept: Concept) -> ConceptFacts:
    """One concept for the page."""
    return {
        "id": concept.id,
        "words": concept.words,
        "thing": concept.concept,
        "modifier": concept.modifier,
        "kind": concept.modifier_kind,
        "category": concept.category,
    }


def begin_with(entries: list[Choice]) -> list[Choice]:
    """What is shown when nobody chose: the first of people, then one of each run and set.

    Of people, shares of colorings come before ratings, which are none.
    """
    people = [choice for choice in entries if choice.kind == "people"]
    selection = sorted(people, key=lambda choice: choice.note == RATINGS_NOTE)[:1]
    seen = set[str]()
    for choice in entries:
        location = choice.source.partition("/")[0]
        if choice.kind != "people" and location not in seen:
            seen.add(location)
            selection.append(choice)
    if len(selection) < 2:
        selection += [choice for choice in entries if choice not in selection]
    return selection[:MAX_AT_FIRST]
