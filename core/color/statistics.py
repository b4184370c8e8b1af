"""Statistics of values that stand for several pixels each: exact as if every pixel were listed.

``counts`` are whole numbers of pixels. None of these sorts everything: an order statistic is found
in a histogram and settled inside one bin.
"""

from __future__ import annotations

import numpy as np

_BINS = 4096


def _bins(values: np.ndarray) -> np.ndarray:
    """Monotone bin index int64 ``(U,)`` of the values, 0 to ``_BINS - 1``."""
    low, high = float(values.min()), float(values.max())
    scale = _BINS / (high - low) if high > low else np.inf
    if not np.isfinite(scale):  # one value, or a range too small to divide
        return np.zeros(values.shape, dtype=np.int64)
    index = ((values - low) * scale).astype(np.int64)
    return np.minimum(index, _BINS - 1)


def _settle(
    values: np.ndarray, counts: np.ndarray, bins: np.ndarray, per_bin: np.ndarray, rank: int
) -> tuple[float, float]:
    """The values at 0-based ``rank`` and at the next of the expanded, sorted list.

    At the last rank both are that one.
    """
    bin_index, next_bin = np.searchsorted(per_bin, [rank, rank + 1], side="right").tolist()
    inside = np.flatnonzero(bins == bin_index)
    if rank + 1 < per_bin[-1] and next_bin != bin_index:
        # The next is the smallest of its bin.
        follows = float(values[bins == next_bin].min())
    else:
        follows = np.inf
    inside = inside[np.argsort(values[inside], kind="stable")]
    before = int(per_bin[bin_index - 1]) if bin_index else 0
    until = np.cumsum(counts[inside])
    index, after = np.searchsorted(until, [rank - before, rank - before + 1], "right").tolist()
    value = float(values[inside[index]])
    if follows == np.inf:
        follows = float(values[inside[min(after, inside.size - 1)]])
    return value, follows


def percentiles(values: np.ndarray, counts: np.ndarray, percents: list[float]) -> list[float]:
    """Percentiles (0 to 100) of ``values`` ``(U,)``, each repeated ``counts`` times.

    Linear interpolation between order statistics, as ``numpy.percentile`` of the repeated values.
    """
    bins = _bins(values)
    per_bin = np.cumsum(np.bincount(bins, weights=counts, minlength=_BINS)).astype(np.int64)
    last = int(per_bin[-1]) - 1
    results = []
    for percent in percents:
        position = percent / 100.0 * last
        below = int(np.floor(position))
        low, high = _settle(values, counts, bins, per_bin, below)
        results.append(low + (high - low) * (position - below))
    return results


def smallest(values: np.ndarray, counts: np.ndarray, keep: int) -> np.ndarray:
    """How many pixels of each value are among the ``keep`` smallest; int64 ``(U,)``.

    Sums to ``keep``; the value on the border may be taken in part. Equal values are taken in the
    order in which they stand.
    """
    bins = _bins(values)
    per_bin = np.cumsum(np.bincount(bins, weights=counts, minlength=_BINS)).astype(np.int64)
    border = int(np.searchsorted(per_bin, keep, side="left"))
    used = np.where(bins < border, counts, 0).astype(np.int64)
    remainder = keep - (int(per_bin[border - 1]) if border else 0)
    inside = np.flatnonzero(bins == border)
    inside = inside[np.argsort(values[inside], kind="stable")]
    before = np.cumsum(counts[inside]) - counts[inside]
    used[inside] = np.clip(remainder - before, 0, counts[inside])
    return used


def mean(lab: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mean float64 ``(C,)`` of ``lab`` ``(U, C)``, each row counted ``counts`` times.

    Summed pairwise by numpy, not by BLAS: the same number whatever the threads do.
    """
    weights = counts.astype(np.float64)
    total = weights.sum()
    return np.array([(weights * column).sum() for column in lab.T]) / total
