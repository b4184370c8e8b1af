"""The extraction of a distribution from its images, step by step, and the images of a bin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import numpy as np

from truehue.core.color.spaces import hex_of
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.records import PIXELS, ImageProfile
from truehue.core.errors import BadInput
from truehue.tabs.compare.concept.link import ConceptQuestion, question_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.links import whole
from truehue.tabs.sources.distributions import distribution, image_profiles, written_scale

if TYPE_CHECKING:
    from truehue.core.concepts.palette import Palette

MAX_IMAGES = 200


class ConceptImage(TypedDict):
    """An image of a concept: ``share`` of its pixels in a bin, ``dominant`` its color."""

    image: str
    mask: str
    small: str
    about: str
    mask_px: int
    share: NotRequired[float]
    dominant: NotRequired[str]


BinImages = TypedDict(
    "BinImages",
    {
        "bin": int,
        "label": str,
        "share": float,
        "all": int,
        "with": int,
        "method": str,
        "images": list[ConceptImage],
    },
)
"""The images with pixels in a bin, of all images of a source."""


class BinWeight(TypedDict):
    """A bin with its weight."""

    index: int
    weight: float


class PaletteColor(TypedDict):
    """A color of a palette."""

    hex: str
    lab: list[float]
    weight: float


class ExtractionGroup(TypedDict):
    """Images of similar dominant colors, and their palette before and after merging."""

    weight: float
    kept: NotRequired[float]
    images: list[ConceptImage]
    more: int
    pooled: list[PaletteColor]
    merged: list[PaletteColor]


class ExtractionSteps(TypedDict):
    """The extraction of a source; ``words`` say why there are no steps."""

    label: str
    notes: list[str]
    bins: list[BinWeight]
    groups: list[ExtractionGroup]
    palette: list[PaletteColor]
    settings: list[list[str]]
    words: str


def _source(query: Mapping[str, str]) -> tuple[ConceptQuestion, str]:
    source = query.get("source", "").strip()
    if not source:
        raise BadInput("Choose a distribution.")
    return question_of({**query, "d": source, "pair": ""}), source


def images_view(context: Context, query: Mapping[str, str]) -> BinImages:
    """The images of ``source`` with pixels in bin ``bin``, those with most first.

    A picture's share is that of its own masked pixels nearest to the bin. Extraction pools and
    merges colors, so a bin may have mass although no pixel lies in it, and the other way round.
    Raises BadInput.
    """
    question, source = _source(query)
    index = whole(query.get("bin", ""), COUNT - 1)
    if index is None:
        raise BadInput(f"Choose a bin: a whole number from 0 to {COUNT - 1}.")
    profiles = image_profiles(context, source, question.words)
    shares = [(_share(profile, index), profile) for profile in profiles]
    inside = sorted((pair for pair in shares if pair[0] > 0), key=lambda pair: -pair[0])
    source_distribution = distribution(context, source, question.words, question.method)
    return {
        "bin": index,
        "label": source_distribution.label,
        "share": float(source_distribution.weights[index]),
        "all": len(profiles),
        "with": len(inside),
        "method": source_distribution.method,
        "images": [{**image_json(stored), "share": share} for share, stored in inside[:MAX_IMAGES]],
    }


def _share(image_profile: ImageProfile, index: int) -> float:
    profile = image_profile.profile
    if index not in profile.bins:
        return 0.0
    return profile.bin_counts[profile.bins.index(index)] / profile.mask_px


def steps_view(context: Context, query: Mapping[str, str]) -> ExtractionSteps:
    """The extraction of ``source``: images, groups, palettes before and after merging, bins.

    Of an imported set there is only what stood in the file: ``groups`` is empty then, and
    ``words`` say so. Raises BadInput and NotStored.
    """
    question, source = _source(query)
    source_distribution = distribution(context, source, question.words, question.method)
    fullest = np.argsort(-source_distribution.weights, kind="stable")
    answer: ExtractionSteps = {
        "label": source_distribution.label,
        "notes": list(source_distribution.notes),
        "bins": [
            {"index": int(index), "weight": float(source_distribution.weights[index])}
            for index in fullest
            if source_distribution.weights[index] > 0
        ],
        "groups": [],
        "palette": [],
        "settings": [],
        "words": "",
    }
    profiles = image_profiles(context, source, question.words)
    if not profiles:
        answer["words"] = (
            "These distributions were imported from a file or a study, so there are no "
            "extraction steps. People and files lists their source."
        )
        return answer
    if source_distribution.method == PIXELS or source_distribution.extraction is None:
        answer["words"] = (
            "This method neither groups nor merges colors: every masked pixel goes to its "
            "closest bin, and every image has the same weight."
        )
        answer["groups"] = [
            {
                "weight": 1.0,
                "images": [image_json(profile) for profile in profiles[:MAX_IMAGES]],
                "more": max(0, len(profiles) - MAX_IMAGES),
                "pooled": [],
                "merged": [],
            }
        ]
        return answer
    extraction = source_distribution.extraction
    answer["settings"] = settings_text(extraction.settings)
    answer["palette"] = colors_json(extraction.palette)
    answer["groups"] = [
        {
            "weight": float(group.weight),
            "kept": float(group.kept),
            "images": [
                {**image_json(profiles[member]), "dominant": _hex(profiles[member])}
                for member in group.members[:MAX_IMAGES]
            ],
            "more": max(0, len(group.members) - MAX_IMAGES),
            "pooled": colors_json(group.pooled),
            "merged": colors_json(group.merged),
        }
        for group in extraction.groups
    ]
    return answer


def settings_text(settings: Any) -> list[list[str]]:
    """Name and value of what an extraction depends on."""
    grouping = {
        "complete": "every pair of dominant colors in a group is that close (complete linkage)",
        "connected": "each is that close to another of its group (single linkage)",
        "leader": "each is that close to the first of its group, in the order of the images",
    }
    assignment = {"nearest": "to the nearest bin", "soft": "soft assignment to all bins (β = 1)"}
    return [
        [
            "Groups",
            f"dominant colors within ΔE00 ≤ {settings.group_delta_e00:g}; "
            f"{grouping.get(settings.grouping, settings.grouping)}",
        ],
        ["Pooled", f"pixels of a group in 8 × 8 × 8 RGB cells, the {settings.most_colors} fullest"],
        ["Merged", f"while colors are within ΔE00 ≤ {settings.merge_delta_e00:g}"],
        ["Weights", "groups by their number of images"],
        ["Bins", assignment.get(settings.assignment, settings.assignment)],
    ]


def image_json(image_profile: ImageProfile) -> ConceptImage:
    """A picture for the page: its ids, the small picture of its mask, and what is known of it."""
    about = [
        f"guidance {written_scale(image_profile.guidance)}"
        if image_profile.guidance is not None
        else "",
        f"seed {image_profile.seed}" if image_profile.seed is not None else "",
        f"by {image_profile.contributor}" if image_profile.contributor else "",
    ]
    return {
        "image": image_profile.image_id,
        "mask": image_profile.mask_id,
        "small": f"/api/compare/sets/cutouts/{image_profile.image_id}/{image_profile.mask_id}.png",
        "about": " · ".join(filter(None, about)),
        "mask_px": image_profile.profile.mask_px,
    }


def colors_json(palette: Palette) -> list[PaletteColor]:
    """The colors of a palette, heaviest first."""
    order: Sequence[int] = np.argsort(-palette.weights, kind="stable").tolist()
    return [
        {
            "hex": palette.hexes[index],
            "lab": [round(float(value), 2) for value in palette.lab[index]],
            "weight": float(palette.weights[index]),
        }
        for index in order
    ]


def _hex(image_profile: ImageProfile) -> str:
    return hex_of(np.rint(np.array(image_profile.profile.dominant_srgb)).astype(np.uint8))
