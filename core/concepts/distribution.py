"""What is compared: distributions over the UW-71 bins, and how sure the numbers of a pair are.

Intervals are bootstrap ones, over images or people. Both sides are drawn again with replacement,
independently of each other, and everything after that is done again: groups, palettes, bins,
distances. Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13, the
percentile interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from threading import Event

import numpy as np

from core.color.distances import Comparison, checked, compare
from core.color.uw71 import COUNT
from core.concepts.extraction import (
    Extraction,
    ExtractionSettings,
    Pictures,
    extract,
    weights_of_draws,
)
from core.concepts.records import (
    EXTRACTED,
    EXTRACTED_SOFT,
    KINDS,
    METHODS,
    PIXELS,
    ColorProfile,
    DistributionRow,
    PictureProfile,
)
from core.errors import BadInput

PICTURES = "pictures"
"""The kind of a distribution that was measured on pictures."""

GIVEN = "given"
"""The method of one that came as a distribution: nothing was measured here."""

METRICS = ("pcc", "emd_lab", "entropy_difference", "total_variation", "jensen_shannon",
           "delta_hue_deg")  # fmt: skip
"""The fields of :class:`core.color.distances.Comparison` that have an interval."""

DRAWS = 1_000
PERCENTILES = (2.5, 97.5)
UNDEFINED_AT_MOST = 0.05

FEW = 10
"""Of fewer images or people than these, an interval is said to be too narrow."""

_FURTHER = (
    "Chance moves both sides of a draw apart, so draws tend to differ more than the two "
    "distributions do; where these are nearly equal, an interval can lie beside the number."
)
_COUNTS_AT_ONCE = 4_000_000
_ASSIGNMENTS = {EXTRACTED: "nearest", EXTRACTED_SOFT: "soft"}


@dataclass(frozen=True)
class Distribution:
    """One distribution of one concept.

    ``kind`` is :data:`PICTURES` or a key of core.concepts.records.KINDS;
    ``method`` a key of METHODS or :data:`GIVEN`. ``weights`` float64 ``(71,)``, sum 1. ``count``
    are the images, or the people where it is ``of_people``; 0 where nobody knows. ``notes`` are
    sentences for people. ``fixed`` says why it cannot be drawn again (it has no interval then),
    empty where it can. ``profiles`` or ``rows`` are what it is of, and ``units`` the number, from
    0, of the image or person that each is drawn with; ``extraction`` are the steps, where some
    were taken.
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
        """Whether it was measured on pictures."""
        return self.kind == PICTURES

    def noted(self, *sentences: str) -> Distribution:
        """The same with more notes."""
        return replace(self, notes=(*self.notes, *sentences))


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


def of_pictures(
    label: str,
    profiles: Sequence[ColorProfile | PictureProfile],
    method: str = EXTRACTED,
    settings: ExtractionSettings | None = None,
    *,
    of_people: bool = False,
) -> Distribution:
    """The distribution of pictures of one concept.

    ``method`` is a key of METHODS; it decides the assignment of ``settings``, of which PIXELS uses
    none. With ``of_people`` the pictures are people's colorings, and people are counted and drawn:
    all colorings of a contributor together, one without a name alone. Raises BadInput for no
    picture and another method.
    """
    if method not in METHODS:
        raise BadInput(
            f"Pictures become a distribution by {', '.join(METHODS)}, not by {method[:40]!r}."
        )
    if not profiles:
        raise BadInput(f"{label} has no picture with a measured object. Choose at least one.")
    plain = tuple(one.profile if isinstance(one, PictureProfile) else one for one in profiles)
    units = _units(profiles if of_people else plain)
    count = len(set(units))
    notes = [METHODS[method] + "."]
    if count < len(plain):
        notes.append(f"{len(plain)} colorings by {_people(count)}; every coloring counts the same.")
    what = "person" if of_people else "image"
    fixed = "" if count > 1 else f"It is of one {what}: there is nothing to draw again."
    if not fixed and count < FEW:
        notes.append(_few(_people(count) if of_people else f"{count} images"))
    extraction = None
    if method == PIXELS:
        settings, weights = None, mean_of(bins_of(plain), np.ones((1, len(plain))))[0]
    else:
        settings = replace(settings or ExtractionSettings(), assignment=_ASSIGNMENTS[method])
        extraction = extract(plain, settings)
        weights = extraction.weights
        notes.extend(extraction.notes)
    return Distribution(
        label, PICTURES, method, weights, count, of_people, tuple(notes), fixed,
        plain, units, settings=settings, extraction=extraction,
    )  # fmt: skip


def of_rows(
    label: str, rows: Sequence[DistributionRow], kind: str, *, of_people: bool = True
) -> Distribution:
    """The mean of imported distributions of one concept, over contributors.

    A contributor with several rows counts once, by their mean. Rows without a contributor are means
    of ``people``: where all of them say of how many, these are the weights, else every row and
    contributor counts the same; who said what is not known then, so nothing can be drawn again.
    ``kind`` is a key of core.concepts.records.KINDS. Raises BadInput for no row, rows of several
    concepts and another kind.
    """
    if kind not in KINDS:
        raise BadInput(f"Rows of a set are {', '.join(KINDS)}, not {kind[:40]!r}.")
    words = sorted({row.words for row in rows})
    if len(words) != 1:
        raise BadInput(
            f"{label} has rows of {', '.join(words[:5])}: compare one concept at a time." if words
            else f"{label} has no distribution of that concept."
        )  # fmt: skip
    named = sorted((row for row in rows if row.contributor), key=lambda row: row.contributor)
    persons = [tuple(found) for _, found in groupby(named, key=lambda row: row.contributor)]
    means = [row for row in rows if not row.contributor]
    people = [*[1] * len(persons), *[row.people for row in means]]
    units = [*persons, *[(row,) for row in means]]
    known = all(people)
    times = np.array([people if known else [1] * len(units)], dtype=float)
    weights = mean_of(_shares(units, label), times)[0]
    notes = [KINDS[kind][0].upper() + KINDS[kind][1:] + "."]
    if len(persons) < len(named):
        notes.append(f"{len(named)} rows by {_people(len(persons))}: each counts once.")
    if len(units) > 1 and not known:
        notes.append(
            f"It is not known how many people some rows stand for, so all {len(units)} count "
            "the same."
        )
    if any(count != 1 for count in people):
        fixed = "It is a mean that came without its people: there is nothing to draw again."
    else:
        fixed = "" if len(units) > 1 else "It is of one person: there is nothing to draw again."
    if not fixed and len(units) < FEW:
        notes.append(_few(_people(len(units))))
    return Distribution(
        label, kind, GIVEN, weights, sum(people) if known else 0, of_people, tuple(notes), fixed,
        rows=tuple(row for unit in units for row in unit),
        units=tuple(place for place, unit in enumerate(units) for _ in unit),
    )  # fmt: skip


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
    made = _remaker(distribution, units, stop)
    # In parts: all draws of 100,000 pictures at once would be a gigabyte.
    at_once = max(1, _COUNTS_AT_ONCE // len(units))
    out = [np.zeros((0, COUNT))]
    for start in range(0, draws, at_once):
        if stop is not None and stop.is_set():
            break
        size = min(at_once, draws - start)
        out.append(made(rng.multinomial(count, np.full(count, 1.0 / count), size=size)))
    return np.concatenate(out)


def _remaker(
    distribution: Distribution, units: np.ndarray, stop: Event | None
) -> Callable[[np.ndarray], np.ndarray]:
    """What makes distributions ``(B, 71)`` of how often ``(B, U)`` each person or image was drawn;
    fewer of them once ``stop`` is set."""
    if distribution.rows:
        persons: list[list[DistributionRow]] = [[] for _ in range(int(units.max()) + 1)]
        for row, unit in zip(distribution.rows, units, strict=True):
            persons[unit].append(row)
        shares = _shares([tuple(rows) for rows in persons], distribution.label)
        return lambda drawn: mean_of(shares, drawn)
    settings = distribution.settings
    if settings is None:
        bins = bins_of(distribution.profiles)
        return lambda drawn: mean_of(bins, drawn[:, units])
    pictures = Pictures(distribution.profiles)
    return lambda drawn: weights_of_draws(pictures, drawn[:, units], settings, stop)


def intervals(
    a: Distribution,
    b: Distribution,
    draws: int = DRAWS,
    seed: int = 0,
    stop: Event | None = None,
) -> Intervals:
    """The intervals of all :data:`METRICS` of ``a`` against ``b``.

    A side that cannot be drawn again stays as it is, which is noted. Once ``stop`` is set, they are
    of the draws done so far, and there are none without any.
    """
    first, second = (draws_of(one, place, draws, seed, stop) for place, one in enumerate((a, b)))
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
    notes = tuple(
        f"{one.label} is kept as it is. {one.fixed}"
        for one, side in zip((a, b), sides, strict=True)
        if side is None
    )
    if len(notes) == 2:
        return Intervals(dict.fromkeys(METRICS), notes=("There is no interval.", *notes))
    ready = min(side.shape[0] for side in sides if side is not None)
    drawn = (
        np.broadcast_to(one.weights, (ready, COUNT)) if side is None else side[:ready]
        for one, side in zip((a, b), sides, strict=True)
    )
    found: list[Comparison] = []
    for p, q in zip(*drawn, strict=True):
        if stop is not None and stop.is_set():
            break
        found.append(compare(p, q))
    if not found:
        return Intervals(dict.fromkeys(METRICS), notes=("There was no draw.", *notes))
    of: dict[str, tuple[float, float] | None] = dict.fromkeys(METRICS)
    undefined = dict[str, int]()
    for metric in METRICS:
        values = [getattr(one, metric) for one in found]
        defined = [value for value in values if value is not None]
        undefined[metric] = len(values) - len(defined)
        if undefined[metric] <= UNDEFINED_AT_MOST * len(values):
            low, high = np.percentile(defined, PERCENTILES)
            of[metric] = (float(low), float(high))
    equal = sum(one.dominant_equal for one in found) / len(found)
    return Intervals(of, len(found), undefined, equal, (*notes, _FURTHER))


def bins_of(profiles: Sequence[ColorProfile]) -> np.ndarray:
    """The histograms ``(N, 71)`` of pictures by their pixels' nearest bins; rows sum to 1."""
    out = np.zeros((len(profiles), COUNT))
    for row, profile in enumerate(profiles):
        out[row, list(profile.bins)] = profile.bin_counts
    return out / out.sum(axis=1, keepdims=True)


def mean_of(shares: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Means ``(B, 71)`` of distributions ``(N, 71)``, each counted ``times`` ``(B, N)``."""
    return np.asarray(times @ shares / times.sum(axis=1, keepdims=True))


def _shares(units: Sequence[tuple[DistributionRow, ...]], label: str) -> np.ndarray:
    """The distribution of each person, the mean of their rows: ``(U, 71)``."""
    return np.array(
        [np.mean([checked(row.weights, label) for row in unit], axis=0) for unit in units]
    )


def _units(profiles: Sequence[ColorProfile | PictureProfile]) -> tuple[int, ...]:
    """Which picture belongs to which person, from 0 in the order of their first pictures."""
    numbers: dict[object, int] = {}
    out = []
    for place, one in enumerate(profiles):
        name = one.contributor if isinstance(one, PictureProfile) else ""
        out.append(numbers.setdefault(name or place, len(numbers)))
    return tuple(out)


def _few(count: str) -> str:
    return f"It is of {count}: intervals of so few are narrower than they should be."


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"
