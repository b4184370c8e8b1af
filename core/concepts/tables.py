"""Agreement of runs with people: tables like ColorConceptBench's tables 1 and 2.

Rows are runs; columns are groups of concepts (unmodified, visual states, moods; or categories) by
style by metric. Every number states how many concepts it averages, and why others are excluded.
Intervals resample concepts. Numbers over equally many concepts share their resamples, so rows of
one table on the same concepts are resampled together.

Figure 5 plots EMD and PCC against the guidance scale, one line per model. The paper finds no
correlation of size with alignment; :func:`size_sweep` lists the numbers by size.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Event

import numpy as np

from truehue.core.analysis.intervals import RESAMPLES, SEED, interval
from truehue.core.concepts.metrics import MEANINGS, METRICS
from truehue.core.concepts.records import ConceptCell
from truehue.core.concepts.scores import (
    KINDS,
    NOT_COMMON,
    UNDEFINED,
    Score,
    by_id,
    people_of,
    scores,
    styles_of,
)
from truehue.core.errors import BadInput
from truehue.core.files import ReportProgress, ignore_progress
from truehue.core.prompts.concepts import Concept

SHOWN_DIGITS = 3
"""Decimals that numbers are placed by: those of the paper's tables."""


@dataclass(frozen=True)
class Number:
    """A mean over ``count`` numbers, one a concept, or one a concept and style; None where there is
    none.

    ``low`` and ``high`` are the percentile bootstrap's 95% interval over concepts (both styles of
    one are drawn together), None for fewer than two concepts and where all are equal. ``left_out``
    says how many have no part in it, by reason. ``place`` is 1 for the best and 2 for the second of
    a column, 0 for all others.
    """

    value: float | None
    count: int
    left_out: Mapping[str, int]
    low: float | None = None
    high: float | None = None
    place: int = 0


def mean_of(
    values: Sequence[float], reasons: Sequence[str], concepts: Sequence[str] | None = None
) -> Number:
    """The mean of ``values``; ``reasons`` are those of what is excluded, one each.

    ``concepts`` says which concept each value is of, where one may have several: those are drawn
    together, for they are no independent ones. None stands for a concept a value.
    """
    return _over(values, np.ones(len(values)), reasons, concepts)


def ratio_of(
    above: Sequence[float],
    below: Sequence[float],
    reasons: Sequence[str],
    concepts: Sequence[str] | None = None,
) -> Number:
    """The mean of ``above`` over the mean of ``below``, resampled in pairs; else as
    :func:`mean_of`. There is none where the mean below is 0.
    """
    return _over(above, np.array(below, dtype=np.float64), reasons, concepts)


def _over(
    above: Sequence[float],
    below: np.ndarray,
    reasons: Sequence[str],
    concepts: Sequence[str] | None,
) -> Number:
    """The sum above over the sum below, which are sums over concepts first."""
    left_out = dict(Counter(reasons))
    first = np.array(above, dtype=np.float64)
    if not first.size or below.sum() <= 0.0:
        return Number(None, 0, left_out)
    value = float(first.sum() / below.sum())
    unit = np.arange(first.size)
    if concepts is not None:
        unit = np.unique(np.array(concepts), return_inverse=True)[1]
    sample = resample_counts(int(unit.max()) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        samples = (sample @ np.bincount(unit, first)) / (sample @ np.bincount(unit, below))
    samples[~np.isfinite(samples)] = np.nan
    low, high = interval(samples) or (None, None)
    return Number(value, first.size, left_out, low, high)


@lru_cache(maxsize=64)
def _resample_counts(count: int) -> np.ndarray:
    rng = np.random.default_rng((SEED, count))
    sample = rng.integers(0, count, (RESAMPLES, count)) + np.arange(RESAMPLES)[:, None] * count
    times = np.bincount(sample.ravel(), minlength=RESAMPLES * count).reshape(RESAMPLES, count)
    counts = np.asarray(times, dtype=np.uint16)
    counts.flags.writeable = False
    return counts


def resample_counts(count: int) -> np.ndarray:
    """How often each of ``count`` concepts is drawn in each resample, float64
    ``(RESAMPLES, count)``; the same for the same count."""
    return _resample_counts(count).astype(np.float64)


def placed(numbers: Sequence[Number], metric: str) -> list[Number]:
    """The numbers of a column with their places, as they are shown: all that equal the best are
    best, all that equal the next number are second. There are no places for fewer than two."""
    shown = [
        None if number.value is None else round(number.value, SHOWN_DIGITS) for number in numbers
    ]
    values = [value for value in shown if value is not None]
    if len(values) < 2:
        return list(numbers)
    ranks = {
        value: rank
        for rank, value in enumerate(sorted(set(values), reverse=_high(metric)), start=1)
    }
    return [
        replace(number, place=rank if rank <= 2 else 0)
        for number, value in zip(numbers, shown, strict=True)
        for rank in (0 if value is None else ranks[value],)
    ]


def _high(metric: str) -> bool:
    return METRICS[metric].better == "high"


METRICS_SHOWN = tuple(MEANINGS)

BY_KIND, BY_CATEGORY = "kind", "category"

Column = tuple[str, str, str]
"""Group (a kind of concept, or a category), style and metric."""


@dataclass(frozen=True)
class Alignment:
    """A table. ``cells`` by run id and column; ``groups``, ``styles`` and ``metrics`` are the
    columns' parts in order; ``concepts`` how many concepts a group has here, those of the runs and
    of people together. ``by`` is what the groups are, ``common`` whether all rows are on the same
    concepts. ``unknown`` are ids that are no concept's and in no number, ``method``
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
    """The settings of a table.

    ``by`` is ``kind`` or ``category``; ``kinds`` and ``categories`` choose concepts (none
    means all). ``guidance`` chooses the cells of one scale, None those of all scales together. With
    ``common`` a number is over the concepts alone that every row has that number of; a row without
    any in that group and style does not count as a row.
    """

    metrics: Sequence[str] = METRICS_SHOWN
    by: str = BY_KIND
    kinds: Sequence[str] = ()
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
    on_progress: ReportProgress = ignore_progress,
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
        if (not choice.kinds or score.concept.modifier_kind in choice.kinds)
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
    """Groups as the benchmark lists them, then one's own by name."""
    order = KINDS if by == BY_KIND else tuple(dict.fromkeys(c.category for c in by_id().values()))
    own = sorted(group for group in groups if group not in order)
    return (*(group for group in order if group in groups), *own)


def check_metrics(metrics: Sequence[str]) -> None:
    """Raises BadInput for a metric that is none, naming those that are."""
    for metric in metrics:
        if metric not in METRICS:
            raise BadInput(f"There is no metric {metric!r}. Use {', '.join(METRICS)}.")


SWEEP_METRICS = ("emd_lab", "pcc")
ALL = "all"
"""The group of all concepts, and the style of all styles together."""

MIN_MODELS = 3
"""Fewer points than this correlate with anything."""


@dataclass(frozen=True)
class GuidanceLine:
    """A metric of one run against its guidance scales, ascending. ``group`` is a kind of concept,
    a category or ``all``; ``style`` a style or ``all``, where a concept counts in each style."""

    run_id: str
    group: str
    style: str
    metric: str
    points: tuple[tuple[float, Number], ...]


@dataclass(frozen=True)
class SizeLine:
    """A metric of all runs against the size of their models.

    ``points`` are parameters in billions, the run's id and its number, by size; ``unsized`` the
    runs whose size is not known, ``unscored`` those without a number. ``spearman`` is the rank
    correlation of size and number, None for fewer than three points and where all are equal.
    """

    group: str
    style: str
    metric: str
    points: tuple[tuple[float, str, Number], ...]
    unsized: tuple[str, ...]
    unscored: tuple[str, ...]
    spearman: float | None


def guidance_sweep(
    cells: Sequence[ConceptCell],
    people: Mapping[str, np.ndarray],
    *,
    metrics: Sequence[str] = SWEEP_METRICS,
    by: str = ALL,
    common: bool = True,
    on_progress: ReportProgress = ignore_progress,
    stop: Event | None = None,
) -> tuple[GuidanceLine, ...] | None:
    """The lines of all runs whose ``cells`` have a guidance scale; others are passed over.

    ``by`` is ``all``, ``kind`` or ``category``; each line is there for every style and, where a run
    has several, for all together. With ``common`` a line is over the concepts alone that the run
    has at each of its scales, so that no point has easier ones. Returns None once ``stop`` is set.
    Raises BadInput as :func:`truehue.core.concepts.tables.alignment`.
    """
    check_metrics(metrics)
    if by not in (ALL, BY_KIND, BY_CATEGORY):
        raise BadInput(f"A sweep is by {ALL}, {BY_KIND} or {BY_CATEGORY}, not {by!r}.")
    score_list = scores(
        [cell for cell in cells if cell.guidance is not None], people, on_progress, stop
    )
    if score_list is None:
        return None
    runs: dict[str, list[Score]] = defaultdict(list)
    for score in score_list:
        runs[score.run_id].append(score)
    return tuple(
        line
        for run_id, scored in runs.items()
        for line in _lines(run_id, scored, metrics, by, common)
    )


def size_sweep(table: Alignment, parameters_b: Mapping[str, float | None]) -> tuple[SizeLine, ...]:
    """A line for every column of a table; ``parameters_b`` are billions of parameters by run id."""
    lines = []
    for group in table.groups:
        for style in table.styles:
            for metric in table.metrics:
                numbers = {run: table.number(run, group, style, metric) for run in table.runs}
                unsized = tuple(run for run in table.runs if not parameters_b.get(run))
                unscored = tuple(run for run, number in numbers.items() if number.value is None)
                points = sorted(
                    (
                        (float(size), run, number)
                        for run, number in numbers.items()
                        if (size := parameters_b.get(run)) and number.value is not None
                    ),
                    key=lambda point: point[:2],
                )
                lines.append(
                    SizeLine(group, style, metric, tuple(points), unsized, unscored, _rho(points))
                )
    return tuple(lines)


def parameters_of(models: Mapping[str, str]) -> dict[str, float | None]:
    """Billions of parameters by run id, from the ids of the runs' models; None where the registry
    does not know the model or its size."""
    from truehue.core.generation.registry import model

    by_run: dict[str, float | None] = {}
    for run_id, model_id in models.items():
        try:
            # An entry has 0 where its size is not known.
            by_run[run_id] = model(model_id).parameters_b or None
        except BadInput:
            by_run[run_id] = None
    return by_run


def _lines(
    run_id: str, scored: Sequence[Score], metrics: Sequence[str], by: str, common: bool
) -> list[GuidanceLine]:
    grouped: dict[tuple[str, str], dict[float, list[Score]]] = defaultdict(
        lambda: defaultdict(list)
    )
    styles = styles_of(score.style for score in scored)
    for score in scored:
        group = ALL if by == ALL else group_of(score.concept, by)
        for style in {score.style, ALL} if len(styles) > 1 else {score.style}:
            grouped[group, style][float(score.guidance or 0.0)].append(score)
    names = {group for group, _ in grouped}
    groups = (ALL,) if by == ALL else groups_in_order(dict.fromkeys(names), by)
    return [
        GuidanceLine(run_id, group, style, metric, _points(grouped[group, style], metric, common))
        for group in groups
        for style in (*styles, ALL)
        if (group, style) in grouped
        for metric in metrics
    ]


def _points(
    by_scale: Mapping[float, Sequence[Score]], metric: str, common: bool
) -> tuple[tuple[float, Number], ...]:
    # A scale is a row: its points are numbers as in a table.
    rows = {f"{scale!r}": by_scale[scale] for scale in sorted(by_scale)}
    return tuple(
        (float(scale), number) for scale, number in column_of(rows, metric, common).items()
    )


def _rho(points: Sequence[tuple[float, str, Number]]) -> float | None:
    """Spearman's correlation of size and number."""
    from scipy.stats import spearmanr

    sizes = [size for size, _, _ in points]
    values = [number.value for _, _, number in points]
    if len(points) < MIN_MODELS or len(set(sizes)) < 2 or len(set(values)) < 2:
        return None
    return float(spearmanr(sizes, values).statistic)
