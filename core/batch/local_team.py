"""Workers as processes of this machine: each has its own models, and its death ends no other.

If the work needs a device, each worker sees only one GPU (``CUDA_VISIBLE_DEVICES``), the one with
the fewest workers; more workers than GPUs share them in turn.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from truehue.core.batch.team import BROKEN, DIED, DONE, READY, STEPS, Batch, TeamEvent
from truehue.core.batch.work import Work
from truehue.core.batch.worker import Worker
from truehue.core.errors import TrueHueError
from truehue.core.machine import visible_gpus
from truehue.core.packages import missing_package

log = logging.getLogger("truehue")

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_END_S = 120.0
"""So long workers have for the items in work when they are to end; then they lose them."""


@dataclass
class _Member:
    process: Any
    pipe: Connection
    gpu: str = ""


class LocalTeam:
    """A :class:`truehue.core.batch.team.Team` of processes, of so many ``threads`` each (0:
    all)."""

    def __init__(self, work: Work, threads: int) -> None:
        self._work, self._threads = work, threads
        self._gpus = visible_gpus() if work.needs_device() else ()
        self._context = multiprocessing.get_context("spawn")
        self._members: dict[str, _Member] = {}

    def start(self, worker: str) -> None:
        """Begins a process."""
        ours, theirs = self._context.Pipe()
        held = Counter(member.gpu for member in self._members.values())
        gpu = min(self._gpus, key=lambda name: held[name], default="")
        with _environment(self._threads):
            process = self._context.Process(
                target=_serve,
                args=(theirs, self._work, worker, self._threads, gpu),
                name=f"truehue-{worker}",
            )
            process.start()
        theirs.close()
        self._members[worker] = _Member(process, ours, gpu)

    def give(self, worker: str, batch: Batch) -> None:
        """Sends a batch; a worker that is gone says so as an event."""
        with contextlib.suppress(OSError):
            self._members[worker].pipe.send(batch)

    def pid(self, worker: str) -> int | None:
        """The process of a worker."""
        member = self._members.get(worker)
        return member.process.pid if member else None

    def events(self, timeout_s: float) -> list[TeamEvent]:
        """The next events; see :class:`truehue.core.batch.team.Team`."""
        by_pipe = {member.pipe: name for name, member in self._members.items()}
        if not by_pipe:
            return []
        events = []
        for pipe in wait(list(by_pipe), timeout_s):
            assert isinstance(pipe, Connection)
            name = by_pipe[pipe]
            try:
                event = pipe.recv()
            except (EOFError, OSError):
                event = TeamEvent(DIED, name)
            if event.kind == DIED:
                # Only when the process is gone may another one seal its journal.
                event = replace(event, reason=event.reason or self._end_of(name))
                _end(self._members.pop(name), time.monotonic() + _END_S)
            events.append(event)
        return events

    def close(self) -> None:
        """Asks every process to end, and waits; one that does not end is ended."""
        for member in self._members.values():
            with contextlib.suppress(OSError):
                member.pipe.send(None)
        until = time.monotonic() + _END_S
        for member in self._members.values():
            _end(member, until)
        self._members.clear()

    def _end_of(self, name: str) -> str:
        """How a process ended, in words."""
        process = self._members[name].process
        process.join()
        code = process.exitcode
        if code is not None and code < 0:
            try:
                which = signal.Signals(-code).name
            except ValueError:
                which = str(-code)
            perhaps = ", perhaps for want of memory" if which == "SIGKILL" else ""
            return f"its process was ended by {which}{perhaps}"
        return f"its process ended with status {code}"


def _end(member: _Member, until: float) -> None:
    """Waits for a process, and ends it when it takes too long."""
    member.process.join(max(until - time.monotonic(), 0.0))
    if member.process.is_alive():
        member.process.kill()
        member.process.join()
    member.pipe.close()


def _serve(pipe: Connection, work: Work, name: str, threads: int, gpu: str) -> None:
    """The life of a worker's process."""
    follow_parent()
    if gpu:  # before anything asks CUDA, which reads it once
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu

    def tell(steps: int) -> None:
        pipe.send(TeamEvent(STEPS, name, steps=steps))

    try:
        worker = Worker(work, name, threads, tell)
        try:
            pipe.send(TeamEvent(READY, name))
            while (batch := pipe.recv()) is not None:
                pipe.send(_worked(worker, name, batch))
        finally:
            worker.close()
    except (EOFError, BrokenPipeError):
        pass  # the coordinator is gone, and what is done is sealed
    except TrueHueError as error:
        _say(pipe, TeamEvent(BROKEN, name, str(error)))
    except Exception as error:
        if text := missing_package(error):
            _say(pipe, TeamEvent(BROKEN, name, text))
            return
        log.exception("a worker failed")
        _say(pipe, TeamEvent(DIED, name, f"it broke ({type(error).__name__}: {error})"))


def _say(pipe: Connection, event: TeamEvent) -> None:
    with contextlib.suppress(OSError):
        pipe.send(event)


def _worked(worker: Worker, name: str, batch: Batch) -> TeamEvent:
    try:
        return TeamEvent(DONE, name, items=worker.work_on(batch))
    except TrueHueError as error:
        return TeamEvent(BROKEN, name, str(error))


def follow_parent() -> None:
    """For a process that is begun here: it ends with its parent, and not by itself."""
    # Ctrl+C goes to every process of the terminal; it is the coordinator's to answer.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed must not go on: someone else takes the run up."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _environment(threads: int) -> Iterator[None]:
    """What a process that is started now inherits: its threads, and to be deaf to Ctrl+C, which
    the terminal sends to all of them, also while they are not yet ours to answer it."""
    before = {name: os.environ.get(name) for name in _THREADS}
    if threads:
        os.environ.update(dict.fromkeys(_THREADS, str(threads)))
    main = threading.current_thread() is threading.main_thread()
    answer = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, answer)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
