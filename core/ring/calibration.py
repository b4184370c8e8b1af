"""Calibration: whether a scorer is right as often as its stated confidence says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.analysis.intervals import SEED, interval
from truehue.core.ring.shares import Estimate, Share, share, weights

BINS = 10
MIN_ANSWERS = 30
_SIMULATED = 500


@dataclass(frozen=True)
class ConfidenceBin:
    """Answers of one tenth of confidence: the mean of what was stated, and how often they were
    right, in percent."""

    low_percent: int
    stated_percent: float
    right: Share


@dataclass(frozen=True)
class RingCalibration:
    """Over ``answers`` with a confidence. ``error`` is the expected calibration error over ten
    bins (Guo et al. 2017, ICML) and ``brier`` the mean squared difference of confidence and 0 or 1
    (Brier 1950), both 0 to 1. ``chance_error`` is the largest error that a perfectly calibrated
    scorer with these confidences has in 97.5 of 100 sets, where the answers about an image are right
    or wrong together: above it, the error is no chance."""

    answers: int
    error: Estimate
    chance_error: float
    brier: Estimate
    bins: tuple[ConfidenceBin, ...]


def calibration(
    images: Sequence[str], confidence: Sequence[float], right: Sequence[bool]
) -> RingCalibration | None:
    """Of answers that state a confidence; None for fewer than 30."""
    if len(images) < MIN_ANSWERS:
        return None
    stated, correct = np.array(confidence, dtype=np.float64), np.array(right, dtype=np.float64)
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    names = {image: row for row, image in enumerate(sorted(set(images)))}
    rows = np.array([names[image] for image in images])
    # Of each image and bin: answers, the sum of confidences, and right ones.
    sums = np.zeros((3, len(names), BINS))
    for part, values in enumerate((np.ones_like(stated), stated, correct)):
        np.add.at(sums[part], (rows, bins), values)
    squared = np.zeros(len(names))
    np.add.at(squared, rows, (stated - correct) ** 2)
    resamples = weights(len(names), "calibration")
    whole = np.ones((1, len(names)))
    errors, briers = (_error(resamples, sums), _mean(resamples, squared, sums[0].sum(1)))
    return RingCalibration(
        len(images),
        Estimate(float(_error(whole, sums)[0]), *(interval(errors) or (None, None))),
        _chance_error(rows, stated, bins),
        Estimate(
            float(_mean(whole, squared, sums[0].sum(1))[0]), *(interval(briers) or (None, None))
        ),
        tuple(_bin(number, images, stated, correct, bins) for number in sorted(set(bins.tolist()))),
    )


def _error(resamples: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """The expected calibration error of resamples ``(B, images)``, ``(B,)``."""
    counts, stated, right = (resamples @ part for part in sums)
    return np.asarray(np.abs(stated - right).sum(axis=1) / counts.sum(axis=1))


def _mean(resamples: np.ndarray, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.asarray((resamples @ values) / (resamples @ counts))


def _chance_error(rows: np.ndarray, stated: np.ndarray, bins: np.ndarray) -> float:
    """The 97.5% point of the error where each answer is right with its stated probability.

    ``rows`` are the images of the answers. Answers about one image are right or wrong together, as
    its true color is asked by name and by code: one random number serves for all of them.
    """
    rng = np.random.default_rng(SEED)
    draws = rng.random((_SIMULATED, int(rows.max()) + 1))
    error = np.zeros(_SIMULATED)
    for number in set(bins.tolist()):
        inside = bins == number
        is_right = draws[:, rows[inside]] < stated[inside]
        error += np.abs((is_right - stated[inside]).sum(axis=1))
    return float(np.percentile(error / stated.size, 97.5))


def _bin(
    number: int,
    images: Sequence[str],
    stated: np.ndarray,
    correct: np.ndarray,
    bins: np.ndarray,
) -> ConfidenceBin:
    inside = np.flatnonzero(bins == number).tolist()
    right = share([images[i] for i in inside], [bool(correct[i]) for i in inside], f"bin {number}")
    assert right is not None
    return ConfidenceBin(number * 100 // BINS, 100.0 * float(stated[inside].mean()), right)
