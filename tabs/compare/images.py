"""Single images in Compare: how each is measured, a mark put on it there, several pooled into one.

An image stands in a row of its own. Where it has no mask and no transparency the whole picture
counts, which its row says; a box around the thing is a press away.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from core.errors import BadInput
from core.images.mask import Mask
from core.masks.display import cutout_png
from core.masks.from_marks import mask_from_marks
from core.records import MaskRecord
from tabs.compare.people.words import concept_json, free_words, text_in
from tabs.compare.sources import IMAGE, WHOLE, parse, pictures
from tabs.inspect.state import Work, make_mask, mask_text
from tabs.page.context import Context
from tabs.page.errors import many

CUTOUT_PX = 360
MOST_POOLED = 6
_WHOLE_WORDS = "The whole picture counts, background and all."


def image_row(context: Context, text: str, words: str) -> dict[str, Any] | None:
    """The image of a source and the mask that it is measured by; None for what is no single image.

    Raises what :func:`tabs.compare.sources.pictures` does.
    """
    if parse(text).kind != IMAGE:
        return None
    one = pictures(context, text, words)[0]
    image = context.storage.images.get(one.image_id)
    mask = context.storage.masks.get(one.mask_id)
    return {
        "image_id": image.image_id, "mask_id": mask.mask_id, "whole": mask.maker == WHOLE,
        "width": image.width, "height": image.height, "name": image.name,
        "words": _WHOLE_WORDS if mask.maker == WHOLE else mask_text(mask, image),
        "url": f"/media/images/{image.image_id}.png",
        "small": f"/api/compare/sets/cutouts/{image.image_id}/{mask.mask_id}.png",
    }  # fmt: skip


def look_at_mark(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """What ``marks`` (see core.masks.marks) on ``image`` would count, as a picture and in words;
    stores nothing. Raises BadInput, MaskError, NoPixels and NotStored."""
    image_id, marks = _marked(context, given)
    srgb8 = context.srgb8(image_id)
    mask = mask_from_marks(srgb8, marks)
    image = context.storage.images.get(image_id)
    png = cutout_png(srgb8, mask.pixels, CUTOUT_PX)
    return {
        "words": mask_text(_as_record(image_id, mask), image),
        "note": str(mask.parameters.get("note") or ""),
        "url": "data:image/png;base64," + base64.b64encode(png).decode("ascii"),
    }


def keep_mark(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Stores the mask of such marks; ``source`` is the image measured by it. Errors as
    :func:`look_at_mark`."""
    image_id, marks = _marked(context, given)
    record = make_mask(context, Work(image_id, tuple(marks), 0))
    assert record is not None  # there are marks
    source = parse(f"{IMAGE}:{image_id}/{record.mask_id}").text
    return {"source": source, "mask_id": record.mask_id}


def pool(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Stores the images of ``sources`` as one set of pictures of ``words``, each by the mask that
    its row is measured by. Raises BadInput and NotStored."""
    words = free_words(given.get("words"))
    listed = given.get("sources")
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise BadInput("The page sent no list of images. Reload the page.")
    if not 2 <= len(listed) <= MOST_POOLED:
        raise BadInput(f"Two to {MOST_POOLED} images are pooled here; these are {len(listed)}.")
    members: dict[str, str] = {}
    for text in listed:
        if parse(text).kind != IMAGE:
            raise BadInput(f"{text[:60]!r} is no single image: only images are pooled.")
        one = pictures(context, text, words)[0]
        members[one.image_id] = one.mask_id
    if len(members) < 2:
        raise BadInput("These rows are the same image: there is nothing to pool.")
    name = text_in(given, "name", "A name")[:120] or f"{words}, {many(len(members), 'picture')}"
    set_id = context.storage.picture_sets.add(
        name, words, [(image_id, mask_id, "") for image_id, mask_id in members.items()],
        bool(given.get("of_people")),
    )  # fmt: skip
    return {
        **concept_json(words),
        "set_id": set_id,
        "source": f"pictures:{set_id}",
        "name": name,
    }


def _marked(context: Context, given: Mapping[str, Any]) -> tuple[str, list[Any]]:
    image_id, marks = given.get("image"), given.get("marks")
    if not isinstance(image_id, str) or not isinstance(marks, list) or not marks:
        raise BadInput("The page sent something that is no image with marks. Reload the page.")
    return context.storage.images.get(image_id).image_id, marks


def _as_record(image_id: str, mask: Mask) -> MaskRecord:
    """A mask that is not stored, as what speaks of masks takes it."""
    return MaskRecord(
        mask_id="", image_id=image_id, maker=mask.maker, parameters=mask.parameters,
        content_sha256=mask.content_sha256, area_px=mask.area_px,
    )  # fmt: skip
