"""Krippendorff's α: agreement beyond chance for any number of people, with answers missing."""

from __future__ import annotations

from typing import Literal

import numpy as np

from truehue.annotation.agreement.fleiss import Agreement
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES

Scale = Literal["nominal", "ordinal", "interval"]


def alpha(
    ratings: np.ndarray,
    scale: Scale,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    strata: np.ndarray | None = None,
) -> Agreement:
    """α of K. Krippendorff, "Content Analysis", 4th ed., 2018, chapter 12, by the library
    ``krippendorff``, with percentile intervals over resampled items.

    ``ratings`` is float ``(people, items)``, NaN where a person did not answer. At most 1, 0 at
    chance; NaN where all answers are one value. Items with one answer are left out. ``strata`` is
    int ``(items,)`` where nominal values mean something else in different items: what chance would
    disagree is then of each stratum by itself, weighted by its answers.
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    several = np.isfinite(ratings).sum(axis=0) >= 2
    strata = np.zeros(len(several), dtype=np.int64) if strata is None else np.asarray(strata)
    ratings, strata = ratings[:, several], strata[several]
    items = ratings.shape[1]
    if not items:
        return Agreement(np.nan, np.nan, np.nan, 0)
    domain = np.unique(ratings[np.isfinite(ratings)])
    counts = np.zeros((items, len(domain)), dtype=np.int64)
    np.add.at(counts, (np.nonzero(np.isfinite(ratings.T))[0], _by_item(ratings, domain)), 1)
    value = _stratified(counts, domain, scale, strata)
    integers = rng.integers(items, size=(replicates, items))
    values = np.array([_stratified(counts[rows], domain, scale, strata[rows]) for rows in integers])
    values = values[np.isfinite(values)]
    if not len(values):
        return Agreement(value, np.nan, np.nan, items)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Agreement(value, float(low), float(high), items)


def _by_item(ratings: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """int: the place in ``domain`` of each answer, item by item."""
    by_item = ratings.T
    return np.searchsorted(domain, by_item[np.isfinite(by_item)])


def _stratified(counts: np.ndarray, domain: np.ndarray, scale: Scale, strata: np.ndarray) -> float:
    """One less the observed disagreement of all strata by the expected one, each by answers."""
    names = np.unique(strata)
    if len(names) == 1:
        return _alpha(counts, domain, scale)
    observed = expected = 0.0
    for name in names:
        inside = counts[strata == name]
        of_value = inside.sum(axis=0)
        number = float(of_value.sum())
        chance = number - float((of_value * (of_value - 1)).sum()) / (number - 1)
        if chance > 1e-9:
            expected += chance
            observed += (1 - _alpha(inside, domain, scale)) * chance
    return 1 - observed / expected if expected else float("nan")


def _alpha(counts: np.ndarray, domain: np.ndarray, scale: Scale) -> float:
    """α of int ``(items, values)``; NaN where all answers are one value."""
    import krippendorff

    if (counts.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(
        krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=scale)
    )
