"""From the log of a study, every assignment once more: anybody can check what was served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from annotation.assignment.further import further
from annotation.assignment.ledger import Ledger
from annotation.assignment.load import Enrolled
from annotation.judgments.answers import answers_of
from annotation.studies.plan import StudyPlan
from core.studies import Event, StoredTrial, Trial


def replay(plan: StudyPlan, people: Sequence[Enrolled]) -> list[int]:
    """The numbers of those whose stored trials are not what
    :func:`annotation.assignment.further.further` gives again, at the times at which they were
    written down.

    ``people`` are all participants. Empty where everything is as it was served; where participants
    were erased, those who came after them cannot be replayed.
    """
    by_number = {person.number: person for person in people}
    ledger = Ledger(plan)
    for person in people:
        ledger.enroll(person.number, person.enrolled_at)
    had: dict[int, tuple[Trial, ...]] = dict.fromkeys(by_number, ())
    differing: set[int] = set()
    for at, number, what in _in_time(people):
        if isinstance(what, Event):
            ledger.take(number, what)
            continue
        answers = answers_of(plan, had[number], by_number[number].before(at))
        again = further(plan, number, had[number], answers, ledger.standing(at))
        if again != what:
            differing.add(number)
        ledger.assign(number, what)
        had[number] += what
    return sorted(differing)


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
        for at in sorted({person.assigned_at(trial) for trial in trials}) or [person.enrolled_at]:
            given = tuple(_plain(trial) for trial in trials if person.assigned_at(trial) == at)
            rows.append(((at, 1, person.number, 0), given))
    for (at, _, number, _), what in sorted(rows, key=lambda row: row[0]):
        yield at, number, what


def _plain(trial: Trial) -> Trial:
    return trial.trial() if isinstance(trial, StoredTrial) else trial
