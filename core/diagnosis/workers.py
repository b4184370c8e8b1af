"""Tasks over processes: each worker uses one core, keeps its rows at once and stops when told."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.diagnosis.plan import Task
from core.errors import TrueHueError

# One thread a worker: two workers with two threads each would wait for each other.
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

# Set in each worker by _begin.
_done: Any = None
_stop: Any = None


class _Stopped(Exception):
    """The run was ended: the task leaves nothing behind."""


@dataclass(frozen=True)
class TaskResult:
    """A task whose rows are kept. ``processor_seconds`` is the worker's work on it."""

    task: Task
    processor_seconds: float


class Pool:
    """Runs tasks; ``done`` counts the pictures of tasks that are still in work, too."""

    def __init__(self, folder: Path, workers: int) -> None:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.folder = folder
        self.workers = workers
        self._done = context.Value("q", 0)
        self._stop = context.Event()
        self._executor = ProcessPoolExecutor(workers, context, _begin, (self._done, self._stop))

    @property
    def done(self) -> int:
        """Pictures judged so far."""
        return int(self._done.value)

    def run(self, tasks: Sequence[Task], wake_s: float = 0.5) -> Iterator[TaskResult | None]:
        """Yields each finished task, and None every ``wake_s`` seconds in between.

        Ending it early (an exception, Ctrl+C, closing the generator) stops the workers after the
        picture in work. Raises TrueHueError when a worker was killed.
        """
        waiting: set[Future[TaskResult]] = set()
        try:
            with _environment_of_workers():
                waiting = {self._executor.submit(_work, task, self.folder) for task in tasks}
            while waiting:
                ready, waiting = wait(waiting, wake_s, FIRST_COMPLETED)
                for future in ready:
                    yield future.result()
                if not ready:
                    yield None
        except BrokenProcessPool as error:
            raise TrueHueError(
                "A worker process was ended from outside, perhaps for want of memory. What is done "
                "is kept: run the same command again, with fewer --workers."
            ) from error
        finally:
            self._stop.set()
            self._executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _environment_of_workers() -> Iterator[None]:
    """What processes that are started now inherit: one thread each, and deaf to Ctrl+C, which the
    terminal sends to all of them and which is ours to answer."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    main = threading.current_thread() is threading.main_thread()
    answer = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, answer)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _begin(done: Any, stop: Any) -> None:
    """Prepares a worker."""
    global _done, _stop
    _done, _stop = done, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import cv2

    cv2.setNumThreads(1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for tasks for ever."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(task: Task, folder: Path) -> TaskResult:
    """Judges a task and keeps its rows."""
    from core.diagnosis.shards import save
    from core.diagnosis.work import rows_of

    def step() -> None:
        if _stop.is_set():
            raise _Stopped
        with _done.get_lock():
            _done.value += 1

    begin = time.process_time()
    rows, problems = rows_of(task, step)
    save(folder, task, rows, problems)
    return TaskResult(task, time.process_time() - begin)
