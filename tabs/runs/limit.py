"""Runs of several desks take turns: two at once would share a device that fits one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock
from weakref import WeakMethod

LOOK_S = 0.2


class RunLimit:
    """One run at a time of all supervisors that have joined. For any thread."""

    def __init__(self) -> None:
        self._turn, self._lock = Lock(), Lock()
        self._counts: list[WeakMethod[Callable[[], int]]] = []

    def join(self, count: Callable[[], int]) -> None:
        """Counts a supervisor's runs in, for as long as it is there."""
        with self._lock:
            self._counts = [
                weak_method for weak_method in self._counts if weak_method() is not None
            ]
            self._counts.append(WeakMethod(count))

    def waiting(self) -> int:
        """How many runs wait or go on in all."""
        with self._lock:
            counts = [count() for count in self._counts]
        return sum(count() for count in counts if count is not None)

    @contextmanager
    def mine(self, end: Event) -> Iterator[bool]:
        """Waits for its turn, and has it in the block; False where ``end`` was set before."""
        while not (mine := self._turn.acquire(timeout=LOOK_S)) and not end.is_set():
            pass
        try:
            yield mine and not end.is_set()
        finally:
            if mine:
                self._turn.release()
