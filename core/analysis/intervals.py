"""95% intervals of shares: one kind for every accuracy that is shown.

A share over prompts has the percentile bootstrap interval (:mod:`truehue.core.analysis.bootstrap`).
Where resampling has no width, as where all prompts score alike, it has Wilson's, with a prompt for
a trial, since images of one prompt are alike. A mean or pool of independent shares, one of which
has no bootstrap interval, combines theirs by MOVER: a bootstrap would take that one for certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

Interval = tuple[float, float]

Z_95 = 1.959963984540054
"""The 97.5% point of the normal distribution."""

SENTENCE = (
    "Intervals: 95% over prompts, by bootstrap; Wilson's where all prompts score alike, combined "
    "by MOVER in a mean with such a part. ≈: too narrow, under 20 prompts. n: images that count."
)
"""What is said once beside the numbers of a page or a report."""


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
    """What an interval in percent says against chance: NOT_SIGNIFICANT where it includes chance,
    BELOW_CHANCE where all of it lies below, else nothing."""
    if interval is None or chance is None or interval[0] > chance:
        return ""
    return NOT_SIGNIFICANT if chance <= interval[1] else BELOW_CHANCE
