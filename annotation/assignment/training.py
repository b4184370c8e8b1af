"""Trials with a known answer before the rest: a round, and another where too few were right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from truehue.annotation.assignment.sides import ordered
from truehue.annotation.judgments.answers import Answer
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Purpose, Trial


def rounds(plan: StudyPlan, trials: Sequence[Trial]) -> list[list[Trial]]:
    """The training trials of one participant by round."""
    training = [trial for trial in trials if trial.purpose is Purpose.TRAINING]
    size = len(plan.training.keys) or len(plan.practice.case_ids) or 1
    return [training[start : start + size] for start in range(0, len(training), size)]


def right(trial: Trial, answers: Mapping[int, Answer]) -> bool:
    """Whether the answer to a training trial is the known one. A skip or a tie is not."""
    answer = answers.get(trial.position)
    return answer is not None and answer.value is not None and answer.value == trial.expected


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
