"""How sure the numbers of a pair of distributions are.

Intervals are bootstrap ones, over images or people. Both sides are drawn again with replacement,
independently of each other, and everything after that is done again: groups, palettes, bins,
distances. Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13, the
percentile interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event

import numpy as np

from truehue.core.color.distances import Comparison, compare
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.distribution import Distribution, bins_of, mean_of, shares_of
from truehue.core.concepts.extraction import ProfileArrays, weights_of_draws
from truehue.core.concepts.metrics import METRICS
from truehue.core.concepts.records import DistributionRow

FIELDS = tuple(metric.field for metric in METRICS.values() if metric.interval)
"""The fields of :class:`truehue.core.color.distances.Comparison` that have an interval."""

DRAWS = 1_000
PERCENTILES = (2.5, 97.5)
UNDEFINED_AT_MOST = 0.05

NOTHING_TO_RESAMPLE = "No bootstrap: nothing can be resampled."
_FURTHER = (
    "Resampling adds random differences, so bootstrap draws tend to differ more than the two "
    "distributions. For nearly equal distributions, the interval can exclude the number."
)
_COUNTS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Intervals(Mapping[str, tuple[float, float] | None]):
    """The 95% intervals of a comparison: ``(low, high)`` by metric, or None.

    None where nothing could be drawn again (``draws`` is 0 then), and where a metric was undefined
    in more than one draw of twenty; ``undefined`` counts these draws for every metric.
    ``dominant_equal`` is the share of draws, 0 to 1, in which both had the same dominant bin, None
    without draws. ``notes`` are sentences: which side was kept as it is, and why.
    """

    of: Mapping[str, tuple[float, float] | None]
    draws: int = 0
    undefined: Mapping[str, int] = field(default_factory=dict)
    dominant_equal: float | None = None
    notes: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> tuple[float, float] | None:
        return self.of[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)


def resampled(
    distribution: Distribution,
    draws: int = DRAWS,
    seed: int | Sequence[int] = 0,
    stop: Event | None = None,
) -> np.ndarray | None:
    """What it would be of other images or people, drawn from its own: float64 ``(draws, 71)``.

    None where nothing can be drawn again; :attr:`Distribution.fixed` says why. The same seed gives
    the same draws. Once ``stop`` is set, those done so far are returned.
    """
    if distribution.fixed:
        return None
    units = np.array(distribution.units)
    count = int(units.max()) + 1
    rng = np.random.default_rng(seed)
    remaker = _remaker(distribution, units, stop)
    # In parts: all draws of 100,000 pictures at once would be a gigabyte.
    at_once = max(1, _COUNTS_AT_ONCE // len(units))
    parts = [np.zeros((0, COUNT))]
    for start in range(0, draws, at_once):
        if stop is not None and stop.is_set():
            break
        size = min(at_once, draws - start)
        multinomial = rng.multinomial(count, np.full(count, 1.0 / count), size=size)
        parts.append(_once(remaker, multinomial))
    return np.concatenate(parts)


def _once(remaker: Callable[[np.ndarray], np.ndarray], sample: np.ndarray) -> np.ndarray:
    """What the remaker makes of ``drawn`` ``(B, U)``, each different draw made once: of five people
    there are 126. Where the remaker was stopped, the draws up to the first that is not made."""
    different, first, source = np.unique(sample, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    made = remaker(different[order])
    indices = np.empty_like(order)
    indices[order] = np.arange(order.size)
    indices = indices[source.reshape(-1)]
    ready = int(np.argmax(indices >= len(made))) if len(made) < order.size else len(indices)
    return made[indices[:ready]]


def _remaker(
    distribution: Distribution, units: np.ndarray, stop: Event | None
) -> Callable[[np.ndarray], np.ndarray]:
    """What makes distributions ``(B, 71)`` of how often ``(B, U)`` each person or image was drawn;
    fewer of them once ``stop`` is set."""
    if distribution.rows:
        persons: list[list[DistributionRow]] = [[] for _ in range(int(units.max()) + 1)]
        for row, unit in zip(distribution.rows, units, strict=True):
            persons[unit].append(row)
        shares = shares_of([tuple(rows) for rows in persons], distribution.label)
        return lambda sample: mean_of(shares, sample)
    settings = distribution.settings
    if settings is None:
        bins = bins_of(distribution.profiles)
        return lambda sample: mean_of(bins, sample[:, units])
    profile_arrays = ProfileArrays(distribution.profiles)
    return lambda sample: weights_of_draws(profile_arrays, sample[:, units], settings, stop)


def intervals(
    a: Distribution,
    b: Distribution,
    draws: int = DRAWS,
    seed: int = 0,
    stop: Event | None = None,
) -> Intervals:
    """The intervals of all :data:`FIELDS` of ``a`` against ``b``.

    A side that cannot be drawn again stays as it is, which is noted. Once ``stop`` is set, they are
    of the draws done so far, and there are none without any.
    """
    first, second = (
        draws_of(distribution, index, draws, seed, stop)
        for index, distribution in enumerate((a, b))
    )
    return intervals_of_draws(a, b, first, second, stop)


def draws_of(
    distribution: Distribution,
    side: int,
    draws: int = DRAWS,
    seed: int = 0,
    stop: Event | None = None,
) -> np.ndarray | None:
    """What :func:`intervals` draws for its first (``side`` 0) or second side (1); they differ, for
    two sides must not be drawn alike. It costs most of an interval, and one that stands in many
    pairs need not be drawn for each. As :func:`resampled`."""
    return resampled(distribution, draws, (seed, side), stop)


def intervals_of_draws(
    a: Distribution,
    b: Distribution,
    first: np.ndarray | None,
    second: np.ndarray | None,
    stop: Event | None = None,
) -> Intervals:
    """:func:`intervals` of draws ``(draws, 71)`` that were made before; None for a side that cannot
    be drawn again."""
    sides = (first, second)
    fixed = [side for side, generated in zip((a, b), sides, strict=True) if generated is None]
    if len(fixed) == 2:
        reasons = (f"{side.label} is {side.fixed}." for side in fixed)
        return Intervals(dict.fromkeys(FIELDS), notes=(NOTHING_TO_RESAMPLE, *reasons))
    notes = tuple(f"{side.label} is not resampled: it is {side.fixed}." for side in fixed)
    ready = min(side.shape[0] for side in sides if side is not None)
    sample = (
        np.broadcast_to(distribution.weights, (ready, COUNT)) if side is None else side[:ready]
        for distribution, side in zip((a, b), sides, strict=True)
    )
    comparisons: list[Comparison] = []
    for p, q in zip(*sample, strict=True):
        if stop is not None and stop.is_set():
            break
        comparisons.append(compare(p, q))
    if not comparisons:
        return Intervals(dict.fromkeys(FIELDS), notes=("There was no draw.", *notes))
    fromkeys: dict[str, tuple[float, float] | None] = dict.fromkeys(FIELDS)
    undefined = dict[str, int]()
    for name in FIELDS:
        values = [getattr(comparison, name) for comparison in comparisons]
        defined = [value for value in values if value is not None]
        undefined[name] = len(values) - len(defined)
        if undefined[name] <= UNDEFINED_AT_MOST * len(values):
            low, high = np.percentile(defined, PERCENTILES)
            fromkeys[name] = (float(low), float(high))
    equal = sum(comparison.dominant_equal for comparison in comparisons) / len(comparisons)
    return Intervals(fromkeys, len(comparisons), undefined, equal, (*notes, _FURTHER))
