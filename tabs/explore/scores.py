"""Measures of the pictures of runs: scored in the background, and their means beside each other."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import Field

from core.analysis.records import RunRecord
from core.analysis.run_names import run_labels
from core.cache import LruCache
from core.errors import BadInput, TrueHueError
from core.scores.measures import measure_of, measures_of
from core.scores.records import HIGH, IMAGE, LOW, Measure, ScoreRecord
from core.scores.scoring import score_image, unscored
from core.scores.summary import ScoreMean
from core.spreadsheets import cell
from tabs.page.actor import Actor, asks
from tabs.page.context import Context, runs_of
from tabs.page.errors import many
from tabs.page.jobs import Job
from tabs.page.requests import PageRequest

KIND = "scores"
STORE_S, MOST_UNSTORED = 2.0, 64
"""Scores are stored this often, or when there are so many."""
BETTER_WORDS = {HIGH: "higher is better", LOW: "lower is better"}


class ScoreRuns(PageRequest):
    """Runs whose pictures are to be scored, all that are shown where none is named, by measures,
    all that are computed where none is named."""

    runs: tuple[str, ...] = Field((), max_length=100, title="The list of runs")
    measures: tuple[str, ...] = Field((), max_length=100, title="The list of measures")


@asks("compute")
def start_scoring(context: Context, actor: Actor, request: ScoreRuns) -> dict[str, Any]:
    """Begins to score the pictures of runs that have no score yet, in the background.

    What is stored stays when it is cancelled, and the next one goes on from there. Raises BadInput
    for a measure that there is not or that is not computed, and NotStored for a run.
    """
    measures = [measure_of(measure_id) for measure_id in request.measures]
    measures = measures or [measure for measure in measures_of(IMAGE) if measure.of is not None]
    for measure in measures:
        if measure.of is None:
            raise BadInput(f"{measure.name} is not computed here: its scores come in as a file.")
    if not measures:
        raise BadInput("There is no measure that is computed.")
    run_ids = [context.storage.runs.get(run_id).run_id for run_id in request.runs]
    run_ids = run_ids or [run.run_id for run in runs_of(context)]
    names = " and ".join(measure.name for measure in measures)
    title = f"{names} of {many(len(run_ids), 'run')}"
    return {
        "job": context.jobs.start(
            KIND, title, actor, partial(_score, context, run_ids, measures)
        ).id
    }


def _score(
    context: Context, run_ids: Sequence[str], measures: Sequence[Measure], job: Job
) -> dict[str, Any]:
    """The work of the job: an image is read once for all measures that it lacks."""
    scores = context.storage.scores
    lacking: dict[str, list[Measure]] = {}
    for run_id in run_ids:
        for measure in measures:
            for image_id in scores.images_without(measure, run_id):
                wanted = lacking.setdefault(image_id, [])
                if measure not in wanted:
                    wanted.append(measure)
    new: list[ScoreRecord] = []
    stored_at, without = time.monotonic(), 0
    job.tell(f"0 of {many(len(lacking), 'image')}", 0, len(lacking))
    try:
        for done, (image_id, wanted) in enumerate(lacking.items(), 1):
            if job.stop.is_set():
                break
            records = _scores_of(context, image_id, wanted)
            without += any(record.value is None for record in records)
            new += records
            if len(new) >= MOST_UNSTORED or time.monotonic() - stored_at >= STORE_S:
                scores.add_many(new)
                new, stored_at = [], time.monotonic()
            job.tell(f"{done:,} of {many(len(lacking), 'image')}", done)
    finally:
        scores.add_many(new)
    words = f"{many(job.record.done, 'image')} scored"
    job.tell(words + (f", {without:,} of them unscored" if without else ""))
    return {}


def _scores_of(context: Context, image_id: str, measures: Sequence[Measure]) -> list[ScoreRecord]:
    try:
        # Not by way of the context: the images that people look at stay at hand.
        srgb8 = context.storage.images.srgb8(image_id)
    except (TrueHueError, OSError) as error:
        reason = f"The picture cannot be read: {error}"
        return [unscored(measure, image_id, reason) for measure in measures]
    return [score_image(measure, image_id, srgb8) for measure in measures]


class ScoreMeans:
    """The means of runs, kept until something comes in."""

    def __init__(self) -> None:
        self._kept: LruCache[ScoreMean] = LruCache(512)

    def of(self, context: Context, measure: Measure, run_id: str) -> ScoreMean:
        """The mean of a run. Raises NotStored."""
        storage = context.storage
        age = storage.runs.changes, storage.scores.changes
        key = *age, run_id, measure.id, measure.version
        return self._kept.get(key, lambda: storage.scores.mean_of_run(measure, run_id))


def measures_view(context: Context, query: Mapping[str, str]) -> dict[str, Any]:
    """The measures, and the mean of each over the pictures of every run that has some."""
    measures = measures_of(IMAGE)
    runs = _runs(context) if measures else []
    names = run_labels(runs)
    kept = context.service(ScoreMeans)
    means = {
        run.run_id: [kept.of(context, measure, run.run_id) for measure in measures] for run in runs
    }
    lacking = sum(
        mean.items - mean.scored
        for run_means in means.values()
        for measure, mean in zip(measures, run_means, strict=True)
        if measure.of is not None
    )
    return {
        "measures": [measure_json(measure) for measure in measures],
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
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(
        (
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
    )
    for run in _runs(context):
        for measure in measures_of(IMAGE):
            mean = context.service(ScoreMeans).of(context, measure, run.run_id)
            row = [
                run.run_id,
                run.name,
                measure.id,
                measure.version,
                measure.unit,
                *("" if value is None else value for value in (mean.mean, mean.low, mean.high)),
                mean.scored,
                mean.items,
                mean.prompts,
                sum(mean.unscored.values()),
                "; ".join(f"{count} × {reason}" for reason, count in mean.unscored.items()),
            ]
            writer.writerow([cell(value) for value in row])
    return buffer.getvalue()


def measure_json(measure: Measure) -> dict[str, Any]:
    """A measure as the page names it."""
    better = BETTER_WORDS.get(measure.better, "no direction is better")
    return {
        "id": measure.id,
        "name": measure.name,
        "unit": measure.unit,
        "better": measure.better,
        "computed": measure.of is not None,
        "title": f"{measure.formula}. {measure.bounds_text}; {better}. {measure.source}. "
        f"Version {measure.version}.",
    }


def _runs(context: Context) -> list[RunRecord]:
    return [run for run in runs_of(context) if run.items > run.failed]


def _cell_json(measure: Measure, mean: ScoreMean) -> dict[str, Any]:
    interval = ""
    if mean.low is not None and mean.high is not None:
        interval = f"{mean.low:.{measure.decimals}f}–{mean.high:.{measure.decimals}f}"
    words = [f"{mean.scored:,} of {many(mean.items, 'picture')} scored"]
    if mean.prompts:
        words.append(many(mean.prompts, "prompt"))
    return {
        "value": mean.mean,
        "text": "–" if mean.mean is None else measure.text(mean.mean),
        "interval": interval,
        "title": " · ".join(words),
        "scored": mean.scored,
        "items": mean.items,
        "missing": mean.missing,
        "unscored": [{"reason": reason, "count": count} for reason, count in mean.unscored.items()],
    }
