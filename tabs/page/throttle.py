"""The delay before the next password attempt, longer with every wrong one.

Nobody is locked out: delays expire, and a browser with an earlier sign-in has its own count, so
that a stranger who tries a user's name cannot keep the user out.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from threading import Lock

MAX_KEPT = 20_000


@dataclass(frozen=True)
class Pace:
    """``free`` attempts at once, then 1, 2, 4 … seconds between two, up to ``most_s``. All is
    forgotten after ``forgotten_s`` without an attempt."""

    free: int
    most_s: float
    forgotten_s: float = 3600.0

    def delay_s(self, attempts: int) -> float:
        """The time until the next attempt, after so many."""
        over = attempts - self.free
        return 0.0 if over < 0 else min(2.0 ** min(over, 30), self.most_s)


NAME, DEVICE = Pace(5, 30.0), Pace(5, 30.0)
ADDRESS = Pace(20, 60.0)
EVERYBODY = Pace(60, 2.0, 60.0)
"""The paces of one name, of one browser that is known, of one address, and of all strangers."""


@dataclass(frozen=True)
class _Count:
    attempts: int
    next_at: float
    forgotten_at: float


class Throttle:
    """Counts attempts by what they have in common; for any thread. ``clock`` counts seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._counts: OrderedDict[Hashable, _Count] = OrderedDict()
        self._lock = Lock()

    def begin(self, paces: Mapping[Hashable, Pace]) -> float:
        """0 where an attempt may be made now, which is then counted, as a wrong one until
        :meth:`succeeded` says otherwise; else the seconds to wait, and nothing is counted."""
        with self._lock:
            now = self._clock()
            counts = {key: self._count(key, now) for key in paces}
            wait_s = max((count.next_at - now for count in counts.values()), default=0.0)
            if wait_s > 0:
                return wait_s
            for key, pace in paces.items():
                attempts = counts[key].attempts + 1
                self._counts[key] = _Count(
                    attempts, now + pace.delay_s(attempts), now + pace.forgotten_s
                )
                self._counts.move_to_end(key)
            while len(self._counts) > MAX_KEPT:
                self._counts.popitem(last=False)
            return 0.0

    def succeeded(self, paces: Mapping[Hashable, Pace], forgiven: Hashable) -> None:
        """The attempt that began was right: ``forgiven`` is forgotten, of the others this one."""
        with self._lock:
            self._counts.pop(forgiven, None)
            for key in paces:
                if (count := self._counts.get(key)) is not None:
                    self._counts[key] = _Count(
                        max(0, count.attempts - 1), self._clock(), count.forgotten_at
                    )

    def _count(self, key: Hashable, now: float) -> _Count:
        count = self._counts.get(key)
        return _Count(0, now, now) if count is None or count.forgotten_at <= now else count


def network_of(address: str) -> str:
    """What counts as one address: of IPv6 the network of a household, which has 2⁶⁴ addresses."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if known.version == 4:
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, 64), strict=False))
