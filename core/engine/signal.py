"""The lock that all records of an engine share, and the count of what changed under it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Board:
    """Readers hold ``lock`` for a snapshot, writers use :meth:`change`, pages wait for it."""

    def __init__(self) -> None:
        self.lock = Condition()
        self.changes = 0

    @contextmanager
    def change(self) -> Iterator[None]:
        """Holds the lock; afterwards counts one change and wakes all who wait."""
        with self.lock:
            try:
                yield
            finally:
                self.changes += 1
                self.lock.notify_all()
