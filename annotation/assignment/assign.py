"""The assignment of one participant: which trials, in which order, each candidate at which side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from truehue.annotation.assignment.choice import balanced
from truehue.annotation.assignment.sequence import sequence, shuffled
from truehue.annotation.assignment.sides import Orders, ordered
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Trial


def assign(
    plan: StudyPlan, number: int, load: Mapping[str, int], served: Orders, after: int = 0
) -> tuple[Trial, ...]:
    """The trials of the participant with that ``number`` (from 0, by enrolment), who has as many
    as ``after`` already, of training.

    ``load`` says by stimulus how many answers it has or will have, ``served`` how often it was
    shown in which order; both are of the whole study. The same arguments give the same trials.
    Empty where every stimulus has the votes that are wanted.
    """
    rng = chance(plan, number, after)
    kin = kin_of(plan)
    chosen = balanced(plan.main_stimuli, load, plan.trials, plan.votes, rng, kin)
    choices = shuffled(chosen, rng, kin)
    orders = ordered([choice.stimulus for choice in choices], served, rng)
    trials = sequence(choices, orders, plan.repeats, plan.attention, plan.places, rng)
    return tuple(
        replace(
            trial,
            position=trial.position + after,
            original=None if trial.original is None else trial.original + after,
        )
        for trial in trials
    )


def kin_of(plan: StudyPlan) -> dict[str, str]:
    """What each case is one of: where sketches are colored, of those with its sketch, so that a
    person gets other sketches before the same one with other words, and never one after itself;
    of questions, those of its task, so that everybody gets as many of each task."""
    if plan.kind is Kind.COLORINGS:
        return {case.id: case.sketch for case in plan.cases}
    if plan.kind is Kind.QUESTIONS:
        return {case.id: case.group for case in plan.cases}
    return {case.id: case.id for case in plan.cases}


def chance(plan: StudyPlan, number: int, after: int) -> np.random.Generator:
    """Chance of its own for every participant, and every number of trials that they have."""
    return np.random.default_rng([plan.seed, number, after, 1] if after else [plan.seed, number])
