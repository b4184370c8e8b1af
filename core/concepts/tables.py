"""How well runs agree with people: tables like ColorConceptBench's tables 1 and 2.

Rows are runs; columns are groups of concepts (things as such, visual states, moods; or categories)
by style by metric. Every number says how many concepts it is a mean of, and why others are not in
it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event

import numpy as np

from truehue.core.concepts.means import Number, mean_of, placed
from truehue.core.concepts.metrics import MEANINGS, METRICS
from truehue.core.concepts.records import ConceptCell
from truehue.core.concepts.scores import (
    KINDS,
    NOT_COMMON,
    UNDEFINED,
    OnProgress,
    Score,
    by_id,
    people_of,
    scores,
    styles_of,
)
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import Concept

METRICS_SHOWN = tuple(MEANINGS)

BY_KIND, BY_CATEGORY = "kind", "category"

Column = tuple[str, str, str]
"""Group (a kind of concept, or a category), style and metric."""


@dataclass(frozen=True)
class Alignment:
    """A table. ``cells`` by run id and column; ``groups``, ``styles`` and ``metrics`` are the
    columns' parts in order; ``concepts`` how many concepts a group has here, those of the runs and
    of people together. ``by`` is what the groups are, ``common`` whether all rows are on the same
    concepts. ``unknown`` are concept ids that are not the benchmark's and in no number, ``method``
    how the runs' distributions were made, empty where there is no cell.
    """

    runs: tuple[str, ...]
    groups: tuple[str, ...]
    styles: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: Mapping[tuple[str, Column], Number] = field(repr=False)
    concepts: Mapping[str, int] = field(default_factory=dict)
    by: str = BY_KIND
    common: bool = False
    people: int = 0
    unknown: tuple[str, ...] = ()
    method: str = ""

    def number(self, run_id: str, group: str, style: str, metric: str) -> Number:
        """One cell; a number without a value where the run was not drawn in that style."""
        return self.cells.get((run_id, (group, style, metric)), Number(None, 0, {}))


@dataclass(frozen=True)
class TableChoice:
    """What a table shows.

    ``by`` is ``kind`` or ``category``; ``kinds`` and ``categories`` choose concepts (no category
    means all). ``guidance`` chooses the cells of one scale, None those of all scales together. With
    ``common`` a number is over the concepts alone that every row has that number of; a row without
    any in that group and style does not count as a row.
    """

    metrics: Sequence[str] = METRICS_SHOWN
    by: str = BY_KIND
    kinds: Sequence[str] = KINDS
    categories: Sequence[str] = ()
    guidance: float | None = None
    common: bool = False


EVERY_KIND = TableChoice()
"""All metrics of both tables, by kind of concept, over all scales of guidance together."""


def alignment(
    cells: Sequence[ConceptCell],
    people: Mapping[str, np.ndarray],
    choice: TableChoice = EVERY_KIND,
    *,
    on_progress: OnProgress = lambda done, total: None,
    stop: Event | None = None,
) -> Alignment | None:
    """The table of the runs in ``cells`` against ``people``, distributions ``(71,)`` by concept id.

    Best and second are marked in each column, whatever its concepts: without ``common`` rows can be
    on different ones.

    Returns None once ``stop`` is set. Raises BadInput for unknown metrics and groupings, for cells
    of more than one method, and for people's numbers that are no distribution.
    """
    check_metrics(choice.metrics)
    if choice.by not in (BY_KIND, BY_CATEGORY):
        raise BadInput(f"A table is by {BY_KIND} or by {BY_CATEGORY}, not {choice.by!r}.")
    chosen = [cell for cell in cells if cell.guidance == choice.guidance]
    score_list = scores(chosen, people, on_progress, stop)
    if score_list is None:
        return None
    there = [
        score
        for score in score_list
        if score.concept.modifier_kind in choice.kinds
        and (not choice.categories or score.concept.category in choice.categories)
    ]
    table = of_scores(there, choice.metrics, choice.by, choice.common)
    concept_ids = {cell.concept_id for cell in chosen} | people.keys()
    return replace(
        table,
        people=len(people_of(people)),
        unknown=tuple(sorted(concept_ids - by_id().keys())),
        method=chosen[0].method if chosen else "",
    )


def of_scores(
    score_list: Sequence[Score],
    metrics: Sequence[str] = METRICS_SHOWN,
    by: str = BY_KIND,
    common: bool = False,
) -> Alignment:
    """The table of scores that are there already; see :func:`alignment`."""
    runs = tuple(dict.fromkeys(score.run_id for score in score_list))
    styles = styles_of(score.style for score in score_list)
    members: dict[tuple[str, str], dict[str, list[Score]]] = defaultdict(lambda: defaultdict(list))
    concepts: dict[str, set[str]] = defaultdict(set)
    for score in score_list:
        group = group_of(score.concept, by)
        members[group, score.style][score.run_id].append(score)
        concepts[group].add(score.concept.id)
    groups = groups_in_order(concepts, by)
    cells: dict[tuple[str, Column], Number] = {}
    for (group, style), rows in members.items():
        for metric in metrics:
            column = placed(list(column_of(rows, metric, common).values()), metric)
            for run_id, number in zip(rows, column, strict=True):
                cells[run_id, (group, style, metric)] = number
    return Alignment(
        runs,
        groups,
        styles,
        tuple(metrics),
        cells,
        {group: len(concepts[group]) for group in groups},
        by,
        common,
    )


def column_of(
    rows: Mapping[str, Sequence[Score]], metric: str, common: bool = False
) -> dict[str, Number]:
    """One metric of several rows, by their keys: the mean over concepts of each.

    With ``common``, over the concepts that every row has that has any.
    """
    values = {
        key: {(score.concept.id, score.style): score.value(metric) for score in scored}
        for key, scored in rows.items()
    }
    shared: set[tuple[str, str]] | None = None
    if common:
        full = [
            {position for position, value in row.items() if value is not None}
            for row in values.values()
        ]
        full = [row for row in full if row]
        shared = set.intersection(*full) if full else set()
    numbers = {}
    for key, scored in rows.items():
        scored_values, names, reasons = [], [], []
        for score in scored:
            index = score.concept.id, score.style
            value = values[key][index]
            if value is None:
                reasons.append(score.reason or UNDEFINED)
            elif shared is not None and index not in shared:
                reasons.append(NOT_COMMON)
            else:
                scored_values.append(value)
                names.append(score.concept.id)
        numbers[key] = mean_of(scored_values, reasons, names)
    return numbers


def group_of(concept: Concept, by: str) -> str:
    """The group of a concept: its kind, or its category."""
    return concept.modifier_kind if by == BY_KIND else concept.category


def groups_in_order(groups: Mapping[str, object], by: str) -> tuple[str, ...]:
    """Groups as the benchmark lists them."""
    order = KINDS if by == BY_KIND else tuple(dict.fromkeys(c.category for c in by_id().values()))
    return tuple(group for group in order if group in groups)


def check_metrics(metrics: Sequence[str]) -> None:
    """Raises BadInput for a metric that is none, naming those that are."""
    for metric in metrics:
        if metric not in METRICS:
            raise BadInput(f"There is no metric {metric!r}. Use {', '.join(METRICS)}.")
