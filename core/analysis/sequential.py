"""Tests of an order of models that hold at every look, over images drawn with known chances.

A draw takes the image ``i`` of ``N`` with the chance ``q(i)``, with replacement. By its weight
``w = 1 / (N q(i))`` and any guesses ``p`` made before the draw, ::

    z(a) = mean of p(a, ·) + w (y(a, i) − p(a, i))

has the accuracy of model ``a`` over all N images as its mean, and ``z(a) − z(b)`` the difference of
two: good guesses and chances make it vary less, bad ones never bias it. A bet ``1 + λ (z(a) − z(b))``
whose λ was fixed before multiplies to 1 / α with a chance of at most α as long as b is no worse than
a, however often one looks. Source: Waudby-Smith and Ramdas, Estimating means of bounded random
variables by betting (JRSS B 86, 2024), here as a mixture over λ; the weights with guesses as in
Zrnic and Candès, Active statistical inference (ICML 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ALPHA = 0.05
"""The chance of any false "better than", over all pairs and all looks."""

_LAMBDAS = 2.0 ** np.arange(-8, 1)
_MAX_STAKE = 0.9
"""Of the wealth, what one draw may lose at most."""
_BISECTIONS = 20


@dataclass(frozen=True)
class Sample:
    """The draws of one round, and all that was fixed before them.

    ``positions`` int64 ``(m,)`` and their ``weights`` float64 ``(m,)``; ``models`` the places of the
    ``k`` models that were drawn; ``expected`` float64 ``(k, m)`` the guessed accuracies of the
    drawn images, ``means`` ``(k,)`` those over all images. No weight could exceed ``max_weight``,
    and no difference of two guesses on one image ``max_gap``.
    """

    positions: np.ndarray
    weights: np.ndarray
    models: np.ndarray
    expected: np.ndarray
    means: np.ndarray
    max_weight: float
    max_gap: float

    def values(self, correct: np.ndarray) -> np.ndarray:
        """z of every model and draw, float64 ``(k, m)``; ``correct`` is 0 or 1, ``(k, m)``."""
        return np.asarray(self.means[:, None] + self.weights * (correct - self.expected))


class OrderTest:
    """Which of ``models`` models is better than which, from round to round."""

    def __init__(self, models: int, alpha: float = ALPHA) -> None:
        self.models, self.alpha = models, alpha
        self._first, self._second = np.triu_indices(models, 1)
        self._bets = np.zeros((2, len(self._first), len(_LAMBDAS)))
        self._evidence = np.zeros((2, len(self._first)))
        self._values: list[list[np.ndarray]] = [[] for _ in range(models)]
        self._lambdas: list[list[np.ndarray]] = [[] for _ in range(models)]

    def add(self, sample: Sample, correct: np.ndarray) -> None:
        """Takes up a round; ``correct`` 0 or 1, ``(k, m)``, of the sample's models and draws."""
        values = sample.values(correct)
        row_of = np.full(self.models, -1)
        row_of[sample.models] = np.arange(len(sample.models))
        pairs = np.flatnonzero((row_of[self._first] >= 0) & (row_of[self._second] >= 0))
        gaps = values[row_of[self._first[pairs]]] - values[row_of[self._second[pairs]]]
        # |z(a) − z(b)| is at most this for every draw.
        largest = sample.max_gap + sample.max_weight * (1.0 + sample.max_gap)
        lambdas = np.minimum(_LAMBDAS, _MAX_STAKE / largest)[:, None]
        for side, sign in enumerate((1.0, -1.0)):
            self._bets[side, pairs] += np.log1p(sign * lambdas * gaps[:, None, :]).sum(axis=-1)
        self._evidence = np.maximum(self._evidence, _log_mean_exp(self._bets))
        stakes = np.minimum(_LAMBDAS, _MAX_STAKE / (sample.max_weight + 1.0))
        for model, drawn_values in zip(sample.models.tolist(), values, strict=True):
            self._values[model].append(drawn_values)
            self._lambdas[model].append(np.tile(stakes[:, None], len(drawn_values)))

    def better(self) -> np.ndarray:
        """bool ``(models, models)``: True where the row's model is better than the column's.

        Holm's procedure over both directions of all pairs. That holds at every look, since what
        is compared is the largest wealth until now: the chance that any of it is ever wrong is
        at most ``alpha``.
        """
        evidence = self._evidence.ravel()
        order = np.argsort(-evidence)
        wanted = np.log((len(order) - np.arange(len(order))) / self.alpha)
        enough = np.logical_and.accumulate(evidence[order] >= wanted)
        sides, pairs = np.divmod(order[enough], len(self._first))
        out = np.zeros((self.models, self.models), dtype=bool)
        first, second = self._first[pairs], self._second[pairs]
        out[np.where(sides == 0, first, second), np.where(sides == 0, second, first)] = True
        return out

    def accuracy(self) -> np.ndarray:
        """The estimated accuracies over all images, 0 to 1, float64 ``(models,)``; nan without a
        draw."""
        return np.array(
            [np.mean(np.concatenate(rows)) if rows else np.nan for rows in self._values]
        )

    def intervals(self) -> np.ndarray:
        """float64 ``(models, 2)``: each holds its accuracy with a chance of 1 − ``alpha`` at all
        looks together."""
        return np.array([self._interval(model) for model in range(self.models)])

    def _interval(self, model: int) -> tuple[float, float]:
        if not self._values[model]:
            return 0.0, 1.0
        values = np.concatenate(self._values[model])
        lambdas = np.concatenate(self._lambdas[model], axis=1)
        wanted = np.log(2.0 / self.alpha)
        low = _limit(values, lambdas, wanted)
        high = 1.0 - _limit(1.0 - values, lambdas, wanted)
        return min(low, high), max(low, high)


def _limit(values: np.ndarray, lambdas: np.ndarray, wanted: float) -> float:
    """The largest mean that is refused as too small; the wealth falls as the mean grows."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2.0
        wealth = _log_mean_exp(np.log1p(lambdas * (values - middle)).sum(axis=-1))
        low, high = (middle, high) if wealth >= wanted else (low, middle)
    return low


def _log_mean_exp(logs: np.ndarray) -> np.ndarray:
    top = logs.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.mean(np.exp(logs - top), axis=-1)))


FLOOR = 0.3
"""Of the draws, the share that is spread evenly over all images: no weight exceeds 1 / 0.3."""


def chances(expected: np.ndarray, open_pairs: Sequence[int] | np.ndarray) -> np.ndarray:
    """The chance of each image, float64 ``(N,)``, that tells most of the pairs that are open.

    ``expected`` ``(k, N)`` are the guessed accuracies, ``open_pairs`` ``(k,)`` how many undecided
    pairs each model is in. The variance of a sum of estimated differences is least where chances
    go by the root of what is unknown: images that all models pass or fail tell nothing.
    """
    unknown = np.einsum("k,kn->n", np.asarray(open_pairs, float), expected * (1.0 - expected))
    root = np.sqrt(unknown)
    return np.asarray(FLOOR / len(root) + (1.0 - FLOOR) * root / root.sum())
