"""95% intervals of shares: the same method for every accuracy on the page.

A share over prompts has the percentile bootstrap interval. If all resamples are equal, for example
because all prompts score alike, it has Wilson's interval with a prompt as the trial, since images
of one prompt are alike. A mean or pool of independent shares, one of which has no bootstrap
interval, combines their intervals by MOVER: a bootstrap would treat that share as certain.

The bootstrap's resamples are exact for any number of prompts. The images of one prompt are alike,
so prompts are resampled (a cluster bootstrap). Sampling N prompts with replacement and adding up
their counts equals sampling from a multinomial over the *different* counts: prompts with the same
counts are interchangeable. With four images per prompt there are at most fifteen pairs (passes,
scored), so a resample of 44,464 prompts costs as much as one of a hundred.
tests/gold/test_bootstrap.py compares the resamples with a plain loop and scipy.stats.bootstrap.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13 (the
percentile interval); Davison and Hinkley, Bootstrap Methods and their Application (1997), section
3.2 (strata) and 2.2.2 (the multinomial).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import cast
from zlib import crc32

import numpy as np

from truehue.core.analysis.records import Count

Interval = tuple[float, float]

Z_95 = 1.959963984540054
"""The 97.5% point of the normal distribution."""

SENTENCE = (
    "Intervals: 95% over prompts, by bootstrap, or Wilson's where all prompts score alike. ≈: a color "
    "system has fewer than 20 prompts, so the interval is rough. n: scored images."
)
"""A note shown once beside the numbers of a page or a report."""


def wilson(share: float, trials: float) -> Interval:
    """Low and high end in percent of Wilson's interval for a ``share``, 0 to 1, of ``trials``.

    Source: Wilson (1927), equation for the limits, without a correction for continuity.
    """
    square = Z_95 * Z_95
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = (
        Z_95
        / (1 + square / trials)
        * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    )
    # The ends of none and all are 0 and 100 exactly; rounding must not say otherwise.
    low = 0.0 if share == 0 else max(0.0, middle - half)
    high = 1.0 if share == 1 else min(1.0, middle + half)
    return 100.0 * low, 100.0 * high


def mover(parts: Sequence[tuple[float, Interval]], weights: Sequence[float] = ()) -> Interval:
    """The interval of the mean of independent shares in percent, each with its own interval.

    All weigh the same where no ``weights`` are given. Unlike a normal interval it has a width where
    a share is 0 or 100. Source: Zou, Huang and Zhang (2009), Computational Statistics and Data
    Analysis 53: 1080-1085.
    """
    weighed = list(zip(parts, weights or [1.0] * len(parts), strict=True))
    total = sum(weight for _, weight in weighed)
    mean = sum(weight * percent for (percent, _), weight in weighed) / total
    below = sqrt(sum((weight * (share - ends[0])) ** 2 for (share, ends), weight in weighed))
    above = sqrt(sum((weight * (ends[1] - share)) ** 2 for (share, ends), weight in weighed))
    return max(0.0, mean - below / total), min(100.0, mean + above / total)


NOT_SIGNIFICANT, BELOW_CHANCE = "n.s. vs chance", "below chance"


def against_chance(interval: Interval | None, chance: float | None) -> str:
    """Compare an interval in percent with chance: NOT_SIGNIFICANT where it includes chance,
    BELOW_CHANCE where all of it lies below, else nothing."""
    if interval is None or chance is None or interval[0] > chance:
        return ""
    return NOT_SIGNIFICANT if chance <= interval[1] else BELOW_CHANCE


@dataclass(frozen=True)
class Rate:
    """Verdicts of one group. Unscored ones are counted, and stay out of the share."""

    passes: int = 0
    fails: int = 0
    unscored: int = 0

    def __add__(self, other: Rate) -> Rate:
        return Rate(
            self.passes + other.passes, self.fails + other.fails, self.unscored + other.unscored
        )

    @property
    def scored(self) -> int:
        """Passes and fails."""
        return self.passes + self.fails

    @property
    def percent(self) -> float | None:
        """Passes among the scored; None where nothing is scored."""
        return 100.0 * self.passes / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Low and high end of Wilson's 95% interval in percent; None where nothing is scored.

        It takes verdicts as independent. Images of one prompt are alike, so it is rather narrow.
        """
        return wilson(self.passes / self.scored, self.scored) if self.scored else None


def rate_of(count: Count) -> Rate:
    """The rate of one group."""
    return Rate(count.passes, count.fails, count.unscored)


def rates(counts: Iterable[Count], index: Sequence[int]) -> dict[tuple[str, ...], Rate]:
    """The counts summed up over all parts of their keys but those at the places ``index``.

    In the order in which the keys first come.
    """
    by_key: dict[tuple[str, ...], Rate] = {}
    for count in counts:
        key = tuple(count.key[position] for position in index)
        by_key[key] = by_key.get(key, Rate()) + rate_of(count)
    return by_key


def total(counts: Iterable[Count]) -> Rate:
    """All counts together."""
    return sum((rate_of(count) for count in counts), Rate())


RESAMPLES = 1_000
CONFIDENCE = 0.95
SEED = 20_251_020

Tally = tuple[int, ...]
"""Of one prompt: images that pass, and images that count; and perhaps those that the rule judged."""

_KEPT = 1_024


def resampled_sums(prompts: Mapping[Tally, int], stratum: str) -> np.ndarray:
    """Sums of a stratum's tallies in resamples of its prompts.

    ``prompts`` says how many prompts have which tally; a tally of (0, 0) counts as a prompt too.
    Returns float64 ``(RESAMPLES, 2)``, 3 with judged images, read-only. The same prompts in the same
    ``stratum`` give the same resamples, in whatever order and for whichever run; other strata are
    independent.
    """
    return _sums(tuple(sorted((*tally, count) for tally, count in prompts.items())), stratum)


# A run that is under way changes the tallies of few strata; all others are not drawn again.
@lru_cache(maxsize=_KEPT)
def _sums(tallies: tuple[Tally, ...], stratum: str) -> np.ndarray:
    table = np.array(tallies, dtype=np.int64)
    counts = table[:, -1]
    total = int(counts.sum())
    rng = np.random.default_rng((SEED, crc32(stratum.encode())))
    multinomial = rng.multinomial(total, counts / total, size=RESAMPLES)
    sums = (multinomial @ table[:, :-1]).astype(np.float64)
    sums.flags.writeable = False
    return cast(np.ndarray, sums)


def ratios(sums: np.ndarray) -> np.ndarray:
    """Percent of passes float64 ``(B,)`` of sums ``(B, 2)`` or more; NaN where no image counts.

    A ratio estimator: how many images count varies with the prompts that are drawn, since some
    prompts have more unscored images than others. Its bias is of order 1 / prompts.
    """
    with np.errstate(invalid="ignore"):
        return cast(np.ndarray, 100.0 * sums[:, 0] / sums[:, 1])


def interval(samples: np.ndarray) -> tuple[float, float] | None:
    """The percentile interval of resampled numbers ``(B,)``, or None where they tell nothing.

    That is where all samples agree (every prompt has the same score, so nothing can vary), and
    where more than one in twenty is NaN (too few prompts have a score at all).
    """
    values = samples[~np.isnan(samples)]
    if values.size < 0.95 * samples.size:
        return None
    tail = 50.0 * (1.0 - CONFIDENCE)
    low, high = np.percentile(values, [tail, 100.0 - tail])
    return (float(low), float(high)) if high > low else None
