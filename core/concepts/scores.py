"""Concepts of runs against people's: one score a cell, with a reason where there is none.

Tables, sweeps and sensitivity count over these. Comparing 1,279 concepts in two styles by seven
models takes about two seconds the first time; what was compared once is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from threading import Event
from types import MappingProxyType

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.color.distances import Comparison, checked, compare, emd
from truehue.core.concepts.metrics import METRICS
from truehue.core.concepts.records import ConceptCell
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import STYLES, Concept, concepts

OnProgress = Callable[[int, int], None]
"""Told how many are done, of how many."""

KINDS = ("base", "visual state", "emotional")
"""Of concepts, in the order of the paper's tables."""

NO_PEOPLE = "no distribution of people"
NOT_DRAWN = "not drawn by this run"
UNMEASURED = "no picture could be measured"
UNDEFINED = "not defined for these two distributions"
NOT_COMMON = "not there for every row"
REASONS: Mapping[str, str] = MappingProxyType(
    {
        NO_PEOPLE: "People's colors of the concept are not known.",
        NOT_DRAWN: "The run has no picture of the concept in this style.",
        UNMEASURED: "The run has pictures of the concept, but none could be measured.",
        UNDEFINED: "The number does not exist: a neutral dominant color has no hue, and with the "
        "same share in every bin nothing correlates.",
        NOT_COMMON: "Another row has no number for the concept, and rows are compared on the same "
        "concepts.",
    }
)
"""Why a concept is not in a number, with a sentence each."""

_KEPT = 60_000
_PROGRESS_EVERY = 200


@dataclass(frozen=True)
class Score:
    """One cell of a run against people; ``reason`` is a key of :data:`REASONS` where there is no
    ``comparison``."""

    run_id: str
    concept: Concept
    style: str
    guidance: float | None
    comparison: Comparison | None
    reason: str = ""

    def value(self, metric: str) -> float | None:
        """The number of that metric; None where there is none."""
        return None if self.comparison is None else METRICS[metric].of(self.comparison)


@cache
def by_id() -> Mapping[str, Concept]:
    """The benchmark's concepts by their ids."""
    return MappingProxyType({concept.id: concept for concept in concepts()})


@cache
def base_of() -> Mapping[str, str]:
    """The id of the thing as such, by the ids of its modified concepts."""
    things = {concept.base_id: concept.id for concept in concepts() if not concept.modifier}
    return MappingProxyType(
        {concept.id: things[concept.base_id] for concept in concepts() if concept.modifier}
    )


def scores(
    cells: Sequence[ConceptCell],
    people: Mapping[str, np.ndarray],
    on_progress: OnProgress = lambda done, total: None,
    stop: Event | None = None,
) -> tuple[Score, ...] | None:
    """A score for every run, style, scale and concept that one of the cells or people have.

    ``people`` are distributions ``(71,)`` by concept id. Every run has a score for every such
    concept in each of its styles and scales, with a reason where nothing could be compared, so that
    what is left out is counted. Concepts that are not the benchmark's are no part of it. Returns
    None once ``stop`` is set.

    Raises BadInput for cells of more than one method and for two cells of the same place.
    """
    placed = placed_cells(cells)
    people_weights = people_of(people)
    concept_ids = sorted({place[3] for place in placed} | people_weights.keys())
    groups = sorted({place[:3] for place in placed}, key=_order)
    total, score_list = len(groups) * len(concept_ids), []
    for run_id, style, guidance in groups:
        for concept_id in concept_ids:
            if stop is not None and stop.is_set():
                return None
            cell = placed.get((run_id, style, guidance, concept_id))
            reason = (
                NO_PEOPLE
                if concept_id not in people_weights
                else NOT_DRAWN
                if cell is None
                else UNMEASURED
                if cell.weights is None
                else ""
            )
            comparison = (
                None
                if reason or cell is None or cell.weights is None
                else compared(people_weights[concept_id], cell.weights)
            )
            score_list.append(
                Score(run_id, by_id()[concept_id], style, guidance, comparison, reason)
            )
            if len(score_list) % _PROGRESS_EVERY == 0:
                on_progress(len(score_list), total)
    on_progress(total, total)
    return tuple(score_list)


Place = tuple[str, str, float | None, str]
"""Run, style, guidance and concept id of a cell."""


def placed_cells(cells: Iterable[ConceptCell]) -> dict[Place, ConceptCell]:
    """The cells of the benchmark's concepts by their place. Raises BadInput as :func:`scores`."""
    cells_by_place: dict[Place, ConceptCell] = {}
    methods = set()
    for cell in cells:
        methods.add(cell.method)
        if len(methods) > 1:
            raise BadInput(
                "These distributions were made in different ways: "
                f"{' and '.join(sorted(methods))}. Choose one for all of them."
            )
        if cell.concept_id not in by_id():
            continue
        place = (cell.run_id, cell.style, cell.guidance, cell.concept_id)
        if place in cells_by_place:
            raise BadInput(
                f"The run {cell.run_id} has two distributions of {cell.concept_id} in the style "
                f"{cell.style}: give one of them."
            )
        cells_by_place[place] = cell
    return cells_by_place


def people_of(people: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Distributions ``(71,)`` of the benchmark's concepts alone, by their ids. Raises
    NotADistribution for a bad one."""
    return {
        concept_id: checked(weights, f"People's distribution of {concept_id}")
        for concept_id, weights in people.items()
        if concept_id in by_id()
    }


def styles_of(styles: Iterable[str]) -> tuple[str, ...]:
    """Styles once each: photo, cartoon, then others by name."""
    style_set = set(styles)
    return (*(style for style in STYLES if style in style_set), *sorted(style_set - STYLES.keys()))


def compared(p: np.ndarray, q: np.ndarray) -> Comparison:
    """:func:`truehue.core.color.distances.compare`, kept."""
    return _COMPARED.get((_digest(p), _digest(q)), lambda: compare(p, q))


def moved_lab(p: np.ndarray, q: np.ndarray) -> float:
    """:func:`truehue.core.color.distances.emd`, kept."""
    return _MOVED.get((_digest(p), _digest(q)), lambda: emd(p, q))


def _order(group: tuple[str, str, float | None]) -> tuple[str, str, float]:
    run_id, style, guidance = group
    return run_id, style, -1.0 if guidance is None else guidance


def _digest(weights: np.ndarray) -> bytes:
    return blake2b(np.ascontiguousarray(weights).tobytes(), digest_size=16).digest()


_COMPARED: LruCache[Comparison] = LruCache(_KEPT)
_MOVED: LruCache[float] = LruCache(_KEPT)
