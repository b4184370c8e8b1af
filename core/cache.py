"""Answers that cost seconds, kept while they are among the last that were wanted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class LruCache(Generic[Answer]):
    """The last ``most`` answers by what they depend on, or as many as have together at most this
    ``weight``, such as a number of bytes.

    Two threads that want the same one at once wait for each other: it is made once.
    """

    def __init__(self, limit: int, weight: Callable[[Answer], int] = lambda answer: 1) -> None:
        self._most, self._weight, self._weighs = limit, weight, 0
        self._of: OrderedDict[Hashable, Answer] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Answer]) -> Answer:
        """The answer of ``key``, made now where it is not kept; errors of ``make`` are raised, and
        nothing is kept then."""
        with self._lock:
            if key in self._of:
                self._of.move_to_end(key)
                return self._of[key]
            making = self._making.setdefault(key, Lock())
        with making:
            with self._lock:
                if key in self._of:
                    return self._of[key]
            try:
                answer = make()
                with self._lock:
                    self._of[key] = answer
                    self._weighs += self._weight(answer)
                    while self._weighs > self._most:
                        self._weighs -= self._weight(self._of.popitem(last=False)[1])
                return answer
            finally:
                with self._lock:
                    self._making.pop(key, None)
