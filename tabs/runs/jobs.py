"""Runs among the other long work."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any

from core.records import JobRecord
from core.runs.folder import RunFolder
from tabs.page.turns import RUN
from tabs.runs.line import status_of
from tabs.runs.supervisor import RunSupervisor
from tabs.runs.words import progress_words

LOOK_S = 0.5
OVER = {"finished": "done", "cancelled": "cancelled"}
"""How a run has ended, in the words of long work. A paused one has not."""
MOVES = ("waiting", "running", "pausing", "cancelling")


class RunJobs:
    """Runs that wait, go on, or were interrupted, and how those have ended that went on since the
    app began, as records of long work; a :class:`tabs.page.jobs.Source`. The others are in the list
    of runs."""

    kind = RUN

    def __init__(self, supervisor: RunSupervisor) -> None:
        self._supervisor = supervisor
        self._seen: Any = None
        self._changes = 0
        self._looked = 0.0
        self._moved: set[str] = set()
        self._lock = Lock()

    def records(self) -> list[JobRecord]:
        """Those that wait here or go on anywhere, or did so when they were last asked for."""
        records = []
        for folder in self._supervisor.folders():
            with suppress(Exception):  # the list of runs says what is wrong with its folder
                record = self._record(folder)
                if record.status in MOVES:
                    self._moved.add(record.job_id)
                elif record.job_id in self._moved and record.status in OVER:
                    record = replace(record, status=OVER[record.status])
                elif record.status != "interrupted":
                    continue
                records.append(record)
        return records

    def _record(self, folder: RunFolder) -> JobRecord:
        state, run_id = folder.state(), folder.run_id
        status = status_of(folder, state, self._supervisor.line.place(run_id))
        began = datetime.fromisoformat(state.started_at) if state.started_at else None
        return JobRecord(
            run_id,
            RUN,
            str(folder.summary()["name"]),
            self._supervisor.owner(run_id),
            status,
            state.done,
            state.total,
            progress_words(state),
            {"run": run_id},
            self._supervisor.problem(run_id) or (state.message if status == "interrupted" else ""),
            began,
            datetime.fromisoformat(state.updated_at)
            if status in OVER and state.updated_at
            else None,
            details={"left_s": state.seconds_left},
        )

    def cancel(self, job_id: str) -> None:
        """Ends a run for good after the pictures that are drawn now."""
        self._supervisor.pause(job_id, cancel=True)

    def version(self) -> int:
        """Grows when a run that is executed here went on, and when another one began or ended."""
        now = time.monotonic()
        with self._lock:
            if now - self._looked >= LOOK_S:
                self._looked = now
                mark = self._supervisor.line.mark()
                if mark != self._seen:
                    self._seen, self._changes = mark, self._changes + 1
            return self._changes
