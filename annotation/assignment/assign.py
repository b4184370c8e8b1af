"""The assignment of one participant: which trials, in which order, each candidate at which side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from annotation.assignment.choice import balanced
from annotation.assignment.sequence import sequence, shuffled
from annotation.assignment.sides import Orders, ordered
from annotation.studies.plan import StudyPlan
from core.studies import Purpose, Trial


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
    choices = shuffled(balanced(plan.main_stimuli, load, plan.trials, plan.votes, rng), rng)
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


def chance(plan: StudyPlan, number: int, after: int) -> np.random.Generator:
    """Chance of its own for every participant, and every number of trials that they have."""
    return np.random.default_rng([plan.seed, number, after, 1] if after else [plan.seed, number])


def load_of(trials: Iterable[Trial]) -> Counter[str]:
    """How often each stimulus, by id, stands in these as a main trial."""
    return Counter(trial.stimulus_id for trial in trials if trial.purpose is Purpose.MAIN)


def served_of(trials: Iterable[Trial]) -> Counter[tuple[str, tuple[str, ...]]]:
    """How often each stimulus stands in these as a main trial in which order."""
    return Counter(
        (trial.stimulus_id, trial.order) for trial in trials if trial.purpose is Purpose.MAIN
    )
