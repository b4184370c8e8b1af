"""Which of several metrics says what people say, as far as the votes can tell them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from truehue.annotation.judgments.adaptive import Sizes
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, weights
from truehue.annotation.judgments.votes import Vote
from truehue.annotation.validation.metrics import (
    Compared,
    Interval,
    PairVotes,
    Quality,
    interval_of,
    measures,
)

LEAST_PAIRS = 20
"""Pairs of models, images or sets with votes, below which metrics are not told apart."""
_PEARSON = 0


@dataclass(frozen=True)
class Difference:
    """How much nearer to people the ``best`` metric is than an ``other``.

    ``gap`` is the difference of what they are ranked by (of pairs the correlation, of ratings that
    of ranks, of the best of four the agreement) over the ``items`` that both have a value for, with
    an interval from the same resamples for both. ``apart`` is whether that interval lies above 0.
    ``votes_needed`` is how many votes on items of this kind would tell them apart if the difference
    is what it seems, by the width of the interval falling with the root of the number of cases;
    None where they are apart, and where the other is as good or better.
    """

    best: str
    other: str
    gap: Interval
    items: int
    apart: bool
    votes_needed: int | None


Row = TypeVar("Row", bound=Compared)


def candidates(rows: Sequence[Row]) -> list[Row]:
    """The metrics that can be compared: those that have a number, of enough items of their own."""
    return [row for row in rows if np.isfinite(row.ranked_by.value) and row.items >= LEAST_PAIRS]


def nearest(rows: Sequence[Row]) -> Row | None:
    """The metric that is nearest to people among the :func:`candidates`; None without any."""
    return max(candidates(rows), key=lambda candidate: candidate.ranked_by.value, default=None)


def differences(
    metrics: Mapping[str, Quality],
    best: str,
    votes: Sequence[Vote],
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    sizes: Sizes | None = None,
) -> tuple[Difference, ...]:
    """The ``best`` metric against each other one that has a correlation, in their order; those with
    fewer than :data:`LEAST_PAIRS` pairs in common with it are left out.

    Cases are resampled with all their pairs, as in
    :func:`truehue.annotation.validation.metrics.validate`. Raises ValueError without votes.
    """
    table = PairVotes.of(votes, sizes)
    values = {name: table.differences(quality) for name, quality in metrics.items()}
    sample = weights(table.cases, replicates, np.random.default_rng([seed, 3]))[:, table.case_of]
    sample = np.concatenate([np.ones((1, sample.shape[1])), sample]) * table.weight
    rows: list[Difference] = []
    for name, other in values.items():
        both = np.isfinite(values[best]) & np.isfinite(other)
        if name == best or both.sum() < LEAST_PAIRS:
            continue
        counts = sample[:, both]
        y = table.preference[both]
        first, second = (measures(x[both], y, counts)[:, _PEARSON] for x in (values[best], other))
        gaps = first - second
        if np.isfinite(gaps[0]):
            number = float(table.all_votes[both].sum())
            rows.append(difference_of((best, name), gaps, int(both.sum()), number, level))
    return tuple(rows)


def difference_of(
    names: tuple[str, str], gaps: np.ndarray, items: int, votes: float, level: float = LEVEL
) -> Difference:
    """The difference of two metrics, the best first. ``gaps`` is float ``(R + 1,)``: that of all
    cases, then those of resamples."""
    gap = interval_of(float(gaps[0]), gaps[1:], level)
    apart = bool(gap.low > 0)
    return Difference(*names, gap, items, apart, None if apart else _needed(gap, float(votes)))


def _needed(difference: Interval, votes: float) -> int | None:
    below = difference.value - difference.low
    if difference.value <= 0 or not np.isfinite(below):
        return None
    return int(np.ceil(votes * (below / difference.value) ** 2))
