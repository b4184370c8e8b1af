"""Where a study is written down: the database, or for a preview the memory alone."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from annotation.studies.files import from_json
from annotation.studies.plan import StudyPlan
from core.studies import (
    Enrolment,
    Event,
    LogKind,
    ParticipantRecord,
    State,
    StoredTrial,
    StudyRecord,
    Trial,
)
from storage.database.connection import Clock

if TYPE_CHECKING:
    from storage.store import Storage

CLOSED_ITSELF = "closing-rule"
"""The author of a closing that nobody ordered: who is in such a study may finish it."""

Assign = Callable[[int], Sequence[Trial]]


@dataclass(frozen=True)
class Entry:
    """One participant as they are written down."""

    person: ParticipantRecord
    trials: tuple[StoredTrial, ...]
    events: tuple[Event, ...]


class Book(Protocol):
    """One study: what is read and written of it. Any thread may call."""

    preview: bool

    def changes(self) -> int:
        """A number that is another one after somebody else changed the study, its links or its
        participants. Cheap."""
        ...

    def study(self) -> StudyRecord:
        """The study as it is now."""
        ...

    def plan(self, version: int) -> StudyPlan:
        """One version of its plan."""
        ...

    def closed_itself(self) -> bool:
        """Whether the study was closed by its own rule, and not by a researcher."""
        ...

    def close(self, reason: str) -> None:
        """Closes the study by its own rule."""
        ...

    def entries(self) -> list[Entry]:
        """All participants by number."""
        ...

    def people(self) -> set[str]:
        """The ids of all participants."""
        ...

    def by_key(self, key_hash: str) -> ParticipantRecord | None:
        """Whose key has this hash; None for nobody in this study."""
        ...

    def enroll(
        self, enrolment: Enrolment, assign: Assign, at: datetime
    ) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
        """Another participant, with the trials that ``assign`` gives to their number."""
        ...

    def extend(
        self, person_id: str, trials: Sequence[Trial], at: datetime
    ) -> tuple[StoredTrial, ...]:
        """Further trials of a participant."""
        ...

    def rekey(self, person_id: str, key_hash: str) -> None:
        """Another key for a participant; the one before opens nothing any more."""
        ...

    def submit(self, person_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        """Events, stored when the future is done; it has them as they are stored."""
        ...


class StoredBook:
    """A study in the database."""

    preview = False

    def __init__(self, storage: Storage, study_id: str) -> None:
        self._storage, self._id = storage, study_id

    def changes(self) -> int:
        return (
            self._storage.studies.changes
            + self._storage.invitations.changes
            + self._storage.participants.changes
        )

    def study(self) -> StudyRecord:
        return self._storage.studies.get(self._id)

    def plan(self, version: int) -> StudyPlan:
        return from_json(self._storage.studies.plan(self._id, version))

    def closed_itself(self) -> bool:
        states = [one for one in self._storage.studies.log(self._id) if one.kind is LogKind.STATE]
        return bool(states) and states[-1].author == CLOSED_ITSELF

    def close(self, reason: str) -> None:
        self._storage.studies.set_state(self._id, State.CLOSED, CLOSED_ITSELF, reason)

    def entries(self) -> list[Entry]:
        participants = self._storage.participants
        trials = participants.trials_of_study(self._id)
        events = self._storage.study_events.of_study(self._id)
        return [
            Entry(person, trials.get(person.id, ()), events.get(person.id, ()))
            for person in participants.of(self._id)
        ]

    def people(self) -> set[str]:
        return {person.id for person in self._storage.participants.of(self._id)}

    def by_key(self, key_hash: str) -> ParticipantRecord | None:
        person = self._storage.participants.by_key(key_hash)
        return person if person is not None and person.study_id == self._id else None

    def enroll(
        self, enrolment: Enrolment, assign: Assign, at: datetime
    ) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
        return self._storage.participants.enroll(enrolment, assign, at)

    def extend(
        self, person_id: str, trials: Sequence[Trial], at: datetime
    ) -> tuple[StoredTrial, ...]:
        return self._storage.participants.extend(person_id, trials, at)

    def rekey(self, person_id: str, key_hash: str) -> None:
        self._storage.participants.rekey(person_id, key_hash)

    def submit(self, person_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        return self._storage.study_events.submit(person_id, events)


class PreviewBook:
    """A study that a researcher walks through: like any other, and nothing of it is stored."""

    preview = True

    def __init__(self, plan: StudyPlan, study: StudyRecord, clock: Clock) -> None:
        self._plan, self._clock = plan, clock
        self._study = replace(study, id=secrets.token_hex(16), state=State.OPEN, version=1)
        self._people: dict[str, ParticipantRecord] = {}
        self._keys: dict[str, str] = {}
        self._events: dict[str, dict[str, Event]] = {}

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
        self, enrolment: Enrolment, assign: Assign, at: datetime
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
            at,
        )
        self._people[person.id] = person
        self._keys[enrolment.key_hash] = person.id
        self._events[person.id] = {}
        return person, _stored(trials, at)

    def extend(
        self, person_id: str, trials: Sequence[Trial], at: datetime
    ) -> tuple[StoredTrial, ...]:
        return _stored(trials, at)

    def rekey(self, person_id: str, key_hash: str) -> None:
        self._keys = {key: person for key, person in self._keys.items() if person != person_id}
        self._keys[key_hash] = person_id

    def submit(self, person_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        kept = self._events[person_id]
        for event in events:
            kept.setdefault(event.id, replace(event, number=len(kept), at=self._clock()))
        done: Future[tuple[Event, ...]] = Future()
        done.set_result(tuple(kept[event.id] for event in events))
        return done


def _stored(trials: Sequence[Trial], at: datetime) -> tuple[StoredTrial, ...]:
    return tuple(
        StoredTrial(
            trial.position,
            trial.stimulus_id,
            trial.order,
            trial.purpose,
            trial.propensity,
            trial.original,
            trial.expected,
            assigned_at=at,
        )
        for trial in trials
    )
