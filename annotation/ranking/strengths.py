"""Strengths of models with intervals that treat a participant's votes as one cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, tail
from truehue.annotation.judgments.votes import Vote, VoteTable
from truehue.annotation.ranking.davidson import PRIOR_SD, fit


@dataclass(frozen=True)
class Strength:
    """``log_strength`` is in logits, 0 the mean of all models; ``low`` and ``high`` bound the
    interval, ``rank_low`` and ``rank_high`` that of the rank, from 1. ``votes`` counts its votes.
    """

    model: str
    log_strength: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    votes: int


@dataclass(frozen=True)
class Ranking:
    """Models by falling strength. ``tie_share`` is the share of ties between equals, 0 to 1;
    ``separated`` are models that won, or lost, everything against the others: without a finite
    strength but for the prior."""

    strengths: tuple[Strength, ...]
    tie_share: float
    separated: tuple[str, ...]
    participants: int
    votes: int


def rank(
    votes: Sequence[Vote], seed: int, replicates: int = REPLICATES, level: float = LEVEL
) -> Ranking:
    """Davidson's model fitted to the votes, with expanded percentile intervals over ``replicates``
    resamples of participants (:func:`truehue.annotation.judgments.resampling.tail`).

    With fewer than two participants the intervals are infinite. Raises ValueError without votes.
    """
    if not votes:
        raise ValueError("There are no votes to rank by.")
    table = VoteTable.of(votes)
    size = len(table.models)
    estimate = fit(table.pairs, table.totals[None], size, PRIOR_SD)
    values = estimate.log_strength[0]
    if len(table.participants) > 1:
        outside = tail(len(table.participants), level)
        draws = table.resampled(replicates, np.random.default_rng(seed))
        sampled = fit(table.pairs, draws, size, PRIOR_SD).log_strength
        low, high = np.quantile(sampled, [outside, 1 - outside], axis=0)
        ranks = 1 + (sampled[:, None, :] > sampled[:, :, None]).sum(axis=2)
        rank_low = np.quantile(ranks, outside, axis=0, method="inverted_cdf")
        rank_high = np.quantile(ranks, 1 - outside, axis=0, method="inverted_cdf")
    else:
        low, high = np.full(size, -np.inf), np.full(size, np.inf)
        rank_low, rank_high = np.ones(size), np.full(size, size)
    numbers = np.zeros(size)
    np.add.at(numbers, table.pairs, table.totals.sum(axis=1)[:, None])
    strengths = [
        Strength(
            model,
            float(values[i]),
            float(low[i]),
            float(high[i]),
            int(rank_low[i]),
            int(rank_high[i]),
            int(numbers[i]),
        )
        for i, model in enumerate(table.models)
    ]
    weight = float(np.exp(estimate.log_tie[0]))
    return Ranking(
        tuple(sorted(strengths, key=lambda s: (-s.log_strength, s.model))),
        weight / (2 + weight),
        _unbeaten(table),
        len(table.participants),
        len(votes),
    )


def _unbeaten(table: VoteTable) -> tuple[str, ...]:
    """Models that are in no circle of wins and ties with all others (L. R. Ford, 1957): their
    strengths are held finite by the prior alone. Empty where there is a finite estimate."""
    from scipy.sparse.csgraph import connected_components

    size = len(table.models)
    beats = np.zeros((size, size))
    for (first, second), (wins, losses, ties) in zip(table.pairs, table.totals, strict=True):
        beats[first, second] += wins + ties
        beats[second, first] += losses + ties
    parts, label = connected_components(beats > 0, directed=True, connection="strong")
    if parts == 1:
        return ()
    largest = np.bincount(label).argmax()
    return tuple(model for model, part in zip(table.models, label, strict=True) if part != largest)
