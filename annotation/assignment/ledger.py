"""Where a whole study stands: kept up while it goes on, or made of its log."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from annotation.assignment.information import Tallies
from annotation.assignment.load import Enrolled
from annotation.assignment.sides import Orders
from annotation.judgments.answers import AnswerKind, read_answer
from annotation.studies.cases import Kind
from annotation.studies.plan import Method, StudyPlan
from core.studies import Event, EventKind, Purpose, StoredTrial, Trial

SETTLED_S = 2.0
"""Votes younger than these seconds do not count for the choice yet: which of two people's votes was
stored first would decide what is served, and no log could tell it again."""


@dataclass(frozen=True)
class Standing:
    """Where a whole study stands. ``load`` says by stimulus how many answers it has or will have,
    ``served`` how often it was, or will be, shown in which order: what somebody who is gone did not
    answer counts for neither, nor a sketch that somebody left uncolored. ``tallies`` is what was
    voted, where that decides what is served."""

    load: Mapping[str, int] = field(default_factory=dict)
    served: Orders = field(default_factory=dict)
    tallies: Tallies = field(default_factory=dict)


@dataclass
class _Row:
    """One participant. ``waiting`` are main trials without an answer, by position; ``skipped`` are
    sketches that were not colored, and so are for others to color."""

    sign_at: datetime
    trials: dict[int, Trial] = field(default_factory=dict)
    waiting: dict[int, Trial] = field(default_factory=dict)
    skipped: dict[int, Trial] = field(default_factory=dict)
    done: bool = False


class Ledger:
    """What was assigned and what happened so far, told in the order of time. One thread at a time.

    ``standing`` costs little however many answers there are, so that a server may ask for it
    whenever somebody is to get trials.
    """

    def __init__(self, plan: StudyPlan) -> None:
        self._plan = plan
        self._rows: dict[int, _Row] = {}
        self._served: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._unsettled: deque[tuple[datetime, int, Event]] = deque()
        self._votes: dict[tuple[int, int], tuple[tuple[str, str], int]] = {}
        self._tallies: Counter[tuple[tuple[str, str], int]] = Counter()

    def use(self, plan: StudyPlan) -> None:
        """Goes on with another version of the plan."""
        self._plan = plan

    def forget(self, number: int) -> None:
        """Somebody was erased: as if they had never been there."""
        row = self._rows.pop(number)
        main = [trial for trial in row.trials.values() if trial.purpose is Purpose.MAIN]
        self._served.subtract((trial.stimulus_id, trial.order) for trial in main)
        self._unsettled = deque(entry for entry in self._unsettled if entry[1] != number)
        for place in [place for place in self._votes if place[0] == number]:
            self._tallies[self._votes.pop(place)] -= 1

    def enroll(self, number: int, at: datetime) -> None:
        """Somebody is there from now on."""
        self._rows[number] = _Row(at)

    def assign(self, number: int, trials: Iterable[Trial], at: datetime | None = None) -> None:
        """Trials were written down for a participant, ``at`` the time that stored ones know."""
        row = self._rows[number]
        for trial in trials:
            if self._plan.kind is Kind.COLORINGS and (given := given_at(trial, at)):
                # Whose practice was accepted a day later came back for these.
                row.sign_at = max(row.sign_at, given)
            row.trials[trial.position] = trial
            if trial.purpose is Purpose.MAIN:
                row.waiting[trial.position] = trial
                self._served[trial.stimulus_id, trial.order] += 1

    def take(self, number: int, event: Event) -> None:
        """An event was stored; one without a time is left out."""
        if event.at is None:
            return
        row = self._rows[number]
        row.sign_at = max(row.sign_at, sign_of(event, event.at))
        if event.kind in (EventKind.FINISH, EventKind.WITHDRAWAL):
            row.done = True
        trial = row.trials.get(-1 if event.position is None else event.position)
        if trial is None or trial.purpose is not Purpose.MAIN:
            return
        if event.kind is EventKind.ANSWER:
            row.waiting.pop(trial.position, None)
            if self._plan.kind is Kind.COLORINGS and event.body.get("kind") == AnswerKind.SKIP:
                row.skipped[trial.position] = trial
        elif event.kind is EventKind.UNDO:
            row.waiting[trial.position] = trial
            row.skipped.pop(trial.position, None)
        else:
            return
        if self._plan.method is Method.ADAPTIVE:
            self._unsettled.append((event.at, number, event))

    def standing(self, now: datetime) -> Standing:
        """Where the study stands at ``now``, which is not before what was told."""
        served = self._served.copy()
        abandoned = timedelta(seconds=self._plan.abandoned_after_s)
        for row in self._rows.values():
            if row.waiting and (row.done or now - row.sign_at > abandoned):
                served.subtract((one.stimulus_id, one.order) for one in row.waiting.values())
            served.subtract((one.stimulus_id, one.order) for one in row.skipped.values())
        load: Counter[str] = Counter()
        for (stimulus_id, _), count in served.items():
            load[stimulus_id] += count
        self._settle(now - timedelta(seconds=SETTLED_S))
        pairs = sorted({pair for (pair, _), count in self._tallies.items() if count})
        tallies = {
            pair: (self._tallies[pair, 0], self._tallies[pair, 1], self._tallies[pair, 2])
            for pair in pairs
        }
        return Standing(+load, +served, tallies)

    def _settle(self, until: datetime) -> None:
        while self._unsettled and self._unsettled[0][0] <= until:
            _, number, event = self._unsettled.popleft()
            assert event.position is not None
            before = self._votes.pop((number, event.position), None)
            if before is not None:
                self._tallies[before] -= 1
            if event.kind is EventKind.UNDO:
                continue
            trial = self._rows[number].trials[event.position]
            answer = read_answer(self._plan, trial, event)
            if answer.kind is AnswerKind.SKIP:
                continue
            first, second = sorted(trial.order)
            outcome = 2 if answer.value is None else int(trial.order[answer.value] == second)
            self._votes[number, event.position] = (first, second), outcome
            self._tallies[(first, second), outcome] += 1


def given_at(trial: Trial, at: datetime | None = None) -> datetime | None:
    """When a trial was written down, ``at`` where it does not know."""
    return trial.assigned_at if isinstance(trial, StoredTrial) else at


def sign_of(event: Event, at: datetime) -> datetime:
    """From when on somebody was last seen who did this ``at`` that time. Of the hundreds of actions
    of a coloring the first of a minute tells as much as all: they count for the minute's begin, and
    a log may leave the others out."""
    return at.replace(second=0, microsecond=0) if event.kind is EventKind.ACTION else at


def standing_of(plan: StudyPlan, people: Iterable[Enrolled], now: datetime) -> Standing:
    """Where the study stood at that time. ``people`` are all participants."""
    ledger = Ledger(plan)
    events: list[tuple[datetime, int, int, Event]] = []
    for person in people:
        ledger.enroll(person.number, person.enrolled_at)
        ledger.assign(person.number, [t for t in person.trials if person.assigned_at(t) <= now])
        for event in person.before(now):
            assert event.at is not None
            events.append((event.at, person.number, event.number, event))
    for _, number, _, event in sorted(events, key=lambda row: row[:3]):
        ledger.take(number, event)
    return ledger.standing(now)
