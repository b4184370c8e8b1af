"""Scores of runs' images: their means by measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from truehue.core.analysis.names import run_labels
from truehue.core.analysis.records import RunRecord
from truehue.core.cache import LruCache
from truehue.core.scores.measures import DELTA_SAT_OF_MEAN, measure_of, measures_of
from truehue.core.scores.records import HIGH, IMAGE, LOW, Measure
from truehue.core.scores.scoring import ScoreMean, delta_sat_of_mean
from truehue.core.spreadsheets import csv_text
from truehue.tabs.page.context import Context, runs_of
from truehue.tabs.page.errors import count_noun

_SATURATION, _DELTA_SAT = "mean_saturation", "delta_sat"
BETTER_WORDS = {HIGH: "higher is better", LOW: "lower is better"}


class ScoreMeans:
    """The means of runs, kept until something comes in."""

    def __init__(self) -> None:
        self._saved: LruCache[ScoreMean] = LruCache(512)

    def of(self, context: Context, measure: Measure, run_id: str) -> ScoreMean:
        """The mean of a run. Raises NotStored."""
        if measure.id == DELTA_SAT_OF_MEAN.id:
            return delta_sat_of_mean(self.of(context, measure_of(_SATURATION), run_id))
        storage = context.storage
        age = storage.runs.changes, storage.scores.changes
        key = *age, run_id, measure.id, measure.version, str(measure.parameters)
        return self._saved.get(key, lambda: storage.scores.mean_of_run(measure, run_id))


class MetricJson(TypedDict):
    """A metric of images; ``sort`` is the metric whose order shows the images that its mean is
    of."""

    id: str
    sort: str
    name: str
    unit: str
    better: str
    computed: bool
    title: str


class UnscoredReason(TypedDict):
    """Why images are unscored, and how many."""

    reason: str
    count: int


class MeanCell(TypedDict):
    """The mean of a metric over the images of a run; ``missing`` ones were never scored."""

    value: float | None
    text: str
    interval: str
    title: str
    scored: int
    items: int
    missing: int
    unscored: list[UnscoredReason]


class RunMeans(TypedDict):
    """A run with a cell for each metric."""

    id: str
    name: str
    csv: str
    cells: list[MeanCell]


class MetricsView(TypedDict):
    """The metrics of all runs; ``lacking`` scores are still to be computed."""

    measures: list[MetricJson]
    rows: list[RunMeans]
    lacking: int


def measures_view(context: Context, query: Mapping[str, str]) -> MetricsView:
    """The measures, and the mean of each over the images of every run that has scores."""
    measures = run_measures()
    runs = _runs(context) if measures else []
    names = run_labels(runs)
    service = context.service(ScoreMeans)
    means = {
        run.run_id: [service.of(context, measure, run.run_id) for measure in measures]
        for run in runs
    }
    lacking = sum(
        mean.items - mean.scored
        for run_means in means.values()
        for measure, mean in zip(measures, run_means, strict=True)
        if measure.computed
    )
    return {
        "measures": [_mean_json(measure) for measure in measures],
        "rows": [
            {
                "id": run.run_id,
                "name": names[run.run_id],
                "csv": f"/api/runs/{run.run_id}/scores.csv",
                "cells": [
                    _cell_json(measure, mean)
                    for measure, mean in zip(measures, means[run.run_id], strict=True)
                ],
            }
            for run in runs
        ],
        "lacking": lacking,
    }


def measures_csv(context: Context) -> str:
    """CSV with a heading: a row for each run and measure."""
    columns = (
        "run_id",
        "run",
        "measure",
        "version",
        "unit",
        "mean",
        "interval_low",
        "interval_high",
        "scored",
        "pictures",
        "prompts",
        "unscored",
        "unscored_reasons",
    )
    rows = []
    for run in _runs(context):
        for measure in run_measures():
            mean = context.service(ScoreMeans).of(context, measure, run.run_id)
            row = (
                run.run_id,
                run.name,
                measure.id,
                measure.version,
                measure.unit,
                mean.mean,
                mean.low,
                mean.high,
                mean.scored,
                mean.items,
                mean.prompts,
                sum(mean.unscored.values()),
                "; ".join(f"{count} × {reason}" for reason, count in mean.unscored.items()),
            )
            rows.append(row)
    return csv_text(columns, rows)


def run_measures() -> list[Measure]:
    """The measures of images, and after ΔSat what the set as a whole has: the ΔSat of its mean."""
    out: list[Measure] = []
    for measure in measures_of(IMAGE):
        out += [measure, DELTA_SAT_OF_MEAN] if measure.id == _DELTA_SAT else [measure]
    return out


def _mean_json(measure: Measure) -> MetricJson:
    """A measure as the mean over a run is named."""
    shown = measure_json(measure)
    shown["name"] = measure.mean_name or measure.name
    if measure.id == DELTA_SAT_OF_MEAN.id:
        shown["sort"] = _SATURATION
    return shown


def measure_json(measure: Measure) -> MetricJson:
    """A measure as the page names it."""
    better = BETTER_WORDS.get(measure.better, "no direction is better")
    return {
        "id": measure.id,
        "sort": measure.id,
        "name": measure.name,
        "unit": measure.unit,
        "better": measure.better,
        "computed": measure.computed,
        "title": f"{measure.formula}. {measure.bounds_text}; {better}. {measure.source}. "
        f"Version {measure.version}.",
    }


def _runs(context: Context) -> list[RunRecord]:
    return [run for run in runs_of(context) if run.items > run.failed]


def _cell_json(measure: Measure, mean: ScoreMean) -> MeanCell:
    interval = ""
    if mean.low is not None and mean.high is not None:
        interval = f"{mean.low:.{measure.decimals}f}–{mean.high:.{measure.decimals}f}"
    parts = [f"{mean.scored:,} of {count_noun(mean.items, 'image')} scored"]
    if mean.prompts:
        parts.append(count_noun(mean.prompts, "prompt"))
    return {
        "value": mean.mean,
        "text": "–" if mean.mean is None else measure.text(mean.mean),
        "interval": interval,
        "title": " · ".join(parts),
        "scored": mean.scored,
        "items": mean.items,
        "missing": mean.missing,
        "unscored": [{"reason": reason, "count": count} for reason, count in mean.unscored.items()],
    }
