"""Observed agreement and Fleiss' κ of items that several people put into categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.resampling import LEVEL, REPLICATES


@dataclass(frozen=True)
class Agreement:
    """``value`` with an interval over resampled items; NaN where it is not defined.

    ``items`` counts those with at least two answers, the others say nothing of agreement.
    """

    value: float
    low: float
    high: float
    items: int


@dataclass(frozen=True)
class Fleiss:
    """``observed`` is the mean share of agreeing pairs of answers an item, 0 to 1; ``kappa`` what
    it is beyond chance, at most 1, NaN where everything is in one category."""

    observed: Agreement
    kappa: Agreement


def fleiss(
    counts: np.ndarray,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    strata: np.ndarray | None = None,
) -> Fleiss:
    """P̄ and κ of J. L. Fleiss, "Measuring Nominal Scale Agreement Among Many Raters",
    Psychological Bulletin 76 (1971), 378–382.

    ``counts`` is int ``(N, C)``: how many people put item n into category c. Items may have
    different numbers of answers; then chance agreement is of the mean shares an item (K. L. Gwet,
    "Handbook of Inter-Rater Reliability", 4th ed., 2014, chapter 2), which is Fleiss' own where the
    numbers are equal. ``strata`` is int ``(N,)`` where categories mean something else in different
    items: chance agreement is then of each stratum by itself, and their mean by items. Without it,
    or with one stratum, it is Fleiss'. Raises ValueError for counts that are negative or not
    two-dimensional.
    """
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError("Counts are a table of items and categories, none below 0.")
    several = counts.sum(axis=1) >= 2
    strata = np.zeros(len(counts), dtype=np.int64) if strata is None else np.asarray(strata)
    counts, strata = counts[several], strata[several]
    items = len(counts)
    if not items:
        nothing = Agreement(np.nan, np.nan, np.nan, 0)
        return Fleiss(nothing, nothing)
    total = counts.sum(axis=1, keepdims=True)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (total * (total - 1))[:, 0]
    shares = counts / total
    integers = rng.integers(items, size=(replicates, items))
    observed, kappa = _both(agreeing, shares, strata)
    counted = _both(agreeing[integers], shares[integers], strata[integers])
    tails = [(1 - level) / 2, (1 + level) / 2]
    (low, high), (kappa_low, kappa_high) = (_quantiles(values, tails) for values in counted)
    return Fleiss(
        Agreement(float(observed), low, high, items),
        Agreement(float(kappa), kappa_low, kappa_high, items),
    )


def _both(
    agreeing: np.ndarray, shares: np.ndarray, strata: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P̄ and κ over the last axis of items of ``(…, N)``, ``(…, N, C)`` and ``(…, N)``."""
    observed = agreeing.mean(axis=-1)
    expected = np.zeros_like(observed)
    for stratum in np.unique(strata):
        inside = (strata == stratum).astype(np.float64)
        number = inside.sum(axis=-1)
        total = np.einsum("...nc,...n->...c", shares, inside)
        expected += (total**2).sum(axis=-1) / np.maximum(number, 1) / strata.shape[-1]
    chance = 1 - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(chance > 1e-12, (observed - expected) / chance, np.nan)
    return observed, kappa


def _quantiles(values: np.ndarray, tails: list[float]) -> tuple[float, float]:
    """The quantiles of the values that are defined, NaN where none is."""
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, tails)
    return float(low), float(high)
