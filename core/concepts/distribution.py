"""What is compared: a distribution over the UW-71 bins, with what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from truehue.core.color.distances import checked
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.extraction import Extraction, ExtractionSettings, extract
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
"""The kind of a distribution that was measured on pictures."""

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
        """Whether it was measured on pictures."""
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
    """The distribution of pictures of one concept.

    ``method`` is a key of METHODS; it decides the assignment of ``settings``, of which PIXELS uses
    none. With ``of_people`` the pictures are people's colorings, and people are counted and drawn:
    all colorings of a contributor together, one without a name alone. Otherwise images are, and
    those of the same ``image_id`` are drawn together: a model that gave a picture twice gave one.
    Raises BadInput for no picture and another method.
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
    """The histograms ``(N, 71)`` of pictures by their pixels' nearest bins; rows sum to 1."""
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
    """Which picture is drawn with which person or image, from 0 in the order of their first
    pictures."""
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
