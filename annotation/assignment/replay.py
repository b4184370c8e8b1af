"""From the log of a study, every assignment once more: anybody can check what was served."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.assignment.assign import assign
from annotation.assignment.load import Progress, loads
from annotation.studies.plan import StudyPlan
from core.studies import Event, EventKind, Trial


@dataclass(frozen=True)
class Enrolled:
    """One participant as the log has them, with the trials that were stored."""

    number: int
    enrolled_at: datetime
    trials: Sequence[Trial]
    events: Sequence[Event]

    def progress(self, at: datetime) -> Progress:
        """How far they were at that time."""
        before = [event for event in self.events if event.at is not None and event.at <= at]
        answered: set[int] = set()
        for event in before:
            if event.position is not None and event.kind is EventKind.ANSWER:
                answered.add(event.position)
            elif event.position is not None and event.kind is EventKind.UNDO:
                answered.discard(event.position)
        done = any(event.kind in (EventKind.FINISH, EventKind.WITHDRAWAL) for event in before)
        signs = [event.at for event in before if event.at is not None]
        return Progress(self.trials, answered, max([self.enrolled_at, *signs]), done)


def replay(plan: StudyPlan, people: Sequence[Enrolled]) -> list[int]:
    """The numbers of those whose stored trials are not what :func:`assign` gives again.

    ``people`` are all participants. Empty where everything is as it was served; where participants
    were erased, those who came after them cannot be replayed.
    """
    order = sorted(people, key=lambda person: person.number)
    differing = []
    for place, person in enumerate(order):
        at = person.enrolled_at
        before = [other.progress(at) for other in order[:place]]
        again = assign(plan, person.number, *loads(before, at, plan.abandoned_after_s))
        if tuple(person.trials) != again:
            differing.append(person.number)
    return differing
