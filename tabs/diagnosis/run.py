"""The diagnosis on this machine, in the background, with its progress; what was done is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from truehue.core.diagnosis.colors import DEFAULT_LIGHTS, DEFAULT_SIZE_PX, SET_SYSTEMS
from truehue.core.diagnosis.plan import renderer_tasks, rules_used
from truehue.core.diagnosis.run import Progress, diagnose
from truehue.core.generation.renderer import OBJECTS
from truehue.core.generation.request import Cancelled
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor

KIND = "diagnosis"
SIZES = {10: "every 10th color", 1: "all colors"}


class Diagnose(PageRequest):
    """A diagnosis with every nth color."""

    every: Literal[10, 1] = Field(title="The share of the colors")


@requires("compute")
def start_run(
    context: Context, actor: Actor, request: Diagnose, size_px: int = DEFAULT_SIZE_PX
) -> dict[str, Any]:
    """Begins a diagnosis of all rules.

    Its report lies in ``diagnosis/`` of the data folder, one folder a size: the same size again
    goes on from what is kept. Raises BadInput while one runs.
    """
    every = request.every
    folder = context.storage.data_dir / KIND / (f"every-{every}" if every > 1 else "all")
    return {
        "job": context.jobs.start(
            KIND, f"Diagnosis, {SIZES[every]}", actor, lambda job: run(job, folder, every, size_px)
        ).id
    }


def run(job: Job, folder: Path, every: int, size_px: int = DEFAULT_SIZE_PX) -> dict[str, Any]:
    """The work of the job; returns the name of its report."""
    job.tell("Preparing")

    def watch(progress: Progress) -> None:
        if job.stop.is_set():
            raise Cancelled
        reuse = f", {progress.reused:,} reused" if progress.reused else ""
        text = f"{progress.done:,} of {progress.images:,} images{reuse}"
        job.tell(
            "Counting" if progress.done >= progress.images else text,
            progress.done,
            progress.images,
        )

    rules = rules_used()
    tasks = renderer_tasks(rules, list(OBJECTS), DEFAULT_LIGHTS, (0,), SET_SYSTEMS, size_px, every)
    try:
        report = diagnose(folder, rules, tasks, workers=workers(), every=every, watch=watch)
    except Cancelled:
        job.tell("Finished images are saved: run the same size again to continue.")
        raise
    job.tell(f"{report.images:,} images scored by {len(report.rules)} rules.")
    return {"report": folder.name}


def workers() -> int:
    """Processes that draw and judge: a quarter of the cores stays free for the page."""
    cores = os.cpu_count() or 1
    return max(1, cores - cores // 4)
