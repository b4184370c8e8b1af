"""A team whose workers are this process, for tests that are not about processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from truehue.core.batch.team import BROKEN, DONE, READY, STEPS, Batch, TeamEvent
from truehue.core.batch.work import Work
from truehue.core.batch.worker import Worker
from truehue.core.errors import TrueHueError


class InProcess:
    """A :class:`truehue.core.batch.team.Team` without processes."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._workers: dict[str, Worker] = {}
        self._events: list[TeamEvent] = []

    def start(self, worker: str) -> None:
        with self._telling(worker):
            self._workers[worker] = Worker(self._work, worker, 1, self._report)
            self._events.append(TeamEvent(READY, worker))

    def give(self, worker: str, batch: Batch) -> None:
        with self._telling(worker):
            items = self._workers[worker].work_on(batch)
            self._events.append(TeamEvent(DONE, worker, items=items))

    def events(self, timeout_s: float) -> list[TeamEvent]:
        result, self._events = self._events, []
        return result

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()

    def _report(self, steps: int) -> None:
        self._events.append(TeamEvent(STEPS, "", steps=steps))

    @contextmanager
    def _telling(self, worker: str) -> Iterator[None]:
        """What a worker cannot go on with it says, as one in a process does."""
        try:
            yield
        except TrueHueError as error:
            self._events.append(TeamEvent(BROKEN, worker, str(error)))


def team_here(work: Work, threads: int) -> InProcess:
    """In place of ``LocalTeam`` wherever work is begun: see ``tests.workers_here``."""
    return InProcess(work)
