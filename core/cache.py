"""A cache of expensive results, least recently used first out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class LruCache(Generic[Answer]):
    """The last ``limit`` answers by what they depend on, or as many as have together at most this
    ``weight``, such as a number of bytes; the last ``at_least`` are kept whatever they weigh.

    For any thread. Two that want the same answer at once wait for each other: it is made once.
    """

    def __init__(
        self, limit: int, weight: Callable[[Answer], int] = lambda answer: 1, at_least: int = 0
    ) -> None:
        self._limit, self._weight, self._at_least = limit, weight, at_least
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._total = self._clears = 0
        self._lock = Lock()

    def get(
        self,
        key: Hashable,
        make: Callable[[], Answer],
        is_current: Callable[[Answer], bool] = lambda answer: True,
    ) -> Answer:
        """The answer of ``key``, made now where none is kept that ``is_current``. Errors of ``make``
        are raised, and nothing is kept then."""
        with self._lock:
            if self._has(key, is_current):
                return self._answers[key]
            making = self._making.setdefault(key, Lock())
        with making:
            with self._lock:
                if self._has(key, is_current):
                    return self._answers[key]
                clears = self._clears
            try:
                answer = make()
                with self._lock:
                    if clears == self._clears:
                        self._keep(key, answer)
                return answer
            finally:
                with self._lock:
                    self._making.pop(key, None)

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._answers

    def answers(self) -> tuple[Answer, ...]:
        """Those that are kept, the last used last."""
        with self._lock:
            return tuple(self._answers.values())

    def clear(self) -> None:
        """Forgets all answers, also those that are being made now."""
        with self._lock:
            self._answers.clear()
            self._total = 0
            self._clears += 1

    def _has(self, key: Hashable, is_current: Callable[[Answer], bool]) -> bool:
        if key not in self._answers or not is_current(self._answers[key]):
            return False
        self._answers.move_to_end(key)
        return True

    def _keep(self, key: Hashable, answer: Answer) -> None:
        if key in self._answers:
            self._total -= self._weight(self._answers.pop(key))
        self._answers[key] = answer
        self._total += self._weight(answer)
        while self._total > self._limit and len(self._answers) > self._at_least:
            self._total -= self._weight(self._answers.popitem(last=False)[1])
