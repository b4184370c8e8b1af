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

from core.analysis.bootstrap import RESAMPLES, SEED, interval
from core.concepts.scores import METRICS

SHOWN_DIGITS = 3
"""Decimals that numbers are placed by: those of the paper's tables."""


@dataclass(frozen=True)
class Number:
    """A mean over ``count`` concepts; None where there is none.

    ``low`` and ``high`` are the percentile bootstrap's 95% interval over concepts, None for fewer
    than two concepts and where all are equal. ``left_out`` says how many concepts have no part in
    it, by reason. ``place`` is 1 for the best and 2 for the second of a column, 0 for all others.
    """

    value: float | None
    count: int
    left_out: Mapping[str, int]
    low: float | None = None
    high: float | None = None
    place: int = 0


def mean_of(values: Sequence[float], reasons: Sequence[str]) -> Number:
    """The mean of ``values``; ``reasons`` are those of the concepts left out, one each."""
    left_out = dict(Counter(reasons))
    if not values:
        return Number(None, 0, left_out)
    array = np.array(values, dtype=np.float64)
    between = interval(resample_counts(array.size) @ array / array.size)
    low, high = between or (None, None)
    return Number(float(array.mean()), array.size, left_out, low, high)


def ratio_of(above: Sequence[float], below: Sequence[float], reasons: Sequence[str]) -> Number:
    """The mean of ``above`` over the mean of ``below``, of the same concepts, resampled in pairs.

    There is none where the mean below is 0.
    """
    left_out = dict(Counter(reasons))
    first, second = np.array(above, dtype=np.float64), np.array(below, dtype=np.float64)
    if not first.size or second.sum() <= 0.0:
        return Number(None, 0, left_out)
    drawn = resample_counts(first.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        samples = (drawn @ first) / (drawn @ second)
    samples[~np.isfinite(samples)] = np.nan
    low, high = interval(samples) or (None, None)
    return Number(float(first.sum() / second.sum()), first.size, left_out, low, high)


@lru_cache(maxsize=64)
def _drawn(count: int) -> np.ndarray:
    rng = np.random.default_rng((SEED, count))
    drawn = rng.integers(0, count, (RESAMPLES, count)) + np.arange(RESAMPLES)[:, None] * count
    times = np.bincount(drawn.ravel(), minlength=RESAMPLES * count).reshape(RESAMPLES, count)
    out = np.asarray(times, dtype=np.uint16)
    out.flags.writeable = False
    return out


def resample_counts(count: int) -> np.ndarray:
    """How often each of ``count`` concepts is drawn in each resample, float64
    ``(RESAMPLES, count)``; the same for the same count."""
    return _drawn(count).astype(np.float64)


def placed(numbers: Sequence[Number], metric: str) -> list[Number]:
    """The numbers of a column with their places, as they are shown: all that equal the best are
    best, all that equal the next number are second. There are no places for fewer than two."""
    shown = [None if one.value is None else round(one.value, SHOWN_DIGITS) for one in numbers]
    known = [value for value in shown if value is not None]
    if len(known) < 2:
        return list(numbers)
    ranks = {
        value: rank for rank, value in enumerate(sorted(set(known), reverse=_high(metric)), start=1)
    }
    return [
        replace(one, place=rank if rank <= 2 else 0)
        for one, value in zip(numbers, shown, strict=True)
        for rank in (0 if value is None else ranks[value],)
    ]


def _high(metric: str) -> bool:
    return METRICS[metric].better == "high"
