"""Training and practice before the main trials, and requested second colorings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from truehue.annotation.assignment.endings import right, rounds
from truehue.annotation.assignment.ledger import given_at, ordered
from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.studies.plan import Review, StudyPlan
from truehue.core.studies import ColoringMark, MarkKind, Purpose, Trial

AUTOMATIC = "automatic"
"""The author of a practice's mark that nobody set."""
AUTOMATIC_ROUNDS = 3
"""Rounds of a practice that is looked at automatically: after the last one somebody goes on,
whatever it says, and is told apart by the mark. Who reviews by hand may ask for more."""
MAX_ROUNDS = 20
ACCEPTED, AGAIN, ASKED = "accepted", "again", "asked"


def round_is_due(
    plan: StudyPlan, trials: Sequence[Trial], answers: Mapping[int, Answer]
) -> bool | None:
    """Whether another round of training comes next; None while one is not answered yet."""
    values = rounds(plan, trials)
    if not plan.training.keys:
        return False
    if not values:
        return True
    if any(trial.position not in answers for trial in values[-1]):
        return None
    passed = sum(right(trial, answers) for trial in values[-1]) >= plan.training.needed
    return not passed and len(values) < plan.training.attempts


def training_round(
    plan: StudyPlan, trials: Sequence[Trial], rng: np.random.Generator
) -> tuple[Trial, ...]:
    """One round, after ``trials``: every key once, in another order than the round before, at drawn
    sides. ``expected`` is the place of the right model."""
    keys = [plan.training.keys[int(i)] for i in rng.permutation(len(plan.training.keys))]
    before = rounds(plan, trials)
    if before and [key[0] for key in keys] == [trial.stimulus_id for trial in before[-1]]:
        keys = keys[1:] + keys[:1]
    orders = ordered([plan.by_id[stimulus_id] for stimulus_id, _ in keys], {}, rng)
    return tuple(
        Trial(len(trials) + i, stimulus_id, order, Purpose.TRAINING, expected=order.index(model))
        for i, ((stimulus_id, model), order) in enumerate(zip(keys, orders, strict=True))
    )


class PracticeStage(StrEnum):
    """The state of a participant's practice."""

    OPEN = "open"
    WAITING = "waiting"
    """All sketches are colored and wait for a review."""
    AGAIN = "again"
    """Another round is to be colored."""
    ACCEPTED = "accepted"


@dataclass(frozen=True)
class PracticeState:
    """``reason`` is what was said of the round that has to be done again."""

    stage: PracticeStage
    reason: str = ""


def practice_state(
    plan: StudyPlan,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    marks: Sequence[ColoringMark],
) -> PracticeState:
    """How the practice stands; ``marks`` are all of that participant, in their order."""
    values = rounds(plan, trials)
    if not plan.practice.case_ids or any(trial.purpose is Purpose.MAIN for trial in trials):
        return PracticeState(PracticeStage.ACCEPTED)
    if values and all(trial.position in answers for trial in values[-1]):
        verdict = verdict_of(values[-1], marks)
        if plan.practice.review is Review.NONE:
            return PracticeState(PracticeStage.ACCEPTED)
        if verdict is None:
            return PracticeState(PracticeStage.WAITING)
        if verdict.value == ACCEPTED or _goes_on(plan, len(values)):
            return PracticeState(PracticeStage.ACCEPTED)
        return PracticeState(PracticeStage.AGAIN, verdict.reason)
    before = verdict_of(values[-2], marks) if len(values) > 1 else None
    if before is None:
        return PracticeState(PracticeStage.OPEN)
    return PracticeState(PracticeStage.AGAIN, before.reason)


def practice_is_due(
    plan: StudyPlan,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    marks: Sequence[ColoringMark],
) -> bool | None:
    """Whether a round of practice comes next; None while one is colored or waits for its review."""
    values = rounds(plan, trials)
    if not plan.practice.case_ids:
        return False
    if not values:
        return True
    if any(trial.position not in answers for trial in values[-1]):
        return None
    stage = practice_state(plan, trials, answers, marks).stage
    if stage is PracticeStage.ACCEPTED:
        return False
    return True if stage is PracticeStage.AGAIN and len(values) < MAX_ROUNDS else None


def verdict_of(round_: Sequence[Trial], marks: Sequence[ColoringMark]) -> ColoringMark | None:
    """What was said last of a round: a mark on any of its trials is about all of it."""
    positions = {trial.position for trial in round_}
    about = [
        mark for mark in marks if mark.kind is MarkKind.PRACTICE and mark.position in positions
    ]
    return about[-1] if about else None


def practice_round(
    plan: StudyPlan, trials: Sequence[Trial], rng: np.random.Generator
) -> tuple[Trial, ...]:
    """Every practice sketch once, after ``trials``, in a drawn order."""
    order = rng.permutation(len(plan.practice_stimuli))
    return tuple(
        Trial(len(trials) + position, plan.practice_stimuli[int(index)].id, (), Purpose.TRAINING)
        for position, index in enumerate(order)
    )


def recolors_open(
    trials: Sequence[Trial], answers: Mapping[int, Answer], marks: Sequence[ColoringMark]
) -> dict[int, int]:
    """How many second colorings were asked for and not answered yet, by the position of the first
    coloring. A withdrawal takes back only what was not given out yet: who has the sketch before
    them goes on with it. A skip is an answer."""
    by_position = {trial.position: trial for trial in trials}
    repeats: dict[int, list[Trial]] = {}
    for trial in trials:
        if trial.original is not None:
            repeats.setdefault(trial.original, []).append(trial)
    wanted: Counter[int] = Counter()
    for mark in marks:
        about = by_position.get(mark.position)
        if mark.kind is not MarkKind.RECOLOR or about is None:
            continue
        root = about.position if about.original is None else about.original
        if by_position[root].purpose is Purpose.MAIN:
            times = [given_at(trial) for trial in repeats.get(root, ())]
            count = sum(time is not None and time < mark.at for time in times)
            if mark.value == ASKED:
                wanted[root] = max(wanted[root], count) + 1
            else:
                wanted[root] = max(wanted[root] - 1, count)
    for root in wanted:
        wanted[root] -= sum(trial.position in answers for trial in repeats.get(root, ()))
    return {root: wanted[root] for root in sorted(wanted) if wanted[root] > 0}


def recolors_submitted(trials: Sequence[Trial], answers: Mapping[int, Answer]) -> frozenset[int]:
    """The positions of first colorings of which a second one was given out and not answered."""
    return frozenset(
        trial.original
        for trial in trials
        if trial.original is not None and trial.position not in answers
    )


def seconds_due(
    trials: Sequence[Trial], answers: Mapping[int, Answer], marks: Sequence[ColoringMark]
) -> tuple[Trial, ...]:
    """The second colorings that were asked for and not given yet, after ``trials``: repeats, whose
    original is the first coloring also where the second is to be done once more.

    What was asked before an earlier one was answered waits for that; a skip is not asked again.
    """
    if not any(mark.kind is MarkKind.RECOLOR for mark in marks):
        return ()  # as nearly always, and it is asked with every action
    by_position = {trial.position: trial for trial in trials}
    waiting = recolors_submitted(trials, answers)
    due = [
        root
        for root in recolors_open(trials, answers, marks)
        if root not in waiting and root in answers and answers[root].kind is AnswerKind.COLORING
    ]
    return tuple(
        Trial(len(trials) + index, by_position[root].stimulus_id, (), Purpose.REPEAT, original=root)
        for index, root in enumerate(due)
    )


def _goes_on(plan: StudyPlan, count: int) -> bool:
    return plan.practice.review is Review.AUTOMATIC and count >= AUTOMATIC_ROUNDS
