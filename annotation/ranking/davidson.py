"""The Bradley–Terry model with ties of Davidson, fitted to many tables of counts at once.

R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison
Experiments", JASA 65 (1970), 317–328. With log strengths θ and the log of the tie parameter δ, the
three outcomes of a pair (i, j) have probabilities proportional to

    i wins  exp(θ_i),    j wins  exp(θ_j),    tie  exp(δ + (θ_i + θ_j) / 2).

Without ties this is the model of Bradley and Terry (1952).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PRIOR_SD = 5.0
"""Standard deviation of the normal prior of each log strength, about 870 points of Elo.

It keeps a model that won every vote at a finite strength, and moves others by less than their last
printed digit."""
_MOST_STEPS = 100
_TOLERANCE = 1e-9
_MOST_STEP = 4.0


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
    for _ in range(_MOST_STEPS):
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
        step *= np.minimum(1.0, _MOST_STEP / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
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
