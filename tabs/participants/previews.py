"""Studies that researchers walk through: in memory, for an hour, without a trace."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import InvitationRecord, StudyRecord
from truehue.storage.database.connection import Clock
from truehue.tabs.participants.layers import LayerRenderer
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.preview_store import PreviewStore
from truehue.tabs.participants.tokens import hash_of, new_token

KEPT = timedelta(hours=1)
MOST = 50
MOST_PEOPLE = 20
"""Participants of one preview, which lies in memory."""


@dataclass(frozen=True)
class Preview:
    """One of them, until ``ends_at``."""

    desk: LiveStudy
    invitation: InvitationRecord
    ends_at: datetime


class Previews:
    """The previews that are at hand. For any thread."""

    def __init__(self, clock: Clock, drawing: LayerRenderer) -> None:
        self._clock, self._drawing = clock, drawing
        self._saved: OrderedDict[str, Preview] = OrderedDict()
        self._lock = Lock()

    def begin(self, plan: StudyPlan, study: StudyRecord) -> str:
        """A preview of a plan; returns the token of its link."""
        book = PreviewStore(plan, study, self._clock, self._drawing.sketches)
        live_study = LiveStudy(book, self._clock, self._drawing)
        now = self._clock()
        link = InvitationRecord(
            live_study.study.id, live_study.study.id, "preview", False, now, None
        )
        token = new_token()
        with self._lock:
            self._saved[hash_of(token)] = Preview(live_study, link, now + KEPT)
            self._forget(now)
        return token

    def get(self, token_hash: str) -> Preview | None:
        """The preview of a link, None where there is none any more."""
        with self._lock:
            if not self._saved:  # as nearly always
                return None
            self._forget(self._clock())
            return self._saved.get(token_hash)

    def _forget(self, now: datetime) -> None:
        for name in [name for name, preview in self._saved.items() if preview.ends_at <= now]:
            del self._saved[name]
        while len(self._saved) > MOST:
            self._saved.popitem(last=False)
