"""What is kept in memory of studies: plans as they were read, and who may change one now."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, TypeVar

from truehue.annotation.studies.files import from_json
from truehue.annotation.studies.plan import StudyPlan
from truehue.tabs.page.feature import AppParts

if TYPE_CHECKING:
    from truehue.storage.store import Storage

_KEPT_PLANS = 24
_KEPT_COUNTS = 64
LONG_S, REST = 0.25, 8.0
"""A count that took longer is good for so many times as long."""
_T = TypeVar("_T")


class StudyCache:
    """Plans and counts of studies, read once. A service of the app; any thread may ask.

    ``changing`` is held by whoever reads a study and changes it by what was read.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._plans: OrderedDict[tuple[str, int], StudyPlan] = OrderedDict()
        self._counts: OrderedDict[str, tuple[object, float, Any]] = OrderedDict()
        self._lock = Lock()
        self.changing = RLock()

    @classmethod
    def of(cls, parts: AppParts) -> StudyCache:
        """The one of an app."""
        return cls(parts.storage)

    def plan(self, study_id: str, version: int) -> StudyPlan:
        """A version of a study's plan, which never changes. Raises NotStored."""
        with self._lock:
            plan = self._plans.get((study_id, version))
            if plan is not None:
                self._plans.move_to_end((study_id, version))
                return plan
        plan = from_json(self._storage.studies.plan(study_id, version))
        with self._lock:
            self._plans[study_id, version] = plan
            while len(self._plans) > _KEPT_PLANS:
                self._plans.popitem(last=False)
        return plan

    def counted(self, study_id: str, state: object, count: Callable[[], _T]) -> _T:
        """What was counted of a study in that ``state`` of it; counted again in another. What takes
        long is not counted again at once, so that watching costs those little who answer."""
        with self._lock:
            known = self._counts.get(study_id)
            if known is not None and (known[0] == state or time.monotonic() < known[1]):
                self._counts.move_to_end(study_id)
                value: _T = known[2]
                return value
        began = time.monotonic()
        counted = count()
        ended = time.monotonic()
        rest = REST * (ended - began) if ended - began > LONG_S else 0.0
        with self._lock:
            self._counts[study_id] = (state, ended + rest, counted)
            while len(self._counts) > _KEPT_COUNTS:
                self._counts.popitem(last=False)
        return counted
