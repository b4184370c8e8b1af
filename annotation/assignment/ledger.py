"""The assignment of trials so far, updated while a study runs or rebuilt from its log."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import permutations

import numpy as np

from truehue.annotation.assignment.endings import (
    failed_checks,
    is_complete,
    is_late,
    passes_screening,
)
from truehue.annotation.assignment.information import Tallies
from truehue.annotation.judgments.answers import Answer, AnswerKind, read_answer
from truehue.annotation.studies.cases import Kind, Stimulus
from truehue.annotation.studies.plan import Method, StudyPlan
from truehue.core.studies import ColoringMark, Event, EventKind, Purpose, StoredTrial, Trial

Orders = Mapping[tuple[str, tuple[str, ...]], int]
"""How often a stimulus, by id, was shown in an order of its models."""
SETTLED_S = 2.0
"""Votes, and decisions of researchers, younger than these seconds do not count for the choice yet:
which of two was stored first would decide what is served, and no log could tell it again."""

Excludes = Callable[[int, Sequence[Trial], Mapping[int, Answer], Sequence[Event]], bool]
"""Whether the rule excludes a participant: by number, trials, answers, and screening events."""


def ordered(
    stimuli: Iterable[Stimulus], served: Orders, rng: np.random.Generator
) -> tuple[tuple[str, ...], ...]:
    """An order of its models for each stimulus.

    The order is one in which the stimulus was ``served`` least; among those one after which every
    model of this participant has stood at every place as evenly as can be (least sum of squares);
    among those it is drawn.
    """
    counter: Counter[tuple[str, int]] = Counter()
    orders: list[tuple[str, ...]] = []
    for stimulus in stimuli:
        options = list(permutations(stimulus.models))
        keys = [
            (
                served.get((stimulus.id, option), 0),
                sum(2 * counter[model, index] + 1 for index, model in enumerate(option)),
            )
            for option in options
        ]
        best = min(keys)
        equals = [option for option, key in zip(options, keys, strict=True) if key == best]
        order = equals[int(rng.integers(len(equals)))]
        counter.update((model, index) for index, model in enumerate(order))
        orders.append(order)
    return tuple(orders)


@dataclass(frozen=True)
class Enrolled:
    """One participant as the log has them, with the trials that were stored.

    Of the actions on the canvas one a minute is enough; ``marks`` are those on their colorings. A
    trial that does not say when it was assigned was assigned at the enrolment. ``plan`` is the
    version that they are served; None is the study's.
    """

    number: int
    enrolled_at: datetime
    trials: Sequence[Trial]
    events: Sequence[Event]
    marks: Sequence[ColoringMark] = ()
    plan: StudyPlan | None = None

    def assigned_at(self, trial: Trial) -> datetime:
        """When one of the trials was written down."""
        return trial.assigned_at if isinstance(trial, StoredTrial) else self.enrolled_at

    def before(self, time: datetime) -> list[Event]:
        """The events up to and with that time, in the order of storing."""
        return [event for event in self.events if event.at is not None and event.at <= time]


@dataclass(frozen=True)
class Exclusions:
    """Who and what results leave out, by time: ``rules`` from when each applies, ``decisions`` on
    participants by number (True: excluded), ``marks`` on colorings by number, with the position
    (True: kept, False: discarded, None: neither). Each list is in the order of time."""

    rules: Sequence[tuple[datetime, Excludes]] = ()
    decisions: Mapping[int, Sequence[tuple[datetime, bool]]] = field(default_factory=dict)
    marks: Mapping[int, Sequence[tuple[datetime, int, bool | None]]] = field(default_factory=dict)

    def rule(self, until: datetime) -> Excludes | None:
        """The rule that applies then."""
        return next((rule for time, rule in reversed(self.rules) if time <= until), None)

    def decided(self, number: int, until: datetime) -> bool:
        """Whether a researcher had excluded that participant by then."""
        rows = self.decisions.get(number, ())
        return next((excluded for time, excluded in reversed(rows) if time <= until), False)

    def marked(self, number: int, until: datetime) -> dict[int, bool]:
        """By position, whether a researcher had kept or discarded the coloring by then."""
        last = {
            position: is_saved
            for time, position, is_saved in self.marks.get(number, ())
            if time <= until
        }
        return {position: is_saved for position, is_saved in last.items() if is_saved is not None}


@dataclass(frozen=True)
class AssignmentState:
    """Where a whole study stands. ``load`` says by stimulus how many answers it has or will have,
    ``served`` how often it was, or will be, shown in which order: what somebody who is gone, or is
    expected never to begin, did not answer counts for neither, nor a sketch that somebody left
    uncolored, nor, where the plan replaces them, excluded answers. ``tallies`` is what was voted,
    where that decides what is served."""

    load: Mapping[str, int] = field(default_factory=dict)
    served: Orders = field(default_factory=dict)
    tallies: Tallies = field(default_factory=dict)


@dataclass
class _Row:
    """One participant. ``waiting`` are main trials without an answer, by position; ``skipped`` are
    sketches that were not colored, and so are for others to color; ``votes`` are settled ones, each
    a pair and its outcome; ``begun``: they have answered something; ``done``: nothing more is taken
    of them; ``judged`` is what a rule said of them after so many ``changes``."""

    number: int
    enrolled_at: datetime
    sign_at: datetime
    trials: dict[int, Trial] = field(default_factory=dict)
    waiting: dict[int, Trial] = field(default_factory=dict)
    skipped: dict[int, Trial] = field(default_factory=dict)
    answers: dict[int, Answer] = field(default_factory=dict)
    screening: list[Event] = field(default_factory=list)
    votes: dict[int, _Vote] = field(default_factory=dict)
    begun: bool = False
    done: bool = False
    changes: int = 0
    judged: tuple[Excludes | None, int, bool] = (None, -1, False)

    @property
    def through(self) -> bool:
        """Whether their part has ended, or every trial has an answer."""
        return self.done or len(self.answers) == len(self.trials) > 0

    def excluded_by(self, rule: Excludes | None) -> bool:
        """Whether the rule excludes them, by what they have answered."""
        if rule is None:
            return False
        if self.judged[:2] != (rule, self.changes):
            trials = list(self.trials.values())
            excluded = rule(self.number, trials, self.answers, self.screening)
            self.judged = rule, self.changes, excluded
        return self.judged[2]

    def discarded(self, marks: Mapping[int, bool]) -> set[int]:
        """The positions whose coloring was discarded, and no second one by them stands for it."""
        seconds = {
            trial.original
            for position, trial in self.trials.items()
            if trial.original is not None and position in self.answers and marks.get(position, True)
        }
        return {position for position, mark in marks.items() if not mark} - seconds


_Vote = tuple[tuple[str, str], int]


class Ledger:
    """Assignments and events so far, added in the order of time. One thread at a time.

    ``standing`` is cheap for any number of answers, so that a server can call it at every
    assignment.
    """

    def __init__(self, plan: StudyPlan, exclusions: Exclusions | None = None) -> None:
        self._plan = plan
        self.exclusions = exclusions or Exclusions()
        self._rows: dict[int, _Row] = {}
        self._served: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._unsettled: deque[tuple[datetime, int, Event]] = deque()
        self._tallies: Counter[_Vote] = Counter()

    def use(self, plan: StudyPlan) -> None:
        """Goes on with another version of the plan."""
        self._plan = plan

    def forget(self, number: int) -> None:
        """Somebody was erased: as if they had never been there."""
        row = self._rows.pop(number)
        main = [trial for trial in row.trials.values() if trial.purpose is Purpose.MAIN]
        self._served.subtract((trial.stimulus_id, trial.order) for trial in main)
        self._unsettled = deque(entry for entry in self._unsettled if entry[1] != number)
        self._tallies.subtract(row.votes.values())

    def enroll(self, number: int, time: datetime) -> None:
        """Somebody is there from now on."""
        self._rows[number] = _Row(number, time, time)

    def assign(self, number: int, trials: Iterable[Trial], time: datetime | None = None) -> None:
        """Trials were written down for a participant at ``time``; stored trials know their own."""
        row = self._rows[number]
        for trial in trials:
            if self._plan.kind is Kind.COLORINGS and (values := given_at(trial, time)):
                # Whose practice was accepted a day later came back for these.
                row.sign_at = max(row.sign_at, values)
            row.trials[trial.position] = trial
            row.changes += 1
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
        if event.kind is EventKind.SCREENING:
            row.screening.append(event)
            row.changes += 1
            row.done |= not passes_screening(self._plan, number, event)
        trial = row.trials.get(-1 if event.position is None else event.position)
        if trial is None:
            return
        if event.kind is EventKind.ANSWER:
            row.begun = True
            row.answers[trial.position] = read_answer(self._plan, trial, event)
            row.changes += 1
        elif event.kind is EventKind.UNDO:
            row.answers.pop(trial.position, None)
            row.changes += 1
        if trial.purpose is not Purpose.MAIN:
            if event.kind is EventKind.ANSWER:
                trials = tuple(row.trials.values())
                row.done |= failed_checks(self._plan, trials, row.answers)
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

    def standing(self, now: datetime) -> AssignmentState:
        """Where the study stands at ``now``, which is not before what was told."""
        served, tallies = self._served.copy(), Counter[_Vote]()
        self._settle(now - timedelta(seconds=SETTLED_S))
        released = self._released(now)
        for row in self._rows.values():
            gone = self._gone(row, now)
            free = gone or row.number in released
            out = set(row.skipped) | (set(row.waiting) if free else set())
            if self._plan.closing.replace_excluded:
                until = now - timedelta(seconds=SETTLED_S)
                # Whom the rule excludes may still answer better: their places are held meanwhile.
                rule = self.exclusions.rule(until) if gone or row.through else None
                out |= (excluded := self._excluded(row, rule, until))
                tallies.subtract(vote for key, vote in row.votes.items() if key in excluded)
            if out:
                main = (row.trials[position] for position in out)
                served.subtract((trial.stimulus_id, trial.order) for trial in main)
        load: Counter[str] = Counter()
        for (stimulus_id, _), count in served.items():
            load[stimulus_id] += count
        tallies.update(self._tallies)
        pairs = sorted({pair for (pair, _), count in tallies.items() if count})
        counts = {pair: (tallies[pair, 0], tallies[pair, 1], tallies[pair, 2]) for pair in pairs}
        return AssignmentState(+load, +served, counts)

    def excluded(self, now: datetime) -> Counter[str]:
        """By stimulus, the main answers that results leave out as of ``now``, also of those who are
        still answering: what is missing although it was answered."""
        counts: Counter[str] = Counter()
        rule = self.exclusions.rule(now)
        for row in self._rows.values():
            out = self._excluded(row, rule, now) & row.answers.keys() - row.skipped.keys()
            counts.update(row.trials[position].stimulus_id for position in out)
        return counts

    def excludes(self, number: int, now: datetime) -> bool:
        """Whether results leave out that participant as of ``now``."""
        row, rule = self._rows[number], self.exclusions.rule(now)
        return self.exclusions.decided(number, now) or row.excluded_by(rule)

    def _excluded(self, row: _Row, rule: Excludes | None, until: datetime) -> set[int]:
        """The positions of a participant's main trials that results leave out."""
        marks = self.exclusions.marked(row.number, until)
        if self.exclusions.decided(row.number, until) or row.excluded_by(rule):
            out = set(row.trials) - {position for position, mark in marks.items() if mark}
        else:
            out = row.discarded(marks) if marks else set()
        return {index for index in out if row.trials[index].purpose is Purpose.MAIN}

    def _released(self, now: datetime) -> set[int]:
        """The numbers of those who hold trials, and are expected never to begin: who came first."""
        if self._plan.start_percent == 100:
            return set()
        undecided = [
            row.number
            for row in self._rows.values()
            if row.waiting and not row.begun and not self._gone(row, now)
        ]
        return set(sorted(undecided)[: self._plan.released(len(undecided))])

    def _gone(self, row: _Row, now: datetime) -> bool:
        """Whether nothing more is expected of somebody."""
        late = is_late(self._plan, row.enrolled_at, now)
        absence = timedelta(seconds=self._plan.absence_s(row.begun))
        if row.done or now - row.sign_at > absence:
            return True
        return late and not is_complete(self._plan, tuple(row.trials.values()), row.answers)

    def _settle(self, until: datetime) -> None:
        while self._unsettled and self._unsettled[0][0] <= until:
            _, number, event = self._unsettled.popleft()
            assert event.position is not None
            row = self._rows[number]
            before = row.votes.pop(event.position, None)
            if before is not None:
                self._tallies[before] -= 1
            if event.kind is EventKind.UNDO:
                continue
            trial = row.trials[event.position]
            answer = read_answer(self._plan, trial, event)
            if answer.kind is AnswerKind.SKIP:
                continue
            first, second = sorted(trial.order)
            outcome = 2 if answer.value is None else int(trial.order[answer.value] == second)
            row.votes[event.position] = (first, second), outcome
            self._tallies[(first, second), outcome] += 1


def given_at(trial: Trial, time: datetime | None = None) -> datetime | None:
    """When a trial was written down; ``time`` for one that is not stored."""
    return trial.assigned_at if isinstance(trial, StoredTrial) else time


def sign_of(event: Event, time: datetime) -> datetime:
    """When somebody was last seen who did this at ``time``. Of the hundreds of actions
    of a coloring the first of a minute tells as much as all: they count for the minute's begin, and
    a log may leave the others out."""
    return time.replace(second=0, microsecond=0) if event.kind is EventKind.ACTION else time


def current_colorings_of(
    plan: StudyPlan,
    people: Iterable[Enrolled],
    now: datetime,
    exclusions: Exclusions | None = None,
) -> AssignmentState:
    """Where the study stood at that time. ``people`` are all participants."""
    ledger = Ledger(plan, exclusions)
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
