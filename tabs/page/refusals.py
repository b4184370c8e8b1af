"""Lines of the log about what was refused: how often, and never to whom."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock

log = logging.getLogger("truehue")

EVERY_S = 60.0


class Refusals:
    """Writes the first refusal of a kind at once, and then how many there were, once a minute: a
    stranger who tries a thousand times does not fill the disk. Each line begins with ``about``. For
    any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, about: str = "") -> None:
        self._clock, self._about = clock, about
        self._written: dict[str, float] = {}
        self._since: dict[str, int] = {}
        self._lock = Lock()

    def note(self, kind: str) -> None:
        """``kind`` is one of a few fixed texts: no name, no address, nothing of the request."""
        with self._lock:
            now = self._clock()
            count = self._since[kind] = self._since.get(kind, 0) + 1
            if now - self._written.get(kind, -EVERY_S) < EVERY_S:
                return
            self._written[kind], self._since[kind] = now, 0
        log.warning(
            "refused: %s%s%s", self._about, kind, f" ({count:,} times)" if count > 1 else ""
        )


_refusals = Refusals()


def note_refusal(kind: str) -> None:
    """Writes to the app's log that something of that kind was refused; see :class:`Refusals`."""
    _refusals.note(kind)
