"""From boxes and segments to a mask: pure steps, and the same again when a person overrides one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, ObjectNotFound, ObjectsOverlap
from truehue.core.images.mask import Mask
from truehue.core.masks.grounded.records import Detection, Grounded, Negative, Segment
from truehue.core.masks.grounded.variants import MaskVariant

MAKER = "grounded_sam"


@dataclass(frozen=True)
class NegativeResult:
    """What the models found for one negative label: boxes and their segments, in one order."""

    label: str
    detections: tuple[Detection, ...] = ()
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True)
class MaskSteps:
    """All that the models said, from which the mask follows without them.

    ``detections`` and ``segments`` are the object's, in one order; ``earlier`` the masks of the
    objects before it, each bool ``(H, W)``. ``models`` is plain JSON that names both models.
    """

    object_name: str
    variant: MaskVariant
    shape: tuple[int, int]
    detections: tuple[Detection, ...]
    segments: tuple[Segment, ...]
    negatives: tuple[NegativeResult, ...] = ()
    earlier: tuple[np.ndarray, ...] = ()
    models: Mapping[str, Any] = field(default_factory=dict)


def compose(
    steps: MaskSteps, without_boxes: Collection[int] = (), without_negatives: Collection[str] = ()
) -> Grounded:
    """The mask that follows from ``steps``.

    ``without_boxes`` are places in ``detections`` to leave out, ``without_negatives`` labels whose
    part stays in the object; both are noted in the mask's parameters under ``overrides``. Raises
    ObjectNotFound where nothing is selected, ObjectsOverlap where the object is an earlier one,
    and BadInput for a box or label that is not there.
    """
    boxes, labels = _checked(steps, without_boxes, without_negatives)
    name, notes = steps.object_name, list[str]()
    segments = [segment for n, segment in enumerate(steps.segments) if n not in boxes]
    if not segments:
        raise ObjectNotFound(
            f"All boxes of {name} were left out by hand. Keep one, or draw a box.", name, "override"
        )
    object_pixels = union([segment.pixels for segment in segments], steps.shape)
    if not object_pixels.any():
        raise ObjectNotFound(
            f"The segmenter found no pixel of {name} in {_boxes(len(segments))}. Draw a box or "
            "strokes by hand.",
            name,
            "segmenter",
        )
    object_pixels = apart(object_pixels, steps, notes)
    negatives, pixels = without(object_pixels, steps, labels, notes)
    mask = Mask(pixels, MAKER, _parameters(steps, negatives, notes, boxes, labels))
    return Grounded(
        mask,
        steps.detections,
        steps.segments,
        object_pixels,
        negatives,
        tuple(notes),
        {"steps": steps},
    )


def recompose(
    grounded: Grounded,
    without_negatives: Collection[str] = (),
    without_boxes: Collection[int] = (),
) -> Grounded:
    """The same mask with these steps overridden, whatever was overridden before; without any, as
    the models made it. Runs no model; raises as :func:`compose`."""
    steps = grounded.details.get("steps")
    if not isinstance(steps, MaskSteps):
        raise BadInput("This mask does not hold its steps any more: find the object again.")
    return compose(steps, without_boxes, without_negatives)


def union(masks: Sequence[np.ndarray], shape: tuple[int, int]) -> np.ndarray:
    """Where any of the masks is, bool ``(H, W)``."""
    pixels = np.zeros(shape, dtype=bool)
    for mask in masks:
        if mask.dtype != bool or mask.shape != shape:
            raise BadInput(f"A segment is {mask.dtype} {mask.shape}, not bool {shape}.")
        pixels |= mask
    return pixels


def iou(first: np.ndarray, second: np.ndarray) -> float:
    """Intersection over union of two bool masks, 0 to 1; 0 where both are empty."""
    together = int(np.count_nonzero(first | second))
    return int(np.count_nonzero(first & second)) / together if together else 0.0


def apart(object_pixels: np.ndarray, steps: MaskSteps, notes: list[str]) -> np.ndarray:
    """The object without the pixels of earlier ones; says in ``notes`` what was removed.

    Raises ObjectsOverlap above the variant's ``most_iou``, or where nothing is left.
    """
    if not steps.earlier:
        return object_pixels
    variant, name = steps.variant, steps.object_name
    rest = object_pixels & ~union(steps.earlier, steps.shape)
    measured = object_pixels if variant.iou_measured == "before" else rest
    overlaps = [iou(measured, mask) for mask in steps.earlier]
    worst = int(np.argmax(overlaps))
    if overlaps[worst] > variant.most_iou:
        raise ObjectsOverlap(
            f"The {name} overlaps object {worst + 1} by an IoU of {overlaps[worst]:.2f}, over "
            f"{variant.most_iou:g}: they are one object.",
            name,
            worst,
            overlaps[worst],
        )
    if not rest.any():
        overlaps = [iou(object_pixels, mask) for mask in steps.earlier]
        worst = int(np.argmax(overlaps))
        raise ObjectsOverlap(
            f"Nothing of the {name} is left outside of object {worst + 1}: the same object was "
            "found again.",
            name,
            worst,
            overlaps[worst],
        )
    removed = np.count_nonzero(object_pixels) - np.count_nonzero(rest)
    if removed:
        share = removed / np.count_nonzero(object_pixels)
        notes.append(f"{_percent(share)} of the {name} belongs to an earlier object: removed.")
    return rest


def without(
    object_pixels: np.ndarray, steps: MaskSteps, left_in: Collection[str], notes: list[str]
) -> tuple[tuple[Negative, ...], np.ndarray]:
    """The negative labels with what each took, and the object without them.

    ``object_pixels`` is the object, bool ``(H, W)`` and not empty; ``left_in`` are labels that a
    person left in. What is left is never empty.
    """
    area = int(np.count_nonzero(object_pixels))
    outcomes = [
        _negative(object_pixels, area, negative, steps.variant, left_in, notes)
        for negative in steps.negatives
    ]
    rest = object_pixels & ~union([outcome.pixels for outcome in outcomes], steps.shape)
    left_share = int(np.count_nonzero(rest)) / area
    if left_share == 1 or (left_share > 0 and left_share >= steps.variant.least_left_share):
        return tuple(outcomes), rest
    why = f"given back: only {_percent(left_share)} of the {steps.object_name} would be left"
    nothing = np.zeros(steps.shape, dtype=bool)
    given_back = tuple(
        Negative(outcome.label, outcome.detections, nothing, why)
        if outcome.pixels.any()
        else outcome
        for outcome in outcomes
    )
    notes.append(f"What negative labels took was {why}.")
    return given_back, object_pixels


def _negative(
    object_pixels: np.ndarray,
    area: int,
    negative_result: NegativeResult,
    variant: MaskVariant,
    left_in: Collection[str],
    notes: list[str],
) -> Negative:
    used = np.zeros(object_pixels.shape, dtype=bool)
    if negative_result.label in left_in:
        return Negative(negative_result.label, negative_result.detections, used, "left in by hand")
    if not negative_result.detections:
        reason = f"not found: no box above {variant.negative_threshold:g}"
        return Negative(negative_result.label, negative_result.detections, used, reason)
    covering = []
    for segment in negative_result.segments:
        part = union([segment.pixels], object_pixels.shape) & object_pixels
        share = int(np.count_nonzero(part)) / area
        if share > variant.most_covered_share:
            covering.append(share)
        else:
            used |= part
    reason = ""
    if covering:
        text = (
            f"covers {_percent(max(covering))} of the object, over "
            f"{_percent(variant.most_covered_share)}"
        )
        if used.any():
            notes.append(f"A segment of {negative_result.label!r} was left out: it {text}.")
        else:
            reason = f"{text}: taken for the object itself"
    elif not used.any():
        reason = "does not touch the object"
    return Negative(negative_result.label, negative_result.detections, used, reason)


def _checked(
    steps: MaskSteps, without_boxes: Collection[int], without_negatives: Collection[str]
) -> tuple[set[int], set[str]]:
    boxes, labels = set(without_boxes), set(without_negatives)
    strange = sorted(boxes - set(range(len(steps.detections))))
    if strange:
        raise BadInput(f"There is no box {strange[0]}: there are {len(steps.detections)}.")
    choices = {negative.label for negative in steps.negatives}
    if labels - choices:
        raise BadInput(f"{min(labels - choices)!r} is none of the negative labels.")
    return boxes, labels


def _parameters(
    steps: MaskSteps,
    negatives: Sequence[Negative],
    notes: Sequence[str],
    boxes: set[int],
    labels: set[str],
) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "object": steps.object_name,
        "variant": steps.variant.as_json(),
        **steps.models,
        "boxes": [
            {**_box(detection), "quality": round(float(segment.score), 4)}
            for detection, segment in zip(steps.detections, steps.segments, strict=True)
        ],
        "negatives": [
            {
                "label": negative.label,
                "boxes": [_box(box) for box in negative.detections],
                "taken_px": int(np.count_nonzero(negative.pixels)),
                "reason": negative.reason,
            }
            for negative in negatives
        ],
        "notes": list(notes),
    }
    if steps.earlier:
        parameters["earlier"] = [Mask(mask, "").content_sha256 for mask in steps.earlier]
    if boxes or labels:
        parameters["overrides"] = {
            "without_boxes": sorted(boxes),
            "without_negatives": sorted(labels),
        }
    return parameters


def _box(detection: Detection) -> dict[str, Any]:
    return {
        "label": detection.label,
        "box": [round(float(value), 2) for value in detection.box],
        "score": round(float(detection.score), 4),
    }


def _boxes(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
