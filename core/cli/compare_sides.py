"""The two sides of ``truehue compare``, read and measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

import numpy as np

from truehue.core.color.notation import shorten
from truehue.core.concepts.distribution import Distribution, of_pictures, of_rows
from truehue.core.concepts.matching import normal
from truehue.core.concepts.profile import profile_of
from truehue.core.concepts.reading import (
    AS_58,
    MAX_BYTES,
    RATINGS,
    FileRefused,
    read_distributions,
)
from truehue.core.concepts.records import PIXELS, ColorProfile, DistributionFile, DistributionRow
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.images.load import LoadedImage, load_image, mask_with_note
from truehue.core.masks.registry import FILE, describe
from truehue.core.masks.selection import SALIENT_OR_WHOLE, WHOLE, select_pixels_by

OF_NUMBERS = frozenset({".csv", ".tsv", ".txt", ".json"})
OF_IMAGES = frozenset(
    {".png", ".jpg", ".jpeg", ".webp", ".avif", ".tif", ".tiff", ".bmp", ".gif", ".ppm", ".pgm"}
)
"""Suffixes of images in a folder; a file given by name may have any suffix."""

IMAGE, IMAGES, NUMBERS = "image", "images", "numbers"
_OFFERS: Mapping[str, str] = MappingProxyType(
    {AS_58: "--as-58", RATINGS: "--normalize for ratings, --shares for counts or percent"}
)
_BENCHMARK = "ColorConceptBench"
_SHOWN = 8


@dataclass(frozen=True)
class Reading:
    """How sides are read: ``method`` a key of truehue.core.concepts.records.METHODS, ``normalize``
    as in truehue.core.concepts.reading, ``concept`` the words of the rows of a file with several
    concepts, and ``label`` which one where a concept has several distributions. ``masker``, one of
    MASKERS, selects the pixels of an image without a mask."""

    method: str = PIXELS
    as_58: bool = False
    normalize: bool | str = False
    concept: str | None = None
    label: str | None = None
    masker: str = SALIENT_OR_WHOLE


@dataclass(frozen=True)
class Side:
    """One side, read. ``kind`` is ``image``, ``images`` or ``numbers``; ``pixels`` those measured,
    None for numbers; ``selected_by`` how many images have their pixels by which masker, in words;
    ``unscored`` the files that could not be measured, each with the reason; ``notes`` what was
    converted or assumed."""

    file: str
    kind: str
    mask: str | None
    distribution: Distribution
    pixels: int | None = None
    unscored: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    selected_by: Mapping[str, int] = field(default_factory=dict)


def kind_of(path: Path) -> str:
    """The kind of a side, by its name and by whether it is a folder."""
    if path.is_dir():
        return IMAGES
    return NUMBERS if path.suffix.lower() in OF_NUMBERS else IMAGE


def read_side(path: Path, mask: Path | None, how: Reading) -> Side:
    """Reads and measures what is called ``path``.

    ``mask`` is a mask for an image, and a folder of masks with the images' names for a folder.
    Raises TrueHueError for what cannot be compared.
    """
    kind = kind_of(path)
    if kind == NUMBERS:
        if mask is not None:
            raise BadInput(f"{path.name} holds numbers: only images have masks.")
        return _numbers(path, how)
    if how.label is not None:
        raise BadInput(f"{path.name} holds no numbers: only files of numbers have labels.")
    if kind == IMAGES:
        return _folder(path, mask, how)
    profile, selected_by, notes = _file_profile(path, mask, how.masker)
    distribution = of_pictures(path.name, [profile], how.method)
    return Side(
        str(path),
        IMAGE,
        None if mask is None else str(mask),
        distribution,
        profile.mask_px,
        notes=notes,
        selected_by={selected_by: 1},
    )


def _file_profile(
    path: Path, mask: Path | None, masker: str
) -> tuple[ColorProfile, str, tuple[str, ...]]:
    """The colors of an image, who selected its pixels, and what was converted or assumed."""
    image = load_image(path)
    inside, selected_by, notes = _selected(image, mask, masker)
    return profile_of(image.srgb8, inside), selected_by, (*image.notes, *notes)


def _selected(
    image: LoadedImage, mask: Path | None, masker: str
) -> tuple[np.ndarray, str, tuple[str, ...]]:
    """The pixels to measure, bool ``(H, W)``, by whom, and what to know about them: those of a mask
    file, or without one those that the masker selects."""
    if mask is not None:
        shape = (image.srgb8.shape[0], image.srgb8.shape[1])
        inside, note = mask_with_note(mask, shape)
        return inside, describe(FILE, {"from": mask.name}), (note,) if note else ()
    selection = select_pixels_by(masker, image, f"give masks, or --masker {WHOLE}")
    return selection.pixels, selection.name, selection.notes


def _folder(path: Path, masks: Path | None, how: Reading) -> Side:
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in OF_IMAGES)
    if not files:
        raise BadInput(f"The folder {path.name or path.resolve().name} has no image.")
    named = None if masks is None else _masks_by_name(masks)
    profiles, notes, unscored = [], Counter[str](), []
    selected_by = Counter[str]()
    for file in files:
        try:
            mask = None if named is None or masks is None else _mask_of(file, named, masks)
            profile, by, remarks = _file_profile(file, mask, how.masker)
        except TrueHueError as error:
            unscored.append((file.name, str(error)))
            continue
        profiles.append(profile)
        selected_by["From mask files" if mask else by] += 1
        notes.update(remarks)
    if not profiles:
        name, reason = unscored[0]
        raise BadInput(
            f"None of the {len(files):,} images in {path.name} could be measured. {name}: {reason}"
        )
    distribution = of_pictures(path.name or str(path), profiles, how.method)
    counted = tuple(f"{note} ({count:,} of {len(files):,} images)" for note, count in notes.items())
    return Side(
        str(path),
        IMAGES,
        None if masks is None else str(masks),
        distribution,
        sum(profile.mask_px for profile in profiles),
        tuple(unscored),
        counted,
        selected_by,
    )


def _masks_by_name(folder: Path) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise BadInput(
            f"{folder.name} is not a folder. For a folder of images, give a folder of masks: one "
            "with the same name for each image."
        )
    by_stem: dict[str, list[Path]] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() in OF_IMAGES:
            by_stem.setdefault(file.stem, []).append(file)
    return by_stem


def _mask_of(file: Path, named: Mapping[str, list[Path]], folder: Path) -> Path:
    matches = named.get(file.stem, [])
    if len(matches) != 1:
        names = " and ".join(match.name for match in matches)
        raise BadInput(
            f"{folder.name} has {names} for it: keep one."
            if matches
            else f"{folder.name} has no mask called {file.stem}."
        )
    return matches[0]


def _numbers(path: Path, how: Reading) -> Side:
    try:
        with path.open("rb") as opened:
            # One byte above the limit is refused as the whole would be, whatever its size.
            content = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    try:
        file = read_distributions(
            path.name,
            content,
            as_58=how.as_58,
            normalize=how.normalize,
            text=how.concept or path.stem,
        )
    except FileRefused as error:
        option = _OFFERS.get(error.offer)
        raise BadInput(f"{error} Here: {option}." if option else str(error)) from error
    rows = _concept_rows(path.name, file.rows, how.concept)
    part = _labeled(path.name, replace(file, rows=tuple(rows)), how.label)
    of_people = not all("people" in row.given for row in part.rows)
    distribution = of_rows(path.name, part.rows, part.kind, of_people=of_people)
    refused = tuple((path.name, problem) for problem in file.problems)
    # Which concepts the benchmark has is for its tables; any two may be compared here.
    notes = tuple(note for note in file.notes if _BENCHMARK not in note)
    return Side(str(path), NUMBERS, None, distribution, unscored=refused, notes=notes)


def _concept_rows(
    name: str, rows: tuple[DistributionRow, ...], concept: str | None
) -> list[DistributionRow]:
    """The rows of one concept."""
    parts = list(dict.fromkeys(row.words for row in rows))
    if len(parts) == 1 and concept is None:
        return list(rows)
    if concept is None:
        raise BadInput(
            f"{name} has {len(parts):,} concepts ({_excerpt_of_list(parts)}). Choose one with "
            "--concept."
        )
    matches = [row for row in rows if normal(row.words) == normal(concept)]
    if not matches:
        near = get_close_matches(normal(concept), parts, 3)
        raise BadInput(
            f'{name} has no concept "{shorten(concept)}". '
            + (
                f"Similar ones: {_excerpt_of_list(near)}."
                if near
                else f"It has {_excerpt_of_list(parts)}."
            )
        )
    return matches


def _labeled(name: str, file: DistributionFile, label: str | None) -> DistributionFile:
    """The rows of one label."""
    parts = {part.rows[0].label or part.kind: part for part in file.parts()}
    if label is None and len(parts) == 1:
        return next(iter(parts.values()))
    if label is None:
        raise BadInput(
            f"{name} has {len(parts)} distributions of {file.rows[0].words} "
            f"({_excerpt_of_list(list(parts))}). Choose one with --label-a or --label-b."
        )
    if label not in parts:
        raise BadInput(
            f'{name} has no "{shorten(label)}" of {file.rows[0].words}. '
            f"It has {_excerpt_of_list(list(parts))}."
        )
    return parts[label]


def _excerpt_of_list(terms: list[str]) -> str:
    more = f" and {len(terms) - _SHOWN:,} more" if len(terms) > _SHOWN else ""
    return ", ".join(terms[:_SHOWN]) + more
