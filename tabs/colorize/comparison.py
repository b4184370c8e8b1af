"""The nearest colorings of people and models to a given coloring of a concept."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.color.distances import compare
from truehue.core.color.notation import lab_text
from truehue.core.color.people import naming
from truehue.core.color.spaces import hex_of, masked_srgb24, srgb8_to_lab, unpack_srgb24
from truehue.core.color.systems import nearest_names
from truehue.core.concepts.distribution import Distribution, of_pictures
from truehue.core.concepts.matching import concept_of, normal
from truehue.core.concepts.records import EXTRACTED
from truehue.core.errors import NoPixels
from truehue.core.sketches.records import INK
from truehue.tabs.colorize.images import ColoringRequest, Painted, replay_coloring
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun, message_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.distributions import (
    RUN,
    Choice,
    choices,
    describe_kind,
    distribution,
    parse,
)
from truehue.tabs.sources.numbers import PairMetric, metrics_json, numbers_json

OWN = "This coloring"
MAX_COLORS = 12
"""Of the colors that were chosen, so many are named; the others are counted."""
MAX_SOURCES = 40
SYSTEM = "l3"
_DISTRIBUTIONS: LruCache[Distribution] = LruCache(512)


class ChosenColor(TypedDict):
    """A color that was chosen, and its share of what counts: ``name`` is what people call it most,
    ``standard`` its nearest name of ISCC-NBS level 3."""

    hex: str
    name: str
    standard: str
    lab: str
    share: float


class ChosenColors(TypedDict):
    """The chosen colors, most first, and how many more there are."""

    listed: list[ChosenColor]
    more: int
    more_share: float


class OtherColors(TypedDict):
    """How many distributions there are to compare with."""

    people: int
    others: int


class OtherDistribution(TypedDict):
    """A distribution of the concept; ``numbers`` are by metric."""

    source: str
    label: str
    people: bool
    kind: str
    counted: str
    weights: list[float]
    numbers: Mapping[str, Mapping[str, Any]]


class ComparedSources(TypedDict):
    """All distributions of a concept, nearest first, and what cannot be read."""

    against: list[OtherDistribution]
    problems: list[str]
    concept: str


class ColoringComparison(TypedDict):
    """A coloring among the distributions of its concept; ``of`` says how many there are while
    nothing is colored, and then there is nothing else."""

    checksum: str
    words: str
    metrics: list[PairMetric]
    colored: float
    of: NotRequired[OtherColors]
    colors: NotRequired[ChosenColors]
    weights: NotRequired[list[float]]
    notes: NotRequired[list[str]]
    against: NotRequired[list[OtherDistribution]]
    problems: NotRequired[list[str]]
    concept: NotRequired[str]


@requires("look")
def compare_view(context: Context, actor: Actor, request: ColoringRequest) -> ColoringComparison:
    """The colors of a coloring, and their distances from all distributions of the concept.

    ``colors`` are those that were chosen, with their shares; ``weights`` the 71 bins, by the same
    extraction as for models' pictures; ``compare_with_sources`` the others, nearest first. Where nothing is
    colored yet all but the concept's name is excluded.
    """
    source = replay_coloring(context, request.sketch, request.actions)
    text = normal(request.words)
    head: ColoringComparison = {
        "checksum": source.checksum,
        "words": text,
        "metrics": metrics_json(),
        "colored": 0.0,
    }
    try:
        own = own_distribution(source)
    except NoPixels:
        return {**head, "of": others_of(context, text)}
    return {
        **head,
        "colored": _colored(source),
        "colors": chosen_colors(source),
        "weights": _rounded(own.weights),
        "notes": list(own.notes[:1]),
        **compare_with_sources(context, text, own.weights),
    }


def own_distribution(source: Painted) -> Distribution:
    """The distribution of one coloring. Raises NoPixels where nothing is colored."""
    from truehue.annotation.colorings import profile

    own = profile(source.layer, source.sketch.ink)
    return of_pictures(OWN, [own], EXTRACTED, of_people=True)


def _colored(source: Painted) -> float:
    """The share of the paper, 0 to 1, that has a color."""
    paper = source.sketch.ink >= INK
    colored = np.count_nonzero(paper & (source.layer[..., 3] > 0))
    return float(colored) / max(int(np.count_nonzero(paper)), 1)


def chosen_colors(source: Painted) -> ChosenColors:
    """The chosen colors, most first, each as name, hex and Lab, with its share of what counts; and
    how many more there are."""
    from truehue.annotation.colorings import concept_mask

    mask = concept_mask(source.layer, source.sketch.ink)
    codes, counts = np.unique(masked_srgb24(source.layer[..., :3], mask), return_counts=True)
    order = np.lexsort((codes, -counts))
    shown = order[:MAX_COLORS]
    srgb8 = unpack_srgb24(codes[shown])
    listed: list[ChosenColor] = []
    for color, count, lab in zip(srgb8, counts[shown], srgb8_to_lab(srgb8), strict=True):
        standard, _ = nearest_names(lab, SYSTEM, 1)[0]
        people = naming(lab).names
        listed.append(
            {
                "hex": hex_of(color),
                "name": people[0].name if people else standard.name,
                "standard": standard.name,
                "lab": lab_text(lab),
                "share": float(count) / float(counts.sum()),
            }
        )
    rest = float(counts[order[MAX_COLORS:]].sum()) / float(counts.sum())
    return {"listed": listed, "more": max(len(codes) - MAX_COLORS, 0), "more_share": rest}


def others_of(context: Context, text: str) -> OtherColors:
    """How many there are to compare with: people's, and models' and others'."""
    entries = _entries(context, text)
    people = sum(entry.kind == "people" for entry in entries)
    return {"people": people, "others": len(entries) - people}


def compare_with_sources(context: Context, text: str, own: np.ndarray) -> ComparedSources:
    """All that is here of a concept, nearest to ``own`` ``(71,)`` first by EMD; what cannot be
    had is told at its end."""
    rows, problems = [], []
    for entry in _entries(context, text):
        try:
            of_entry = _distribution(context, entry, text)
        except Exception as error:  # of one source: the others are shown all the same
            problems.append(f"{entry.label}: {message_of(error)}")
            continue
        numbers = compare(own, of_entry.weights)
        rows.append((numbers.emd_lab, _row(entry, of_entry, numbers_json(numbers))))
    rows.sort(key=lambda row: row[0])
    concept = concept_of(text)
    return {
        "against": [row for _, row in rows],
        "problems": problems,
        "concept": concept.id if concept else "",
    }


def _row(
    entry: Choice, of_entry: Distribution, numbers: Mapping[str, Mapping[str, Any]]
) -> OtherDistribution:
    number = ""
    if of_entry.count and entry.kind == "people":
        number = f"{of_entry.count:,} {'person' if of_entry.count == 1 else 'people'}"
    elif of_entry.count and of_entry.of_pictures:
        number = count_noun(of_entry.count, "image")
    return {
        "source": entry.source,
        "label": entry.label,
        "people": entry.kind == "people",
        "kind": describe_kind(of_entry),
        "counted": number,
        "weights": _rounded(of_entry.weights),
        "numbers": numbers,
    }


def _entries(context: Context, text: str) -> Sequence[Choice]:
    """What there is of a concept, people first; of a run all guidance scales together."""
    if not text:
        return ()
    entries = [
        choice
        for choice in choices(context, text)
        if (source := parse(choice.source)).kind != RUN or source.guidance is None
    ]
    return entries[:MAX_SOURCES]


def _distribution(context: Context, entry: Choice, text: str) -> Distribution:
    """The distribution of a source; kept, as it is asked for after each action. Of a run that goes
    on the number of its images makes it another one."""
    key: Hashable = (
        str(context.storage.data_dir),
        context.deletions,
        entry.source,
        entry.count,
        text,
    )
    return _DISTRIBUTIONS.get(key, lambda: distribution(context, entry.source, text, EXTRACTED))


def _rounded(weights: np.ndarray) -> list[float]:
    return [round(float(value), 7) for value in weights]
