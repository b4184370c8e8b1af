"""A distribution over the UW-71 bins with its sources, and intervals of the numbers of a pair.

Intervals are bootstrap intervals over images or people. Both sides are resampled with replacement,
independently of each other, and all later steps are repeated: groups, palettes, bins, distances.
Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13, the percentile
interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from threading import Event

import numpy as np

from truehue.core.color.distances import Comparison, checked, compare
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.extraction import (
    Extraction,
    ExtractionSettings,
    ProfileArrays,
    extract,
    weights_of_draws,
)
from truehue.core.concepts.metrics import METRICS
from truehue.core.concepts.records import (
    EXTRACTED,
    EXTRACTED_SOFT,
    KINDS,
    METHODS,
    PIXELS,
    ColorProfile,
    DistributionRow,
    ImageProfile,
)
from truehue.core.errors import BadInput

PICTURES = "pictures"
"""The kind of a distribution that was measured on images."""

GIVEN = "given"
"""The method of one that came as a distribution: nothing was measured here."""

FEW = 10
"""Of fewer images or people than these, an interval is said to be too narrow."""

_ASSIGNMENTS = {EXTRACTED: "nearest", EXTRACTED_SOFT: "soft"}


@dataclass(frozen=True)
class Distribution:
    """One distribution of one concept.

    ``kind`` is :data:`PICTURES` or a key of truehue.core.concepts.records.KINDS;
    ``method`` a key of METHODS or :data:`GIVEN`. ``weights`` float64 ``(71,)``, sum 1. ``count``
    are the images, or the people where it is ``of_people``; 0 where nobody knows. ``notes`` are
    sentences for people. ``fixed`` says what it is where it cannot be resampled, as in "of one
    image" (it has no interval then); empty where it can. ``profiles`` or ``rows`` are what it is
    of, and ``units`` the number, from 0, of the image or person that each is drawn with;
    ``extraction`` are the steps, where some were taken.
    """

    label: str
    kind: str
    method: str
    weights: np.ndarray = field(repr=False)
    count: int
    of_people: bool = False
    notes: tuple[str, ...] = ()
    fixed: str = ""
    profiles: tuple[ColorProfile, ...] = field(default=(), repr=False)
    units: tuple[int, ...] = field(default=(), repr=False)
    rows: tuple[DistributionRow, ...] = field(default=(), repr=False)
    settings: ExtractionSettings | None = None
    extraction: Extraction | None = field(default=None, repr=False)

    @property
    def of_pictures(self) -> bool:
        """Whether it was measured on images."""
        return self.kind == PICTURES

    def noted(self, *sentences: str) -> Distribution:
        """The same with more notes."""
        return replace(self, notes=(*self.notes, *sentences))


def of_pictures(
    label: str,
    profiles: Sequence[ColorProfile | ImageProfile],
    method: str = EXTRACTED,
    settings: ExtractionSettings | None = None,
    *,
    of_people: bool = False,
) -> Distribution:
    """The distribution of images of one concept.

    ``method`` is a key of METHODS; it decides the assignment of ``settings``, of which PIXELS uses
    none. With ``of_people`` the images are people's colorings, and people are counted and drawn:
    all colorings of a contributor together, one without a name alone. Otherwise images are, and
    those of the same ``image_id`` are drawn together: a model that gave an image twice gave one.
    Raises BadInput for no image and another method.
    """
    if method not in METHODS:
        raise BadInput(
            f"Images become a distribution by {', '.join(METHODS)}, not by {method[:40]!r}."
        )
    if not profiles:
        raise BadInput(f"{label} has no image with a measured object. Choose at least one.")
    plain = tuple(
        profile.profile if isinstance(profile, ImageProfile) else profile for profile in profiles
    )
    units = _units(profiles, of_people)
    sample = len(set(units))
    count = sample if of_people else len(plain)
    notes = [METHODS[method] + "."]
    if of_people and sample < len(plain):
        notes.append(
            f"{len(plain)} colorings by {_people(sample)}; every coloring counts the same."
        )
    elif sample < len(plain):
        notes.append(
            f"{len(plain):,} images, {sample:,} different: identical images are resampled "
            "together, and each counts."
        )
    subject = "person" if of_people else "image" if sample == len(plain) else "image, repeated"
    fixed = "" if sample > 1 else f"a single {subject}"
    if not fixed and sample < FEW:
        notes.append(_few(_people(sample) if of_people else _images(sample, len(plain))))
    extraction = None
    if method == PIXELS:
        settings, weights = None, mean_of(bins_of(plain), np.ones((1, len(plain))))[0]
    else:
        settings = replace(settings or ExtractionSettings(), assignment=_ASSIGNMENTS[method])
        extraction = extract(plain, settings)
        weights = extraction.weights
        notes.extend(extraction.notes)
    return Distribution(
        label,
        PICTURES,
        method,
        weights,
        count,
        of_people,
        tuple(notes),
        fixed,
        plain,
        units,
        settings=settings,
        extraction=extraction,
    )


def of_rows(
    label: str, rows: Sequence[DistributionRow], kind: str, *, of_people: bool = True
) -> Distribution:
    """The mean of imported distributions of one concept, over contributors.

    A contributor with several rows counts once, by their mean. Rows without a contributor are means
    of ``people``: where all of them say of how many, these are the weights, else every row and
    contributor counts the same; who said what is not known then, so nothing can be drawn again.
    ``kind`` is a key of truehue.core.concepts.records.KINDS. Raises BadInput for no row, rows of
    several concepts and another kind.
    """
    if kind not in KINDS:
        raise BadInput(f"Rows of a set are {', '.join(KINDS)}, not {kind[:40]!r}.")
    parts = sorted({row.words for row in rows})
    if len(parts) != 1:
        raise BadInput(
            f"{label} has rows of {', '.join(parts[:5])}: compare one concept at a time."
            if parts
            else f"{label} has no distribution of that concept."
        )
    named = sorted((row for row in rows if row.contributor), key=lambda row: row.contributor)
    persons = [tuple(group) for _, group in groupby(named, key=lambda row: row.contributor)]
    means = [row for row in rows if not row.contributor]
    people = [*[1] * len(persons), *[row.people for row in means]]
    units = [*persons, *[(row,) for row in means]]
    has_counts = all(people)
    times = np.array([people if has_counts else [1] * len(units)], dtype=float)
    weights = mean_of(shares_of(units, label), times)[0]
    notes = [KINDS[kind][0].upper() + KINDS[kind][1:] + "."]
    if len(persons) < len(named):
        notes.append(f"{len(named)} rows by {_people(len(persons))}: each counts once.")
    if len(units) > 1 and not has_counts:
        notes.append(
            f"The number of people behind some rows is unknown, so all {len(units)} count the same."
        )
    if any(count != 1 for count in people):
        fixed = "a mean without individual people"
    else:
        fixed = "" if len(units) > 1 else "a single person"
    if not fixed and len(units) < FEW:
        notes.append(_few(_people(len(units))))
    return Distribution(
        label,
        kind,
        GIVEN,
        weights,
        sum(people) if has_counts else 0,
        of_people,
        tuple(notes),
        fixed,
        rows=tuple(row for unit in units for row in unit),
        units=tuple(index for index, unit in enumerate(units) for _ in unit),
    )


def bins_of(profiles: Sequence[ColorProfile]) -> np.ndarray:
    """The histograms ``(N, 71)`` of images by their pixels' nearest bins; rows sum to 1."""
    counts = np.zeros((len(profiles), COUNT))
    for row, profile in enumerate(profiles):
        counts[row, list(profile.bins)] = profile.bin_counts
    return counts / counts.sum(axis=1, keepdims=True)


def mean_of(shares: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Means ``(B, 71)`` of distributions ``(N, 71)``, each counted ``times`` ``(B, N)``."""
    return np.asarray(times @ shares / times.sum(axis=1, keepdims=True))


def shares_of(units: Sequence[tuple[DistributionRow, ...]], label: str) -> np.ndarray:
    """The distribution of each person, the mean of their rows: float64 ``(U, 71)``. Raises
    NotADistribution, calling it ``label``."""
    return np.array(
        [np.mean([checked(row.weights, label) for row in unit], axis=0) for unit in units]
    )


def _units(profiles: Sequence[ColorProfile | ImageProfile], of_people: bool) -> tuple[int, ...]:
    """The resampling unit of each profile, a person or an image, numbered from 0 in the order of
    their first images."""
    numbers: dict[object, int] = {}
    units = []
    for index, profile in enumerate(profiles):
        name = ""
        if isinstance(profile, ImageProfile):
            name = profile.contributor if of_people else profile.image_id
        units.append(numbers.setdefault(name or index, len(numbers)))
    return tuple(units)


def _images(different: int, count: int) -> str:
    return f"{different} {'images' if different == count else 'different images'}"


def _few(count: str) -> str:
    return f"It has {count}: intervals from so few are too narrow."


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"


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
    # In parts: all draws of 100,000 images at once would be a gigabyte.
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
    """What the remaker makes of ``sample`` ``(B, U)``, each different draw made once: of five
    people there are 126. Where the remaker was stopped, the draws up to the first that is not
    made."""
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
    """:func:`intervals` of draws, float64 ``(draws, 71)``, that were made before; None for a side
    that cannot be drawn again."""
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
