"""The diagnosis on this machine, in the background, with its progress; what was done is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from core.diagnosis.colors import DEFAULT_LIGHTS, DEFAULT_SIZE_PX, SET_SYSTEMS
from core.diagnosis.plan import renderer_tasks, rules_used
from core.diagnosis.run import Progress, diagnose
from core.errors import BadInput
from core.generation.renderer import OBJECTS
from tabs.page.context import Context
from tabs.page.jobs import Job

KIND = "diagnosis"
SIZES = {10: "every 10th color", 1: "all colors"}


class Cancelled(Exception):
    """Someone pressed Cancel: what is done is kept."""


def start_run(context: Context, every: Any, owner: str, size_px: int = DEFAULT_SIZE_PX) -> Job:
    """Begins a diagnosis of all rules with every nth color (10 or 1).

    Its report lies in ``diagnosis/`` of the data folder, one folder a size: the same size again
    goes on from what is kept. Raises BadInput for another size, or while one runs.
    """
    if every not in SIZES or isinstance(every, bool):
        raise BadInput(f"The page asked for every {every!r}th color. Reload the page.")
    name = f"every-{every}" if every > 1 else "all"
    out = context.storage.data_dir / KIND / name
    return context.jobs.start(
        KIND, f"Diagnosis, {SIZES[every]}", owner, lambda job: run(job, out, every, size_px)
    )


def run(job: Job, out: Path, every: int, size_px: int = DEFAULT_SIZE_PX) -> dict[str, Any]:
    """The work of the job; returns the name of its report, or nothing when it was cancelled."""
    job.words = "Preparing"

    def watch(progress: Progress) -> None:
        if job.stop.is_set():
            raise Cancelled
        job.done, job.total = progress.done, progress.images
        kept = f", {progress.reused:,} kept from before" if progress.reused else ""
        job.words = f"{progress.done:,} of {progress.images:,} pictures{kept}"
        if progress.done >= progress.images:
            job.words = "Counting"

    rules = rules_used()
    tasks = renderer_tasks(rules, list(OBJECTS), DEFAULT_LIGHTS, (0,), SET_SYSTEMS, size_px, every)
    try:
        report = diagnose(out, rules, tasks, workers=workers(), every=every, watch=watch)
    except Cancelled:
        job.words = "What was done is kept: the same size again goes on from there."
        return {}
    job.words = f"{report.images:,} pictures judged by {len(report.rules)} rules."
    return {"report": out.name}


def workers() -> int:
    """Processes that draw and judge: a quarter of the cores stays free for the page."""
    cores = os.cpu_count() or 1
    return max(1, cores - cores // 4)
