"""From the log of a study, every assignment once more: anybody can check what was served."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from datetime import datetime

from truehue.annotation.assignment.assign import further
from truehue.annotation.assignment.ledger import Enrolled, Exclusions, Ledger
from truehue.annotation.judgments.answers import answers_of
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Event, StoredTrial, Trial


def replay(
    plan: StudyPlan,
    people: Sequence[Enrolled],
    changes: Sequence[tuple[datetime, StudyPlan]] = (),
    exclusions: Exclusions | None = None,
) -> dict[int, list[datetime]]:
    """By the numbers of those whose stored trials are not what
    :func:`truehue.annotation.assignment.assign.further` gives again: the times of writing down at
    which they are not.

    ``people`` are all participants. ``changes`` are later versions of the plan with the times from
    which the study went by them; ``exclusions`` is who was left out of results, and when. Empty
    where everything is as it was served. Where participants were erased, what was written down
    while they were there may not be given again; what was before and after is, for the study went
    on as if they had never been there.
    """
    by_number = {person.number: person for person in people}
    ledger = Ledger(plan, exclusions)
    for person in people:
        ledger.enroll(person.number, person.enrolled_at)
    had: dict[int, tuple[Trial, ...]] = dict.fromkeys(by_number, ())
    differing: dict[int, list[datetime]] = {}
    versions = deque(sorted(changes, key=lambda change: change[0]))
    for time, number, label in _in_time(people):
        while versions and versions[0][0] <= time:
            ledger.use(versions.popleft()[1])
        if isinstance(label, Event):
            ledger.take(number, label)
            continue
        own = by_number[number].plan or plan
        answers = answers_of(own, had[number], by_number[number].before(time))
        marks = [mark for mark in by_number[number].marks if mark.at <= time]
        again = further(own, number, had[number], answers, ledger.standing(time), marks)
        if again != tuple(_plain(trial) for trial in label):
            differing.setdefault(number, []).append(time)
        ledger.assign(number, label, time)
        had[number] += label
    return dict(sorted(differing.items()))


def _in_time(
    people: Sequence[Enrolled],
) -> Iterator[tuple[datetime, int, Event | tuple[Trial, ...]]]:
    """Everything that happened and everything that was written down, an event before what was
    written down at the same time unless it is about that."""
    rows: list[tuple[tuple[datetime, int, int, int], Event | tuple[Trial, ...]]] = []
    for person in people:
        times = {trial.position: person.assigned_at(trial) for trial in person.trials}
        for event in person.events:
            if event.at is not None:
                known = event.position is None or times.get(event.position) != event.at
                rows.append(((event.at, 0 if known else 2, person.number, event.number), event))
        trials = sorted(person.trials, key=lambda trial: trial.position)
        for assigned_at in sorted({person.assigned_at(trial) for trial in trials}) or [
            person.enrolled_at
        ]:
            values = tuple(trial for trial in trials if person.assigned_at(trial) == assigned_at)
            rows.append(((assigned_at, 1, person.number, 0), values))
    for (assigned_at, _, number, _), label in sorted(rows, key=lambda row: row[0]):
        yield assigned_at, number, label


def _plain(trial: Trial) -> Trial:
    return trial.trial() if isinstance(trial, StoredTrial) else trial
