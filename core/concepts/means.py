"""A mean over concepts: how many it is of, how many it leaves out and why, and how sure it is.

Concepts are what is resampled. Numbers of equally many concepts share their resamples, so rows of
one table on the same concepts are resampled together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from truehue.core.analysis.intervals import RESAMPLES, SEED, interval
from truehue.core.concepts.metrics import METRICS

SHOWN_DIGITS = 3
"""Decimals that numbers are placed by: those of the paper's tables."""


@dataclass(frozen=True)
class Number:
    """A mean over ``count`` numbers, one a concept, or one a concept and style; None where there is
    none.

    ``low`` and ``high`` are the percentile bootstrap's 95% interval over concepts (both styles of
    one are drawn together), None for fewer than two concepts and where all are equal. ``left_out``
    says how many have no part in it, by reason. ``place`` is 1 for the best and 2 for the second of
    a column, 0 for all others.
    """

    value: float | None
    count: int
    left_out: Mapping[str, int]
    low: float | None = None
    high: float | None = None
    place: int = 0


def mean_of(
    values: Sequence[float], reasons: Sequence[str], concepts: Sequence[str] | None = None
) -> Number:
    """The mean of ``values``; ``reasons`` are those of what is excluded, one each.

    ``concepts`` says which concept each value is of, where one may have several: those are drawn
    together, for they are no independent ones. None stands for a concept a value.
    """
    return _over(values, np.ones(len(values)), reasons, concepts)


def ratio_of(
    above: Sequence[float],
    below: Sequence[float],
    reasons: Sequence[str],
    concepts: Sequence[str] | None = None,
) -> Number:
    """The mean of ``above`` over the mean of ``below``, resampled in pairs; else as
    :func:`mean_of`. There is none where the mean below is 0.
    """
    return _over(above, np.array(below, dtype=np.float64), reasons, concepts)


def _over(
    above: Sequence[float],
    below: np.ndarray,
    reasons: Sequence[str],
    concepts: Sequence[str] | None,
) -> Number:
    """The sum above over the sum below, which are sums over concepts first."""
    left_out = dict(Counter(reasons))
    first = np.array(above, dtype=np.float64)
    if not first.size or below.sum() <= 0.0:
        return Number(None, 0, left_out)
    value = float(first.sum() / below.sum())
    unit = np.arange(first.size)
    if concepts is not None:
        unit = np.unique(np.array(concepts), return_inverse=True)[1]
    sample = resample_counts(int(unit.max()) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        samples = (sample @ np.bincount(unit, first)) / (sample @ np.bincount(unit, below))
    samples[~np.isfinite(samples)] = np.nan
    low, high = interval(samples) or (None, None)
    return Number(value, first.size, left_out, low, high)


@lru_cache(maxsize=64)
def _resample_counts(count: int) -> np.ndarray:
    rng = np.random.default_rng((SEED, count))
    sample = rng.integers(0, count, (RESAMPLES, count)) + np.arange(RESAMPLES)[:, None] * count
    times = np.bincount(sample.ravel(), minlength=RESAMPLES * count).reshape(RESAMPLES, count)
    counts = np.asarray(times, dtype=np.uint16)
    counts.flags.writeable = False
    return counts


def resample_counts(count: int) -> np.ndarray:
    """How often each of ``count`` concepts is drawn in each resample, float64
    ``(RESAMPLES, count)``; the same for the same count."""
    return _resample_counts(count).astype(np.float64)


def placed(numbers: Sequence[Number], metric: str) -> list[Number]:
    """The numbers of a column with their places, as they are shown: all that equal the best are
    best, all that equal the next number are second. There are no places for fewer than two."""
    shown = [
        None if number.value is None else round(number.value, SHOWN_DIGITS) for number in numbers
    ]
    values = [value for value in shown if value is not None]
    if len(values) < 2:
        return list(numbers)
    ranks = {
        value: rank
        for rank, value in enumerate(sorted(set(values), reverse=_high(metric)), start=1)
    }
    return [
        replace(number, place=rank if rank <= 2 else 0)
        for number, value in zip(numbers, shown, strict=True)
        for rank in (0 if value is None else ranks[value],)
    ]


def _high(metric: str) -> bool:
    return METRICS[metric].better == "high"
