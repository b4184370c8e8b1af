"""The kinds of long work, and its limits: so much of each kind at a time, and so much in all."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock, Semaphore

from truehue.core.errors import BadInput
from truehue.tabs.feature import Kind

FULL = "Too many jobs of visitors are running. Wait a few minutes and try again."


class ConcurrencyLimits:
    """The limits of an app, or of all workspaces of a demonstration, which share the machine: those
    of each of its ``kinds`` of work, and ``limit``, how much may wait and run in all. For any
    thread."""

    def __init__(self, kinds: Iterable[Kind], limit: int = 10_000) -> None:
        self._kinds = {kind.id: kind for kind in kinds}
        self.semaphores = {kind.id: Semaphore(kind.most) for kind in self._kinds.values()}
        self._most, self._count, self._lock = limit, 0, Lock()

    def kind(self, kind_id: str) -> Kind:
        """The kind of a record; one without a name where its feature is not installed any more."""
        return self._kinds.get(kind_id) or Kind(kind_id, "A job")

    def enter(self) -> None:
        """One more is under way. Raises BadInput where that is too much."""
        with self._lock:
            if self._count >= self._most:
                raise BadInput(FULL)
            self._count += 1

    def leave(self) -> None:
        """One has ended."""
        with self._lock:
            self._count -= 1
