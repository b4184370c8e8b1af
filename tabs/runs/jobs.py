"""Runs, and whatever else waits in a line, among the other long work."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.records import JobRecord
from truehue.core.runs.folder import RunFolder
from truehue.tabs.page.feature import AppParts
from truehue.tabs.runs import RUN
from truehue.tabs.runs.messages import progress_text
from truehue.tabs.runs.queue import BatchQueue, status_of
from truehue.tabs.runs.supervisor import RunSupervisor

LOOK_S = 0.5
OVER = {"finished": "done", "cancelled": "cancelled"}
"""How a run has ended, in the words of long work. A paused one has not."""
MOVES = ("waiting", "running", "pausing", "cancelling")


F = TypeVar("F", bound=BatchFolder)


class QueueService(Protocol[F]):
    """Who executes folders of one kind, in a line."""

    line: BatchQueue[F]

    def folders(self) -> list[F]:
        """All of them, newest first."""

    def owner(self, run_id: str) -> str:
        """Who began one on the page; empty for those of the command line."""

    def problem(self, run_id: str) -> str:
        """Why one could not be executed; empty where nothing went wrong."""

    def pause(self, run_id: str, cancel: bool = False) -> None:
        """Stops one."""


class QueueJobs(Generic[F]):
    """What waits, goes on, or was interrupted in a line of work, and how that has ended which went
    on since the app began, as records of long work of a ``kind``; a
    :class:`truehue.tabs.page.jobs.Source`. The others are in the list of their room. ``title`` and
    ``words`` tell of one; ``result`` is what its link needs."""

    def __init__(
        self,
        kind: str,
        queue_service: QueueService[F],
        title: Callable[[F], str],
        text: Callable[[BatchState], str],
        result: Callable[[F], dict[str, Any]],
    ) -> None:
        self.kind = kind
        self._keeper, self._title, self._text, self._result = queue_service, title, text, result
        self._seen: Any = None
        self._changes = 0
        self._looked = 0.0
        self._moved: set[str] = set()
        self._lock = Lock()

    def records(self) -> list[JobRecord]:
        """Those that wait here or go on anywhere, or did so when they were last asked for."""
        records = []
        for folder in self._keeper.folders():
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

    def _record(self, folder: F) -> JobRecord:
        state, run_id = state_of(folder), folder.run_id
        status = status_of(folder, state, self._keeper.line.place(run_id))
        began = datetime.fromisoformat(state.started_at) if state.started_at else None
        return JobRecord(
            run_id,
            self.kind,
            self._title(folder),
            self._keeper.owner(run_id),
            status,
            state.done,
            state.total,
            self._text(state),
            self._result(folder),
            self._keeper.problem(run_id) or (state.message if status == "interrupted" else ""),
            began,
            datetime.fromisoformat(state.updated_at)
            if status in OVER and state.updated_at
            else None,
            details={"left_s": state.seconds_left},
        )

    def cancel(self, job_id: str) -> None:
        """Ends one for good after what is done now."""
        self._keeper.pause(job_id, cancel=True)

    def version(self) -> int:
        """Grows when what is executed here went on, and when another began or ended."""
        now = time.monotonic()
        with self._lock:
            if now - self._looked >= LOOK_S:
                self._looked = now
                mark = self._keeper.line.mark()
                if mark != self._seen:
                    self._seen, self._changes = mark, self._changes + 1
            return self._changes


def run_jobs(parts: AppParts) -> QueueJobs[RunFolder]:
    """Runs as long work."""
    return QueueJobs(
        RUN,
        parts.service(RunSupervisor),
        lambda folder: str(folder.summary()["name"]),
        progress_text,
        lambda folder: {"run": folder.run_id},
    )
