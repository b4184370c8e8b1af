"""Pairs chosen one after another by how much a vote on them is expected to tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from annotation.assignment.choice import Choice
from annotation.assignment.information import Knowledge, Tallies
from annotation.studies.cases import Stimulus

EXPLORED = 0.2
"""The share of draws in which every pair is as likely as every other. With it no pair is ever
impossible, and none is less likely than a fifth of what it were by chance alone."""


@dataclass(frozen=True)
class Open:
    """Which pairs may be drawn: ``load`` says by id how many answers a pair has or will have,
    ``most`` how many are wanted, ``had`` are the ids that this participant was given."""

    load: Mapping[str, int]
    most: int
    had: AbstractSet[str]

    def of(self, stimuli: Sequence[Stimulus]) -> list[Stimulus]:
        """Those that this participant has not had: below the wanted answers where there are any."""
        fresh = [one for one in stimuli if one.id not in self.had]
        wanted = [one for one in fresh if self.load.get(one.id, 0) < self.most]
        return wanted or fresh


def adaptive(
    stimuli: Sequence[Stimulus],
    open_: Open,
    size: int,
    tallies: Tallies,
    rng: np.random.Generator,
) -> tuple[Choice, ...]:
    """Up to ``size`` different pairs, in the order in which they were drawn.

    Each is drawn with probability (1 − ε)·gain / Σ gain + ε / n among the n that are open then,
    with ε = :data:`EXPLORED`; that probability is its propensity, given what was drawn before it.
    The gain is of :mod:`annotation.assignment.information`, where a pair that was just drawn counts
    as voted on. It depends on the two models alone: cases with the same models are equally likely.
    """
    knowledge = Knowledge(sorted({model for one in stimuli for model in one.models}), tallies)
    candidates = open_.of(stimuli)
    choices: list[Choice] = []
    while candidates and len(choices) < size:
        sets = sorted({one.models for one in candidates})
        pairs = np.array([[knowledge.index[model] for model in models] for models in sets])
        gain = dict(zip(sets, knowledge.gains(pairs), strict=True))
        gains = np.array([gain[one.models] for one in candidates])
        propensity = (1 - EXPLORED) * gains / gains.sum() + EXPLORED / len(candidates)
        index = int(rng.choice(len(candidates), p=propensity / propensity.sum()))
        chosen = candidates[index]
        choices.append(Choice(chosen, float(propensity[index])))
        knowledge.add(*(knowledge.index[model] for model in chosen.models))
        now_had = open_.had | {choice.stimulus.id for choice in choices}
        candidates = Open(open_.load, open_.most, now_had).of(stimuli)
    return tuple(choices)
