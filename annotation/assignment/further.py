"""What somebody who has some trials, or none yet, gets next: training, all the rest, or a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from truehue.annotation.assignment.adaptive import Open, adaptive
from truehue.annotation.assignment.assign import assign, chance
from truehue.annotation.assignment.batches import batch
from truehue.annotation.assignment.ledger import SETTLED_S, AssignmentState, current_colorings_of
from truehue.annotation.assignment.practice import practice_is_due, practice_round, seconds_due
from truehue.annotation.assignment.sequence import REPEAT_GAP, shuffled
from truehue.annotation.assignment.sides import ordered
from truehue.annotation.assignment.training import round_is_due, training_round
from truehue.annotation.judgments.answers import Answer
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Method, StudyPlan
from truehue.core.studies import ColoringMark, Purpose, Trial

__all__ = ["SETTLED_S", "AssignmentState", "current_colorings_of", "further", "is_due", "length_of"]

BATCH = 5
"""Main trials that are chosen at once where the choice follows what was answered."""
AHEAD = 2
"""Trials without an answer at which the next batch is chosen: their images can be fetched while
these are looked at."""


def is_due(
    plan: StudyPlan,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    marks: Sequence[ColoringMark] = (),
) -> bool:
    """Whether :func:`further` may have something for that participant. It is cheap, and asked
    first: where a study stands takes all its events to tell."""
    started = any(trial.purpose is Purpose.MAIN for trial in trials)
    if plan.kind is Kind.COLORINGS:
        if started:
            return bool(seconds_due(trials, answers, marks))
        return practice_is_due(plan, trials, answers, marks) is not None
    if not started:
        return round_is_due(plan, trials, answers) is not None
    if plan.method is Method.BALANCED:
        return False
    main = sum(trial.purpose is Purpose.MAIN for trial in trials)
    waiting = sum(trial.position not in answers for trial in trials)
    return waiting <= AHEAD and main < min(plan.trials, len(plan.main_stimuli))


def further(
    plan: StudyPlan,
    number: int,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    assignment_state: AssignmentState,
    marks: Sequence[ColoringMark] = (),
) -> tuple[Trial, ...]:
    """The trials to add now to those of the participant with that ``number``, empty if none.

    Rounds of training come first, then all main trials at once, or, where they are chosen
    adaptively, in batches as soon as no more than ``AHEAD`` wait for an answer. ``trials`` are all
    that the participant has, ``answers`` those that stand. Where sketches are colored, practice
    comes first, and ``marks``, those of the participant up to now, say when it was good enough and
    which colorings are asked for a second time. The same arguments give the same trials.
    Somebody whose trials are all answered and who gets none here is through.
    """
    if not is_due(plan, trials, answers, marks):
        return ()
    rng = chance(plan, number, len(trials))
    started = any(trial.purpose is Purpose.MAIN for trial in trials)
    if plan.kind is Kind.COLORINGS:
        if started:
            return seconds_due(trials, answers, marks)
        if practice_is_due(plan, trials, answers, marks):
            return practice_round(plan, trials, rng)
    elif not started and round_is_due(plan, trials, answers):
        return training_round(plan, trials, rng)
    if plan.method is Method.ADAPTIVE:
        return _batch(plan, trials, assignment_state, rng)
    return assign(plan, number, assignment_state.load, assignment_state.served, len(trials))


def length_of(plan: StudyPlan, trials: Sequence[Trial]) -> int:
    """How many trials a participant who has these will have had in the end, as far as is known:
    more where training has to be repeated, fewer where nothing is left to ask."""
    main = [trial for trial in trials if trial.purpose is Purpose.MAIN]
    if main and plan.method is Method.BALANCED:
        return len(trials)
    training = sum(trial.purpose is Purpose.TRAINING for trial in trials)
    total = min(plan.trials, len(plan.main_stimuli))
    if plan.method is Method.BALANCED:
        early = max(total - REPEAT_GAP, min(total, 1))
    else:
        early = total - (total % BATCH or BATCH)
    rest = total + min(plan.repeats, early) + min(plan.attention, total)
    return max(training, len(plan.training.keys), len(plan.practice.case_ids)) + rest


def _batch(
    plan: StudyPlan,
    trials: Sequence[Trial],
    assignment_state: AssignmentState,
    rng: np.random.Generator,
) -> tuple[Trial, ...]:
    had = {trial.stimulus_id for trial in trials if trial.purpose is Purpose.MAIN}
    stimuli = plan.main_stimuli
    if not had and all(
        assignment_state.load.get(stimulus.id, 0) >= plan.votes for stimulus in stimuli
    ):
        return ()
    size = min(BATCH, plan.trials - len(had))
    open_ = Open(assignment_state.load, plan.votes, had)
    choices = shuffled(adaptive(stimuli, open_, size, assignment_state.tallies, rng), rng)
    if not choices:
        return ()
    orders = ordered([choice.stimulus for choice in choices], assignment_state.served, rng)
    return batch(plan, trials, choices, orders, rng)
