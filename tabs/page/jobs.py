"""Long work of the Explore tab in the background: a thread, its progress, and its end.

A job outlives the page that began it; its results are stored as they come, so what ended with the
app is begun again and goes on from there.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread
from typing import Any

from core.errors import BadInput
from tabs.page.errors import message_of

MOST_KEPT = 20
LEAST_S_TO_ESTIMATE = 2.0


class Job:
    """One piece of work: how far it is, who began it, and its result when it has ended.

    ``work`` moves ``done``, ``total`` and ``words`` on, looks at ``stop`` now and then, and returns
    its result as plain JSON.
    """

    def __init__(
        self, kind: str, title: str, owner: str, work: Callable[[Job], dict[str, Any]]
    ) -> None:
        self.id = uuid.uuid4().hex
        self.kind, self.title, self.owner = kind, title, owner
        self.stop = Event()
        self.done, self.total, self.words = 0, 0, "Beginning"
        self.started, self.ended = time.monotonic(), 0.0
        self.finished = False
        self.problem = ""
        self.result: dict[str, Any] = {}
        self._work = work
        self.thread = Thread(target=self._run, name=f"truehue-{kind}", daemon=True)

    def _run(self) -> None:
        try:
            self.result = self._work(self)
        except Exception as error:
            self.problem = message_of(error)
        finally:
            self.ended = time.monotonic()
            self.finished = True

    @property
    def status(self) -> str:
        """``running``, ``done``, ``cancelled`` or ``failed``."""
        if not self.finished:
            return "running"
        if self.problem:
            return "failed"
        return "cancelled" if self.stop.is_set() else "done"

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest takes at the pace so far; None while nothing can be said of it."""
        passed = time.monotonic() - self.started
        if self.finished or not self.done or not self.total or passed < LEAST_S_TO_ESTIMATE:
            return None
        return passed / self.done * max(self.total - self.done, 0)

    def as_json(self, owner: str) -> dict[str, Any]:
        """The job as the page of ``owner`` shows it."""
        end = self.ended if self.finished else time.monotonic()
        return {
            "id": self.id, "kind": self.kind, "title": self.title, "mine": self.owner == owner,
            "status": self.status, "cancelling": self.stop.is_set() and not self.finished,
            "done": self.done, "total": self.total, "words": self.words, "left_s": self.left_s,
            "elapsed_s": end - self.started, "problem": self.problem, "result": self.result,
        }  # fmt: skip


class Jobs:
    """The running and the last finished jobs, by id; of each kind one runs at a time."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self._closed = False

    def start(
        self, kind: str, title: str, owner: str, work: Callable[[Job], dict[str, Any]]
    ) -> Job:
        """Begins ``work`` in a thread of its own. Raises BadInput while one of its kind runs."""
        job = Job(kind, title, owner, work)
        with self._lock:
            running = next((one for one in self._jobs.values()
                            if one.kind == kind and not one.finished), None)  # fmt: skip
            if running is not None:
                raise BadInput(f"“{running.title}” is running. Wait for it, or cancel it first.")
            if self._closed:
                raise BadInput("The app is about to end: nothing new is begun.")
            self._jobs[job.id] = job
            for old in list(self._jobs)[:-MOST_KEPT]:
                if self._jobs[old].finished:
                    del self._jobs[old]
        job.thread.start()
        return job

    def latest(self, kind: str) -> Job | None:
        """The job of that kind that began last."""
        return next((one for one in reversed(list(self._jobs.values())) if one.kind == kind), None)

    def cancel(self, job_id: str, owner: str) -> None:
        """Asks a job to stop. Raises BadInput for one that is not known, or is someone else's."""
        job = self._jobs.get(job_id)
        if job is None:
            raise BadInput("That work is not known any more. Reload the page.")
        if job.owner != owner:
            raise BadInput("Only who began this work can cancel it.")
        job.stop.set()

    def close(self, timeout_s: float = 10.0) -> None:
        """Cancels everything and waits for the threads, up to ``timeout_s`` for each."""
        self._closed = True
        for job in self._running():
            job.stop.set()
        for job in self._running():
            job.thread.join(timeout_s)

    def _running(self) -> Iterator[Job]:
        return (job for job in list(self._jobs.values()) if not job.finished)
