"""Records of concepts' colors: profiles of images, extracted and compared distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

PROFILE_VERSION = "1"
"""Of :class:`ColorProfile`; another one means that other numbers would come of the same pixels."""

EXTRACTED, EXTRACTED_SOFT, PIXELS = "extracted", "extracted-soft", "pixels"
METHODS: Mapping[str, str] = {
    EXTRACTED: "Extraction as published (adaptive grouping), palette to the closest bins",
    EXTRACTED_SOFT: "Extraction as published, palette softly assigned to all bins",
    PIXELS: "Every masked pixel to its closest bin, equal weight per image",
}
"""How the images of a concept become one distribution; people's imports have it from the file."""

PALETTES, HISTOGRAMS, RATINGS = "palettes", "histograms", "ratings"
KINDS: Mapping[str, str] = {
    PALETTES: "palettes: colors with weights",
    HISTOGRAMS: "histograms: shares of the UW-71 bins",
    RATINGS: "association ratings, normalized to sum 1: not shares of colorings",
}
"""Kinds of rows of a set of distributions in their file."""


@dataclass(frozen=True)
class ColorProfile:
    """What one image says of the colors of one object: all that extraction, pooling and
    resampling need, without its pixels.

    The first numbers are of the sample, the masked object at 100 x 100 pixels or fewer:
    ``sampled_px`` its pixels, ``dominant_srgb`` the mean sRGB (0 to 255) of those in the fullest of
    16 x 16 x 16 RGB bins, ``dominant_share`` their share, 0 to 1; ``cells`` the occupied ones of
    8 x 8 x 8 RGB bins (64 r + 8 g + b, ascending), ``counts`` their pixels, ``sums`` the sums of
    R, G and B of those, three numbers a cell. ``bins`` and ``bin_counts`` are of all ``mask_px``
    pixels of the object: UW-71 bins by nearest color, ascending, and their pixels.
    """

    mask_px: int
    sampled_px: int
    dominant_srgb: tuple[float, float, float]
    dominant_share: float
    cells: tuple[int, ...]
    counts: tuple[int, ...]
    sums: tuple[int, ...]
    bins: tuple[int, ...]
    bin_counts: tuple[int, ...]


@dataclass(frozen=True)
class ImageProfile:
    """The profile of an object in a stored image, and where it came from.

    ``guidance`` and ``seed`` are None where nobody knows them; ``contributor`` says who colored it,
    empty for a model's image. ``run_id`` and ``position`` are empty and -1 outside of runs.
    """

    image_id: str
    mask_id: str
    profile: ColorProfile
    guidance: float | None = None
    seed: int | None = None
    contributor: str = ""
    run_id: str = ""
    position: int = -1


@dataclass(frozen=True)
class ConceptCell:
    """The colors of one concept as one run draws it: one number of a table comes of many of these.

    ``concept_id`` as in truehue.core.prompts.concepts, ``style`` ``photo`` or ``cartoon``;
    ``guidance`` None stands for all scales of the run together. ``weights`` ``(71,)`` is None where
    no image could be measured. ``images`` were measured, ``unscored`` could not be. ``method`` is
    a key of :data:`METHODS`.
    """

    run_id: str
    concept_id: str
    style: str
    guidance: float | None
    method: str
    images: int
    unscored: int
    weights: np.ndarray | None = field(repr=False, default=None)


@dataclass(frozen=True)
class DistributionRow:
    """One distribution as a file gave it: of one concept by one contributor, or by all together.

    ``words`` are the concept's ("rotten mango"), as in
    :attr:`truehue.core.prompts.concepts.Concept.words` where it is one of ColorConceptBench's.
    ``contributor`` is empty for a mean of people; ``people`` says of how many, 0 where nobody
    knows. ``weights`` ``(71,)`` sum to 1; ``given`` is what stood in the file, plain JSON: colors
    with weights, or numbers before they were normalized. ``label`` tells several distributions of
    one concept apart where the file does, and ``kind`` is the row's own key of :data:`KINDS` where
    the file says it; both empty elsewhere.
    """

    words: str
    contributor: str
    weights: np.ndarray = field(repr=False)
    people: int = 0
    given: Mapping[str, object] = field(default_factory=dict, repr=False)
    label: str = ""
    kind: str = ""


@dataclass(frozen=True)
class DistributionFile:
    """A file of distributions that was read whole.

    ``kind`` is a key of :data:`KINDS`; where rows say another one, theirs holds. ``notes`` are
    sentences for people on what was converted or could not be checked, ``unknown`` the words that
    are no concept of ColorConceptBench (their rows are kept), ``problems`` one sentence for each
    row that was refused, with its line. ``offers`` are offers of truehue.core.concepts.reading that
    would read rows that were refused.
    """

    kind: str
    rows: tuple[DistributionRow, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()

    def parts(self) -> tuple[DistributionFile, ...]:
        """The file as files of one kind and label each: no mean goes over two of them."""
        rows_by_label: dict[tuple[str, str], list[DistributionRow]] = {}
        for row in self.rows:
            rows_by_label.setdefault((row.label, row.kind or self.kind), []).append(row)
        return tuple(
            replace(
                self,
                kind=kind,
                rows=tuple(rows),
                unknown=tuple(text for text in self.unknown if text in {r.words for r in rows}),
            )
            for (_, kind), rows in rows_by_label.items()
        )


@dataclass(frozen=True)
class DistributionSetRecord:
    """A stored file of distributions. ``kind`` is a key of truehue.core.concepts.records.KINDS.

    ``of_people`` says whether they are people's (else a model's, or anybody's); ``source`` is what
    the person who imported it wrote about where it is from. ``rows`` and ``concepts`` count what is
    in it, ``contributors`` the different ones that are named. ``name`` and ``hidden`` are of its
    newest version; the rest never changes.
    """

    set_id: str
    name: str
    kind: str
    of_people: bool
    file_name: str
    source: str
    notes: tuple[str, ...]
    rows: int
    concepts: int
    contributors: int
    hidden: bool
    created_at: datetime


@dataclass(frozen=True)
class ConceptImagesRecord:
    """Stored images of one concept: uploads, or people's colorings (``of_people``).

    ``words`` are the concept's, in their normal form; ``images`` counts the images,
    ``contributors`` the different people that are named.
    """

    set_id: str
    name: str
    words: str
    of_people: bool
    images: int
    contributors: int
    hidden: bool
    created_at: datetime
