"""From boxes and segments to a mask: pure steps, and the same again when a person overrides one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.errors import BadInput, ObjectNotFound, ObjectsOverlap
from core.images.mask import Mask
from core.masks.grounded.records import Detection, Grounded, Negative, Segment
from core.masks.grounded.variants import MaskVariant

MAKER = "grounded_sam"


@dataclass(frozen=True)
class NegativeFound:
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
    negatives: tuple[NegativeFound, ...] = ()
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
    kept = [one for n, one in enumerate(steps.segments) if n not in boxes]
    if not kept:
        raise ObjectNotFound(
            f"All boxes of {name} were left out by hand. Keep one, or draw a box.", name, "override"
        )
    found = union([one.pixels for one in kept], steps.shape)
    if not found.any():
        raise ObjectNotFound(
            f"The segmenter found no pixel of {name} in {_boxes(len(kept))}. Draw a box or strokes "
            "by hand.",
            name,
            "segmenter",
        )
    found = apart(found, steps, notes)
    negatives, pixels = without(found, steps, labels, notes)
    mask = Mask(pixels, MAKER, _parameters(steps, negatives, notes, boxes, labels))
    return Grounded(
        mask, steps.detections, steps.segments, found, negatives, tuple(notes), {"steps": steps}
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
    out = np.zeros(shape, dtype=bool)
    for one in masks:
        if one.dtype != bool or one.shape != shape:
            raise BadInput(f"A segment is {one.dtype} {one.shape}, not bool {shape}.")
        out |= one
    return out


def iou(first: np.ndarray, second: np.ndarray) -> float:
    """Intersection over union of two bool masks, 0 to 1; 0 where both are empty."""
    together = int(np.count_nonzero(first | second))
    return int(np.count_nonzero(first & second)) / together if together else 0.0


def apart(found: np.ndarray, steps: MaskSteps, notes: list[str]) -> np.ndarray:
    """The object without the pixels of earlier ones; says in ``notes`` what was removed.

    Raises ObjectsOverlap above the variant's ``most_iou``, or where nothing is left.
    """
    if not steps.earlier:
        return found
    variant, name = steps.variant, steps.object_name
    rest = found & ~union(steps.earlier, steps.shape)
    measured = found if variant.iou_measured == "before" else rest
    overlaps = [iou(measured, one) for one in steps.earlier]
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
        overlaps = [iou(found, one) for one in steps.earlier]
        worst = int(np.argmax(overlaps))
        raise ObjectsOverlap(
            f"Nothing of the {name} is left outside of object {worst + 1}: the same object was "
            "found again.",
            name,
            worst,
            overlaps[worst],
        )
    removed = np.count_nonzero(found) - np.count_nonzero(rest)
    if removed:
        share = removed / np.count_nonzero(found)
        notes.append(f"{_percent(share)} of the {name} belongs to an earlier object: removed.")
    return rest


def without(
    found: np.ndarray, steps: MaskSteps, left_in: Collection[str], notes: list[str]
) -> tuple[tuple[Negative, ...], np.ndarray]:
    """The negative labels with what each took, and the object without them.

    ``found`` is the object, bool ``(H, W)`` and not empty; ``left_in`` are labels that a person
    left in. What is left is never empty.
    """
    area = int(np.count_nonzero(found))
    out = [
        _negative(found, area, negative, steps.variant, left_in, notes)
        for negative in steps.negatives
    ]
    rest = found & ~union([one.pixels for one in out], steps.shape)
    left = int(np.count_nonzero(rest)) / area
    if left == 1 or (left > 0 and left >= steps.variant.least_left_share):
        return tuple(out), rest
    why = f"given back: only {_percent(left)} of the {steps.object_name} would be left"
    nothing = np.zeros(steps.shape, dtype=bool)
    given_back = tuple(
        Negative(one.label, one.detections, nothing, why) if one.pixels.any() else one
        for one in out
    )
    notes.append(f"What negative labels took was {why}.")
    return given_back, found


def _negative(
    found: np.ndarray,
    area: int,
    of: NegativeFound,
    variant: MaskVariant,
    left_in: Collection[str],
    notes: list[str],
) -> Negative:
    taken = np.zeros(found.shape, dtype=bool)
    if of.label in left_in:
        return Negative(of.label, of.detections, taken, "left in by hand")
    if not of.detections:
        reason = f"not found: no box above {variant.negative_threshold:g}"
        return Negative(of.label, of.detections, taken, reason)
    covering = []
    for segment in of.segments:
        part = union([segment.pixels], found.shape) & found
        share = int(np.count_nonzero(part)) / area
        if share > variant.most_covered_share:
            covering.append(share)
        else:
            taken |= part
    reason = ""
    if covering:
        words = (
            f"covers {_percent(max(covering))} of the object, over "
            f"{_percent(variant.most_covered_share)}"
        )
        if taken.any():
            notes.append(f"A segment of {of.label!r} was left out: it {words}.")
        else:
            reason = f"{words}: taken for the object itself"
    elif not taken.any():
        reason = "does not touch the object"
    return Negative(of.label, of.detections, taken, reason)


def _checked(
    steps: MaskSteps, without_boxes: Collection[int], without_negatives: Collection[str]
) -> tuple[set[int], set[str]]:
    boxes, labels = set(without_boxes), set(without_negatives)
    strange = sorted(boxes - set(range(len(steps.detections))))
    if strange:
        raise BadInput(f"There is no box {strange[0]}: there are {len(steps.detections)}.")
    known = {negative.label for negative in steps.negatives}
    if labels - known:
        raise BadInput(f"{min(labels - known)!r} is none of the negative labels.")
    return boxes, labels


def _parameters(
    steps: MaskSteps,
    negatives: Sequence[Negative],
    notes: Sequence[str],
    boxes: set[int],
    labels: set[str],
) -> dict[str, Any]:
    out: dict[str, Any] = {
        "object": steps.object_name,
        "variant": steps.variant.as_json(),
        **steps.models,
        "boxes": [
            {**_box(one), "quality": round(float(segment.score), 4)}
            for one, segment in zip(steps.detections, steps.segments, strict=True)
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
        out["earlier"] = [Mask(one, "").content_sha256 for one in steps.earlier]
    if boxes or labels:
        out["overrides"] = {"without_boxes": sorted(boxes), "without_negatives": sorted(labels)}
    return out


def _box(found: Detection) -> dict[str, Any]:
    return {
        "label": found.label,
        "box": [round(float(value), 2) for value in found.box],
        "score": round(float(found.score), 4),
    }


def _boxes(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
