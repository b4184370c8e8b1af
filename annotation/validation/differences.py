"""Which of several metrics says what people say, as far as the votes can tell them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.judgments.adaptive import Sizes
from annotation.judgments.resampling import LEVEL, REPLICATES, weights
from annotation.judgments.votes import Vote
from annotation.validation.metrics import Interval, PairVotes, Quality, interval_of, measures

LEAST_PAIRS = 20
"""Pairs of models with votes, below which metrics are not told apart."""
_PEARSON = 0


@dataclass(frozen=True)
class Difference:
    """How much nearer to people the ``best`` metric is than an ``other``.

    ``pearson`` is the difference of their correlations over the ``pairs`` that both have a value
    for, with an interval from the same resamples for both. ``apart`` is whether that interval lies
    above 0. ``votes_needed`` is how many votes on pairs of this kind would tell them apart if the
    difference is what it seems, by the width of the interval falling with the root of the number of
    cases; None where they are apart, and where the other is as good or better.
    """

    best: str
    other: str
    pearson: Interval
    pairs: int
    apart: bool
    votes_needed: int | None


def differences(
    metrics: Mapping[str, Quality],
    best: str,
    votes: Sequence[Vote],
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    sizes: Sizes | None = None,
) -> tuple[Difference, ...]:
    """The ``best`` metric against each other one that has a correlation, in their order.

    Cases are resampled with all their pairs, as in :func:`annotation.validation.metrics.validate`.
    Raises ValueError without votes.
    """
    table = PairVotes.of(votes, sizes)
    values = {name: table.differences(quality) for name, quality in metrics.items()}
    drawn = weights(table.cases, replicates, np.random.default_rng([seed, 3]))[:, table.case_of]
    drawn = np.concatenate([np.ones((1, drawn.shape[1])), drawn]) * table.weight
    told: list[Difference] = []
    for name, other in values.items():
        both = np.isfinite(values[best]) & np.isfinite(other)
        if name == best or not both.any():
            continue
        counts = drawn[:, both]
        y = table.preference[both]
        first, second = (measures(x[both], y, counts)[:, _PEARSON] for x in (values[best], other))
        by = first - second
        if not np.isfinite(by[0]):
            continue
        pearson = interval_of(float(by[0]), by[1:], level)
        apart = bool(pearson.low > 0)
        needed = None if apart else _needed(pearson, float(table.all_votes[both].sum()))
        told.append(Difference(best, name, pearson, int(both.sum()), apart, needed))
    return tuple(told)


def _needed(difference: Interval, votes: float) -> int | None:
    below = difference.value - difference.low
    if difference.value <= 0 or not np.isfinite(below):
        return None
    return int(np.ceil(votes * (below / difference.value) ** 2))
