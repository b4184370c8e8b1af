"""Mean ratings of models, and how often each was best of several, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, tail, weights
from truehue.core.studies import Trial

Given = Sequence[tuple[str, Trial, Answer]]
"""Participant, main trial and its answer."""


@dataclass(frozen=True)
class Rating:
    """The mean rating of a model's images, 0 to 10, with its interval over participants."""

    model: str
    mean: float
    low: float
    high: float
    ratings: int


@dataclass(frozen=True)
class ChoiceShare:
    """How often a model was ``chosen`` where it was ``shown``: ``share``, 0 to 1, with its interval
    over participants. By chance alone it is a quarter of four."""

    model: str
    share: float
    low: float
    high: float
    chosen: int
    shown: int


def ratings_of(values: Given, seed: int, replicates: int = REPLICATES) -> tuple[Rating, ...]:
    """The mean rating of each model that was rated, by name."""
    entries = [
        (participant, trial.order[0], float(answer.value or 0))
        for participant, trial, answer in values
        if answer.kind is AnswerKind.RATING
    ]
    return tuple(Rating(*row) for row in _means(entries, seed, replicates))


def choices_of(values: Given, seed: int, replicates: int = REPLICATES) -> tuple[ChoiceShare, ...]:
    """How often each model that was shown was chosen, by name."""
    entries = [
        (participant, model, float(index == answer.value))
        for participant, trial, answer in values
        if answer.kind is AnswerKind.PLACE
        for index, model in enumerate(trial.order)
    ]
    return tuple(
        ChoiceShare(model, share, low, high, round(share * shown), shown)
        for model, share, low, high, shown in _means(entries, seed, replicates)
    )


def _means(
    entries: Iterable[tuple[str, str, float]], seed: int, replicates: int
) -> list[tuple[str, float, float, float, int]]:
    """Mean of each model's values with its interval over resampled participants, and their number;
    bounds are NaN where fewer than two participants answered."""
    entries = list(entries)
    models = {name: i for i, name in enumerate(sorted({model for _, model, _ in entries}))}
    people = {name: i for i, name in enumerate(sorted({person for person, *_ in entries}))}
    sums, counts = np.zeros((len(people), len(models))), np.zeros((len(people), len(models)))
    for person, model, value in entries:
        index = people[person], models[model]
        sums[index] += value
        counts[index] += 1
    if not people:
        return []
    sample = weights(len(people), replicates, np.random.default_rng([seed, 2]))
    rows = []
    for model, column in models.items():
        low = high = float("nan")
        total = sample @ counts[:, column]
        if len(people) > 1 and (total > 0).any():
            outside = tail(len(people), LEVEL)
            means = (sample @ sums[:, column])[total > 0] / total[total > 0]
            low, high = (float(v) for v in np.quantile(means, [outside, 1 - outside]))
        number = int(counts[:, column].sum())
        rows.append((model, float(sums[:, column].sum() / number), low, high, number))
    return rows
