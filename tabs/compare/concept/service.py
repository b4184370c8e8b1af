"""The view "A concept" of Compare: distributions of one concept beside each other, as JSON."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from core.cache import LruCache
from core.color.distances import compare, emd_flow
from core.color.spaces import hex_of, lab_to_srgb8
from core.color.uw71 import uw71
from core.concepts.records import METHODS, PIXELS, RATINGS
from tabs.compare.concept.link import Asked, Resolved, asked, pair_of, resolved
from tabs.compare.concept.plane import MOST_ARROWS, bubbles, flow
from tabs.compare.histograms import SORTS, Shown, histograms, mirrored, order_of, palettes
from tabs.compare.images import image_row
from tabs.compare.numbers import METRICS, Metric, interval_json, metrics_json, numbers_json
from tabs.page.context import Context
from tabs.page.errors import many

if TYPE_CHECKING:
    from core.concepts.distribution import Distribution
    from core.concepts.intervals import Intervals

DRAWS = 500
SEED = 71
MOST_KEPT = 60
SHOWN_BINS = 5

_KEPT: LruCache[Intervals] = LruCache(MOST_KEPT)
_DRAWN: LruCache[np.ndarray | None] = LruCache(MOST_KEPT)


def bins_view() -> dict[str, Any]:
    """The 71 bins, their orders that do not depend on data, methods and metrics."""
    return {
        "bins": [
            {"index": one.index, "name": one.name, "hex": one.hex, "lab": list(one.lab)}
            for one in uw71()
        ],
        "orders": {sort: order_of(sort, []) for sort in ("canonical", "hue")},
        "sorts": [{"id": sort, "name": name} for sort, name in SORTS.items()],
        "methods": [{"id": method, "name": words} for method, words in METHODS.items()],
        "metrics": metrics_json(),
    }


def concept_view(context: Context, given: Mapping[str, str]) -> dict[str, Any]:
    """Distributions, their figures and the numbers of every pair.

    ``given``: ``concept`` or ``words``, ``d`` (sources), ``method``, ``sort``, ``pair``, ``apart``,
    ``scale``, ``between``. A source that cannot be had is told at its place. Raises BadInput for a
    question that is none.
    """
    question = asked(given)
    every = resolved(context, question)
    there = [one for one in every if one.found is not None]
    # Instead of one that cannot be had, the first two that can.
    usable = [place for place, one in enumerate(every) if one.found is not None]
    if len(usable) > 1 and not set(question.pair) <= set(usable):
        question = replace(question, pair=(usable[0], usable[1]))
    shown = {one.source: shown_of(one) for one in there}
    answer: dict[str, Any] = {
        "distributions": [_with_image(context, question, one) for one in every],
        "pairs": [_pair(first, second) for first, second in combinations(there, 2)],
        "pair": list(question.pair),
        "figures": {},
        "flow": None,
        "between": "moves" if question.ribbons else "bins",
    }
    if there:
        listed = list(shown.values())
        answer["figures"]["histograms"] = histograms(
            listed, question.sort, one_scale=question.one_scale
        )
        answer["figures"]["palettes"] = palettes(listed)
    closely = _closely(question, every, shown)
    if closely:
        first, second = closely
        answer["figures"]["mirrored"] = mirrored(
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


def flow_view(context: Context, given: Mapping[str, str]) -> dict[str, Any]:
    """What would have to move from the first of the pair to the second. Raises BadInput."""
    question = asked(given)
    first, second = (shown_of(one) for one in pair_of(context, question))
    return _moves(first, second, apart=question.apart)


def intervals_view(context: Context, given: Mapping[str, str]) -> dict[str, Any]:
    """95% bootstrap intervals of the numbers of the ``pair``, over images or people.

    Each as ``low``, ``high`` and ``text``, or None; ``notes`` say what was kept as it is, and why.
    Raises BadInput.
    """
    first, second = pair_of(context, asked(given))
    found = intervals_of(first, second)
    return {
        "a": first.source,
        "b": second.source,
        "draws": found.draws,
        "intervals": {
            metric.id: interval_json(metric, span_of(metric, found)) for metric in METRICS
        },
        "undefined": {metric.id: found.undefined.get(metric.field, 0) for metric in METRICS},
        "notes": list(found.notes),
    }


def intervals_of(first: Resolved, second: Resolved) -> Intervals:
    """The intervals of a pair; both must have been found. Those of the last pairs are kept: a table
    is saved with the numbers that are on the page. So are the draws of the last distributions: one
    stands in several pairs."""
    from core.concepts.intervals import draws_of, intervals_of_draws

    assert first.found is not None
    assert second.found is not None
    sides = (first.found, second.found)
    contents = tuple(_content(one) for one in sides)

    def made() -> Intervals:
        first_drawn, second_drawn = (
            _DRAWN.get((content, side), partial(draws_of, one, side, DRAWS, SEED))
            for side, (one, content) in enumerate(zip(sides, contents, strict=True))
        )
        return intervals_of_draws(*sides, first_drawn, second_drawn)

    return _KEPT.get(contents, made)


def _content(found: Distribution) -> Hashable:
    """All that the draws of a distribution depend on."""
    return (
        found.label,
        found.method,
        found.weights.tobytes(),
        found.profiles,
        found.units,
        tuple(row.weights.tobytes() for row in found.rows),
    )


def span_of(metric: Metric, found: Intervals) -> tuple[float, float] | None:
    """The interval of a metric; of the dominant bin it is the share of draws, twice."""
    if metric.id != "dominant_equal":
        return found.get(metric.field)
    share = found.dominant_equal
    return None if share is None else (share, share)


def shown_of(one: Resolved) -> Shown:
    """The distribution for figures, with its palette."""
    assert one.found is not None
    return Shown(one.letter, one.label, one.found.weights, palette_of(one.found))


def palette_of(
    found: Distribution,
) -> list[tuple[str, tuple[float, float, float], float]]:
    """Hex, CIELAB and weight of the colors, heaviest first: of an extraction the merged palette,
    else the bins themselves, which are all that is known."""
    extraction = found.extraction
    if extraction is not None and found.method != PIXELS:
        palette = extraction.palette
        colors = zip(palette.lab, palette.weights, strict=True)
        out = [
            (hex_of(lab_to_srgb8(lab)), (float(lab[0]), float(lab[1]), float(lab[2])), float(w))
            for lab, w in colors
        ]
    else:
        out = [
            (one.hex, one.lab, float(found.weights[one.index]))
            for one in uw71()
            if found.weights[one.index] > 0
        ]
    return sorted(out, key=lambda color: -color[2])


def _one(one: Resolved) -> dict[str, Any]:
    head: dict[str, Any] = {
        "letter": one.letter,
        "source": one.source,
        "label": one.label,
        "problem": one.problem,
    }
    if one.found is None:
        return head
    weights = one.found.weights
    fullest = sorted(range(len(weights)), key=lambda index: (-weights[index], index))
    return {
        **head,
        "kind": kind_words(one.found),
        "count": one.found.count,
        "counted": _count_words(one.found),
        "notes": list(one.found.notes),
        "weights": [round(float(value), 7) for value in weights],
        "fullest": fullest[:SHOWN_BINS],
        "pictures": one.found.of_pictures,
        "people": one.found.of_people,
        "fixed": one.found.fixed,
    }


def _with_image(context: Context, question: Asked, one: Resolved) -> dict[str, Any]:
    """A row; of a single image with what it is measured by."""
    row = _one(one)
    if one.found is not None:
        row["image"] = image_row(context, one.source, question.words)
    return row


def kind_words(found: Distribution) -> str:
    """What the distribution is made of, in two or three words."""
    if found.kind == RATINGS:
        return "ratings, normalized"
    if not found.of_pictures:
        return found.kind
    by = "pixels of" if found.method == PIXELS else "extracted from"
    return f"{by} {'people’s colorings' if found.of_people else 'images'}"


def _count_words(found: Distribution) -> str:
    if found.of_pictures and not found.of_people:
        return many(found.count, "image")
    if found.count:
        return f"{found.count:,} {'person' if found.count == 1 else 'people'}"
    return "a mean; of how many people is not known" if found.of_people else "a mean"


def _pair(first: Resolved, second: Resolved) -> dict[str, Any]:
    assert first.found is not None
    assert second.found is not None
    numbers = compare(first.found.weights, second.found.weights)
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
    question: Asked, every: Sequence[Resolved], shown: Mapping[str, Shown]
) -> tuple[Shown, Shown] | None:
    """The pair that is looked at, where both of it are there."""
    if len(every) < 2:
        return None
    first, second = (every[place].source for place in question.pair)
    return (shown[first], shown[second]) if first in shown and second in shown else None


def _moves(first: Shown, second: Shown, *, apart: bool) -> dict[str, Any]:
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
        "drawn": min(len(moves), MOST_ARROWS),
        "drawn_cost": sum(move.cost for move in moves[:MOST_ARROWS]),
        "figure": flow(first, second, moves, apart=apart),
    }
