"""Pairs chosen one after another by how much a vote on them is expected to tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from truehue.annotation.assignment.choice import Choice
from truehue.annotation.assignment.information import Knowledge, Tallies
from truehue.annotation.studies.cases import Stimulus

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


def adaptive(
    stimuli: Sequence[Stimulus],
    open_: Open,
    size: int,
    tallies: Tallies,
    rng: np.random.Generator,
) -> tuple[Choice, ...]:
    """Up to ``size`` different pairs, in the order in which they were drawn.

    Open are those that the participant has not had: below the wanted answers while there are any.
    Each is drawn with probability (1 − ε)·gain / Σ gain + ε / n among the n that are open then,
    with ε = :data:`EXPLORED`; that probability is its propensity, given what was drawn before it.
    The gain is of :mod:`truehue.annotation.assignment.information`, where a pair that was just
    drawn counts as voted on. It depends on the two models alone: cases with the same models are
    equally likely.
    """
    sets = sorted({stimulus.models for stimulus in stimuli})
    knowledge = Knowledge(sorted({model for models in sets for model in models}), tallies)
    pairs = np.array([[knowledge.index[model] for model in models] for models in sets])
    position = {models: i for i, models in enumerate(sets)}
    set_of = np.array([position[stimulus.models] for stimulus in stimuli])
    fresh = np.array([stimulus.id not in open_.had for stimulus in stimuli])
    wanted = np.array([open_.load.get(stimulus.id, 0) < open_.most for stimulus in stimuli])
    choices: list[Choice] = []
    while fresh.any() and len(choices) < size:
        candidates = np.flatnonzero(fresh & wanted if (fresh & wanted).any() else fresh)
        gains = knowledge.gains(pairs)[set_of[candidates]]
        propensity = (1 - EXPLORED) * gains / gains.sum() + EXPLORED / len(candidates)
        sample = int(rng.choice(len(candidates), p=propensity / propensity.sum()))
        index = candidates[sample]
        choices.append(Choice(stimuli[index], float(propensity[sample])))
        knowledge.add(pairs[set_of[index], None], np.ones(1))
        fresh[index] = False
    return tuple(choices)
