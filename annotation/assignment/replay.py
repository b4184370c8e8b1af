"""From the log of a study, every assignment once more: anybody can check what was served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from annotation.assignment.further import further, standing_of
from annotation.assignment.load import Enrolled
from annotation.judgments.answers import answers_of
from annotation.studies.plan import StudyPlan
from core.studies import StoredTrial, Trial


def replay(plan: StudyPlan, people: Sequence[Enrolled]) -> list[int]:
    """The numbers of those whose stored trials are not what
    :func:`annotation.assignment.further.further` gives again, at the times at which they were
    written down.

    ``people`` are all participants. Empty where everything is as it was served; where participants
    were erased, those who came after them cannot be replayed.
    """
    order = sorted(people, key=lambda person: person.number)
    differing = []
    for person in order:
        for at, before, given in _moments(person):
            others = [_until(other, at, person.number) for other in order if other is not person]
            standing = standing_of(plan, [*others, replace(person, trials=before)], at)
            answers = answers_of(plan, before, person.before(at))
            if further(plan, person.number, before, answers, standing) != given:
                differing.append(person.number)
                break
    return differing


def _moments(
    person: Enrolled,
) -> Iterator[tuple[datetime, tuple[Trial, ...], tuple[Trial, ...]]]:
    """When the person got trials, those they had, and those they got; at least their enrolment."""
    trials = sorted(person.trials, key=lambda trial: trial.position)
    times = sorted({person.assigned_at(trial) for trial in trials})
    for at in times or [person.enrolled_at]:
        before = tuple(_plain(trial) for trial in trials if person.assigned_at(trial) < at)
        given = tuple(_plain(trial) for trial in trials if person.assigned_at(trial) == at)
        yield at, before, given


def _until(other: Enrolled, at: datetime, number: int) -> Enrolled:
    """Somebody else with the trials that they had before the person with that number got theirs."""
    mine = (at, number)
    had = [trial for trial in other.trials if (other.assigned_at(trial), other.number) < mine]
    return replace(other, trials=had)


def _plain(trial: Trial) -> Trial:
    return trial.trial() if isinstance(trial, StoredTrial) else trial
