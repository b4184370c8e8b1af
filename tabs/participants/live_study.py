"""One running study in memory, updated with every event.

It is read from its store once. Events that change the trials of others (an enrolment, further
trials, a participant who stops or returns after a long time) are serialized by ``assigning``;
ordinary answers do not wait for it. So every assignment can be replayed from the stored log.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from truehue.annotation.assignment.ledger import AssignmentState, Exclusions, Ledger, sign_of
from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.records import SketchRecord
from truehue.core.studies import (
    ColoringMark,
    Event,
    EventKind,
    ParticipantRecord,
    Purpose,
    State,
    StudyRecord,
    Trial,
)
from truehue.storage.database.connection import Clock
from truehue.tabs.participants.canvas import PREVIEW_BYTES
from truehue.tabs.participants.layers import LayerRenderer
from truehue.tabs.participants.reading import participant_id_of
from truehue.tabs.participants.session import ParticipantSession
from truehue.tabs.participants.stores import StudyStore


class RemainingAnswers:
    """``answered`` counts main answers by stimulus, ``short`` are the stimuli with fewer than the
    plan wants. A sketch that somebody left uncolored still wants its coloring."""

    def __init__(self, plan: StudyPlan) -> None:
        self.answered: Counter[str] = Counter()
        self.short: set[str] = set()
        self.use(plan)

    def use(self, plan: StudyPlan) -> None:
        """Goes by this version of the plan from now on."""
        self._votes, self._colorings = plan.votes, plan.kind is Kind.COLORINGS
        self._ids = frozenset(stimulus.id for stimulus in plan.main_stimuli)
        self.short = {name for name in self._ids if self.answered[name] < plan.votes}

    def lacks(self, name: str, without: int) -> bool:
        """Whether a stimulus wants more answers where so many of its own do not count."""
        return name in self._ids and self.answered[name] - without < self._votes

    def count(self, trial: Trial, answer: Answer, sign: int) -> None:
        """Counts an answer to a trial (1), or one that was taken back (-1)."""
        if trial.purpose is not Purpose.MAIN:
            return
        if self._colorings and answer.kind is AnswerKind.SKIP:
            return
        name = trial.stimulus_id
        self.answered[name] += sign
        if name in self._ids:
            (self.short.discard if self.answered[name] >= self._votes else self.short.add)(name)


MAX_STUDY_BYTES, MAX_PREVIEW_BYTES = 16 * 2**30, 16 * 2**20
"""What all events of a study, or of a preview, may take before nothing is drawn any more."""
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
    marks: list[ColoringMark]
    exclusions: Exclusions
    sketches: Mapping[str, SketchRecord]


@dataclass(frozen=True)
class RefusedVisits:
    """How many visits found a study full since it was read, and when."""

    visits: int
    first_at: datetime
    last_at: datetime


class LiveStudy:
    """A study with its seats. Belongs to one event loop, but for what is said of threads."""

    def __init__(self, book: StudyStore, clock: Clock, drawing: LayerRenderer) -> None:
        """Reads everything; takes a while, so it is done in a thread."""
        self.book, self.clock, self.drawing = book, clock, drawing
        self.assigning = asyncio.Lock()
        self.seats: dict[str, ParticipantSession] = {}
        self.keys: dict[str, str] = {}
        self._by_invitation: dict[str, str] = {}
        self._by_outside: dict[str, str] = {}
        self._by_consent: dict[str, str] = {}
        self._plans: dict[int, StudyPlan] = {}
        self._images: dict[str, str] | None = None
        self._names: dict[str, str] = {}
        self.finished, self.cost = 0, 0
        self.turned_away: RefusedVisits | None = None
        self.on_practice: Callable[[], None] = lambda: None
        """Called when somebody waits for a review of their practice; it returns at once."""
        self.most_cost = MAX_PREVIEW_BYTES if book.preview else MAX_STUDY_BYTES
        self.seen = book.changes()
        self.study: StudyRecord = book.study()
        self.closed_itself = self.study.state is State.CLOSED and book.closed_itself()
        self.wanted = RemainingAnswers(self.plan())
        self.ledger = Ledger(self.plan(), book.exclusions(self.plan()))
        events: list[tuple[datetime, int, ParticipantSession, Event]] = []
        entries = book.entries()
        for entry in entries:
            session = self.add(entry.person, entry.trials)
            events += ((event.at or _BEGIN, event.number, session, event) for event in entry.events)
            sample = (Event("", EventKind.ACTION, at=sign) for sign in entry.signs)
            events += ((event.at or _BEGIN, -1, session, event) for event in sample)
            for trace in entry.traces:
                session.canvases.traces[trace.position] = trace.codes
                session.canvases.rows[trace.position] = trace.rows
                session.canvases.actions += len(trace.codes)
                session.ids.update(trace.ids)
        for _, _, session, event in sorted(events, key=lambda row: row[:2]):
            if event.id:
                self.take(session, event)
            else:
                self._sign(session, event)
        for entry in entries:
            self.seats[entry.person.id].canvases.cost = entry.cost
        self.cost = sum(entry.cost for entry in entries)
        self._mark(book.marks())
        self.sketches = book.sketches(self._sketch_ids())

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
        return Changes(
            seen,
            study,
            plan,
            closed_itself,
            self.book.people(),
            self.book.marks(),
            self.book.exclusions(plan),
            self.book.sketches(self._sketch_ids(plan)),
        )

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
        self._mark(changes.marks)
        self.ledger.exclusions = changes.exclusions
        self.sketches = changes.sketches
        self.seen = changes.seen

    def plan(self, version: int | None = None) -> StudyPlan:
        """A version of the plan, the newest where none is named."""
        version = self.study.version if version is None else version
        if version not in self._plans:
            self._plans[version] = self.book.plan(version)
        return self._plans[version]

    @property
    def images(self) -> Mapping[str, str]:
        """All images that its plans name, by the names on its pages: nothing else is shown by its
        links."""
        if self._images is None:
            plans = {self.study.version: self.plan(), **self._plans}
            shown = {image for plan in plans.values() for image in images_of(plan)}
            self._images = {self.image_name(image): image for image in shown}
        return self._images

    def image_name(self, image_id: str) -> str:
        """What its pages call an image; empty for none."""
        if image_id and image_id not in self._names:
            self._names[image_id] = self.book.image_name(image_id)
        return self._names.get(image_id, "")

    def now(self) -> datetime:
        """The time, with its zone."""
        return self.clock().astimezone(UTC)

    def add(self, person: ParticipantRecord, trials: Sequence[Trial]) -> ParticipantSession:
        """Another seat, with the trials that were stored for it."""
        session = ParticipantSession(person, self.plan(person.plan_version), list(trials))
        session.seen_at(trials)
        if self.book.preview:
            session.max_bytes, session.preview = PREVIEW_BYTES, True
        self.seats[person.id] = session
        self._by_invitation[person.invitation_id] = person.id
        if outside := participant_id_of(person.external):
            self._by_outside[outside] = person.id
        self.ledger.enroll(person.number, person.enrolled_at)
        self.ledger.assign(person.number, trials)
        return session

    def extend(self, session: ParticipantSession, trials: Sequence[Trial]) -> None:
        """Further trials of a seat, which were stored."""
        self.finished -= session.through
        session.trials.extend(trials)
        session.seen_at(trials)
        self.finished += session.through
        self.ledger.assign(session.person.number, trials)

    def take(self, session: ParticipantSession, event: Event) -> None:
        """Takes in a stored event of a seat; one that was taken before changes nothing."""
        position = -1 if event.position is None else event.position
        before, finished, cost = (
            session.answers.get(position),
            session.through,
            session.canvases.cost,
        )
        if not session.take(event):
            return
        self.cost += session.canvases.cost - cost
        self.ledger.take(session.person.number, event)
        after = session.answers.get(position)
        if after is not before:
            if before is not None:
                self.wanted.count(session.trials[position], before, -1)
            if after is not None:
                self.wanted.count(session.trials[position], after, 1)
        if event.kind is EventKind.CONSENT:
            self._by_consent[event.id] = session.person.id
        self.finished += session.through - finished

    def gone(self, session: ParticipantSession, time: datetime) -> bool:
        """Whether nothing more is expected of somebody at a time: done, or no sign for long."""
        absence_s = self.plan().absence_s(session.has_answered)
        absent = time - session.sign_at > timedelta(seconds=absence_s)
        return session.done or absent or session.is_late(time)

    def decides(self, session: ParticipantSession, events: Sequence[Event]) -> bool:
        """Whether these events change what others are given: they wait for their turn then."""
        frees = any(
            event.kind in (EventKind.FINISH, EventKind.WITHDRAWAL) or session.frees_position(event)
            for event in events
        )
        # Who answers at all holds their trials from then on.
        plan = self.plan()
        begins = plan.start_percent < 100 and not session.has_answered
        frees |= begins and any(event.kind is EventKind.ANSWER for event in events)
        # With the last answer it is known whether the rule excludes them.
        through = len(session.answers) + len(events) >= len(session.trials)
        return frees or through or self.gone(session, self.now() + NEARLY)

    def of_key(self, key_hash: str) -> ParticipantSession | None:
        """The seat of a key that was seen before."""
        return self.seats.get(self.keys.get(key_hash, ""))

    def of_invitation(self, invitation_id: str) -> ParticipantSession | None:
        """The last seat of somebody who came by a link."""
        return self.seats.get(self._by_invitation.get(invitation_id, ""))

    def of_outside(self, outside_id: str) -> ParticipantSession | None:
        """The seat of somebody whom a recruiting site calls so."""
        return self.seats.get(self._by_outside.get(outside_id, "")) if outside_id else None

    @property
    def was_active(self) -> bool:
        """Whether anybody was active since the study was opened. One that was opened again, though
        it has all it wants, closes with an answer and not with a visit."""
        return any(session.sign_at > self.study.state_at for session in self.seats.values())

    @property
    def is_recruited(self) -> bool:
        """Whether a recruiting site sent any of them."""
        return bool(self._by_outside)

    def of_consent(self, event_id: str) -> ParticipantSession | None:
        """The seat whose consent has this id, which its page made."""
        return self.seats.get(self._by_consent.get(event_id, ""))

    def replace_key(self, session: ParticipantSession, key_hash: str, invitation_id: str) -> None:
        """The key of a seat and the link that it is for, which were stored; keys before open
        nothing any more."""
        person = session.person.id
        session.person = replace(session.person, invitation_id=invitation_id)
        self._by_invitation[invitation_id] = person
        self.keys = {key: name for key, name in self.keys.items() if name != person}
        self.keys[key_hash] = person

    def takes_answers(self, session: ParticipantSession | None) -> bool:
        """Whether answers are taken: of those who are in also while the study is paused, and after
        it closed by itself."""
        match self.study.state:
            case State.OPEN | State.PAUSED:
                return True
            case State.CLOSED:
                return self.closed_itself and session is not None
            case State.DRAFT:
                return False

    def gives_trials(self, session: ParticipantSession | None) -> bool:
        """Whether further trials are given out."""
        return self.study.state is not State.PAUSED and self.takes_answers(session)

    def state_for(self, session: ParticipantSession | None) -> State:
        """The study's state as somebody's page shows it: open for who may still answer."""
        if session is None or session.done:
            return self.study.state
        if self.study.state is State.CLOSED and self.closed_itself:
            return State.OPEN
        has_more = session.open_positions or session.through
        if self.study.state is State.PAUSED and session.consented and has_more:
            return State.OPEN
        return self.study.state

    @property
    def all_positions_used(self) -> bool:
        """Whether as many have finished, or are at it, as the study wants."""
        wanted = self.plan().closing.participants
        if wanted is None:
            return False
        now = self.now()
        at_it = [
            session
            for session in self.seats.values()
            if not (session.through or self.gone(session, now))
        ]
        return self.finished - self._replaced(now) + self._expected(at_it) >= wanted

    def full(self, time: datetime) -> bool:
        """Whether nobody more is let in now: the study is open, and others have, or hold, all
        places, or will give all answers that are still wanted."""
        if self.study.state is not State.OPEN:
            return False
        return self.all_positions_used or not self.missing_answers(self.ledger.standing(time), time)

    def missing_answers(self, assignment_state: AssignmentState, time: datetime) -> int:
        """How many answers are wanted that nobody gives yet."""
        plan, load = self.plan(), assignment_state.load
        open_answers = sum(
            max(0, plan.votes - load.get(main_stimulus.id, 0))
            for main_stimulus in plan.main_stimuli
        )
        return max(0, open_answers - self.expected_answers(time))

    def refuse_visit(self, time: datetime) -> None:
        """Counts a visit that found the study full."""
        before = self.turned_away or RefusedVisits(0, time, time)
        self.turned_away = RefusedVisits(before.visits + 1, before.first_at, time)

    def expected_answers(self, time: datetime) -> int:
        """How many answers those will give who are at their practice, or wait until somebody looks
        at it: nobody practices for nothing."""
        plan = self.plan()
        if not plan.practice.case_ids:
            return 0
        practicing = [
            session
            for session in self.seats.values()
            if not session.has_started and (not self.gone(session, time) or session.waits)
        ]
        return self._expected(practicing) * min(plan.trials, len(plan.main_stimuli))

    def _expected(self, sessions: Sequence[ParticipantSession]) -> int:
        """How many of these have started, or are expected to."""
        undecided = sum(not session.has_answered for session in sessions)
        return len(sessions) - self.plan().released(undecided)

    @property
    def reason_to_close(self) -> str:
        """Why the study should close by itself now; empty where it should not."""
        if self.study.state is not State.OPEN:
            return ""
        closing, now = self.plan().closing, self.now()
        if closing.when_complete and not self.wanted.short and self._complete(now):
            return "Every stimulus has all its answers."
        limit = closing.participants
        if limit is not None and self.finished >= limit:
            finished = self.finished - self._replaced(now)
            if finished >= limit:
                return f"{finished} participants have finished, the maximum for this study."
        return ""

    def _complete(self, now: datetime) -> bool:
        """Whether every stimulus has its answers also without those that results leave out, where
        others are to answer in their place. Whoever is at it may still miss a check: the study waits
        until they are through, or gone."""
        if not self.plan().closing.replace_excluded:
            return True
        if any(
            session.has_answered and not (session.through or self.gone(session, now))
            for session in self.seats.values()
        ):
            return False
        excluded = self.ledger.excluded(now)
        return not any(self.wanted.lacks(name, count) for name, count in excluded.items())

    def _replaced(self, now: datetime) -> int:
        """How many who finished are left out of results, and replaced."""
        if not self.plan().closing.replace_excluded:
            return 0
        return sum(
            session.through and self.ledger.excludes(session.person.number, now)
            for session in self.seats.values()
        )

    def _forget(self, session: ParticipantSession) -> None:
        person = session.person.id
        for position, answer in session.answers.items():
            self.wanted.count(session.trials[position], answer, -1)
        self.cost -= session.canvases.cost
        self.ledger.forget(session.person.number)
        self.finished -= session.through
        del self.seats[person]
        for index in (self.keys, self._by_invitation, self._by_outside, self._by_consent):
            for name in [name for name, text in index.items() if text == person]:
                del index[name]

    def _sign(self, session: ParticipantSession, event: Event) -> None:
        """An action that was not read says only when somebody was there."""
        if event.at is not None:
            session.sign_at = max(session.sign_at, sign_of(event, event.at))
        self.ledger.take(session.person.number, event)

    def _mark(self, marks: Sequence[ColoringMark]) -> None:
        by_person: dict[str, list[ColoringMark]] = {}
        for mark in marks:
            by_person.setdefault(mark.participant_id, []).append(mark)
        for person, session in self.seats.items():
            session.marks = by_person.get(person, [])

    def _sketch_ids(self, *more: StudyPlan) -> set[str]:
        plans = (self.plan(), *self._plans.values(), *more)
        return {case.sketch for plan in plans for case in plan.cases if case.sketch}


def images_of(plan: StudyPlan) -> Iterator[str]:
    """The ids of all images that a plan shows."""
    for case in plan.cases:
        yield from case.image_ids
    yield from (example.image_id for example in plan.examples if example.image_id)
