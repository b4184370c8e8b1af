"""Execution of long work from its current state on: batches, dead workers, pause, cancel."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from truehue.core.batch.array import awaited_text, running_tasks, tasks_of
from truehue.core.batch.folder import LOCK, WORKERS_LOCK, BatchFolder
from truehue.core.batch.health import done_of, set_aside, state_of
from truehue.core.batch.journal import Journal, seal_left_over
from truehue.core.batch.local_team import LocalTeam
from truehue.core.batch.locks import InUse, hold_lock
from truehue.core.batch.progress import Progress, add_shard
from truehue.core.batch.records import FAILED, BatchState
from truehue.core.batch.team import BROKEN, DIED, DONE, READY, Batch, Team, TeamEvent
from truehue.core.batch.work import Work
from truehue.core.errors import BadInput
from truehue.core.files import replace_file, sweep
from truehue.core.machine import usable_cores

Watch = Callable[[BatchState], None]

log = logging.getLogger("truehue")

BATCH_S, MAX_IN_BATCH = 2.0, 64
MAX_DEATHS = 2
"""An item at which so many processes died is a failure, and the work goes on without it."""

_WAIT_S, _STATE_S = 0.25, 0.5
_WORKERS_END_S = 60.0
_LOOKED_AT_S, _OTHER_S = 1.0, 2.5
_MAX_NAMED = 5


@dataclass(frozen=True)
class WorkerPool:
    """The workers of the work: so many ``workers``, as ``local`` processes or on ``ray``.

    ``address`` is Ray's, empty for the one that RAY_ADDRESS names, or else a cluster of this
    machine alone. ``threads`` of each worker; None shares this machine's cores among them.
    """

    workers: int = 1
    team: str = "local"
    address: str = ""
    threads: int | None = None


def execute(
    work: Work,
    crew: WorkerPool | None = None,
    *,
    retry_failed: bool = False,
    watch: Watch = lambda state: None,
    team: Team | None = None,
) -> BatchState:
    """Do the remaining items of the work, and return its final state.

    It ends early when the folder's wish is ``paused`` or ``cancelled`` and no longer ``run``, with
    the item in work given up; a worker that hangs, or is still loading, is ended after two minutes.
    What is done is never done again; with ``retry_failed`` the items that failed are tried once
    more. ``watch`` is told the state about twice a second. ``team`` is for tests.

    Raises InUse while another process executes it, BadInput for a folder that another version
    began or that was imported. Shards that cannot be read are kept aside in ``damaged/``, and what
    they held is done again.
    """
    crew = crew or WorkerPool()
    if crew.workers < 1:
        raise BadInput(f"At least one worker is needed, not {crew.workers}.")
    folder = work.folder
    work_names = folder.words
    if folder.imported:
        raise BadInput(
            f"This {work_names.work} was imported: the rest of its {work_names.items} would be another "
            f"machine's. Start a {work_names.work} of your own."
        )
    work.check()
    with _held(work):
        return _Execution(work, crew, retry_failed, watch, team).run()


def merge(work: Work, add: Callable[[], None] = lambda: None) -> BatchState:
    """Seals what the tasks of a job array left in their journals, and returns the state of the
    whole: finished, or paused with how many items are missing. Nothing is executed.

    ``add`` brings rows from elsewhere, while the folder is held. Raises InUse while a task or
    another process is at the work, and as :func:`execute`.
    """
    work.check()
    with _held(work):
        add()
        return _Execution(work, WorkerPool(), False, lambda state: None, None).count()


@contextmanager
def _held(work: Work) -> Iterator[None]:
    """Holds the folder, after what processes that are gone left behind was put in order."""
    folder = work.folder
    work_names = folder.words
    tasks = running_tasks(folder)
    busy = f"Another process is running this {work_names.work}. Pause it there first."
    if tasks:
        names = ", ".join(str(task.task) for task in tasks[:_MAX_NAMED])
        more = " and others" if len(tasks) > _MAX_NAMED else ""
        busy = (
            f"Tasks of a job array are running this {work_names.work}: {names}{more}. Pause it, or "
            "wait for them."
        )
    workers_busy = (
        f"Workers of an earlier process are still running this {work_names.work}. "
        "Try again in a minute."
    )
    with ExitStack() as held:
        for lock in folder.shared_locks():
            held.enter_context(hold_lock(lock, busy, shared=True, wait_s=_LOOKED_AT_S))
        # Whoever asks for the state looks at the lock for a moment.
        held.enter_context(hold_lock(folder.path / LOCK, busy, wait_s=_LOOKED_AT_S))
        _refuse_elsewhere(folder)
        with hold_lock(folder.path / WORKERS_LOCK, workers_busy, wait_s=_WORKERS_END_S):
            seal_left_over(
                folder.journal,
                folder.shard_folder,
                work.schema(),
                f"{folder.worker_prefix}*",
                work.fitted,
            )
            for name in set_aside(folder, work.total):
                log.warning("%s cannot be read: its %s are done again", name, work_names.items)
            # The lock is ours: whoever was at it ended without a word.
            if state_of(folder).status == "running" or tasks_of(folder):
                _sweep(folder)
        yield


class _Execution:
    """One execution of the work; the lock of the folder is held."""

    def __init__(
        self, work: Work, crew: WorkerPool, retry_failed: bool, watch: Watch, team: Team | None
    ) -> None:
        folder = work.folder
        self._work, self._folder, self._crew, self._watch = work, folder, crew, watch
        self._schema = work.schema()
        self._done: Progress = done_of(folder, work.total)
        self._order = work.order()
        to_do = self._done.attempts[self._order] == 0
        if retry_failed:
            to_do |= self._done.failed[self._order]
        self._left: deque[int] = deque(self._order[to_do].tolist())
        self._to_do = len(self._left)
        self._names = f"{folder.worker_prefix}s{_session(folder):03d}"
        self._counted = self._order if work.counts_order else slice(None)
        self._team = team or _team(work, crew)
        self._own = Journal(folder.journal, folder.shard_folder, f"{self._names}c", self._schema)
        self._busy: dict[str, Batch] = {}
        self._idle: list[str] = []
        self._alive: set[str] = set()
        self._started = self._batches = self._finished = self._steps = 0
        self._deaths: Counter[int] = Counter()
        self._deaths_in_a_row = 0
        self._died = False
        self._message = ""
        self._began = time.monotonic()
        self._reported_at = 0.0
        self._started_at = _now()

    def run(self) -> BatchState:
        try:
            self._report("running", at_once=True)
            if self._left and self._folder.desired_state() == "run":
                for _ in range(min(self._crew.workers, len(self._left))):
                    self._start()
                self._loop()
        except BaseException as error:
            self._message = str(error) or type(error).__name__
            self._end()
            self._report("paused", at_once=True)
            raise
        self._end()
        status = "finished"
        unfinished = bool((self._done.attempts[self._order] == 0).any())
        if unfinished or self._left or self._message:
            status = "cancelled" if self._folder.desired_state() == "cancel" else "paused"
        return self._report(status, at_once=True)

    def count(self) -> BatchState:
        """The state by what is there, written down; nothing is done."""
        left = int(np.count_nonzero(self._done.attempts[self._order] == 0))
        if left and tasks_of(self._folder):
            self._message = awaited_text(left, self._folder.words.items)
        return self._report("paused" if left else "finished", at_once=True)

    def _loop(self) -> None:
        while (self._left or self._busy) and not self._message:
            if self._folder.desired_state() != "run":
                return
            self._hand_out()
            if not self._alive and not self._busy:
                self._message = self._message or "No worker could be started."
                return
            for event in self._team.events(_WAIT_S):
                self._take(event)
            self._report("running")

    def _hand_out(self) -> None:
        while self._idle and self._left:
            worker = self._idle.pop(0)
            positions = self._next_positions()
            attempts = ((index, int(self._done.attempts[index]) + 1) for index in positions)
            batch = Batch(self._batches, tuple(attempts))
            self._batches += 1
            self._busy[worker] = batch
            self._team.give(worker, batch)

    def _next_positions(self) -> list[int]:
        """Of a batch; a group that it begins is in it whole."""
        size = min(self._batch_size(), len(self._left))
        positions = [self._left.popleft() for _ in range(size)]
        group = self._work.group(positions[-1])
        while self._left and self._work.group(self._left[0]) == group:
            positions.append(self._left.popleft())
        return positions

    def _batch_size(self) -> int:
        """About two seconds of a worker's work, but what it does at once; at the end a fair share
        for everyone."""
        passed = time.monotonic() - self._began
        pace = self._finished / passed / max(len(self._alive), 1) if self._finished else 0.5
        fair = -(-len(self._left) // (2 * max(len(self._alive), 1)))
        size = max(self._work.at_once, min(int(pace * BATCH_S), MAX_IN_BATCH, fair))
        # What is done at once is not cut in two.
        return size - size % self._work.at_once

    def _take(self, event: TeamEvent) -> None:
        worker = event.worker
        self._steps += event.steps
        if event.kind == READY:
            self._idle.append(worker)
        elif event.kind == DONE:
            self._return(worker, event.items)
            self._idle.append(worker)
        elif event.kind == BROKEN:
            self._message = self._message or event.reason
            self._lost(worker)
        elif event.kind == DIED:
            self._died = True
            self._lost(worker, event.reason)
            if self._deaths_in_a_row > 3 + 2 * self._crew.workers:
                self._message = f"The workers keep ending: {event.reason}."
            elif self._left and self._folder.desired_state() == "run":
                self._start()

    def _return(self, worker: str, items: tuple[tuple[int, str, str], ...]) -> None:
        """A batch came back; what was not reached is to be done by another one."""
        batch = self._busy.pop(worker, Batch(-1, ()))
        attempts = dict(batch.items)
        for position, status, reason in items:
            self._done.add(position, attempts.pop(position), status, reason)
            self._finished += 1
        self._left.extendleft(reversed(attempts))
        if items:
            self._deaths_in_a_row = 0

    def _lost(self, worker: str, why: str = "") -> None:
        """A worker is gone: what it wrote down counts, the rest is done again."""
        self._alive.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        self._seal(f"{worker}-*")
        batch = self._busy.pop(worker, None)
        if batch is None:
            self._deaths_in_a_row += 1
            return
        before = self._done.done
        for path in sorted(self._folder.shard_folder.glob(f"{worker}-*.parquet")):
            add_shard(self._done, path)
        rest = [entry for entry in batch.items if self._done.attempts[entry[0]] < entry[1]]
        self._finished += max(self._done.done - before, 0)
        self._deaths_in_a_row = 0 if len(rest) < len(batch.items) else self._deaths_in_a_row + 1
        if rest and why:
            position, attempt = rest[0]
            self._deaths[position] += 1
            if self._deaths[position] >= MAX_DEATHS:
                self._give_up(position, attempt, why)
                rest = rest[1:]
        self._left.extendleft(position for position, _ in reversed(rest))

    def _give_up(self, position: int, attempt: int, why: str) -> None:
        """An item that ends every process that does it becomes a failure, with that reason."""
        reason = (
            f"While this {self._folder.words.item} was in work the worker died {MAX_DEATHS} "
            f"times: {why}."
        )
        self._own.add(self._work.failure_row(position, attempt, reason))
        self._done.add(position, attempt, FAILED, reason)
        self._finished += 1

    def _seal(self, workers: str) -> None:
        seal_left_over(self._folder.journal, self._folder.shard_folder, self._schema, workers)

    def _start(self) -> None:
        self._started += 1
        worker = f"{self._names}w{self._started}"
        self._alive.add(worker)
        self._team.start(worker)

    def _end(self) -> None:
        """Ends the workers; what they still wrote down counts."""
        before = self._done.done
        self._team.close()
        self._own.seal()
        if self._died:
            _sweep(self._folder)
        self._seal(f"{self._names}*")
        for worker, batch in self._busy.items():
            for path in sorted(self._folder.shard_folder.glob(f"{worker}-*.parquet")):
                add_shard(self._done, path)
            self._left.extend(
                index for index, attempt in batch.items if self._done.attempts[index] < attempt
            )
        self._busy.clear()
        self._finished += max(self._done.done - before, 0)
        self._alive.clear()

    def _report(self, status: str, at_once: bool = False) -> BatchState:
        passed = time.monotonic() - self._began
        rate = self._finished / passed if passed > 0 else 0.0
        items_left = max(self._to_do - self._finished, 0)
        state = BatchState(
            run_id=self._folder.run_id,
            status=status,
            total=len(self._done.attempts[self._counted]),
            done=int(np.count_nonzero(self._done.attempts[self._counted])),
            failed=int(np.count_nonzero(self._done.failed[self._counted])),
            rate=round(rate, 4),
            seconds_left=items_left / rate if status == "running" and self._finished else None,
            workers=len(self._alive),
            problems=self._done.problems(),
            started_at=self._started_at,
            updated_at=_now(),
            host=socket.gethostname(),
            pid=os.getpid(),
            message=self._message,
            steps=self._steps,
        )
        if at_once or time.monotonic() - self._reported_at >= _STATE_S:
            self._reported_at = time.monotonic()
            self._folder.save_state(state)
            self._watch(state)
        return state


def _sweep(folder: BatchFolder) -> None:
    for part in folder.written_folders():
        sweep(part)


def _refuse_elsewhere(folder: BatchFolder) -> None:
    """Raises InUse where another machine is at the work though its lock could be had: some shared
    folders keep locks on each machine alone. Whoever is at it writes its state all the time."""
    before = {part: state_of(part) for part in (folder, *tasks_of(folder))}
    elsewhere = {
        part: state
        for part, state in before.items()
        if state.status in ("running", "interrupted") and state.host != socket.gethostname()
    }
    if elsewhere:
        time.sleep(_OTHER_S)
    for part, state in elsewhere.items():
        if state_of(part).updated_at != state.updated_at:
            raise InUse(f"{state.host} is running this {folder.words.work}. Pause it there first.")


@contextmanager
def pausing_on_interrupt(folder: BatchFolder) -> Iterator[threading.Event]:
    """Ctrl+C and SIGTERM pause the work instead of ending the program in the middle of it; the
    event says whether they came."""
    came = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def pause(number: int, frame: object) -> None:
        came.set()
        folder.set_desired_state("pause")

    before = {
        signal_number: signal.signal(signal_number, pause)
        for signal_number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield came
    finally:
        for signal_number, answer in before.items():
            signal.signal(signal_number, answer)


def _team(work: Work, crew: WorkerPool) -> Team:
    threads = max(1, usable_cores() // crew.workers) if crew.threads is None else crew.threads
    if crew.team == "local":
        return LocalTeam(work, threads)
    if crew.team == "ray":
        from truehue.core.batch.ray_team import RayTeam

        return RayTeam(work, threads, crew.workers, crew.address)
    raise BadInput(f"Workers are local or ray, not {crew.team[:40]!r}.")


def _session(folder: BatchFolder) -> int:
    """A number that no earlier execution had: workers' names are never taken twice."""
    files = (*folder.shards(), *folder.journals())
    prefix = f"{folder.worker_prefix}s"
    names = [path.name.removeprefix(prefix) for path in files if path.name.startswith(prefix)]
    used = [int(name[:3]) for name in names if name[:3].isdigit()]
    path: Path = folder.path / "session"
    with suppress(OSError, ValueError):
        used.append(int(path.read_text()))
    number = max(used, default=0) + 1
    replace_file(path, str(number).encode())
    return number


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
