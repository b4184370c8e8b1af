"""What guidance and size change: ColorConceptBench's figure 5 and its section on scaling.

Figure 5 draws EMD and PCC against the guidance scale, a line a model. The paper finds no
correlation of size with alignment; :func:`size_sweep` puts the numbers beside the sizes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event

import numpy as np

from truehue.core.concepts.means import Number
from truehue.core.concepts.records import ConceptCell
from truehue.core.concepts.scores import OnProgress, Score, scores, styles_of
from truehue.core.concepts.tables import (
    BY_CATEGORY,
    BY_KIND,
    Alignment,
    check_metrics,
    column_of,
    group_of,
    groups_in_order,
)
from truehue.core.errors import BadInput

SWEEP_METRICS = ("emd_lab", "pcc")
ALL = "all"
"""The group of all concepts, and the style of all styles together."""

LEAST_MODELS = 3
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
    on_progress: OnProgress = lambda done, total: None,
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
    if len(points) < LEAST_MODELS or len(set(sizes)) < 2 or len(set(values)) < 2:
        return None
    return float(spearmanr(sizes, values).statistic)
