"""One study at work: what was stored of it, held in memory, and kept up to date with every event.

The desk is read from its book once. What changes which trials others get (an enrolment, further
trials, somebody who stops or comes back after long) takes turns under ``assigning``; ordinary
answers do not wait for it. So the stored log gives every assignment again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from annotation.assignment.ledger import Ledger
from annotation.studies.plan import StudyPlan
from core.studies import Event, EventKind, ParticipantRecord, State, StudyRecord, Trial
from storage.database.connection import Clock
from tabs.participants.books import Book
from tabs.participants.complete import Wanted
from tabs.participants.seat import Seat

NEARLY = timedelta(seconds=30)
"""Somebody without a sign for nearly as long as makes them gone is taken for gone."""
_BEGIN = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Changes:
    """What was read of a study that somebody else changed."""

    seen: int
    study: StudyRecord
    plan: StudyPlan
    closed_itself: bool
    people: set[str]


class Desk:
    """A study with its seats. Belongs to one event loop, but for what is said of threads."""

    def __init__(self, book: Book, clock: Clock) -> None:
        """Reads everything; takes a while, so it is done in a thread."""
        self.book, self.clock = book, clock
        self.assigning = asyncio.Lock()
        self.seats: dict[str, Seat] = {}
        self.keys: dict[str, str] = {}
        self._by_invitation: dict[str, str] = {}
        self._by_outside: dict[str, str] = {}
        self._by_consent: dict[str, str] = {}
        self._plans: dict[int, StudyPlan] = {}
        self._images: frozenset[str] | None = None
        self.finished = 0
        self.seen = book.changes()
        self.study: StudyRecord = book.study()
        self.closed_itself = self.study.state is State.CLOSED and book.closed_itself()
        self.wanted = Wanted(self.plan())
        self.ledger = Ledger(self.plan())
        events: list[tuple[datetime, int, Seat, Event]] = []
        for entry in book.entries():
            seat = self.add(entry.person, entry.trials)
            events += ((event.at or _BEGIN, event.number, seat, event) for event in entry.events)
        for _, _, seat, event in sorted(events, key=lambda row: row[:2]):
            self.take(seat, event)

    @property
    def stale(self) -> bool:
        """Whether somebody else changed the study since it was read."""
        return self.seen != self.book.changes()

    def read_changes(self) -> Changes:
        """Reads the state, the plan and who is still there anew. In a thread."""
        seen = self.book.changes()
        study = self.book.study()
        plan = self._plans.get(study.version) or self.book.plan(study.version)
        closed_itself = study.state is State.CLOSED and self.book.closed_itself()
        return Changes(seen, study, plan, closed_itself, self.book.people())

    def apply(self, changes: Changes, known: Set[str]) -> None:
        """Takes over what was read; of those who were ``known`` before, who is missing was
        erased."""
        version = self.study.version
        self.study, self.closed_itself = changes.study, changes.closed_itself
        self._plans[changes.study.version] = changes.plan
        if changes.study.version != version:
            self._images = None
            self.wanted.use(changes.plan)
            self.ledger.use(changes.plan)
        for person in known - changes.people:
            self._forget(self.seats[person])
        self.seen = changes.seen

    def plan(self, version: int | None = None) -> StudyPlan:
        """A version of the plan, the newest where none is named."""
        version = self.study.version if version is None else version
        if version not in self._plans:
            self._plans[version] = self.book.plan(version)
        return self._plans[version]

    @property
    def images(self) -> frozenset[str]:
        """All images that its plans name: nothing else is shown by its links."""
        if self._images is None:
            plans = {self.study.version: self.plan(), **self._plans}
            self._images = frozenset(
                image
                for plan in plans.values()
                for case in plan.cases
                for candidate in case.candidates
                for image in candidate.image_ids
            )
        return self._images

    def now(self) -> datetime:
        """The time, with its zone."""
        return self.clock().astimezone(UTC)

    def add(self, person: ParticipantRecord, trials: Sequence[Trial]) -> Seat:
        """Another seat, with the trials that were stored for it."""
        seat = Seat(person, self.plan(person.plan_version), list(trials))
        self.seats[person.id] = seat
        self._by_invitation[person.invitation_id] = person.id
        if outside := person.external.get("prolific_pid"):
            self._by_outside[outside] = person.id
        self.ledger.enroll(person.number, person.enrolled_at)
        self.ledger.assign(person.number, trials)
        return seat

    def extend(self, seat: Seat, trials: Sequence[Trial]) -> None:
        """Further trials of a seat, which were stored."""
        seat.trials.extend(trials)
        self.ledger.assign(seat.person.number, trials)

    def take(self, seat: Seat, event: Event) -> None:
        """Takes in a stored event of a seat; one that was taken before changes nothing."""
        position = -1 if event.position is None else event.position
        before = seat.answers.get(position)
        if not seat.take(event):
            return
        self.ledger.take(seat.person.number, event)
        after = seat.answers.get(position)
        if after is not before:
            if before is not None:
                self.wanted.count(seat.trials[position], -1)
            if after is not None:
                self.wanted.count(seat.trials[position], 1)
        if event.kind is EventKind.CONSENT:
            self._by_consent[event.id] = seat.person.id
        if event.kind is EventKind.FINISH:
            self.finished += 1

    def gone(self, seat: Seat, at: datetime) -> bool:
        """Whether nothing more is expected of somebody at a time: done, or no sign for long."""
        return seat.done or at - seat.sign_at > timedelta(seconds=self.plan().abandoned_after_s)

    def decides(self, seat: Seat, events: Sequence[Event]) -> bool:
        """Whether these events change what others are given: they wait for their turn then."""
        stops = any(event.kind is EventKind.WITHDRAWAL for event in events)
        return stops or self.gone(seat, self.now() + NEARLY)

    def of_key(self, key_hash: str) -> Seat | None:
        """The seat of a key that was seen before."""
        return self.seats.get(self.keys.get(key_hash, ""))

    def of_invitation(self, invitation_id: str) -> Seat | None:
        """The last seat of somebody who came by a link."""
        return self.seats.get(self._by_invitation.get(invitation_id, ""))

    def of_outside(self, prolific_pid: str) -> Seat | None:
        """The seat of somebody whom a recruiting site calls so."""
        return self.seats.get(self._by_outside.get(prolific_pid, "")) if prolific_pid else None

    def of_consent(self, event_id: str) -> Seat | None:
        """The seat whose consent has this id, which its page made."""
        return self.seats.get(self._by_consent.get(event_id, ""))

    def rekeyed(self, seat: Seat, key_hash: str) -> None:
        """The key of a seat, which was stored; the ones before open nothing any more."""
        person = seat.person.id
        self.keys = {key: one for key, one in self.keys.items() if one != person}
        self.keys[key_hash] = person

    def takes_answers(self, seat: Seat | None) -> bool:
        """Whether answers are taken: of those who are in also while the study is paused, and after
        it closed by itself."""
        match self.study.state:
            case State.OPEN | State.PAUSED:
                return True
            case State.CLOSED:
                return self.closed_itself and seat is not None
            case State.DRAFT:
                return False

    def gives_trials(self, seat: Seat | None) -> bool:
        """Whether further trials are given out."""
        return self.study.state is not State.PAUSED and self.takes_answers(seat)

    def state_for(self, seat: Seat | None) -> State:
        """The study's state as somebody's page shows it."""
        if self.study.state is State.CLOSED and self.closed_itself and seat and not seat.done:
            return State.OPEN
        return self.study.state

    @property
    def all_places_taken(self) -> bool:
        """Whether as many have finished, or are at it, as the study wants."""
        wanted = self.plan().closing.participants
        if wanted is None:
            return False
        now = self.now()
        at_it = sum(not self.gone(seat, now) for seat in self.seats.values())
        return self.finished + at_it >= wanted

    @property
    def reason_to_close(self) -> str:
        """Why the study should close by itself now; empty where it should not."""
        if self.study.state is not State.OPEN:
            return ""
        closing = self.plan().closing
        if closing.when_complete and not self.wanted.short:
            return "Every stimulus has the answers that were wanted."
        if closing.participants is not None and self.finished >= closing.participants:
            return f"{self.finished} participants have finished, as many as were wanted."
        return ""

    def _forget(self, seat: Seat) -> None:
        person = seat.person.id
        for position in seat.answers:
            self.wanted.count(seat.trials[position], -1)
        self.ledger.forget(seat.person.number)
        self.finished -= seat.finished
        del self.seats[person]
        for index in (self.keys, self._by_invitation, self._by_outside, self._by_consent):
            for name in [name for name, one in index.items() if one == person]:
                del index[name]
