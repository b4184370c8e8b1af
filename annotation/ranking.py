"""Strengths of models from votes, with intervals: Davidson's model (Bradley-Terry with ties).

R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison
Experiments", JASA 65 (1970), 317–328. With log strengths θ and the log of the tie parameter δ, the
three outcomes of a pair (i, j) have probabilities proportional to

    i wins  exp(θ_i),    j wins  exp(θ_j),    tie  exp(δ + (θ_i + θ_j) / 2).

Without ties this is the model of Bradley and Terry (1952).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.answers import Vote, VoteTable
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, tail

PRIOR_SD = 5.0
"""Standard deviation of the normal prior of each log strength, about 870 points of Elo.

It keeps a model that won every vote at a finite strength, and moves others by less than their last
printed digit."""
_MAX_STEPS = 100
_TOLERANCE = 1e-9
_MAX_STEP = 4.0


@dataclass(frozen=True)
class Fit:
    """``log_strength`` is float ``(R, M)``, the mean of each row 0; ``log_tie`` is float ``(R,)``,
    minus infinity where no table has a tie."""

    log_strength: np.ndarray
    log_tie: np.ndarray


def fit(pairs: np.ndarray, counts: np.ndarray, models: int, prior_sd: float = PRIOR_SD) -> Fit:
    """Most probable log strengths by Newton's method.

    ``pairs`` is int ``(P, 2)``, ``counts`` float ``(R, P, 3)`` (first wins, second wins, ties) for
    R tables. ``prior_sd`` may be ``inf`` for maximum likelihood; then every model must have won
    against, lost to or tied with the others by a chain of votes. Raises ValueError where the method
    does not settle, which with a finite prior has not been seen.
    """
    counts = np.asarray(counts, dtype=np.float64)
    with_ties = bool(counts[..., 2].any())
    features = _features(pairs, models, with_ties)
    counts = counts[..., : features.shape[1]]
    totals = counts.sum(axis=-1)
    # Strengths are known up to a common factor: the sum is held at 0 by a stiff penalty, which
    # costs nothing at the solution. The tie parameter has a prior so wide that it only matters
    # for a table without a tie among tables with some.
    precision = np.zeros((features.shape[2],) * 2)
    precision[:models, :models] = 1.0
    precision[:models, :models] += np.eye(models) * prior_sd**-2
    if with_ties:
        precision[models, models] = 1e-4
    beta = np.zeros((len(counts), features.shape[2]))
    active = np.arange(len(counts))
    for _ in range(_MAX_STEPS):
        utility = np.einsum("rk,pok->rpo", beta[active], features)
        utility -= utility.max(axis=-1, keepdims=True)
        weight = np.exp(utility)
        share = weight / weight.sum(axis=-1, keepdims=True)
        n = totals[active][..., None]
        gradient = np.einsum("rpo,pok->rk", counts[active] - n * share, features)
        gradient -= beta[active] @ precision
        mean = np.einsum("rpo,pok->rpk", share, features)
        second = np.einsum("rpo,pok,pol->rkl", n * share, features, features)
        second -= np.einsum("rpk,rpl->rkl", n * mean, mean)
        step = np.linalg.solve(second + precision, gradient[..., None])[..., 0]
        step *= np.minimum(1.0, _MAX_STEP / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        beta[active] += step
        active = active[np.abs(step).max(axis=1) > _TOLERANCE]
        if not len(active):
            break
    else:
        raise ValueError("The strengths have no finite estimate: some models never lost.")
    strengths = beta[:, :models] - beta[:, :models].mean(axis=1, keepdims=True)
    ties = beta[:, models] if with_ties else np.full(len(counts), -np.inf)
    return Fit(strengths, ties)


def _features(pairs: np.ndarray, models: int, with_ties: bool) -> np.ndarray:
    """float ``(P, outcomes, M or M + 1)``: what each outcome's log weight is the sum of."""
    indices = np.arange(len(pairs))
    features = np.zeros((len(pairs), 3 if with_ties else 2, models + with_ties))
    for outcome in (0, 1):
        features[indices, outcome, pairs[:, outcome]] = 1.0
        if with_ties:
            features[indices, 2, pairs[:, outcome]] = 0.5
    if with_ties:
        features[:, 2, models] = 1.0
    return features


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
