"""How many answers each stimulus has or will have, and in which orders it was served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.studies import Event, EventKind, Purpose, StoredTrial, Trial


@dataclass(frozen=True)
class Progress:
    """One participant: ``answered`` are positions, ``sign_at`` is the last sign of them, ``done``
    that they finished or withdrew."""

    trials: Sequence[Trial]
    answered: AbstractSet[int]
    sign_at: datetime
    done: bool

    def expected(self, now: datetime, abandoned_after_s: int) -> list[Trial]:
        """The main trials that have an answer, or will have: of somebody who finished, withdrew,
        or gave no sign for that long, those that have one."""
        gone = self.done or now - self.sign_at > timedelta(seconds=abandoned_after_s)
        return [
            trial
            for trial in self.trials
            if trial.purpose is Purpose.MAIN and (not gone or trial.position in self.answered)
        ]


@dataclass(frozen=True)
class Enrolled:
    """One participant as the log has them, with the trials that were stored.

    A trial that does not say when it was assigned was assigned at the enrolment.
    """

    number: int
    enrolled_at: datetime
    trials: Sequence[Trial]
    events: Sequence[Event]

    def assigned_at(self, trial: Trial) -> datetime:
        """When one of the trials was written down."""
        return trial.assigned_at if isinstance(trial, StoredTrial) else self.enrolled_at

    def before(self, at: datetime) -> list[Event]:
        """The events up to and with that time, in the order of storing."""
        return [event for event in self.events if event.at is not None and event.at <= at]

    def progress(self, at: datetime) -> Progress:
        """How far they were at that time."""
        before = self.before(at)
        answered: set[int] = set()
        for event in before:
            if event.position is not None and event.kind is EventKind.ANSWER:
                answered.add(event.position)
            elif event.position is not None and event.kind is EventKind.UNDO:
                answered.discard(event.position)
        done = any(event.kind in (EventKind.FINISH, EventKind.WITHDRAWAL) for event in before)
        signs = [event.at for event in before if event.at is not None]
        trials = [trial for trial in self.trials if self.assigned_at(trial) <= at]
        return Progress(trials, answered, max([self.enrolled_at, *signs]), done)


def loads(
    people: Iterable[Progress], now: datetime, abandoned_after_s: int
) -> tuple[Mapping[str, int], Mapping[tuple[str, tuple[str, ...]], int]]:
    """By stimulus the answers it has or will have; by stimulus and order how often it was, or will
    be, shown so. What an abandoned participant did not answer counts for neither."""
    load: Counter[str] = Counter()
    served: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for person in people:
        for trial in person.expected(now, abandoned_after_s):
            load[trial.stimulus_id] += 1
            served[trial.stimulus_id, trial.order] += 1
    return load, served
