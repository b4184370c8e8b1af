"""What is kept in memory of studies: plans as they were read, and who may change one now."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from truehue.annotation.studies.files import from_json
from truehue.annotation.studies.plan import StudyPlan
from truehue.tabs.page.feature import AppParts
from truehue.core.cache import LruCache
from truehue.annotation.studies.plan import StudyPlan, from_json

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
        self._plans: LruCache[StudyPlan] = LruCache(_KEPT_PLANS)
        self._counts: LruCache[tuple[object, float, Any]] = LruCache(_KEPT_COUNTS)
        self.changing = RLock()

    @classmethod
    def of(cls, parts: AppParts) -> StudyCache:
        """The one of an app."""
        return cls(parts.storage)

    def plan(self, study_id: str, version: int) -> StudyPlan:
        """A version of a study's plan, which never changes. Raises NotStored."""
        return self._plans.get(
            (study_id, version), lambda: from_json(self._storage.studies.plan(study_id, version))
        )

    def counted(self, study_id: str, state: object, count: Callable[[], _T]) -> _T:
        """What was counted of a study in that ``state`` of it; counted again in another. What takes
        long is not counted again at once, so that watching costs those little who answer."""

        def timed() -> tuple[object, float, Any]:
            began = time.monotonic()
            result = count()
            ended = time.monotonic()
            rest = REST * (ended - began) if ended - began > LONG_S else 0.0
            return state, ended + rest, result

        def is_current(entry: tuple[object, float, Any]) -> bool:
            return entry[0] == state or time.monotonic() < entry[1]

        value: _T = self._counts.get(study_id, timed, is_current)[2]
        return value
