"""Results made on demand for many pages: computed once, a few at a time, and cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

import anyio

_P = ParamSpec("_P")
_T = TypeVar("_T")


class SingleFlightCache(Generic[_P, _T]):
    """Results of ``make`` by what it is asked for; the last used ones are kept.

    Who asks for what is being made waits for it, and holds no thread while it waits: a hundred
    pages that ask for one picture cost one decode. At most ``at_once`` are made at a time.
    ``drop`` is called with what is kept no longer. Belongs to one event loop.
    """

    def __init__(
        self,
        make: Callable[_P, _T],
        at_once: int = 2,
        most_kept: int = 512,
        drop: Callable[[_T], None] = lambda result: None,
    ) -> None:
        self._make, self._most, self._drop = make, most_kept, drop
        self.limiter = anyio.CapacityLimiter(at_once)
        """For what costs the same and is not kept."""
        self._saved: OrderedDict[object, _T] = OrderedDict()
        self._making: dict[object, anyio.Event] = {}

    async def get(self, *args: _P.args, **named: _P.kwargs) -> _T:
        """The result, made in a worker thread when it is not at hand; raises what ``make`` raises,
        which is not kept."""
        key = (args, tuple(sorted(named.items())))
        while key not in self._saved and (event := self._making.get(key)) is not None:
            await event.wait()
        if key in self._saved:
            self._saved.move_to_end(key)
            return self._saved[key]
        event = self._making[key] = anyio.Event()
        try:
            result = await anyio.to_thread.run_sync(
                lambda: self._make(*args, **named), limiter=self.limiter
            )
            self._saved[key] = result
            while len(self._saved) > self._most:
                self._drop(self._saved.popitem(last=False)[1])
            return result
        finally:
            del self._making[key]
            event.set()
