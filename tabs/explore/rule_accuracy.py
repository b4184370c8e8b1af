"""The diagnosis on this machine, in the background, with its progress; and the available reports: the
shipped one, and those of this machine."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from truehue.core.diagnosis.colors import DEFAULT_LIGHTS, DEFAULT_SIZE_PX, SET_SYSTEMS
from truehue.core.diagnosis.plan import renderer_tasks, rules_used
from truehue.core.diagnosis.records import DiagnosisReport
from truehue.core.diagnosis.run import Progress, diagnose
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import OBJECTS
from truehue.core.generation.request import Cancelled
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import ROOT, Context
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob

log = logging.getLogger("truehue")

KIND = "diagnosis"
SIZES = {10: "every 10th color", 1: "all colors"}
SHIPPED = "shipped"
SHIPPED_FILE = ROOT / "assets" / "diagnosis" / "report.json"
TRACED_FILE = SHIPPED_FILE.with_name("path_traced.json")
PEOPLE_FILE = SHIPPED_FILE.with_name("people.json")


class Diagnose(PageRequest):
    """A diagnosis with every nth color."""

    every: Literal[10, 1] = Field(title="The share of the colors")


@requires("compute")
def start_run(
    context: Context, actor: Actor, request: Diagnose, size_px: int = DEFAULT_SIZE_PX
) -> StartedJob:
    """Starts to measure the accuracy of all rules.

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


@dataclass(frozen=True)
class StoredReport:
    """A report at hand; ``name`` says whose it is."""

    id: str
    name: str
    path: Path


def stored_reports(folder: Path) -> list[StoredReport]:
    """The shipped report, if there is one, and those made on this machine, newest first.

    ``folder`` holds a folder for each run. A file of it that is no report goes to the log.
    """
    reports = (
        [StoredReport(SHIPPED, "Shipped with TrueHue", SHIPPED_FILE)]
        if SHIPPED_FILE.is_file()
        else []
    )
    runs = []
    for path in folder.glob("*/report.json"):
        try:
            report = read_report(path)
        except BadInput as error:
            log.warning("%s: %s", path, error)
            continue
        runs.append((report.created_at, path, f"This machine, {_about_run(report)}"))
    return reports + [
        StoredReport(path.parent.name, name, path) for _, path, name in sorted(runs)[::-1]
    ]


def read_report(path: Path) -> DiagnosisReport:
    """The report in a file. Raises BadInput where it is damaged, of another schema, or gone."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise BadInput(f"The report {path.name} cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> DiagnosisReport:
    try:
        return DiagnosisReport.from_json(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise BadInput(f"The report {path.name} is no JSON: {error}. Make it again.") from error


def _about_run(report: DiagnosisReport) -> str:
    created_at = datetime.fromisoformat(report.created_at)
    size = f"every {_nth(report.every)} color" if report.every > 1 else "all colors"
    return f"{created_at:%d %b %Y %H:%M}, {size}"


def _nth(number: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 < number % 100 < 14 else last.get(number % 10, 'th')}"
