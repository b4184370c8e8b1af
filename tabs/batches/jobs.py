"""Batches as jobs in the app's list of long work."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any, Generic

from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.records import JobRecord
from truehue.tabs.batches.queue import ACTIVE, status_of
from truehue.tabs.batches.service import BatchService, F, S

LOOK_S = 0.5
OVER = {"finished": "done", "cancelled": "cancelled"}
"""How a batch has ended, in the words of long work. A paused one has not."""


class BatchJobs(Generic[F, S]):
    """What waits, runs, or was interrupted in a queue, and how those have ended that ran since the
    app began, as records of long work of a ``kind``; a :class:`truehue.tabs.page.jobs.Source`. The
    others are in the list of their view. ``title`` and ``text`` describe a batch; ``result`` is
    what its link needs."""

    def __init__(
        self,
        kind: str,
        service: BatchService[F, S],
        title: Callable[[F], str],
        text: Callable[[BatchState], str],
        result: Callable[[F], dict[str, Any]],
    ) -> None:
        self.kind = kind
        self._service, self._title, self._text, self._result = service, title, text, result
        self._seen: Any = None
        self._changes = 0
        self._looked = 0.0
        self._active: set[str] = set()
        self._lock = Lock()

    def records(self) -> list[JobRecord]:
        """Those that wait here or run anywhere, or did so at the last call."""
        records = []
        for folder in self._service.folders():
            with suppress(Exception):  # the list of the kind says what is wrong with its folder
                record = self._record(folder)
                if record.status in ACTIVE:
                    self._active.add(record.job_id)
                elif record.job_id in self._active and record.status in OVER:
                    record = replace(record, status=OVER[record.status])
                elif record.status != "interrupted":
                    continue
                records.append(record)
        return records

    def _record(self, folder: F) -> JobRecord:
        state, run_id = state_of(folder), folder.run_id
        status = status_of(folder, state, self._service.queue.position(run_id))
        began = datetime.fromisoformat(state.started_at) if state.started_at else None
        return JobRecord(
            run_id,
            self.kind,
            self._title(folder),
            self._service.owner(run_id),
            status,
            state.done,
            state.total,
            self._text(state),
            self._result(folder),
            self._service.problem(run_id) or (state.message if status == "interrupted" else ""),
            began,
            datetime.fromisoformat(state.updated_at)
            if status in OVER and state.updated_at
            else None,
            details={"left_s": state.seconds_left},
        )

    def cancel(self, job_id: str) -> None:
        """Ends one for good after the items in work."""
        self._service.pause(job_id, cancel=True)

    def version(self) -> int:
        """Grows when a batch here progresses, begins or ends."""
        now = time.monotonic()
        with self._lock:
            if now - self._looked >= LOOK_S:
                self._looked = now
                mark = self._service.queue.mark()
                if mark != self._seen:
                    self._seen, self._changes = mark, self._changes + 1
            return self._changes
