"""Stores of a study: the database, or memory alone for a preview."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from truehue.annotation.assignment.ledger import Exclusions
from truehue.annotation.participants import exclusions_of
from truehue.annotation.studies.plan import StudyPlan, from_json
from truehue.core.records import SketchRecord
from truehue.core.studies import (
    ColoringMark,
    Enrolment,
    Event,
    EventKind,
    LogKind,
    MarkKind,
    ParticipantRecord,
    State,
    StoredTrial,
    StudyRecord,
    Trial,
)
from truehue.storage.studies.events import ActionTrace
from truehue.tabs.page.visitors import Visitors

if TYPE_CHECKING:
    from truehue.storage.store import Storage

CLOSED_ITSELF = "closing-rule"
"""The author of a closing that nobody ordered: who is in such a study may finish it."""

Assign = Callable[[int], Sequence[Trial]]


@dataclass(frozen=True)
class Entry:
    """One participant as they are written down; what was done on a canvas as ``traces``, and how
    many bytes (about) all that takes."""

    person: ParticipantRecord
    trials: tuple[StoredTrial, ...]
    events: tuple[Event, ...]
    traces: tuple[ActionTrace, ...] = ()
    signs: tuple[datetime, ...] = ()
    cost: int = 0


class StudyStore(Protocol):
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
        self, enrolment: Enrolment, assign: Assign, time: datetime
    ) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
        """Another participant, with the trials that ``assign`` gives to their number."""
        ...

    def extend(
        self, person_id: str, trials: Sequence[Trial], time: datetime
    ) -> tuple[StoredTrial, ...]:
        """Further trials of a participant."""
        ...

    def rekey(self, person_id: str, key_hash: str, invitation_id: str) -> None:
        """Another key for a participant, by that link; the one before opens nothing any more."""
        ...

    def submit(self, person_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        """Events, stored when the future is done; it has them as they are stored."""
        ...

    def actions(
        self, person_id: str, positions: Collection[int]
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """What a participant did on the canvas of these trials."""
        ...

    def marks(self) -> list[ColoringMark]:
        """What was said of all colorings, in order."""
        ...

    def image_name(self, image_id: str) -> str:
        """What its pages call an image: a hash with a key, of this study alone, so that nobody can
        look up the hash of published pixels, or find one image in two studies."""
        ...

    def exclusions(self, plan: StudyPlan) -> Exclusions:
        """Who and what results leave out, of all times."""
        ...

    def mark(
        self, person_id: str, position: int, kind: MarkKind, value: str, reason: str, author: str
    ) -> ColoringMark:
        """Another mark on a coloring."""
        ...

    def sketches(self, sketch_ids: Collection[str]) -> Mapping[str, SketchRecord]:
        """Those of the sketches that are stored."""
        ...


class DatabaseStudyStore:
    """A study in the database."""

    preview = False

    def __init__(self, storage: Storage, study_id: str) -> None:
        self._storage, self._id = storage, study_id
        self._names = Visitors(storage.data_dir / "images.key")

    def changes(self) -> int:
        return (
            self._storage.studies.changes
            + self._storage.invitations.changes
            + self._storage.participants.changes
            + self._storage.coloring_marks.changes
        )

    def study(self) -> StudyRecord:
        return self._storage.studies.get(self._id)

    def plan(self, version: int) -> StudyPlan:
        return from_json(self._storage.studies.plan(self._id, version))

    def closed_itself(self) -> bool:
        states = [
            log_entry
            for log_entry in self._storage.studies.log(self._id)
            if log_entry.kind is LogKind.STATE
        ]
        return bool(states) and states[-1].author == CLOSED_ITSELF

    def close(self, reason: str) -> None:
        self._storage.studies.set_state(self._id, State.CLOSED, CLOSED_ITSELF, reason)

    def entries(self) -> list[Entry]:
        participants, stored = self._storage.participants, self._storage.study_events
        trials = participants.trials_of_study(self._id)
        events = stored.of_study(self._id, without=EventKind.ACTION)
        traces, signs, costs = (
            stored.traces(self._id),
            stored.signs(self._id),
            stored.costs(self._id),
        )
        return [
            Entry(
                person,
                trials.get(person.id, ()),
                events.get(person.id, ()),
                traces.get(person.id, ()),
                tuple(signs.get(person.id, ())),
                costs.get(person.id, 0),
            )
            for person in participants.of(self._id)
        ]

    def people(self) -> set[str]:
        return {person.id for person in self._storage.participants.of(self._id)}

    def by_key(self, key_hash: str) -> ParticipantRecord | None:
        person = self._storage.participants.by_key(key_hash)
        return person if person is not None and person.study_id == self._id else None

    def enroll(
        self, enrolment: Enrolment, assign: Assign, time: datetime
    ) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
        return self._storage.participants.enroll(enrolment, assign, time)

    def extend(
        self, person_id: str, trials: Sequence[Trial], time: datetime
    ) -> tuple[StoredTrial, ...]:
        return self._storage.participants.extend(person_id, trials, time)

    def rekey(self, person_id: str, key_hash: str, invitation_id: str) -> None:
        self._storage.participants.rekey(person_id, key_hash, invitation_id)

    def submit(self, person_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        return self._storage.study_events.submit(person_id, events)

    def actions(
        self, person_id: str, positions: Collection[int]
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        return self._storage.study_events.actions(person_id, positions)

    def marks(self) -> list[ColoringMark]:
        return self._storage.coloring_marks.of_study(self._id)

    def image_name(self, image_id: str) -> str:
        return self._names.signature(f"{self._id} {image_id}")[:32]

    def exclusions(self, plan: StudyPlan) -> Exclusions:
        numbers = {
            participant_record.id: participant_record.number
            for participant_record in self._storage.participants.of(self._id)
        }
        return exclusions_of(plan, self._storage.studies.log(self._id), self.marks(), numbers)

    def mark(
        self, person_id: str, position: int, kind: MarkKind, value: str, reason: str, author: str
    ) -> ColoringMark:
        return self._storage.coloring_marks.add(
            self._id, person_id, position, kind, value, reason, author
        )

    def sketches(self, sketch_ids: Collection[str]) -> Mapping[str, SketchRecord]:
        return self._storage.sketches.by_ids(sketch_ids)
