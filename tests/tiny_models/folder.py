"""A models folder with a tiny detector, two segmenters and a presence model, as the app finds them
under the ids of the published ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.core.generation.tiny_janus import save_tiny_janus
from tests.tiny_models import grounding
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded import tools
from truehue.core.masks.grounded.ground import GroundingMethod, ground
from truehue.core.masks.grounded.variants import mask_variant
from truehue.core.prompts.prompt import ObjectTarget

DETECTOR, SAM, SAM2, PRESENCE = (
    "grounding-dino-tiny",
    "sam-vit-b",
    "sam2.1-hiera-tiny",
    "janus-pro-1b",
)


def models_folder(folder: Path) -> Path:
    """Real classes with random weights: what they find is real, and means nothing."""
    grounding.detector(folder / DETECTOR)
    grounding.sam_file(folder / SAM / "sam_vit_b_01ec64.pth")
    grounding.sam2(folder / SAM2)
    save_tiny_janus(folder / PRESENCE)
    return folder


@dataclass(frozen=True)
class Telling:
    """What to ask tiny models for so that every step of a mask can be seen to do something."""

    segmenter: str
    variant: str
    negatives: tuple[str, ...]
    box_threshold: float
    negative_threshold: float


def telling(models: Path, srgb8: np.ndarray, object_name: str) -> Telling:
    """Settings with which at least two boxes are found, whose segments differ, and a negative
    label takes a part away. Random weights decide what is found, so it is searched for."""
    sources = Sources(models)
    detector = tools.open_detector(DETECTOR, sources)
    for name in (SAM2, SAM):
        segmenter = tools.open_segmenter(name, sources)
        for variant, label, sure, negative in itertools.product(
            ("paper", "released"),
            ("rim", "handle", "lid", "cap", "base", "stem", "leaf"),
            (0.99, 0.97, 0.9),
            (0.99, 0.9, 0.6),
        ):
            requested = mask_variant(variant).with_settings(
                {"box_threshold": sure, "negative_threshold": negative}
            )
            labels = (label, "neck")
            target = ObjectTarget(object_name, negative_labels=labels)
            method = GroundingMethod(detector, segmenter, requested)
            grounded = ground(srgb8, target, method, image_name="x")
            segments = [segment.pixels for segment in grounded.segments]
            used = grounded.negatives[0].pixels.any()
            if len(segments) > 1 and used and _differ(segments):
                return Telling(name, variant, labels, sure, negative)
    raise AssertionError("No settings let the tiny models take a part away.")


def _differ(segments: Sequence[np.ndarray]) -> bool:
    """Whether the last segment alone is another mask than all of them together."""
    return bool((np.logical_or.reduce(segments) != segments[-1]).any())
