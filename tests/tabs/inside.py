"""How many are in the same block at the same time, without a guess at how long they take."""

from __future__ import annotations

import threading
from types import TracebackType

COMES_S = 120.0
"""Far longer than a thread takes to come in."""
ONE_MORE_S = 0.1
"""So long somebody waits for one who must not come; whoever does not come makes no test fail."""


class Inside:
    """A block that ``wanted`` threads are in together before any leaves; all stay a moment longer
    for one more than that. ``most`` is how many were in it at once."""

    def __init__(self, wanted: int) -> None:
        self._wanted, self._changed = wanted, threading.Condition()
        self._now, self._waited, self._over = 0, False, False
        self.most = self.count = 0

    def __enter__(self) -> None:
        with self._changed:
            self._now += 1
            self.count += 1
            self.most = max(self.most, self._now)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.most >= self._wanted, COMES_S)
            if not self._waited:  # nobody leaves meanwhile
                self._waited = True
                self._changed.wait_for(lambda: self.most > self._wanted, ONE_MORE_S)
                self._over = True
                self._changed.notify_all()
            self._changed.wait_for(lambda: self._over, COMES_S)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._now -= 1
