"""Scoring of runs' images by measures: long work of :mod:`truehue.core.scores.work`, whose scores are
stored as they come."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field

from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.batch.folder import LOCK, PLAN
from truehue.core.batch.locks import is_free
from truehue.core.batch.records import BatchState
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.scores.measures import measure_of, measures_of
from truehue.core.scores.records import IMAGE, Measure, ScoreRecord
from truehue.core.scores.work import ScoringTask, ScoringWork, begin_scoring
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context, runs_of
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.fidelity import Fidelity
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob

KIND = "scores"
FOLDER = "scoring"
"""Below the data folder: work that is under way, or was when the app ended."""
STORE_S = 5.0
"""Scores are taken into the database this often, less often where that takes long."""
_MAX_AT_ONCE = 512


class ScoreRuns(PageRequest):
    """Runs whose pictures are to be scored, all that are shown where none is named, by measures,
    all that are computed where none is named."""

    runs: tuple[str, ...] = Field((), max_length=100, title="The list of runs")
    measures: tuple[str, ...] = Field((), max_length=100, title="The list of measures")


@requires("compute")
def start_scoring(context: Context, actor: Actor, request: ScoreRuns) -> StartedJob:
    """Starts to score the images of runs that have no score yet, in the background.

    What is stored stays when it is cancelled, and the next one goes on from there, also where the
    app was killed. Raises BadInput for a measure that there is not or that is not computed, and
    NotStored for a run.
    """
    measures = measures_to_score(context, request.measures)
    run_ids = [context.storage.runs.get(run_id).run_id for run_id in request.runs]
    run_ids = run_ids or [run.run_id for run in runs_of(context)]
    names = " and ".join(measure.name for measure in measures)
    title = f"{names} of {count_noun(len(run_ids), 'run')}"
    work = partial(score_runs, context, run_ids, measures)
    return {"job": context.jobs.start(KIND, title, actor, work).id}


def measures_to_score(context: Context, measure_ids: Sequence[str]) -> list[Measure]:
    """The measures of those ids, all that are computed where none is named. Raises BadInput."""
    context.service(Fidelity).registration()
    measures = [measure_of(measure_id) for measure_id in measure_ids]
    measures = measures or [measure for measure in measures_of(IMAGE) if measure.computed]
    for measure in measures:
        if not measure.computed:
            raise BadInput(
                f"{measure.name} is not computed by TrueHue: import its scores from a file."
            )
    if not measures:
        raise BadInput("There is no measure that is computed.")
    return measures


def score_runs(
    context: Context, run_ids: Sequence[str], measures: Sequence[Measure], job: Job
) -> dict[str, Any]:
    """The work of the job. First, what an app that was killed has left is taken in."""
    index = context.storage.data_dir / FOLDER
    ingest_interrupted_scores(context, index)
    tasks = _lacking(context, run_ids, measures)
    job.tell(f"0 of {count_noun(len(tasks), 'image')}", 0, len(tasks))
    if not tasks:
        return {}
    folder = index / secrets.token_hex(8)
    work = begin_scoring(folder, tasks, measures, context.service(Fidelity).registration())
    taking = ScoreIngest(context, work)

    def watch(state: BatchState) -> None:
        if job.stop.is_set() and state.status == "running":
            work.folder.set_desired_state("pause")
        done = work.pictures_of(state.done)
        job.tell(f"{done:,} of {count_noun(len(tasks), 'image')}", done)
        taking.now_and_then()

    try:
        state = execute(work, WorkerPool(workers=1), watch=watch)
    finally:
        taking.take()
    shutil.rmtree(folder, ignore_errors=True)
    if state.status != "finished" and not job.stop.is_set():
        raise BadInput(state.message or "Scoring was interrupted. Start it again to go on.")
    if state.failed:
        raise BadInput(f"Some images could not be scored: {state.problems[0][0]}")
    text = f"{count_noun(work.pictures_of(state.done), 'image')} scored"
    without = f", {taking.unscored:,} of them unscored" if taking.unscored else ""
    job.tell(text + without)
    return {}


def ingest_interrupted_scores(context: Context, index: Path) -> None:
    """Takes in what work that was under way when its process was killed has written down, and takes
    its folder away; work that somebody is at stays."""
    for folder in sorted(index.glob("*")) if index.is_dir() else []:
        if not (folder / PLAN).is_file() or not is_free(folder / LOCK):
            continue
        try:
            ScoreIngest(context, ScoringWork(folder), again=True).take()
        except (TrueHueError, TypeError, ValueError, KeyError):
            continue  # of another version, or damaged: its pictures are scored again
        shutil.rmtree(folder, ignore_errors=True)


def _lacking(
    context: Context, run_ids: Sequence[str], measures: Sequence[Measure]
) -> list[ScoringTask]:
    """A picture stands once, with all measures that it lacks: it is read once for all of them."""
    storage = context.storage
    lacking: dict[str, list[str]] = {}
    for run_id in run_ids:
        for measure in measures:
            for image_id in storage.scores.images_without(measure, run_id):
                wanted = lacking.setdefault(image_id, [])
                if measure.id not in wanted:
                    wanted.append(measure.id)
    reads_prompts = any(measure.scorer for measure in measures)
    prompts = storage.results.prompt_texts(list(lacking)) if reads_prompts else {}
    return [
        ScoringTask(
            image_id, str(storage.images.file(image_id)), prompts.get(image_id, ""), tuple(wanted)
        )
        for image_id, wanted in lacking.items()
    ]


class ScoreIngest:
    """Scores of a work go into the database, each item's once; ``again`` also what was taken before
    is looked for there."""

    def __init__(self, context: Context, work: ScoringWork, again: bool = False) -> None:
        self._storage, self._work, self._again = context.storage, work, again
        self._known: set[int] = set()
        self._without: set[str] = set()
        self._next = time.monotonic() + STORE_S

    @property
    def unscored(self) -> int:
        """Images that lack a score after all."""
        return len(self._without)

    def now_and_then(self) -> None:
        """Takes what is new where it is time."""
        began = time.monotonic()
        if began < self._next:
            return
        self.take()
        ended = time.monotonic()
        self._next = ended + max(STORE_S, 20 * (ended - began))

    def take(self) -> None:
        """Takes what is new."""
        new: list[ScoreRecord] = []
        for records in self._work.records(self._known):
            new += records
            if len(new) >= _MAX_AT_ONCE:
                self._keep(new)
                new = []
        self._keep(new)

    def _keep(self, records: list[ScoreRecord]) -> None:
        self._without |= {record.item for record in records if record.value is None}
        if self._again:
            stored = self._storage.scores.of_items(IMAGE, {record.item for record in records})
            records = [
                record
                for record in records
                if not any(_same(record, other) for other in stored.get(record.item, ()))
            ]
        self._storage.scores.add_many(records)


def _same(record: ScoreRecord, other: ScoreRecord) -> bool:
    names = ("measure", "version", "parameters", "value", "reason", "scorer")
    return all(getattr(record, name) == getattr(other, name) for name in names)
