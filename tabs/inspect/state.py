"""The state of the Inspect tab: the browser's image and selection, and the masks made from them.

It does not use Gradio: tests call these functions directly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from truehue.core.images.pixels import Mask
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.masks.marks import Mark, parse_marks
from truehue.core.masks.registry import EXACT_MAKERS
from truehue.core.records import ImageRecord, MaskRecord
from truehue.tabs.inspect.mask_request import point_segmenter
from truehue.tabs.inspect.work import Work
from truehue.tabs.page.context import Context


def exact_mask(context: Context, image_id: str, object_name: str = "") -> MaskRecord | None:
    """The mask that came with the image (renderer, transparency), if one did.

    Where masks belong to objects by name, it is that of ``object_name``, and None for an object
    that has none: it is not in the picture. Without a name it is that of the first object.
    """
    exact = [
        record
        for record in context.storage.masks.for_image(image_id)
        if record.maker in EXACT_MAKERS
    ]
    if object_name and any("object" in record.parameters for record in exact):
        exact = [
            record for record in exact if record.parameters.get("object") in (object_name, None)
        ]
    return min(exact, key=lambda record: record.parameters.get("target", 0), default=None)


def make_mask(context: Context, work: Work) -> MaskRecord | None:
    """Makes and stores the mask of the marks; None when nothing is marked yet.

    Raises MaskError or NoPixels, and NotStored for an image or a mask that is not there.
    """
    if not work.marks:
        return None
    if work.untouched is not None:
        return work.untouched  # nothing was drawn on it: it is that very mask, not a new one

    def make() -> MaskRecord:
        image_id, automatic = work.image.image_id, work.automatic
        start = automatic.mask if automatic is not None else _base(context, work)
        cut = point_segmenter(context, image_id)
        mask = mask_from_marks(context.srgb8(image_id), work.marks, start, cut, context.sources)
        if automatic is not None:
            # Who found it, what, and what was overridden is said of the mask that came of it too.
            mask = Mask(mask.pixels, mask.maker, {**automatic.mask.parameters, **mask.parameters})
        record = context.storage.masks.add(work.image, mask)
        context.save_mask_pixels(record.mask_id, mask.pixels)
        return record

    return context.mask_of(_name_of(work.image, work.marks), make)


def remember(
    context: Context, image: ImageRecord, record: MaskRecord, marks: Sequence[Mapping[str, Any]]
) -> None:
    """Has :func:`make_mask` answer ``marks`` with the stored mask that they once made: opening it
    again asks no model. Raises MaskError for marks that cannot be read."""
    parsed = parse_marks(marks, image.width, image.height)
    context.mask_of(_name_of(image, parsed), lambda: record)


def _name_of(image: ImageRecord, marks: Sequence[Mark]) -> str:
    return json.dumps([image.image_id, [mark.as_json() for mark in marks]])


def _base(context: Context, work: Work) -> Mask | None:
    """The stored mask that the marks start from, if one of them names it."""
    if work.base is None:
        return None
    pixels = context.mask_pixels(work.base.mask_id)
    return Mask(pixels, work.base.maker, work.base.parameters)


def marks_of(record: MaskRecord) -> list[dict[str, Any]]:
    """The marks that make a stored mask again."""
    marks = record.parameters.get("marks")
    if isinstance(marks, list) and marks and record.maker not in EXACT_MAKERS:
        return [dict(mark) for mark in marks]
    return [{"type": "stored", "mask_id": record.mask_id}]


def origin_target(image: ImageRecord) -> tuple[str, str]:
    """Object name and asked color of an image that was drawn here; empty for others."""
    origin = json.loads(json.dumps(dict(image.origin)))
    return str(origin.get("object_name") or ""), str(origin.get("target") or "")
