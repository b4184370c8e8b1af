"""One worker: it does items one by one and writes each result at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack

from truehue.core.batch.journal import Journal
from truehue.core.batch.locks import hold_lock
from truehue.core.batch.records import FAILED, Row
from truehue.core.batch.team import Batch
from truehue.core.batch.work import (
    CannotWork,
    ItemFailed,
    ItemProcessor,
    Stopped,
    Work,
    WorkerContext,
)
from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.packages import missing_package

MAX_BROKEN_IN_A_ROW = 20
"""So many unforeseen failures after one another are the work's, not the items'."""


class Worker:
    """Works on batches until it is stopped. Only one thread calls it.

    ``threads`` it may use, 0 for all; ``tell`` is told of steps (see
    :meth:`truehue.core.batch.work.WorkerContext.step`). Raises BadInput for a folder without a
    plan, or one that another version made, and what the work's ``open`` raises.
    """

    def __init__(
        self,
        work: Work,
        name: str,
        threads: int = 0,
        tell: Callable[[int], None] = lambda steps: None,
    ) -> None:
        use_threads(threads)
        self.work, self.folder, self.name = work, work.folder, name
        work.check()
        work_names = self.folder.words
        with ExitStack() as opened:
            for lock in self.folder.worker_locks():
                busy = f"The {work_names.work} is being resumed."
                opened.enter_context(hold_lock(lock, busy, shared=True))
            self._journal = Journal(
                self.folder.journal, self.folder.shard_folder, name, work.schema()
            )
            self._context = WorkerContext(self.folder, name, threads, tell)
            self.doer: ItemProcessor = work.open(self._context)
            # What was loaded for it is limited too.
            use_threads(threads)
            self._held = opened.pop_all()
        self._broken_in_a_row = 0

    def work_on(self, batch: Batch) -> tuple[tuple[int, str, str], ...]:
        """Does the batch, item by item, and returns position, status and reason of each.

        Ends early, without the rest, when the folder's wish is not ``run`` any more. Raises
        CannotWork when no item can be done here, DataFolderError when nothing can be written.
        """
        items = []
        self._context.begin()
        expect = getattr(self.doer, "expect", None)
        if expect is not None:
            expect(batch.items)
        try:
            for position, attempt in batch.items:
                if self._context.is_stopped():
                    break
                try:
                    row = self._row(position, attempt)
                except Stopped:
                    break
                self._journal.add(row)
                items.append((position, str(row["status"]), str(row["reason"])))
        finally:
            self._context.tell_steps()
        return tuple(items)

    def close(self) -> None:
        """Seals the journal and gives memory back."""
        try:
            self._journal.seal()
        finally:
            try:
                self.doer.close()
            finally:
                self._held.close()

    def _row(self, position: int, attempt: int) -> Row:
        try:
            row = self.doer.do(position, attempt)
        except (Stopped, CannotWork, DataFolderError):
            raise  # a disk that is full is no item's failure
        except Exception as error:
            if text := missing_package(error) or missing_package(error.__cause__):
                raise CannotWork(text) from error  # no item has what it needs
            return self._failed(position, attempt, error)
        if row["status"] != FAILED:
            self._broken_in_a_row = 0
        return row

    def _failed(self, position: int, attempt: int, error: Exception) -> Row:
        """The row of an item that has no result, to be tried again on request."""
        counts = error.counts if isinstance(error, ItemFailed) else not isinstance(error, BadInput)
        self._broken_in_a_row = self._broken_in_a_row + 1 if counts else 0
        work_names = self.folder.words
        reason = (
            str(error)
            if isinstance(error, TrueHueError)
            else f"This {work_names.item} failed ({type(error).__name__}: {error})."
        )
        if self._broken_in_a_row >= MAX_BROKEN_IN_A_ROW:
            raise CannotWork(
                f"{MAX_BROKEN_IN_A_ROW} {work_names.items} in a row failed, the last one so: {reason} "
                "What is done is kept; mend it, then resume with the failed ones tried again."
            )
        known = error.known if isinstance(error, ItemFailed) else {}
        return {**self.work.failure_row(position, attempt, reason), **known}


def use_threads(count: int) -> None:
    """Limits OpenCV and torch to that many threads, where they are loaded; 0 leaves them."""
    if count < 1:
        return
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(count)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)
