"""Bootstrap intervals over prompts: exact resamples, whatever the number of prompts.

The pictures of one prompt are alike, so prompts are what is resampled (a cluster bootstrap). To
draw N prompts with replacement and add up their counts is to draw from a multinomial over the
*different* counts: prompts with the same counts are interchangeable. With four pictures a prompt
there are at most fifteen pairs (passes, scored), so a resample of 44,464 prompts costs as much as
one of a hundred. The resamples are not approximated; tests/gold/test_bootstrap.py holds them
against a plain loop and scipy.stats.bootstrap.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13 (the
percentile interval); Davison and Hinkley, Bootstrap Methods and their Application (1997), section
3.2 (strata) and 2.2.2 (the multinomial).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import cast
from zlib import crc32

import numpy as np

RESAMPLES = 1_000
CONFIDENCE = 0.95
SEED = 20_251_020

Tally = tuple[int, int]
"""Of one prompt: pictures that pass, and pictures that count."""

_KEPT = 1_024


def resampled_sums(prompts: Mapping[Tally, int], stratum: str) -> np.ndarray:
    """Sums of passes and of counted pictures in resamples of a stratum's prompts.

    ``prompts`` says how many prompts have which tally; a tally of (0, 0) counts as a prompt too.
    Returns float64 ``(RESAMPLES, 2)``, read-only. The same prompts in the same ``stratum`` give the
    same resamples, in whatever order and for whichever run; other strata are independent.
    """
    return _sums(tuple(sorted((*tally, count) for tally, count in prompts.items())), stratum)


# A run that is under way changes the tallies of few strata; all others are not drawn again.
@lru_cache(maxsize=_KEPT)
def _sums(tallies: tuple[tuple[int, int, int], ...], stratum: str) -> np.ndarray:
    table = np.array(tallies, dtype=np.int64)
    counts = table[:, 2]
    total = int(counts.sum())
    rng = np.random.default_rng((SEED, crc32(stratum.encode())))
    multinomial = rng.multinomial(total, counts / total, size=RESAMPLES)
    sums = (multinomial @ table[:, :2]).astype(np.float64)
    sums.flags.writeable = False
    return cast(np.ndarray, sums)


def ratios(sums: np.ndarray) -> np.ndarray:
    """Percent of passes float64 ``(B,)`` of sums ``(B, 2)``; NaN where no picture counts.

    A ratio estimator: how many pictures count varies with the prompts that are drawn, since some
    prompts have more unscored pictures than others. Its bias is of order 1 / prompts.
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
