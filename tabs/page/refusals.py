"""Log lines about refused requests: their number, and never the user."""

from __future__ import annotations

import atexit
import logging
import time
from collections import Counter
from collections.abc import Callable
from threading import Lock, Timer

log = logging.getLogger("truehue")

EVERY_S = 60.0
_totals: Counter[str] = Counter()
_counting = Lock()


class Refusals:
    """Writes the first refusal of a kind at once, and a minute later how many there were since: a
    stranger who tries a thousand times does not fill the disk, and is counted all the same. What
    was not written yet is when the app ends. Each line begins with ``about``. For any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, about: str = "") -> None:
        self._clock, self._about = clock, about
        self._written: dict[str, float] = {}
        self._since: dict[str, int] = {}
        self._lock = Lock()
        self._timer: Timer | None = None

    def note(self, kind: str) -> None:
        """``kind`` is one of a few fixed texts: no name, no address, nothing of the request."""
        with _counting:
            _totals[self._about + kind] += 1
        with self._lock:
            now = self._clock()
            count = self._since[kind] = self._since.get(kind, 0) + 1
            if now - self._written.get(kind, -EVERY_S) < EVERY_S:
                self._flush_later()
                return
            self._written[kind], self._since[kind] = now, 0
        self._write(kind, count)

    def flush(self) -> None:
        """Writes what was counted and not written."""
        with self._lock:
            self._timer, now = None, self._clock()
            counts = {kind: count for kind, count in self._since.items() if count}
            self._since.clear()
            self._written.update(dict.fromkeys(counts, now))
        for kind, count in counts.items():
            self._write(kind, count)

    def _flush_later(self) -> None:
        if self._timer is None:
            self._timer = Timer(EVERY_S, self.flush)
            self._timer.daemon = True
            self._timer.start()
            atexit.unregister(self.flush)
            atexit.register(self.flush)

    def _write(self, kind: str, count: int) -> None:
        log.warning(
            "refused: %s%s%s", self._about, kind, f" ({count:,} times)" if count > 1 else ""
        )


_refusals = Refusals()


def note_refusal(kind: str) -> None:
    """Writes to the app's log that something of that kind was refused; see :class:`Refusals`."""
    _refusals.note(kind)


def refused() -> dict[str, int]:
    """How often each kind was refused since this process began, everywhere in it."""
    with _counting:
        return dict(_totals)
