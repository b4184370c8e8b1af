"""Ends of a participation by the server's own judgment: pass marks of screening, training, checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from truehue.annotation.judgments.answers import Answer
from truehue.annotation.studies.plan import Ending, Screening, StudyPlan
from truehue.core.studies import Event, EventKind, Purpose, Trial


def rounds(plan: StudyPlan, trials: Sequence[Trial]) -> list[list[Trial]]:
    """The training trials of one participant by round."""
    training = [trial for trial in trials if trial.purpose is Purpose.TRAINING]
    size = len(plan.training.keys) or len(plan.practice.case_ids) or 1
    return [training[start : start + size] for start in range(0, len(training), size)]


def right(trial: Trial, answers: Mapping[int, Answer]) -> bool:
    """Whether the answer to a training trial is the known one. A skip or a tie is not."""
    answer = answers.get(trial.position)
    return answer is not None and answer.value is not None and answer.value == trial.expected


def passes_screening(screening: Screening, seen: Mapping[str, Any]) -> bool:
    """Whether a screening reaches its pass marks. ``seen`` is what
    :func:`truehue.annotation.screening.scored` says of it; what was not answered is not passed."""
    if screening.needs_patches and not (seen.get("dark") and seen.get("light")):
        return False
    read = seen.get("read")
    return (read if isinstance(read, int) else 0) >= screening.needed_plates


def failed_checks(plan: StudyPlan, trials: Sequence[Trial], answers: Mapping[int, Answer]) -> bool:
    """Whether somebody with these ``answers``, by position, missed as many attention checks as end a
    participation, or every round of a training that is required."""
    if plan.missed_checks_limit is not None:
        missed = sum(
            answers[trial.position].value != trial.expected
            for trial in trials
            if trial.purpose is Purpose.ATTENTION and trial.position in answers
        )
        if missed >= plan.missed_checks_limit:
            return True
    if not plan.training.required or not plan.training.keys:
        return False
    values = rounds(plan, trials)
    if len(values) < plan.training.attempts:
        return False
    last = values[-1]
    passed = sum(right(trial, answers) for trial in last) >= plan.training.needed
    return not passed and all(trial.position in answers for trial in last)


def ending_of(
    plan: StudyPlan,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    events: Iterable[Event],
) -> Ending | None:
    """How the part of a participant with these events ended, None while it goes on. Whether it is
    over by time, :func:`is_late` says."""
    completed = None
    for event in events:
        if event.kind is EventKind.WITHDRAWAL:
            return Ending.WITHDRAWN
        if event.kind is EventKind.FINISH:
            completed = Ending.COMPLETED
        if event.kind is EventKind.SCREENING and not passes_screening(plan.screening, event.body):
            return Ending.SCREENED_OUT
    return Ending.FAILED_CHECKS if failed_checks(plan, trials, answers) else completed


def is_late(plan: StudyPlan, enrolled_at: datetime, now: datetime) -> bool:
    """Whether the time is over for somebody who has not answered everything."""
    limit = plan.time_limit_s
    return limit is not None and now - enrolled_at > timedelta(seconds=limit)
