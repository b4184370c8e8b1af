"""Ranks of runs as ranges: which runs the data cannot tell apart.

Every pair of runs is compared over the prompts that both have: the mean difference of their shares
of passes, weighed as the leaderboard weighs tasks and color systems, by Student's t with a prompt
as the unit and Satterthwaite's degrees of freedom. Holm's step-down procedure (1979, Scandinavian
Journal of Statistics 6: 65-70) holds the chance of even one false difference among all pairs at 5%.
A run's best possible rank is one more than the number of runs that are certainly better, its worst
the number of runs less those that are certainly worse. Such ranges hold together with 95%
(Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91: 476-518).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from truehue.core.analysis.paired import holm

LEVEL = 0.05
"""The chance of a false difference among all pairs of a column."""
MIN_RUNS = 2
SINGLE_VARIANCE = 0.5
"""The variance taken for the difference of two shares where a stratum has one prompt, which shows
none: that of two independent shares which are each as uncertain as a share can be."""


@dataclass(frozen=True, eq=False)
class PromptScores:
    """Of one task and color system: ``shares`` float64 ``(prompts, runs)``, the share of each
    prompt's images that pass, NaN where a run has no image of it that counts."""

    task: str
    system: str
    shares: np.ndarray

    @cached_property
    def differences(self) -> Differences:
        """Of every two runs; computed once."""
        return _differences(self.shares)

    def of_runs(self, chosen: np.ndarray) -> PromptScores:
        """The same of some runs, bool ``(runs,)``."""
        if chosen.all():
            return self
        return PromptScores(self.task, self.system, self.shares[:, chosen])


@dataclass(frozen=True)
class RankRange:
    """The ``best`` and ``worst`` rank that a run can have among ``runs`` runs."""

    best: int
    worst: int
    runs: int

    @property
    def text(self) -> str:
        """``1–3``, or ``2`` where the rank is certain."""
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


@dataclass(frozen=True)
class Differences:
    """Of every two runs, float64 ``(runs, runs)``: the mean difference of their shares, its
    variance, how many prompts both have, and at how many they differ."""

    mean: np.ndarray
    variance: np.ndarray
    prompts: np.ndarray
    differing: np.ndarray


def _differences(shares: np.ndarray) -> Differences:
    known = ~np.isnan(shares)
    mask, value = known.astype(np.float64), np.where(known, shares, 0.0)
    prompts = mask.T @ mask
    # Sums over the prompts that both have, of the first one's shares, and their squares.
    sums, squares = value.T @ mask, (value * value).T @ mask
    equal = sum(
        (hit := (known & (shares == level)).astype(np.float64)).T @ hit
        for level in np.unique(value[known])
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (sums - sums.T) / prompts
        spread = squares + squares.T - 2.0 * (value.T @ value) - prompts * mean * mean
        variance = np.maximum(spread, 0.0) / (prompts - 1.0) / prompts
    variance = np.where(prompts == 1.0, SINGLE_VARIANCE, variance)
    return Differences(mean, variance, prompts, prompts - equal)


def p_values(scores: Sequence[PromptScores], weights: Sequence[float]) -> np.ndarray:
    """Two-sided p-values of every two runs, float64 ``(runs, runs)``, and the sign of a difference
    in front: positive where the run of the row is better. NaN where a stratum has no prompt of both.

    No p is below that of a sign test in which all prompts that differ agree: so few tell no more.
    """
    from scipy.stats import t

    share = np.asarray(weights, dtype=np.float64) / sum(weights)
    parts = [score.differences for score in scores]
    mean = sum(w * part.mean for w, part in zip(share, parts, strict=True))
    variances = [w * w * part.variance for w, part in zip(share, parts, strict=True)]
    variance = np.asarray(sum(variances))
    differing = np.asarray(sum(part.differing for part in parts))
    with np.errstate(divide="ignore", invalid="ignore"):
        # The variance of a single prompt is no estimate: it takes no degrees of freedom.
        uncertainty = sum(
            np.where(part.prompts > 1.0, own**2 / np.maximum(part.prompts - 1.0, 1.0), 0.0)
            for own, part in zip(variances, parts, strict=True)
        )
        freedom = np.where(variance > 0, variance**2 / uncertainty, np.nan)
        p = 2.0 * t.sf(np.abs(mean) / np.sqrt(variance), freedom)
    p = np.where(variance > 0, p, np.where(np.isnan(variance), np.nan, 0.0))
    p = np.maximum(p, np.minimum(1.0, 2.0 ** (1.0 - differing)))
    return np.where(np.asarray(mean) < 0, -p, p)


def rank_ranges(
    runs: Sequence[str], scores: Sequence[PromptScores], weights: Sequence[float]
) -> dict[str, RankRange]:
    """The range of ranks of each run; ``scores`` have a column for each, in that order.

    Empty for fewer than two runs and without scores.
    """
    if len(runs) < MIN_RUNS or not scores:
        return {}
    signed = p_values(scores, weights)
    pairs = list(combinations(range(len(runs)), 2))
    differs = [p <= LEVEL for p in holm(abs(signed[pair]) for pair in pairs)]
    better = np.zeros((len(runs), len(runs)), dtype=bool)
    for (first, second), certain in zip(pairs, differs, strict=True):
        if certain:
            ahead = signed[first, second] > 0
            better[(first, second) if ahead else (second, first)] = True
    return {
        run: RankRange(
            1 + int(better[:, index].sum()), len(runs) - int(better[index].sum()), len(runs)
        )
        for index, run in enumerate(runs)
    }


def column_ranks(
    runs: Sequence[str],
    scores: Sequence[PromptScores],
    columns: Mapping[str, Sequence[tuple[str, str, float]]],
) -> dict[str, dict[str, RankRange]]:
    """The ranges of each column: ``columns`` names the strata that it is made of, as task, system
    and weight. Runs without an image in one of them are not ranked in it."""
    by_stratum = {(score.task, score.system): score for score in scores}
    ranks: dict[str, dict[str, RankRange]] = {}
    for column, strata in columns.items():
        own = [
            by_stratum[task, system] for task, system, _ in strata if (task, system) in by_stratum
        ]
        if not own or len(own) < len(strata):
            continue
        whole = np.all([~np.isnan(score.shares).all(axis=0) for score in own], axis=0)
        chosen = [score.of_runs(whole) for score in own]
        names = [run for run, is_ranked in zip(runs, whole, strict=True) if is_ranked]
        ranks[column] = rank_ranges(names, chosen, [weight for _, _, weight in strata])
    return ranks
