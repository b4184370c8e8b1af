"""Job arrays: a share of the work, done by one process that talks to no other.

Task 3 of 16 takes every item whose unit (:meth:`truehue.core.batch.work.Work.units`) falls to it,
by the plan alone. Any tasks may run, in any order, at the same time, on machines that share no more
than the work's folder; start a killed one again. Its rows go into the folder's own
``journal/`` and ``shards/`` under names that no other task has, so that readers see them at once.
Its lock, wish and state are in ``tasks/003-of-016/``. While a task runs it shares the folder's lock:
nobody executes or merges the whole work meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch.folder import LOCK, WORKERS_LOCK, BatchFolder
from truehue.core.batch.locks import InUse, is_free
from truehue.core.batch.records import BatchState, Row
from truehue.core.batch.work import ItemProcessor, Work, WorkerContext
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import file_problem

TASKS = "tasks"
"""Below the folder: one folder for each started task."""

MAX_TASKS = 10_000
_NAME = re.compile(r"(\d+)-of-(\d+)")
_AWAITED = (
    "Start the tasks of the job array again, those that are done take no time; or resume, which does "
    "the rest here."
)


@dataclass(frozen=True)
class ArrayTask:
    """Task ``number``, from 1, of ``count``."""

    number: int
    count: int

    @property
    def prefix(self) -> str:
        """What the names of its workers, journals and shards begin with."""
        return f"a{self.number:03d}{self.suffix}"

    @property
    def suffix(self) -> str:
        """What these names have in common in all tasks of the array."""
        return f"of{self.count:03d}s"

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def array_task(text: str) -> ArrayTask:
    """The task that ``3/16`` names. Raises BadInput."""
    number, _, count = text.partition("/")
    if number.isdecimal() and count.isdecimal():
        task = ArrayTask(int(number), int(count))
        if 1 <= task.number <= task.count <= MAX_TASKS:
            return task
    raise BadInput(
        f"A share is written as 3/16, the third of 16 (at most {MAX_TASKS:,}), not {text[:40]!r}."
    )


class TaskFolder(BatchFolder):
    """The folder of one task: the plan, the rows and the files beside them are those of ``home``,
    the folder of the whole work."""

    def __init__(self, home: BatchFolder, task: ArrayTask) -> None:
        super().__init__(home.path / TASKS / f"{task.number:03d}-of-{task.count:03d}")
        self._home, self.task = home, task
        self.words, self.worker_prefix = home.words, task.prefix

    def __reduce__(self) -> Any:
        """To another process goes where it is."""
        return type(self), (self._home, self.task)

    @property
    def home(self) -> BatchFolder:
        """Of the whole work."""
        return self._home

    @property
    def run_id(self) -> str:
        """That of the whole work."""
        return self._home.run_id

    @cached_property
    def _read(self) -> dict[str, Any]:
        return self._home.summary()

    @property
    def journal(self) -> Path:
        """Shared with the other tasks."""
        return self._home.journal

    @property
    def shard_folder(self) -> Path:
        """Shared with the other tasks."""
        return self._home.shard_folder

    def shards(self) -> list[Path]:
        """Its own shards, and those of whoever did the whole work or was of another array."""
        return [path for path in super().shards() if not self._is_siblings(path)]

    def journals(self) -> list[Path]:
        """The same of the journals."""
        return [path for path in super().journals() if not self._is_siblings(path)]

    def _is_siblings(self, path: Path) -> bool:
        """Whether another task of this array wrote it, which does other items."""
        name = path.name
        return (
            name[:1] == "a" and self.task.suffix in name and not name.startswith(self.task.prefix)
        )

    def written_folders(self) -> tuple[Path, ...]:
        """None: what is half written there may be another task's, at work."""
        return ()

    def shared_locks(self) -> tuple[Path, ...]:
        """The lock of the whole work."""
        return (self._home.path / LOCK,)

    def worker_locks(self) -> tuple[Path, ...]:
        """Its own, and that of the whole work."""
        return (self.path / WORKERS_LOCK, self._home.path / WORKERS_LOCK)

    def desired_state(self) -> str:
        """The wish for the whole work, where that is not to run; else its own."""
        wish = self._home.desired_state()
        return super().desired_state() if wish == "run" else wish

    def _is_of_plan(self, state: BatchState) -> bool:
        """A task counts its own items alone."""
        return state.total <= self.total


class TaskWork(Work):
    """The share of ``whole`` that falls to a task."""

    counts_order = True

    def __init__(self, whole: Work, task: ArrayTask) -> None:
        super().__init__(TaskFolder(whole.folder, task))
        self.whole, self.task, self.at_once = whole, task, whole.at_once

    def schema(self) -> Any:
        """That of the whole work."""
        return self.whole.schema()

    def order(self) -> np.ndarray:
        """The items of every ``count``-th unit, from the ``number``-th on, in the whole's order."""
        order = self.whole.order()
        # Units are renumbered in their order: their own numbers may have gaps.
        _, first, units = np.unique(self.whole.units(order), return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return order[rank[units] % self.task.count == self.task.number - 1]

    def group(self, position: int) -> int:
        """That of the whole work."""
        return self.whole.group(position)

    def open(self, context: WorkerContext) -> ItemProcessor:
        """That of the whole work."""
        return self.whole.open(context)

    def check(self) -> None:
        """That of the whole work."""
        self.whole.check()

    def failure_row(self, position: int, attempt: int, reason: str) -> Row:
        """That of the whole work."""
        return self.whole.failure_row(position, attempt, reason)

    def fitted(self, row: Row) -> Row:
        """That of the whole work."""
        return self.whole.fitted(row)

    def read(self, path: Path, names: Sequence[str] | None) -> Any:
        """That of the whole work."""
        return self.whole.read(path, names)

    def needs_device(self) -> bool:
        """That of the whole work."""
        return self.whole.needs_device()


def tasks_of(folder: BatchFolder) -> list[TaskFolder]:
    """The started tasks of a folder, by count and number."""
    tasks = []
    for path in (folder.path / TASKS).glob("*-of-*"):
        if (name := _NAME.fullmatch(path.name)) is not None:
            tasks.append(TaskFolder(folder, ArrayTask(int(name[1]), int(name[2]))))
    return sorted(tasks, key=lambda task: (task.task.count, task.task.number))


def running_tasks(folder: BatchFolder) -> list[TaskFolder]:
    """Those of them that some process is at now."""
    return [task for task in tasks_of(folder) if not is_free(task.path / LOCK)]


def state_of_tasks(folder: BatchFolder, running: Sequence[TaskFolder]) -> BatchState:
    """The state of work at which tasks are ``running``, from what each wrote of itself.

    The counts are those of the arrays with these numbers of tasks: tasks that never began count
    nothing until all have ended, when the rows are counted.
    """
    counts = {task.task.count for task in running}
    states, active = [], []
    for task in tasks_of(folder):
        state = task.saved_state()
        if state is None or task.task.count not in counts:
            continue
        states.append(state)
        if any(task.task == other.task for other in running):
            active.append(state)
    newest = max(active, key=lambda state: state.updated_at, default=None)
    left = [state.seconds_left for state in active if state.seconds_left is not None]
    names = ", ".join(str(task.task) for task in running[:5])
    more = f" and {len(running) - 5:,} more" if len(running) > 5 else ""
    total = folder.total
    return BatchState(
        folder.run_id,
        "running",
        total,
        done=min(sum(state.done for state in states), total),
        failed=min(sum(state.failed for state in states), total),
        rate=round(sum(state.rate for state in active), 4),
        seconds_left=max(left, default=None),
        workers=sum(state.workers for state in active),
        started_at=min((state.started_at for state in active), default=""),
        updated_at=newest.updated_at if newest else "",
        host=newest.host if newest else "",
        message=f"Tasks of a job array are at work: {names}{more}.",
        steps=sum(state.steps for state in active),
    )


def after_tasks(state: BatchState | None, counted: BatchState, items: str) -> BatchState:
    """The state of work at which no task is any more: ``counted`` says what there is, ``state``
    what was written last of the whole, perhaps before they began; ``items`` is the name of several."""
    if counted.done == counted.total:
        return replace(counted, status="finished", message="")
    text = awaited_text(counted.total - counted.done, items)
    cancelled = state is not None and state.status == "cancelled"
    return replace(counted, status="cancelled" if cancelled else "paused", message=text)


def awaited_text(count: int, items: str) -> str:
    """That so many items, ``items`` of several, wait for tasks."""
    return f"{count:,} {items} have no result yet. {_AWAITED}"


def waits_for_tasks(state: BatchState) -> bool:
    """Whether the state is that of work of which no task is at work, and some is not done."""
    return state.message.endswith(_AWAITED)


def begin_task(whole: Work, task: ArrayTask) -> TaskWork:
    """The task's share of the work, with a folder of its own. Raises DataFolderError, and InUse while
    tasks of an array of another size are at work, which would do the same items."""
    others = {other.task.count for other in running_tasks(whole.folder)} - {task.count}
    if others:
        sizes = ", ".join(f"{count:,}" for count in sorted(others))
        raise InUse(
            f"Tasks of an array of {sizes} are running this {whole.folder.words.work}. Wait for "
            f"them, or start this one as a task of theirs, not of {task.count:,}."
        )
    work = TaskWork(whole, task)
    try:
        work.folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderError(
            f"{work.folder.path} cannot be made: {file_problem(error)}."
        ) from error
    return work
