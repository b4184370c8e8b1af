"""Ground an object by its name: boxes by the detector, masks by the segmenter, negative labels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from truehue.core.errors import MaskError, ObjectNotFound, UnknownName
from truehue.core.generation.request import Cancelled
from truehue.core.masks.cleanup import released_cleanup
from truehue.core.masks.grounded.compose import MaskSteps, NegativeResult, compose, union
from truehue.core.masks.grounded.embeddings import checked_image
from truehue.core.masks.grounded.records import Detection, Detector, Grounded, Segmenter, Tool
from truehue.core.masks.grounded.transformers_loading import precision
from truehue.core.masks.grounded.variants import GRAY_SRGB8, MaskVariant
from truehue.core.prompts.prompt import ObjectTarget

# The detector is asked for what is a little likely too, so that a miss can say how far off it was.
NEAR = 0.05


@dataclass(frozen=True)
class GroundingMethod:
    """How objects are found: the models, and the variant of the steps that they take."""

    detector: Detector
    segmenter: Segmenter
    variant: MaskVariant


def ground(
    srgb8: np.ndarray,
    target: ObjectTarget,
    method: GroundingMethod,
    earlier: Sequence[np.ndarray] = (),
    image_name: str = "",
    stop: Event | None = None,
    progress: Callable[[str], None] | None = None,
) -> Grounded:
    """The mask of an object that is named in words.

    ``srgb8`` uint8 ``(H, W, 3)``; of ``target`` the name and the negative labels are read;
    ``earlier`` are the masks, bool ``(H, W)``, of the objects before this one, as they were found;
    the variant says whether they are cleaned first. ``image_name`` is
    the image's id, under which the segmenter keeps its embedding. ``progress`` gets a few words
    before each step. The steps are in the result's parameters, and
    :func:`truehue.core.masks.grounded.compose.recompose` overrides them without a model.

    Raises ObjectNotFound or ObjectsOverlap, which name object and step; MaskError for an earlier
    mask of another size; UnknownName where the detector does not know the name; Cancelled once
    ``stop`` is set; and what the models raise.
    """
    detector, segmenter, variant = method.detector, method.segmenter, method.variant
    image = checked_image(srgb8)
    shape = (image.shape[0], image.shape[1])
    _refuse_other_sizes(earlier, shape)
    if variant.clean_earlier:
        earlier = [released_cleanup(image, mask).pixels for mask in earlier]
    say = progress or (lambda text: None)
    seen, seen_name = image, image_name
    if earlier and variant.paint_earlier:
        seen, seen_name = paint_over(image, earlier), _painted_name(image_name, earlier)
    _halt(stop)
    say(f"Looking for {target.name}")
    lowest = min(variant.box_threshold, NEAR)
    text_threshold, autocast = variant.text_threshold, variant.autocast
    candidates = detector.detect(seen, (target.name,), lowest, text_threshold, autocast)
    detections = filter_detections(candidates, target.name, variant.box_threshold)
    if not detections:
        raise _not_found(target.name, candidates, variant)
    labels = tuple(dict.fromkeys(label for label in target.negative_labels if label.strip()))
    boxes_of: dict[str, tuple[Detection, ...]] = {}
    if labels:
        _halt(stop)
        say(f"Looking for parts to exclude: {', '.join(labels)}")
        threshold = variant.negative_threshold
        try:
            parts = detector.detect(seen, labels, threshold, text_threshold, autocast)
        except UnknownName:
            parts = ()
        boxes_of = {label: filter_detections(parts, label, threshold) for label in labels}
    _halt(stop)
    say(f"Segmenting {target.name}")
    embedding = segmenter.embed(seen, seen_name, autocast)
    _halt(stop)
    segments = segmenter.from_boxes(embedding, [detection.box for detection in detections])
    negatives = []
    for label in labels:
        _halt(stop)
        cut = segmenter.from_boxes(embedding, [detection.box for detection in boxes_of[label]])
        negatives.append(NegativeResult(label, boxes_of[label], cut))
    models = {
        "detector": about(detector, autocast),
        "segmenter": about(segmenter, autocast),
    }
    return compose(
        MaskSteps(
            target.name,
            variant,
            shape,
            detections,
            segments,
            tuple(negatives),
            tuple(earlier),
            models,
        )
    )


def filter_detections(
    detections: Sequence[Detection], label: str, threshold: float
) -> tuple[Detection, ...]:
    """The label's boxes with a score above the threshold, best first."""
    hits = [
        detection
        for detection in detections
        if detection.label == label and detection.score > threshold
    ]
    return tuple(sorted(hits, key=lambda detection: -detection.score))


def paint_over(srgb8: np.ndarray, earlier: Sequence[np.ndarray]) -> np.ndarray:
    """A copy of the image, uint8 ``(H, W, 3)``, in which earlier objects are gray."""
    image = srgb8.copy()
    image[union(earlier, (srgb8.shape[0], srgb8.shape[1]))] = GRAY_SRGB8
    return image


def about(tool: Tool, autocast: bool = False) -> dict[str, Any]:
    """Plain JSON that names a model: at least its id, and its weights where it says which; with
    ``autocast`` also the precision that it computed in."""
    details = dict(getattr(tool, "about", None) or {})
    device = str(details.pop("device", ""))
    if autocast:
        details["precision"] = precision(device, autocast)
    return {"id": tool.id, **details}


def _not_found(
    object_name: str, detections: Sequence[Detection], variant: MaskVariant
) -> ObjectNotFound:
    best = max((detection.score for detection in detections), default=None)
    best_words = f"its best was {best:.2f}" if best is not None else f"none came over {NEAR:g}"
    return ObjectNotFound(
        f"The detector found no {object_name}: no box above {variant.box_threshold:g}; "
        f"{best_words}. Draw a box by hand, or lower the threshold.",
        object_name,
        "detector",
        best,
    )


def _refuse_other_sizes(earlier: Sequence[np.ndarray], shape: tuple[int, int]) -> None:
    for number, mask in enumerate(earlier, start=1):
        if mask.dtype != bool or mask.shape != shape:
            raise MaskError(
                f"The mask of object {number} is {mask.dtype} {mask.shape}, and the image is "
                f"{shape[0]} x {shape[1]}."
            )


def _painted_name(image_name: str, earlier: Sequence[np.ndarray]) -> str:
    """A name of its own for the painted image; none where the image has none."""
    if not image_name:
        return ""
    digest = hashlib.blake2b(digest_size=8)
    for mask in earlier:
        digest.update(np.packbits(mask).tobytes())
    return f"{image_name} without {digest.hexdigest()}"


def _halt(stop: Event | None) -> None:
    if stop is not None and stop.is_set():
        raise Cancelled
