"""A run from where it stands to its end: batches to workers, their deaths, pause and cancel."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from core.batch.locks import InUse, held
from core.batch.team import BROKEN, DIED, DONE, READY, Batch, Team, TeamEvent
from core.errors import BadInput
from core.files import replace_file, sweep
from core.generation.backends.endpoints import Endpoint
from core.generation.weights.sources import Sources
from core.machine import usable_cores
from core.runs.folder import LOCK, WORKERS_LOCK, RunFolder
from core.runs.health import set_aside
from core.runs.journal import Journal, fitting, seal_left_over
from core.runs.local_team import LocalTeam
from core.runs.plan import place_of
from core.runs.progress import Progress, add_shard, done_of, order_of
from core.runs.records import ItemResult, RunPlan, RunState
from core.runs.score import not_drawn
from core.runs.worker import WorkerSettings, check_versions

Watch = Callable[[RunState], None]

log = logging.getLogger("truehue")

BATCH_S, MOST_IN_BATCH = 2.0, 64
MOST_DEATHS = 2
"""A picture at which so many processes died is a failure, and the run goes on without it."""

_WAIT_S, _STATE_S = 0.25, 0.5
_WORKERS_END_S = 60.0
_LOOKED_AT_S, _OTHER_S = 1.0, 2.5


@dataclass(frozen=True)
class ExecutionSettings:
    """Who does the work: so many ``workers``, as ``local`` processes or on ``ray``.

    ``address`` is Ray's, empty for the one that RAY_ADDRESS names, or else a cluster of this
    machine alone. ``threads`` of each worker; None shares this machine's cores among them.
    """

    workers: int = 1
    team: str = "local"
    address: str = ""
    sources: Sources = field(default_factory=Sources.here)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    threads: int | None = None


def execute(
    folder: RunFolder,
    crew: ExecutionSettings | None = None,
    *,
    retry_failed: bool = False,
    watch: Watch = lambda state: None,
    team: Team | None = None,
) -> RunState:
    """Does what of a run is not done yet, and returns how it ended.

    It ends early when the folder's wish is not ``run``: ``paused`` or ``cancelled``, with the
    picture in work given up; a worker that hangs, or is still loading, is ended after two minutes.
    What is done is never done again; with ``retry_failed`` the pictures
    that failed are tried once more. ``watch`` is told the state about twice a second. ``team`` is
    for tests.

    Raises InUse while another process executes it, BadInput for a folder that another version
    began or that was imported. Shards that cannot be read are kept aside in ``damaged/``, and their
    pictures done again.
    """
    crew = crew or ExecutionSettings()
    if crew.workers < 1:
        raise BadInput(f"At least one worker is needed, not {crew.workers}.")
    if folder.summary().get("imported"):
        raise BadInput(
            "This run was imported: the rest of its pictures would be another machine's. Begin a "
            "run of your own."
        )
    plan = folder.plan()
    check_versions(folder, plan)
    busy = "Another process is at this run. Pause it there first."
    workers_busy = "Workers of an earlier process are still at this run. Try again in a minute."
    # Whoever asks for the state of a run looks at its lock for a moment.
    with held(folder.path / LOCK, busy, wait_s=_LOOKED_AT_S):
        _refuse_elsewhere(folder)
        with held(folder.path / WORKERS_LOCK, workers_busy, wait_s=_WORKERS_END_S):
            seal_left_over(folder.journal, folder.shard_folder, fits=fitting(plan))
            for name in set_aside(folder, plan.total):
                log.warning("%s cannot be read: its pictures are done again", name)
            # The lock is ours: whoever was at it ended without a word.
            if folder.state().status == "running":
                _sweep(folder)
        return _Execution(folder, plan, crew, retry_failed, watch, team).run()


class _Execution:
    """One execution of a run; the lock of the folder is held."""

    def __init__(
        self,
        folder: RunFolder,
        plan: RunPlan,
        crew: ExecutionSettings,
        retry_failed: bool,
        watch: Watch,
        team: Team | None,
    ) -> None:
        self._folder, self._plan, self._crew, self._watch = folder, plan, crew, watch
        self._done: Progress = done_of(folder, plan.total)
        order = order_of(plan)
        to_do = self._done.attempts[order] == 0
        if retry_failed:
            to_do |= self._done.failed[order]
        self._left: deque[int] = deque(order[to_do].tolist())
        self._to_do = len(self._left)
        self._session = _session(folder)
        self._team = team or _team(folder, plan, crew)
        self._own = Journal(folder.journal, folder.shard_folder, f"s{self._session:03d}c")
        self._busy: dict[str, Batch] = {}
        self._idle: list[str] = []
        self._alive: set[str] = set()
        self._started = self._batches = self._finished = 0
        self._deaths: Counter[int] = Counter()
        self._deaths_in_a_row = 0
        self._died = False
        self._message = ""
        self._began = time.monotonic()
        self._told = 0.0
        self._started_at = _now()

    def run(self) -> RunState:
        try:
            self._tell("running", at_once=True)
            if self._left and self._folder.desired_state() == "run":
                for _ in range(min(self._crew.workers, len(self._left))):
                    self._start()
                self._loop()
        except BaseException as error:
            self._message = str(error) or type(error).__name__
            self._end()
            self._tell("paused", at_once=True)
            raise
        self._end()
        status = "finished"
        if self._done.done < self._plan.total or self._left or self._message:
            status = "cancelled" if self._folder.desired_state() == "cancel" else "paused"
        return self._tell(status, at_once=True)

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
            self._tell("running")

    def _hand_out(self) -> None:
        while self._idle and self._left:
            worker = self._idle.pop(0)
            size = min(self._batch_size(), len(self._left))
            positions = [self._left.popleft() for _ in range(size)]
            attempts = ((at, int(self._done.attempts[at]) + 1) for at in positions)
            batch = Batch(self._batches, tuple(attempts))
            self._batches += 1
            self._busy[worker] = batch
            self._team.give(worker, batch)

    def _batch_size(self) -> int:
        """About two seconds of a worker's work; at the end a fair share for everyone."""
        passed = time.monotonic() - self._began
        pace = self._finished / passed / max(len(self._alive), 1) if self._finished else 0.5
        fair = -(-len(self._left) // (2 * max(len(self._alive), 1)))
        return max(1, min(int(pace * BATCH_S), MOST_IN_BATCH, fair))

    def _take(self, event: TeamEvent) -> None:
        worker = event.worker
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
                self._message = f"The workers end again and again: {event.reason}."
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
        seal_left_over(self._folder.journal, self._folder.shard_folder, f"{worker}-*")
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
            if self._deaths[position] >= MOST_DEATHS:
                self._give_up(position, attempt, why)
                rest = rest[1:]
        self._left.extendleft(position for position, _ in reversed(rest))

    def _give_up(self, position: int, attempt: int, why: str) -> None:
        """A picture that ends every process that draws it becomes a failure, with that reason."""
        reason = f"While this picture was drawn the worker died {MOST_DEATHS} times: {why}."
        number, image = place_of(self._plan, position)
        prompt = self._plan.prompts[number]
        self._own.add(
            ItemResult(
                position,
                number,
                image,
                attempt,
                "failed",
                reason,
                verdicts=not_drawn(reason, self._plan.rules, prompt),
            )
        )
        self._done.add(position, attempt, "failed", reason)
        self._finished += 1

    def _start(self) -> None:
        self._started += 1
        worker = f"s{self._session:03d}w{self._started}"
        self._alive.add(worker)
        self._team.start(worker)

    def _end(self) -> None:
        """Ends the workers; what they still wrote down counts."""
        before = self._done.done
        self._team.close()
        self._own.seal()
        if self._died:
            _sweep(self._folder)
        seal_left_over(self._folder.journal, self._folder.shard_folder, f"s{self._session:03d}*")
        for worker, batch in self._busy.items():
            for path in sorted(self._folder.shard_folder.glob(f"{worker}-*.parquet")):
                add_shard(self._done, path)
            self._left.extend(
                at for at, attempt in batch.items if self._done.attempts[at] < attempt
            )
        self._busy.clear()
        self._finished += max(self._done.done - before, 0)
        self._alive.clear()

    def _tell(self, status: str, at_once: bool = False) -> RunState:
        passed = time.monotonic() - self._began
        rate = self._finished / passed if passed > 0 else 0.0
        items_left = max(self._to_do - self._finished, 0)
        state = RunState(
            run_id=self._folder.run_id,
            status=status,
            total=self._plan.total,
            done=self._done.done,
            failed=int(np.count_nonzero(self._done.failed)),
            rate=round(rate, 4),
            seconds_left=items_left / rate if status == "running" and self._finished else None,
            workers=len(self._alive),
            problems=self._done.problems(),
            started_at=self._started_at,
            updated_at=_now(),
            host=socket.gethostname(),
            pid=os.getpid(),
            message=self._message,
        )
        if at_once or time.monotonic() - self._told >= _STATE_S:
            self._told = time.monotonic()
            self._folder.keep_state(state)
            self._watch(state)
        return state


def _sweep(folder: RunFolder) -> None:
    for part in (folder.shard_folder, folder.images, folder.masks):
        sweep(part)


def _refuse_elsewhere(folder: RunFolder) -> None:
    """Raises InUse where another machine is at the run though its lock could be had: some shared
    folders keep locks on each machine alone. Whoever is at a run writes its state all the time."""
    before = folder.state()
    if before.status not in ("running", "interrupted") or before.host == socket.gethostname():
        return
    time.sleep(_OTHER_S)
    if folder.state().updated_at != before.updated_at:
        raise InUse(f"{before.host} is at this run. Pause it there first.")


@contextmanager
def pausing_on_interrupt(folder: RunFolder) -> Iterator[None]:
    """Ctrl+C and SIGTERM pause the run instead of ending the program in the middle of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def pause(number: int, frame: object) -> None:
        folder.set_desired_state("pause")

    before = {
        signal_number: signal.signal(signal_number, pause)
        for signal_number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for signal_number, answer in before.items():
            signal.signal(signal_number, answer)


def _team(folder: RunFolder, plan: RunPlan, crew: ExecutionSettings) -> Team:
    threads = max(1, usable_cores() // crew.workers) if crew.threads is None else crew.threads
    settings = WorkerSettings(crew.sources, dict(crew.endpoints), threads)
    if crew.team == "local":
        return LocalTeam(folder.path, settings)
    if crew.team == "ray":
        from core.runs.ray_team import RayTeam

        return RayTeam(folder.path, settings, plan, crew.workers, crew.address)
    raise BadInput(f"Workers are local or ray, not {crew.team[:40]!r}.")


def _session(folder: RunFolder) -> int:
    """A number that no earlier execution had: workers' names are never taken twice."""
    names = [shard.name for shard in folder.shards()]
    names += [path.name for path in folder.journal.glob("*.jsonl")]
    taken = [int(name[1:4]) for name in names if name[:1] == "s" and name[1:4].isdigit()]
    path: Path = folder.path / "session"
    with suppress(OSError, ValueError):
        taken.append(int(path.read_text()))
    number = max(taken, default=0) + 1
    replace_file(path, str(number).encode())
    return number


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
