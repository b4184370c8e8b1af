"""What somebody who has some trials, or none yet, gets next: training, all the rest, or a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from annotation.assignment.adaptive import Open, adaptive
from annotation.assignment.assign import assign, chance
from annotation.assignment.batches import batch
from annotation.assignment.information import Tallies
from annotation.assignment.load import Enrolled, loads
from annotation.assignment.sequence import REPEAT_GAP, shuffled
from annotation.assignment.sides import Orders, ordered
from annotation.assignment.training import round_is_due, training_round
from annotation.judgments.answers import Answer, answers_of, votes_of
from annotation.judgments.votes import TIE
from annotation.studies.plan import Method, StudyPlan
from core.studies import Purpose, Trial

BATCH = 5
"""Main trials that are chosen at once where the choice follows what was answered."""
AHEAD = 2
"""Trials without an answer at which the next batch is chosen: their images can be fetched while
these are looked at."""
SETTLED_S = 2.0
"""Votes younger than these seconds do not count for the choice yet: which of two people's votes was
stored first would decide what is served, and no log could tell it again."""


@dataclass(frozen=True)
class Standing:
    """Where a whole study stands. ``load`` says by stimulus how many answers it has or will have,
    ``served`` how often it was shown in which order, ``tallies`` what was voted (only where that
    decides what is served)."""

    load: Mapping[str, int] = field(default_factory=dict)
    served: Orders = field(default_factory=dict)
    tallies: Tallies = field(default_factory=dict)


def standing_of(plan: StudyPlan, people: Iterable[Enrolled], now: datetime) -> Standing:
    """Where the study stood at that time. ``people`` are all participants."""
    people = list(people)
    load, served = loads([person.progress(now) for person in people], now, plan.abandoned_after_s)
    if plan.method is Method.BALANCED:
        return Standing(load, served)
    settled = now - timedelta(seconds=SETTLED_S)
    counts: dict[tuple[str, str], list[int]] = {}
    for person in people:
        answers = answers_of(plan, person.trials, person.before(settled))
        for vote in votes_of(plan, str(person.number), person.trials, answers):
            first, second = sorted((vote.left, vote.right))
            outcome = 2 if vote.winner == TIE else int(vote.winner == second)
            counts.setdefault((first, second), [0, 0, 0])[outcome] += 1
    return Standing(load, served, {pair: (a, b, ties) for pair, (a, b, ties) in counts.items()})


def further(
    plan: StudyPlan,
    number: int,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    standing: Standing,
) -> tuple[Trial, ...]:
    """The trials to add now to those of the participant with that ``number``, empty if none.

    Rounds of training come first, then all main trials at once, or, where they are chosen
    adaptively, in batches as soon as no more than ``AHEAD`` wait for an answer. ``trials`` are all
    that the participant has, ``answers`` those that stand. The same arguments give the same trials.
    Somebody whose trials are all answered and who gets none here is through.
    """
    rng = chance(plan, number, len(trials))
    begun = any(trial.purpose is Purpose.MAIN for trial in trials)
    if not begun:
        due = round_is_due(plan, trials, answers)
        if due is None:
            return ()
        if due:
            return training_round(plan, trials, rng)
    if plan.method is Method.ADAPTIVE:
        return _batch(plan, trials, answers, standing, rng)
    if begun:
        return ()
    return assign(plan, number, standing.load, standing.served, len(trials))


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
    return max(training, len(plan.training.keys)) + rest


def _batch(
    plan: StudyPlan,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    standing: Standing,
    rng: np.random.Generator,
) -> tuple[Trial, ...]:
    if sum(trial.position not in answers for trial in trials) > AHEAD:
        return ()
    had = {trial.stimulus_id for trial in trials if trial.purpose is Purpose.MAIN}
    stimuli = plan.main_stimuli
    if not had and all(standing.load.get(one.id, 0) >= plan.votes for one in stimuli):
        return ()
    size = min(BATCH, plan.trials - len(had))
    open_ = Open(standing.load, plan.votes, had)
    choices = shuffled(adaptive(stimuli, open_, size, standing.tallies, rng), rng)
    if not choices:
        return ()
    orders = ordered([choice.stimulus for choice in choices], standing.served, rng)
    return batch(plan, trials, choices, orders, rng)
