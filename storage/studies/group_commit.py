"""Many small batches of events, stored together: one thread writes all that waits at once.

A transaction waits for the disk. Were each batch one of its own, as many could be stored in a
second as the disk can be waited for; this way those that come while it is waited for share the
next one. A transaction costs a processor as much as fifty events in it, so where a disk is fast and
many people are at it, the next one begins ``PACE_S`` after the one before began. Who is alone waits
for nothing: where nobody else came meanwhile there is no rest.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future

import duckdb

from truehue.core.errors import StorageError
from truehue.core.studies import Event
from truehue.storage.database.connection import Database
from truehue.storage.studies.event_rows import Batch, EventRows

log = logging.getLogger("truehue")

MOST_EVENTS = 2000
"""Events in one transaction; what waits beyond that goes into the next."""
PACE_S = 0.025
"""From the begin of a transaction that several shared to that of the next, at least."""
# Where a batch of several could be what was refused, each half is tried alone.
_OF_ONE_BATCH = (duckdb.DataError, duckdb.IntegrityError, duckdb.ProgrammingError)


class GroupCommit:
    """The one thread that writes events. It starts with the first batch."""

    def __init__(self, database: Database) -> None:
        self._rows = EventRows(database)
        self._waiting: deque[Batch] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, participant_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        """Let a batch wait for the next transaction; see :meth:`StudyEvents.submit`."""
        batch = Batch.of(participant_id, events)
        # From here on nobody can take it back: somebody who hangs up has voted all the same.
        batch.answer.set_running_or_notify_cancel()
        with self._changed:
            if self._closed:
                raise StorageError(
                    "The data folder has been closed: nothing is stored any more. "
                    "Start TrueHue again and send it once more."
                )
            self._waiting.append(batch)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write_all, name="study events", daemon=True
                )
                self._thread.start()
            self._changed.notify()
        return batch.answer

    def close(self) -> None:
        """Store what waits, and take nothing any more; closing twice is fine."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _write_all(self) -> None:
        while group := self._next_group():
            begun_s = time.monotonic()
            self._store(group)
            if len(group) > 1 and not self._closed:
                self._rest(max(0.0, begun_s + PACE_S - time.monotonic()))

    def _rest(self, seconds: float) -> None:
        time.sleep(seconds)

    def _next_group(self) -> list[Batch]:
        """All that waits, once something does; empty at the end."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            group: list[Batch] = []
            events = 0
            while self._waiting and (
                not group or events + len(self._waiting[0].events) <= MOST_EVENTS
            ):
                group.append(self._waiting.popleft())
                events += len(group[-1].events)
            return group

    def _store(self, group: list[Batch]) -> None:
        """Store a group and answer each batch of it."""
        try:
            answers = self._rows.store(group)
        except BaseException as error:
            if len(group) > 1 and isinstance(error.__cause__, _OF_ONE_BATCH):
                middle = len(group) // 2
                self._store(group[:middle])
                self._store(group[middle:])
                return
            if not isinstance(error, StorageError):
                log.exception("Events could not be stored.")
            for batch in group:
                batch.answer.set_exception(self._rows.reason(batch, error))
            return
        for batch, answer in zip(group, answers, strict=True):
            if isinstance(answer, Exception):
                batch.answer.set_exception(answer)
            else:
                batch.answer.set_result(answer)
