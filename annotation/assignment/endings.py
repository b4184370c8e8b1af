"""How a participation ends: pass marks of the screening, training, attention checks, time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from truehue.annotation.judgments.answers import Answer
from truehue.annotation.screening import screening_of
from truehue.annotation.studies.plan import Ending, Method, StudyPlan
from truehue.core.studies import Event, EventKind, Purpose, Trial

SITE_STATUS, TIMED_OUT_THERE = "site_status", "TIMED-OUT"
"""In an event of withdrawal, the status of the participant's submission at the recruiting site, for
which the server stored it; and the status of one that was not completed in time."""


def rounds(plan: StudyPlan, trials: Sequence[Trial]) -> list[list[Trial]]:
    """The training trials of one participant by round."""
    training = [trial for trial in trials if trial.purpose is Purpose.TRAINING]
    size = len(plan.training.keys) or len(plan.practice.case_ids) or 1
    return [training[start : start + size] for start in range(0, len(training), size)]


def right(trial: Trial, answers: Mapping[int, Answer]) -> bool:
    """Whether the answer to a training trial is the known one. A skip or a tie is not."""
    answer = answers.get(trial.position)
    return answer is not None and answer.value is not None and answer.value == trial.expected


def passes_screening(plan: StudyPlan, number: int, event: Event) -> bool:
    """Whether a screening reaches the pass marks of the plan. ``number`` is the participant's; what
    they did not answer is not passed."""
    screening = plan.screening
    seen = screening_of(plan, number, [event]) or {}
    if screening.needs_patches and not (seen.get("dark") and seen.get("light")):
        return False
    return int(seen.get("read", 0)) >= screening.needed_plates


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


def is_complete(plan: StudyPlan, trials: Sequence[Trial], answers: Collection[int]) -> bool:
    """Whether a participant gets no more trials, and each has an answer; ``answers`` are positions.
    Second colorings may still be asked for."""
    if not trials or len(answers) < len(trials):
        return False
    main = sum(trial.purpose is Purpose.MAIN for trial in trials)
    whole = plan.method is Method.BALANCED or main >= min(plan.trials, len(plan.main_stimuli))
    return main > 0 and whole


def ending_of(
    plan: StudyPlan,
    number: int,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    events: Iterable[Event],
) -> Ending | None:
    """How the participation with these events ended, None while it goes on. ``number`` is the
    participant's. Whether its time is over, :func:`is_late` says."""
    completed = is_complete(plan, trials, answers)
    for event in events:
        if event.kind is EventKind.WITHDRAWAL:
            return withdrawal_of(event)
        completed |= event.kind is EventKind.FINISH
        if event.kind is EventKind.SCREENING and not passes_screening(plan, number, event):
            return Ending.SCREENED_OUT
    if failed_checks(plan, trials, answers):
        return Ending.FAILED_CHECKS
    return Ending.COMPLETED if completed else None


def withdrawal_of(event: Event) -> Ending:
    """The ending of an event of withdrawal: it is also stored for whom a recruiting site reports as
    timed out."""
    is_timed_out = event.body.get(SITE_STATUS) == TIMED_OUT_THERE
    return Ending.TIMED_OUT if is_timed_out else Ending.WITHDRAWN


def is_late(plan: StudyPlan, enrolled_at: datetime, now: datetime) -> bool:
    """Whether the time limit is over at ``now``, which ends what is not complete."""
    limit = plan.time_limit_s
    return limit is not None and now - enrolled_at > timedelta(seconds=limit)
