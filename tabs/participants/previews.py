"""Previews of studies for researchers: in memory, for an hour, nothing stored."""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from truehue.annotation.assignment.ledger import Exclusions
from truehue.annotation.participants import exclusions_of
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.records import SketchRecord
from truehue.core.studies import (
    ColoringMark,
    Enrolment,
    Event,
    EventKind,
    InvitationRecord,
    MarkKind,
    ParticipantRecord,
    State,
    StoredTrial,
    StudyRecord,
    Trial,
)
from truehue.storage.database.connection import Clock
from truehue.tabs.participants.layers import LayerRenderer
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.stores import Assign, Entry
from truehue.tabs.participants.tokens import hash_of, new_token

Sketches = Callable[[Collection[str]], Mapping[str, SketchRecord]]


class PreviewStore:
    """A study that a researcher walks through: like any other, and nothing of it is stored."""

    preview = True

    def __init__(
        self, plan: StudyPlan, study: StudyRecord, clock: Clock, sketches: Sketches
    ) -> None:
        self._plan, self._clock, self._sketches = plan, clock, sketches
        self._study = replace(study, id=secrets.token_hex(16), state=State.OPEN, version=1)
        self._people: dict[str, ParticipantRecord] = {}
        self._keys: dict[str, str] = {}
        self._events: dict[str, dict[str, Event]] = {}
        self._marks: list[ColoringMark] = []
        self._names = secrets.token_bytes(32)

    def changes(self) -> int:
        return 0

    def study(self) -> StudyRecord:
        return self._study

    def plan(self, version: int) -> StudyPlan:
        return self._plan

    def closed_itself(self) -> bool:
        return self._study.state is State.CLOSED

    def close(self, reason: str) -> None:
        self._study = replace(self._study, state=State.CLOSED)

    def entries(self) -> list[Entry]:
        return []  # read once, before anybody came

    def people(self) -> set[str]:
        return set(self._people)

    def by_key(self, key_hash: str) -> ParticipantRecord | None:
        return self._people.get(self._keys.get(key_hash, ""))

    def enroll(
        self, enrolment: Enrolment, assign: Assign, time: datetime
    ) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
        number = len(self._people)
        trials = assign(number)
        person = ParticipantRecord(
            secrets.token_hex(16),
            self._study.id,
            number,
            enrolment.invitation_id,
            enrolment.plan_version,
            enrolment.language,
            dict(enrolment.external),
            time,
        )
        self._people[person.id] = person
        self._keys[enrolment.key_hash] = person.id
        self._events[person.id] = {}
        return person, _stored(trials, time)

    def extend(
        self, person_id: str, trials: Sequence[Trial], time: datetime
    ) -> tuple[StoredTrial, ...]:
        return _stored(trials, time)

    def rekey(self, person_id: str, key_hash: str, invitation_id: str) -> None:
        self._keys = {key: person for key, person in self._keys.items() if person != person_id}
        self._keys[key_hash] = person_id

    def submit(self, person_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        events_by_id = self._events[person_id]
        for event in events:
            events_by_id.setdefault(
                event.id, replace(event, number=len(events_by_id), at=self._clock())
            )
        done: Future[tuple[Event, ...]] = Future()
        done.set_result(tuple(events_by_id[event.id] for event in events))
        return done

    def actions(
        self, person_id: str, positions: Collection[int]
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        actions: dict[int, list[Mapping[str, Any]]] = {position: [] for position in positions}
        for event in self._events[person_id].values():
            if event.kind is EventKind.ACTION and event.position in actions:
                actions[event.position].append(event.body)
        return actions

    def marks(self) -> list[ColoringMark]:
        return list(self._marks)

    def image_name(self, image_id: str) -> str:
        return hmac.digest(self._names, image_id.encode(), "sha256").hex()[:32]

    def exclusions(self, plan: StudyPlan) -> Exclusions:
        return exclusions_of(plan, ())

    def mark(
        self, person_id: str, position: int, kind: MarkKind, value: str, reason: str, author: str
    ) -> ColoringMark:
        number, now = len(self._marks), self._clock()
        mark = ColoringMark(person_id, position, kind, value, reason, author, number, now)
        self._marks.append(mark)
        return mark

    def sketches(self, sketch_ids: Collection[str]) -> Mapping[str, SketchRecord]:
        return self._sketches(sketch_ids)


def _stored(trials: Sequence[Trial], time: datetime) -> tuple[StoredTrial, ...]:
    return tuple(
        StoredTrial(
            trial.position,
            trial.stimulus_id,
            trial.order,
            trial.purpose,
            trial.propensity,
            trial.original,
            trial.expected,
            assigned_at=time,
        )
        for trial in trials
    )


KEPT = timedelta(hours=1)
MAX_PREVIEWS = 50
MAX_PEOPLE = 20
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
        while len(self._saved) > MAX_PREVIEWS:
            self._saved.popitem(last=False)
