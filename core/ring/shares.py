"""Shares and means over the images of a ring test, with the project's kind of interval.

Questions about one image are answered alike, so images are resampled (a cluster bootstrap, as
:mod:`truehue.core.analysis.intervals`). Where all resamples agree, a share has Wilson's interval
with an image as the trial.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from truehue.core.analysis.intervals import (
    RESAMPLES,
    SEED,
    Tally,
    interval,
    ratios,
    resampled_sums,
    wilson,
)


@dataclass(frozen=True)
class Share:
    """``count`` of ``total`` questions, in percent with the ends of its 95% interval."""

    count: int
    total: int
    percent: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its 95% interval, None where there are too few answers for one."""

    value: float
    low: float | None
    high: float | None


def share(images: Sequence[str], accepted: Sequence[bool], stratum: str) -> Share | None:
    """The share of ``accepted`` answers, each about the image of its position; None of no answers.
    The ``stratum`` names the questions, so that resamples are reproducible."""
    if not images:
        return None
    passes: Counter[str] = Counter()
    counted = Counter(images)
    for image, yes in zip(images, accepted, strict=True):
        passes[image] += bool(yes)
    tallies: Counter[Tally] = Counter((passes[image], counted[image]) for image in counted)
    count, total = sum(map(bool, accepted)), len(images)
    ends = interval(ratios(resampled_sums(tallies, stratum)))
    low, high = ends or wilson(count / total, len(counted))
    return Share(count, total, 100.0 * count / total, low, high)


def weights(images: int, stratum: str) -> np.ndarray:
    """How often each image is drawn in each resample, float64 ``(RESAMPLES, images)``."""
    rng = np.random.default_rng((SEED, crc32(stratum.encode())))
    return rng.multinomial(images, [1.0 / images] * images, size=RESAMPLES).astype(np.float64)
