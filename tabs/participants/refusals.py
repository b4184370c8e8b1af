"""What participants are told when something cannot be, and the count of it in the log."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from threading import Lock

from core.errors import BadInput

log = logging.getLogger("truehue")

QUIET_S = 60.0
"""Seconds between two lines of the log about the same kind of refusal."""


class Refusal(BadInput):
    """Something that a participant's page asked for and does not get.

    ``code`` is one word for the page, ``status`` the one of HTTP.
    """

    def __init__(self, message: str, code: str, status: int = 409, field: str = "") -> None:
        super().__init__(message, field)
        self.code, self.status = code, status


class RefusalLog:
    """Counts refusals by kind; the log gets the number now and then, and nothing of who asked."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._counts: Counter[str] = Counter()
        self._told: dict[str, float] = {}
        self._lock = Lock()

    def note(self, kind: str) -> None:
        """Counts one refusal; ``kind`` is a word of ours, never anything that was sent."""
        with self._lock:
            self._counts[kind] += 1
            now = self._clock()
            if now - self._told.get(kind, -QUIET_S) < QUIET_S:
                return
            self._told[kind] = now
            count = self._counts.pop(kind)
        log.warning("studies: refused %d× (%s)", count, kind)
