"""What the Inspect tab works on: image and marks as the browser sends them, and the masks made
from them. No Gradio here: tests call these functions directly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import BadInput, NotStored
from core.images.mask import Mask
from core.masks.describe import describe
from core.masks.from_marks import mask_from_marks
from core.masks.registry import EXACT_MAKERS
from core.records import ImageRecord, MaskRecord
from tabs.inspect.automatic import automatic_of
from tabs.inspect.mask_request import point_segmenter
from tabs.page.context import Context


@dataclass(frozen=True)
class Work:
    """The image on the stage, its marks, and the number of that state of the marks."""

    image_id: str
    marks: tuple[Mapping[str, Any], ...]
    seq: int


def read_stage(value: Any) -> Work | None:
    """The stage's value, which the browser sends; None when no image is open.

    Raises BadInput when it is not what the stage makes.
    """
    if not value or not isinstance(value, Mapping) or not value.get("image_id"):
        return None
    image_id, marks, seq = value.get("image_id"), value.get("marks") or [], value.get("seq") or 0
    if not isinstance(image_id, str) or not isinstance(marks, list) or not isinstance(seq, int):
        raise BadInput("The page sent something that is no image with marks. Reload the page.")
    return Work(image_id, tuple(marks), seq)


def exact_mask(context: Context, image_id: str, object_name: str = "") -> MaskRecord | None:
    """The mask that came with the image (renderer, transparency), if one did.

    Where masks belong to objects by name, it is that of ``object_name``, and None for an object
    that has none: it is not in the picture. Without a name it is that of the first object.
    """
    exact = [
        record for record in context.storage.masks.for_image(image_id)
        if record.maker in EXACT_MAKERS
    ]  # fmt: skip
    if object_name and any("object" in one.parameters for one in exact):
        exact = [one for one in exact if one.parameters.get("object") in (object_name, None)]
    return min(exact, key=lambda one: one.parameters.get("target", 0), default=None)


def make_mask(context: Context, work: Work) -> MaskRecord | None:
    """Makes and stores the mask of the marks; None when nothing is marked yet.

    Raises MaskError or NoPixels, and NotStored for an image or a mask that is not there.
    """
    if not work.marks:
        return None
    base, record = _base(context, work)
    if record is not None and _is_stored(work.marks[-1]):
        return record  # nothing was drawn on it: it is that very mask, not a new one

    def make() -> MaskRecord:
        srgb8 = context.srgb8(work.image_id)
        automatic = automatic_of(context, context.storage.images.get(work.image_id), work.marks)
        start = automatic.mask if automatic is not None else base
        cut = point_segmenter(context, work.image_id)
        mask = mask_from_marks(srgb8, list(work.marks), start, cut)
        if automatic is not None:
            # Who found it, what, and what was overridden is said of the mask that came of it too.
            mask = Mask(mask.pixels, mask.maker, {**automatic.mask.parameters, **mask.parameters})
        return context.storage.masks.add(work.image_id, mask)

    return context.mask_of(_name_of(work.image_id, work.marks), make)


def remember(context: Context, record: MaskRecord, marks: Sequence[Mapping[str, Any]]) -> None:
    """Has :func:`make_mask` answer ``marks`` with the stored mask that they once made: opening it
    again asks no model."""
    context.mask_of(_name_of(record.image_id, marks), lambda: record)


def _name_of(image_id: str, marks: Sequence[Any]) -> str:
    return json.dumps([image_id, list(marks)], default=repr)


def _is_stored(mark: Any) -> bool:
    return isinstance(mark, Mapping) and mark.get("type") == "stored"


def _base(context: Context, work: Work) -> tuple[Mask, MaskRecord] | tuple[None, None]:
    """The stored mask that the marks start from, if one of them names it, and its record."""
    for mark in reversed(work.marks):
        if _is_stored(mark):
            record = context.storage.masks.get(str(mark.get("mask_id", "")))
            if record.image_id != work.image_id:
                raise NotStored("That mask belongs to another image. Mark the object again.")
            pixels = context.mask_pixels(record.mask_id)
            return Mask(pixels, record.maker, record.parameters), record
    return None, None


def marks_of(record: MaskRecord) -> list[dict[str, Any]]:
    """The marks that make a stored mask again."""
    marks = record.parameters.get("marks")
    if isinstance(marks, list) and marks and record.maker not in EXACT_MAKERS:
        return [dict(mark) for mark in marks]
    return [{"type": "stored", "mask_id": record.mask_id}]


def mask_text(record: MaskRecord, image: ImageRecord) -> str:
    """How the mask came about and how large it is: ``GrabCut · box, 2 strokes · 40.5%``."""
    share = 100.0 * record.area_px / (image.width * image.height)
    made = describe(record.maker, record.parameters)
    return f"{made} · {record.area_px:,} px · {share:.1f}%"


def origin_target(image: ImageRecord) -> tuple[str, str]:
    """Object name and asked color of an image that was drawn here; empty for others."""
    origin = json.loads(json.dumps(dict(image.origin)))
    return str(origin.get("object_name") or ""), str(origin.get("target") or "")
