"""The distributions of runs over their concepts, extracted in the background and saved one by one.

A cell is the colors of one concept in one style, over all guidance scales or of one. Saved cells
are not computed again, so that interrupted work resumes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from truehue.core.concepts.records import METHODS, ConceptCell
from truehue.core.errors import BadInput
from truehue.core.runs.concepts import MissingCell
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest, single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob
from truehue.tabs.sources.distributions import extracted, written_scale

KIND = "cells"
ALL_SCALES, EACH_SCALE = "all", "each"
"""What is asked for in place of one guidance scale."""
BATCH = 40
"""Cells that are kept at once: what is lost when the app ends is at most so many."""
MAX_RUNS = 1000


def _scale(text: str) -> str:
    if not _is_scale(text):
        raise BadInput(f"Guidance is a number, {ALL_SCALES} or {EACH_SCALE}, not {text[:20]!r}.")
    return text


class ExtractCells(PageRequest):
    """Runs whose concepts' colors are to be extracted by a method; ``guidance`` is ``all`` scales
    together, ``each`` for itself and all together, or one."""

    runs: tuple[str, ...] = Field(
        min_length=1, max_length=MAX_RUNS, title="The list of runs to measure"
    )
    method: Annotated[str, Field(min_length=1, title="The method"), single_of("method", METHODS)]
    guidance: Annotated[str, Field(title="Guidance"), AfterValidator(_scale)] = ALL_SCALES


@requires("compute")
def start_cells(context: Context, actor: Actor, request: ExtractCells) -> StartedJob:
    """Starts to extract the missing colors of runs.

    Raises BadInput while such work goes on, NotStored for an unknown run.
    """
    guidance = request.guidance
    runs = [context.storage.runs.get(run_id) for run_id in request.runs]
    title = f"Colors of the concepts of {count_noun(len(runs), 'run')}"
    title += {ALL_SCALES: "", EACH_SCALE: ", each guidance scale separately"}.get(
        guidance, f", guidance {guidance}"
    )
    ids = [run.run_id for run in runs]
    return {
        "job": context.jobs.start(
            KIND, title, actor, lambda job: run_cells(context, ids, request.method, guidance, job)
        ).id
    }


def run_cells(
    context: Context, run_ids: Sequence[str], method: str, guidance: str, job: Job
) -> dict[str, Any]:
    """The work of the job; what it kept stays when it is cancelled."""
    profiles = context.storage.profiles
    todo = [cell for run_id in run_ids for cell in missing_of(context, run_id, method, guidance)]
    # The scales of a concept together: its pictures are read once.
    todo.sort(key=lambda cell: (cell.run_id, cell.concept_id, cell.style))
    job.tell(total=len(todo))
    batch: list[ConceptCell] = []
    cell_count, empty, done = 0, 0, 0
    try:
        for key, group in groupby(todo, lambda cell: (cell.run_id, cell.concept_id, cell.style)):
            if job.stop.is_set():
                break
            batch += extracted(context, *key, [cell.guidance for cell in group], method)
            done = cell_count + len(batch)
            job.tell(f"{done:,} of {count_noun(len(todo), 'distribution')}", done)
            if len(batch) >= BATCH:
                cell_count, empty = cell_count + len(batch), empty + _empty(batch)
                profiles.keep(batch)
                batch = []
    finally:
        # Also what was made before an error is kept.
        if batch:
            empty += _empty(batch)
            profiles.keep(batch)
    job.tell(summary(done, len(todo), empty))
    return {"made": done, "empty": empty}


def missing_of(context: Context, run_id: str, method: str, guidance: str) -> list[MissingCell]:
    """The cells of a run that are not kept yet; raises NotStored."""
    profiles = context.storage.profiles
    cells: list[MissingCell] = []
    if guidance in (ALL_SCALES, EACH_SCALE):
        cells += profiles.missing(run_id, method)
    if guidance != ALL_SCALES:
        # Where the scale is not known, all together is all there is.
        cells += [
            cell
            for cell in profiles.missing(run_id, method, by_guidance=True)
            if cell.guidance is not None and guidance in (EACH_SCALE, written_scale(cell.guidance))
        ]
    return cells


def _is_scale(text: str) -> bool:
    if text in (ALL_SCALES, EACH_SCALE):
        return True
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _empty(cells: Sequence[ConceptCell]) -> int:
    return sum(cell.weights is None for cell in cells)


def summary(done: int, total: int, empty: int) -> str:
    """What came of it, in a sentence."""
    if not total:
        return "Nothing was missing."
    text = f"{done:,} of {count_noun(total, 'distribution')} measured and saved"
    if empty:
        text += f"; {empty:,} {'has' if empty == 1 else 'have'} no image that could be measured"
    return text + "."
