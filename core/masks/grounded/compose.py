"""A mask from boxes and segments: pure steps, repeated when a person overrides one.

A mask is also plain JSON with all its steps, so that it opens again without models. Its parameters
hold the segments as zlib over one bit per pixel, in base64: exact, a few kilobytes each, never more
than a sixth of a byte per pixel, so that one row of the store has all steps. Separate masks for
segments would add rows that belong to no object.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, MaskError, ObjectNotFound, ObjectsOverlap
from truehue.core.images.pixels import Mask
from truehue.core.masks.grounded.records import Detection, Grounded, Negative, Presence, Segment
from truehue.core.masks.grounded.variants import MaskVariant
from truehue.core.masks.grounded.weights import COCO

MAKER = "grounded_sam"


@dataclass(frozen=True)
class NegativeResult:
    """The models' findings for one negative label: boxes and their segments, in one order."""

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
    object_pixels = subtract_earlier_objects(object_pixels, steps, notes)
    negatives, pixels = subtract_negatives(object_pixels, steps, labels, notes)
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
    """Intersection over union of two masks, bool ``(H, W)``, 0 to 1; 0 where both are empty."""
    together = int(np.count_nonzero(first | second))
    return int(np.count_nonzero(first & second)) / together if together else 0.0


def subtract_earlier_objects(
    object_pixels: np.ndarray, steps: MaskSteps, notes: list[str]
) -> np.ndarray:
    """The object, bool ``(H, W)``, without the pixels of earlier ones; says in ``notes`` what was
    removed.

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


def subtract_negatives(
    object_pixels: np.ndarray, steps: MaskSteps, left_in: Collection[str], notes: list[str]
) -> tuple[tuple[Negative, ...], np.ndarray]:
    """The negative labels with what each took, and the object without them.

    ``object_pixels`` is the object, bool ``(H, W)`` and not empty; ``left_in`` are labels that a
    person left in. What is left is never empty.
    """
    area = int(np.count_nonzero(object_pixels))
    outcomes = [
        _negative(object_pixels, area, negative, steps, left_in, notes)
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
    steps: MaskSteps,
    left_in: Collection[str],
    notes: list[str],
) -> Negative:
    variant = steps.variant
    used = np.zeros(object_pixels.shape, dtype=bool)
    if negative_result.label in left_in:
        return Negative(negative_result.label, negative_result.detections, used, "left in by hand")
    if not negative_result.detections:
        reason = f"not found: no box above {variant.negative_threshold:g}"
        if steps.models.get("detector", {}).get("id") == COCO:
            from truehue.core.masks.grounded.coco import class_of  # brings OpenCV

            if class_of(negative_result.label) is None:
                reason = "not looked for: COCO SSD does not know this name"
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


_MODELS = ("detector", "segmenter")


def packed(pixels: np.ndarray) -> str:
    """bool ``(H, W)`` as text; :func:`unpacked` gives it back."""
    return base64.b64encode(zlib.compress(np.packbits(pixels).tobytes(), 6)).decode("ascii")


def unpacked(text: str, shape: tuple[int, int]) -> np.ndarray:
    """bool ``(H, W)`` of what :func:`packed` wrote; raises MaskError for anything else."""
    count = shape[0] * shape[1]
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(base64.b64decode(text, validate=True), (count + 7) // 8 + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise MaskError(f"A part of this mask cannot be read: {error}.") from error
    if len(data) != (count + 7) // 8:
        raise MaskError("A part of this mask has another size than the image.")
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=count)
    return bits.astype(bool).reshape(shape)


def with_steps(grounded: Grounded, presence: Iterable[Presence] = ()) -> Mask:
    """The mask with all its steps and the answers to presence in its parameters."""
    steps = grounded.details["steps"]
    assert isinstance(steps, MaskSteps)
    parts: dict[str, Any] = {
        "shape": list(steps.shape),
        "segments": [packed(segment.pixels) for segment in steps.segments],
        "negatives": [
            [packed(segment.pixels) for segment in negative.segments]
            for negative in steps.negatives
        ],
        "qualities": [
            [round(float(segment.score), 4) for segment in negative.segments]
            for negative in steps.negatives
        ],
    }
    if steps.earlier:
        parts["earlier"] = [packed(mask) for mask in steps.earlier]
    answers = [
        {
            "object": record.object_name,
            "answer": record.answer,
            "question": record.question,
            "text": record.text,
            "by": record.by,
            "yes_percent": None if record.yes_percent is None else round(record.yes_percent, 2),
        }
        for record in presence
    ]
    more = {"parts": parts, **({"presence": answers} if answers else {})}
    return Mask(grounded.mask.pixels, grounded.mask.maker, {**grounded.mask.parameters, **more})


def is_automatic(maker: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a stored mask holds the steps of an automatic one."""
    return maker == MAKER and isinstance(parameters.get("parts"), Mapping)


def steps_of(parameters: Mapping[str, Any]) -> MaskSteps:
    """The steps that :func:`with_steps` wrote; raises MaskError for what it did not."""
    try:
        parts = parameters["parts"]
        height, width = (int(side) for side in parts["shape"])
        shape = (height, width)
        boxes = tuple(_detection(box) for box in parameters["boxes"])
        segments = tuple(
            Segment(unpacked(text, shape), float(box["quality"]))
            for box, text in zip(parameters["boxes"], parts["segments"], strict=True)
        )
        negatives = tuple(
            NegativeResult(
                str(negative["label"]),
                tuple(_detection(box) for box in negative["boxes"]),
                tuple(
                    Segment(unpacked(text, shape), float(quality))
                    for text, quality in zip(texts, qualities, strict=True)
                ),
            )
            for negative, texts, qualities in zip(
                parameters["negatives"], parts["negatives"], parts["qualities"], strict=True
            )
        )
        return MaskSteps(
            str(parameters["object"]),
            MaskVariant(**parameters["variant"]),
            shape,
            boxes,
            segments,
            negatives,
            tuple(unpacked(text, shape) for text in parts.get("earlier", ())),
            {name: parameters[name] for name in _MODELS if name in parameters},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MaskError(
            "The steps of this automatic mask cannot be read: find the object again."
        ) from error


def _detection(data: Mapping[str, Any]) -> Detection:
    x0, y0, x1, y1 = (float(value) for value in data["box"])
    return Detection(str(data["label"]), (x0, y0, x1, y1), float(data["score"]))
