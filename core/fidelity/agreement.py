"""How a metric agrees with people's ratings: three correlations, with their intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.analysis.bootstrap import CONFIDENCE, RESAMPLES, SEED
from truehue.core.errors import BadInput

_BLOCK = 512
"""Images whose pairs are counted at a time."""


@dataclass(frozen=True)
class Coefficient:
    """−1 to 1; ``low`` and ``high`` enclose 95% (percentile bootstrap over groups). NaN where all
    values are equal or there are fewer than three images; the bounds also with one group."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Agreement:
    """Of ``images`` in ``groups``; ``unscored`` rated images had no score and count nowhere.
    ``kendall`` is tau-b, which takes ties out of both sides."""

    spearman: Coefficient
    pearson: Coefficient
    kendall: Coefficient
    images: int
    groups: int
    unscored: int


def agreement(
    scores: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[Hashable],
    higher_is_better: bool = True,
) -> Agreement:
    """Correlations of scores with ratings, one of each an image; higher ratings are better.

    ``scores`` may be NaN. A score of which less is better is turned around, so that a positive
    coefficient is agreement. ``groups`` names what images belong together: those are resampled as
    a whole. Raises BadInput for lists of different lengths and ratings that are no numbers.
    """
    if not len(scores) == len(ratings) == len(groups):
        raise BadInput("Scores, ratings and groups are as many as there are images.")
    values = np.asarray(scores, dtype=np.float64) * (1 if higher_is_better else -1)
    rated = np.asarray(ratings, dtype=np.float64)
    if not np.isfinite(rated).all():
        raise BadInput("Every rating is a finite number.")
    scored = np.isfinite(values)
    values, rated = values[scored], rated[scored]
    hashables = [group for group, has in zip(groups, scored, strict=True) if has]
    names = {group: number for number, group in enumerate(dict.fromkeys(hashables))}
    of_group = np.array([names[group] for group in hashables], dtype=np.int64)
    count = len(names)
    point = _coefficients(values, rated, np.ones((1, len(values))))[0]
    bounds = np.full((3, 2), np.nan)
    if count > 1:
        # How often each group is drawn; an image as often as its group.
        chance = np.random.default_rng(SEED)
        multinomial = chance.multinomial(count, np.full(count, 1 / count), RESAMPLES)
        table = _coefficients(values, rated, multinomial[:, of_group].astype(np.float64))
        tails = 100 * (1 - CONFIDENCE) / 2
        for row, column in enumerate(table.T):
            # A resample of one group again and again may be constant: it says nothing.
            defined = column[np.isfinite(column)]
            if len(defined):
                bounds[row] = np.percentile(defined, (tails, 100 - tails))
    coefficients = [
        Coefficient(float(value), float(low), float(high))
        for value, (low, high) in zip(point, bounds, strict=True)
    ]
    unscored = int((~scored).sum())
    return Agreement(
        coefficients[0], coefficients[1], coefficients[2], len(values), count, unscored
    )


def _coefficients(values: np.ndarray, rated: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Spearman's, Pearson's and Kendall's as columns float64 ``(R, 3)`` of R resamples, where each
    image counts as often as ``weights`` ``(R, N)`` says; NaN where there is none."""
    out = np.full((len(weights), 3), np.nan)
    if len(values) >= 3 and np.ptp(values) and np.ptp(rated):
        out[:, 0] = _pearson(_ranks(values, weights), _ranks(rated, weights), weights)
        out[:, 1] = _pearson(values, rated, weights)
        out[:, 2] = _kendall(values, rated, weights)
    return out


def _ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean ranks ``(R, N)`` among the images of each resample."""
    _, positions = np.unique(values, return_inverse=True)
    of_value = np.zeros((len(weights), int(positions.max()) + 1))
    for image, index in enumerate(positions):
        of_value[:, index] += weights[:, image]
    below = np.cumsum(of_value, axis=1) - of_value
    ranks: np.ndarray = (below + (of_value + 1) / 2)[:, positions]
    return ranks


def _pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=1, keepdims=True)
    x = x - (weights * x).sum(axis=1, keepdims=True) / total
    y = y - (weights * y).sum(axis=1, keepdims=True) / total
    squares = (weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)
    return _ratio((weights * x * y).sum(axis=1), squares)


def _kendall(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Tau-b: pairs in the same order less those in the other, over the pairs that are no tie."""
    sums = np.zeros((3, len(weights)))
    for start in range(0, len(x), _BLOCK):
        rows = slice(start, start + _BLOCK)
        first = np.sign(x[rows, None] - x[None])
        second = np.sign(y[rows, None] - y[None])
        for kind, signs in enumerate((first * second, np.abs(first), np.abs(second))):
            sums[kind] += ((weights @ signs.T) * weights[:, rows]).sum(axis=1)
    return _ratio(sums[0], sums[1] * sums[2])


def _ratio(product: np.ndarray, squares: np.ndarray) -> np.ndarray:
    out = np.full(len(product), np.nan)
    # Rounding leaves a little of what is constant.
    sound = squares > 1e-12 * max(float(squares.max()), 1e-300)
    out[sound] = product[sound] / np.sqrt(squares[sound])
    return np.clip(out, -1, 1)
