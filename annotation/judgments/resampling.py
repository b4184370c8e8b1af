"""Intervals by resampling participants: a person's answers are one cluster."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, t

REPLICATES = 1_000
LEVEL = 0.95


def tail(clusters: int, level: float = LEVEL) -> float:
    """The share to leave out at each end of resampled values, 0 to 0.5.

    Percentile intervals of few clusters are too narrow; this is the expanded percentile interval,
    Φ(−√(n / (n − 1)) · t(n − 1)) for n clusters (T. C. Hesterberg, "What Teachers Should Know About
    the Bootstrap", The American Statistician 69 (2015), section 5.3). Raises ValueError for fewer
    than two clusters.
    """
    if clusters < 2:
        raise ValueError("One participant says nothing of how participants differ.")
    width = np.sqrt(clusters / (clusters - 1)) * t.ppf((1 + level) / 2, clusters - 1)
    return float(norm.cdf(-width))


def weights(clusters: int, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """int ``(replicates, clusters)``: how often each cluster is in a resample of all of them."""
    return rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=replicates)
