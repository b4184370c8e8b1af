"""Correlation and agreement of metrics with people's votes (ColorConceptBench, Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import pearsonr, spearmanr

from annotation.judgments.resampling import LEVEL, REPLICATES, weights
from annotation.judgments.votes import TIE, Vote

Pair = tuple[str, str, str]
"""A case and its two models, sorted."""


@dataclass(frozen=True)
class Interval:
    """``value`` between ``low`` and ``high``; NaN where it is not defined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Validation:
    """How a metric stands to people.

    ``pearson`` and ``spearman``, −1 to 1, are of the metric's difference between the two models
    and the share of votes for the first, over pairs; ties of people are half a vote for each. Every
    pair is taken in both orders: which model is the first one is nobody's choice, and another
    choice would give another correlation. (The paper does not say which order it took.)
    ``agreement``, 0 to 1, is the share of all pairs in which the metric prefers what most votes
    prefer: a tie of either is no agreement, as the 13.56% of DCA in Table 3 imply.
    ``agreement_decided`` leaves out pairs in which people or the metric are tied. ``pairs`` were
    compared, ``unscored`` had no value of the metric.
    """

    metric: str
    pearson: Interval
    spearman: Interval
    agreement: Interval
    agreement_decided: Interval
    pairs: int
    metric_ties: int
    vote_ties: int
    unscored: int


@dataclass(frozen=True)
class _Counts:
    """``for_first`` and ``all_votes`` are float ``(pairs,)``, a tie half a vote; ``case_of`` is int
    ``(pairs,)``."""

    pairs: tuple[Pair, ...]
    case_of: np.ndarray
    for_first: np.ndarray
    all_votes: np.ndarray


def validate(
    metric: str,
    quality: Mapping[tuple[str, str], float],
    votes: Sequence[Vote],
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
) -> Validation:
    """A metric against the votes.

    ``quality`` is the metric by case and model, turned so that more is better; what it lacks, or
    has as NaN, is counted as unscored and left out. Intervals resample cases, with all pairs of
    a case together, and are of these participants: resampling them too would take votes from pairs
    that have few, which weakens every correlation. Raises ValueError without votes.
    """
    counts = _count(votes)
    difference = np.array(
        [
            quality.get((case, first), np.nan) - quality.get((case, second), np.nan)
            for case, first, second in counts.pairs
        ]
    )
    scored = np.isfinite(difference)
    x, case_of = difference[scored], counts.case_of[scored]
    for_first, all_votes = counts.for_first[scored], counts.all_votes[scored]
    share = for_first / all_votes
    values = _measures(x, share)
    cases = int(counts.case_of.max()) + 1
    drawn = []
    for case_weight in weights(cases, replicates, rng):
        repeats = case_weight[case_of]
        drawn.append(_measures(np.repeat(x, repeats), np.repeat(share, repeats)))
    sampled = np.array(drawn)
    tails = ((1 - level) / 2, (1 + level) / 2)
    pearson, spearman, agreement, decided = (
        _interval(value, sampled[:, i], tails) for i, value in enumerate(values)
    )
    return Validation(
        metric,
        pearson,
        spearman,
        agreement,
        decided,
        pairs=len(x),
        metric_ties=int((x == 0).sum()),
        vote_ties=int((share == 0.5).sum()),
        unscored=int((~scored).sum()),
    )


def _count(votes: Sequence[Vote]) -> _Counts:
    if not votes:
        raise ValueError("There are no votes to compare a metric with.")
    of_vote = [
        (vote.case_id, min(vote.left, vote.right), max(vote.left, vote.right)) for vote in votes
    ]
    pairs = tuple(sorted(set(of_vote)))
    column = {pair: i for i, pair in enumerate(pairs)}
    cases = {name: i for i, name in enumerate(sorted({case for case, *_ in pairs}))}
    for_first = np.zeros(len(pairs))
    all_votes = np.zeros_like(for_first)
    for vote, pair in zip(votes, of_vote, strict=True):
        at = column[pair]
        all_votes[at] += 1
        for_first[at] += 0.5 if vote.winner == TIE else float(vote.winner == pair[1])
    return _Counts(pairs, np.array([cases[case] for case, *_ in pairs]), for_first, all_votes)


def _measures(difference: np.ndarray, share: np.ndarray) -> tuple[float, float, float, float]:
    """Pearson, Spearman, agreement over all pairs, and over those in which both are decided."""
    if not len(difference):
        return (float("nan"),) * 4
    nothing = float("nan")
    preference = share - 0.5
    varied = len(difference) > 2 and difference.any() and preference.any()
    both_x = np.concatenate([difference, -difference])
    both_y = np.concatenate([preference, -preference])
    pearson = float(pearsonr(both_x, both_y).statistic) if varied else nothing
    spearman = float(spearmanr(both_x, both_y).statistic) if varied else nothing
    preferred, voted = np.sign(difference), np.sign(preference)
    same = (preferred == voted) & (voted != 0)
    decided = (preferred != 0) & (voted != 0)
    of_decided = float(same.sum() / decided.sum()) if decided.any() else nothing
    return pearson, spearman, float(same.mean()), of_decided


def _interval(value: float, sampled: np.ndarray, tails: tuple[float, float]) -> Interval:
    sampled = sampled[np.isfinite(sampled)]
    if len(sampled) < 2:
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(sampled, tails)
    return Interval(value, float(low), float(high))
