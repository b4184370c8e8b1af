"""How often a metric puts the more faithful of two images first: CFD-SynPairs and CFD-Real&Syn.

A group holds the scores of one caption: the photograph, then its images by rising guidance
(7.5, 10, 15, 20, 25, 30). SynPairs compares images of neighboring guidance, Real&Syn the photograph
with the image of the lowest guidance (appendix A; section 6.3 says "a randomly sampled synthetic
counterpart" instead, which is not what is counted here). The paper samples 5,000 pairs of each;
here every pair counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.analysis.bootstrap import CONFIDENCE, RESAMPLES, SEED
from truehue.core.errors import BadInput


@dataclass(frozen=True)
class Accuracy:
    """Percent of pairs in the right order, with its interval over resampled groups.

    ``low`` and ``high`` enclose 95% (percentile bootstrap, groups resampled with all their pairs);
    all three are NaN without pairs, and these two where one group only has any. ``ties`` count as
    half right, as a coin would decide them. ``unscored`` pairs had an image without a score, and
    count nowhere.
    """

    percent: float
    low: float
    high: float
    pairs: int
    ties: int
    unscored: int


def neighbor_accuracy(groups: Sequence[Sequence[float]], higher_is_better: bool = True) -> Accuracy:
    """SynPairs. ``groups``: scores of each group, the photograph first; NaN where unscored.

    Raises BadInput for a group without two images beside its photograph.
    """
    return _accuracy([_group(group, 3)[1:] for group in groups], higher_is_better)


def real_accuracy(groups: Sequence[Sequence[float]], higher_is_better: bool = True) -> Accuracy:
    """Real&Syn, of the same groups; raises BadInput for a group without an image beside its
    photograph."""
    return _accuracy([_group(group, 2)[:2] for group in groups], higher_is_better)


def adjacent_accuracy(groups: Sequence[Sequence[float]], higher_is_better: bool = True) -> Accuracy:
    """All neighbors from the photograph on: the pairs of SynPairs and Real&Syn together."""
    return _accuracy([_group(group, 2) for group in groups], higher_is_better)


def _group(scores: Sequence[float], least: int) -> np.ndarray:
    group = np.asarray(scores, dtype=np.float64)
    if group.ndim != 1 or len(group) < least:
        raise BadInput(
            f"A group has a photograph and at least {least - 1} images by rising guidance; this "
            f"one has {group.size} scores."
        )
    return group


def _accuracy(groups: Sequence[np.ndarray], higher_is_better: bool) -> Accuracy:
    counts = np.zeros((len(groups), 2))
    ties = unscored = 0
    for row, group in enumerate(groups):
        falls = (group[:-1] - group[1:]) * (1 if higher_is_better else -1)
        scored = falls[~np.isnan(falls)]
        unscored += len(falls) - len(scored)
        ties += int((scored == 0).sum())
        counts[row] = (scored > 0).sum() + 0.5 * (scored == 0).sum(), len(scored)
    pairs = int(counts[:, 1].sum())
    if not pairs:
        return Accuracy(np.nan, np.nan, np.nan, 0, 0, unscored)
    percent = float(100 * counts[:, 0].sum() / pairs)
    if (counts[:, 1] > 0).sum() < 2:
        # One group again and again would be an interval of no width.
        return Accuracy(percent, np.nan, np.nan, pairs, ties, unscored)
    chance = np.random.default_rng(SEED)
    multinomial = chance.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), RESAMPLES)
    sums = multinomial @ counts
    sums = sums[sums[:, 1] > 0]
    tails = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(100 * sums[:, 0] / sums[:, 1], (tails, 100 - tails))
    return Accuracy(percent, float(low), float(high), pairs, ties, unscored)
