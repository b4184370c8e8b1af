"""The interface of a kind of long work: its number of items, their order, and the doer of one."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import numpy as np

from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.journal import Misfit
from truehue.core.batch.records import FAILED, Row
from truehue.core.batch.shards import read_columns
from truehue.core.errors import TrueHueError

_LOOK_S, _TELL_S = 0.25, 0.5


class CannotWork(TrueHueError):
    """This worker cannot go on, and another one could not either: the work pauses, with why."""


class Stopped(Exception):
    """People want the work to pause: the item in hand is given up, and done again later."""


class ItemFailed(TrueHueError):
    """This item has no result; the others may have theirs.

    ``known`` are columns of the failure's row that are known all the same. With ``counts`` it is
    one of those that end the worker when they come in a row.
    """

    def __init__(
        self, reason: str, known: Mapping[str, Any] | None = None, *, counts: bool = True
    ) -> None:
        super().__init__(reason)
        self.known, self.counts = dict(known or {}), counts


class WorkerContext:
    """The worker's context for its doer.

    ``folder`` is the whole work's, ``worker`` this worker's name, ``threads`` how many it may use (0:
    all). ``stop`` is set once people want a pause: pass it to what can be broken off.
    """

    def __init__(
        self,
        folder: BatchFolder,
        worker: str,
        threads: int = 0,
        tell: Callable[[int], None] = lambda steps: None,
    ) -> None:
        self.folder, self.worker, self.threads = folder.home, worker, threads
        self._executed = folder
        self.stop = Event()
        self._report = tell
        self._steps = 0
        self._looked = self._message = 0.0

    def is_stopped(self) -> bool:
        """Whether people want the work to go on is looked up a few times a second."""
        if not self.stop.is_set() and time.monotonic() - self._looked > _LOOK_S:
            self._looked = time.monotonic()
            if self._executed.desired_state() != "run":
                self.stop.set()
        return self.stop.is_set()

    def step(self) -> None:
        """For items that take long: one more step of it is done. Raises Stopped when people want a
        pause, which ``do`` lets through; the steps are told as progress."""
        self._steps += 1
        if time.monotonic() - self._message > _TELL_S:
            self.tell_steps()
        if self.is_stopped():
            raise Stopped

    def tell_steps(self) -> None:
        """Report the steps that were not reported yet."""
        self._message = time.monotonic()
        if self._steps:
            self._report(self._steps)
            self._steps = 0

    def begin(self) -> None:
        """A batch begins: the wish may be another one than when the last one was broken off."""
        self.stop.clear()
        self._looked = 0.0


class ItemProcessor(Protocol):
    """Does items, one at a time, in one thread of one process.

    One that does several at once also has ``expect(items)``: it is told the positions and attempts
    of a batch, in order, before the first of them is asked of ``do``. What of them it has begun is
    lost, and done again, where the batch is broken off.
    """

    def do(self, position: int, attempt: int) -> Row:
        """The row of an item, by the work's schema, whatever worker does it.

        Raises ItemFailed for an item that has no result, CannotWork where no item could have one
        here, Stopped when it was told to stop, DataFolderError where nothing can be written. Any
        other exception is this item's failure.
        """
        ...

    def close(self) -> None:
        """Gives back what it holds."""
        ...


class Work(ABC):
    """One kind of long work over the folder of one piece of it.

    It goes to other processes by pickle, so its class lies in a module; keep it small, and read
    what is large from the folder, in ``open``. A batch for a worker has at least ``at_once`` items,
    where so many are left: for doers that do several at a time (see :class:`ItemProcessor`).
    """

    at_once = 1
    counts_order = False
    """Whether the state counts the items of ``order`` alone, and not all that the plan has."""

    def __init__(self, folder: BatchFolder) -> None:
        self.folder = folder

    @property
    def total(self) -> int:
        """How many items there are; their positions count from 0."""
        return self.folder.total

    @abstractmethod
    def schema(self) -> Any:
        """The Arrow schema of a shard: see :func:`truehue.core.batch.shards.schema_with`."""

    @abstractmethod
    def open(self, context: WorkerContext) -> ItemProcessor:
        """Open the doer, in the worker's process. Raises TrueHueError where nobody could."""

    def order(self) -> np.ndarray:
        """The positions to be done, int64, in the order in which that is quickest. Positions that
        are left out are not to be done now."""
        return np.arange(self.total, dtype=np.int64)

    def units(self, order: np.ndarray) -> np.ndarray:
        """int64, for each item of ``order`` the unit that it belongs to: one task of a job array
        does all of a unit, which shares something expensive. Here each is its own."""
        return order

    def group(self, position: int) -> int:
        """Items with the same number, next to each other in ``order``, are done together by one
        worker. Here each is its own group."""
        return position

    def check(self) -> None:
        """Raises BadInput where this TrueHue would go on with something else than what began."""
        self.folder.summary()

    def failure_row(self, position: int, attempt: int, reason: str) -> Row:
        """The row of an item without a result; columns that are left out are empty."""
        return {"position": position, "attempt": attempt, "status": FAILED, "reason": reason}

    def fitted(self, row: Row) -> Row:
        """The row of a journal's line that somebody else may have written, as a shard takes it.
        Raises Misfit for one that cannot be of this work."""
        position, attempt = row.get("position"), row.get("attempt")
        if type(position) is not int or not 0 <= position < self.total:
            work = self.folder.words.work
            raise Misfit(f"the position {position!r:.40} is not among the {work}'s {self.total:,}")
        texts = (row.get("status"), row.get("reason"))
        whole = type(attempt) is int and attempt >= 1 and all(isinstance(t, str) for t in texts)
        if not whole or not row["status"]:
            raise Misfit(f"the attempt at the position {position} has no number or no status")
        _check_columns(row, self.schema())
        return row

    def read(self, path: Path, names: Sequence[str] | None) -> Any:
        """Columns of a shard as a pyarrow Table; None reads all. Raises BadShard. For shards of an
        older form."""
        return read_columns(path, names)

    def needs_device(self) -> bool:
        """Whether a worker loads a model that a GPU makes faster."""
        return False


def _check_columns(row: Row, schema: Any) -> None:
    """Raises Misfit for a row that cannot be written by the schema."""
    import pyarrow as pa

    try:
        pa.Table.from_pylist([dict(row)], schema=schema)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise Misfit(f"its columns do not fit: {error!s:.200}") from error
