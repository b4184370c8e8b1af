"""Single images in Compare: the measurement of each, its selection, and pooling of several.

Each image has its own row. Without a mask what stands out counts, and where nothing does the whole
image; its row says so, and one click starts a box around the object.
"""

from __future__ import annotations

import base64
from typing import Any, TypedDict

from pydantic import Field

from truehue.core.errors import BadInput
from truehue.core.images.pixels import Mask
from truehue.core.masks.display import cutout_png
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.masks.registry import mask_text
from truehue.core.masks.salient import is_available
from truehue.core.masks.selection import WHOLE
from truehue.core.records import MaskRecord
from truehue.tabs.compare.people.messages import ConceptWords, concept_json, normalize_concept
from truehue.tabs.compare.people.sets import MAX_NAME
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.distributions import IMAGE, image_profiles, parse

CUTOUT_PX = 360
MAX_POOLED = 6
_WHOLE_WORDS = "Background included."


class ImageRow(TypedDict):
    """A single image and its mask; ``whole`` where the background counts too, ``salient`` where the
    network of salient objects is on this machine."""

    image_id: str
    mask_id: str
    whole: bool
    salient: bool
    width: int
    height: int
    name: str
    words: str
    url: str
    small: str


class MarkPreview(TypedDict):
    """The pixels that a selection would count, as an image and in words."""

    words: str
    note: str
    url: str


class SavedMark(TypedDict):
    """The stored mask; ``source`` is the image measured by it."""

    source: str
    mask_id: str


class PooledImages(ConceptWords):
    """The set that images became."""

    set_id: str
    source: str
    name: str


def image_row(context: Context, source_id: str, concept: str) -> ImageRow | None:
    """The image of a source and the mask that it is measured by; None for what is no single image.

    Raises what :func:`truehue.tabs.sources.distributions.image_profiles` does.
    """
    if parse(source_id).kind != IMAGE:
        return None
    profile = image_profiles(context, source_id, concept)[0]
    image = context.storage.images.get(profile.image_id)
    mask = context.storage.masks.get(profile.mask_id)
    return {
        "image_id": image.image_id,
        "mask_id": mask.mask_id,
        "whole": mask.maker == WHOLE,
        "salient": is_available(context.sources),
        "width": image.width,
        "height": image.height,
        "name": image.name,
        "words": _WHOLE_WORDS if mask.maker == WHOLE else mask_text(mask, image),
        "url": f"/media/images/{image.image_id}.png",
        "small": f"/api/compare/sets/cutouts/{image.image_id}/{mask.mask_id}.png",
    }


class Mark(PageRequest):
    """Marks (see truehue.core.masks.marks) on an image."""

    image: str = Field(title="The image")
    marks: tuple[Any, ...] = Field(min_length=1, title="The list of selections")


class Pool(PageRequest):
    """Images that become one set of images of a concept, each by the mask that its row is
    measured by."""

    sources: tuple[str, ...] = Field(
        min_length=2, max_length=MAX_POOLED, title="The list of images to pool"
    )
    words: str = ""
    name: str = Field("", max_length=MAX_NAME, title="The name")
    of_people: bool = False


@requires("look")
def review_mark(context: Context, actor: Actor, request: Mark) -> MarkPreview:
    """The pixels that selections on an image would count, as an image and as text; stores nothing.
    Raises BadInput, MaskError, NoPixels and NotStored."""
    image = context.storage.images.get(request.image)
    srgb8 = context.srgb8(image.image_id)
    mask = mask_from_marks(srgb8, list(request.marks), sources=context.sources)
    png = cutout_png(srgb8, mask.pixels, CUTOUT_PX)
    return {
        "words": mask_text(_as_record(image.image_id, mask), image),
        "note": str(mask.parameters.get("note") or ""),
        "url": "data:image/png;base64," + base64.b64encode(png).decode("ascii"),
    }


@requires("add")
def save_mark(context: Context, actor: Actor, request: Mark) -> SavedMark:
    """Stores the mask of such selections; ``source`` is the image measured by it. Errors as
    :func:`review_mark`."""
    image = context.storage.images.get(request.image)
    srgb8 = context.srgb8(image.image_id)
    mask = mask_from_marks(srgb8, list(request.marks), sources=context.sources)
    record = context.storage.masks.add(image, mask)
    context.save_mask_pixels(record.mask_id, mask.pixels)
    context.storage.masks.select(image.image_id, record.mask_id)
    source = parse(f"{IMAGE}:{image.image_id}/{record.mask_id}").text
    return {"source": source, "mask_id": record.mask_id}


@requires("add")
def pool(context: Context, actor: Actor, request: Pool) -> PooledImages:
    """Stores images as one set of images. Raises BadInput and NotStored."""
    concept = normalize_concept(request.words)
    members: dict[str, str] = {}
    for source_id in request.sources:
        if parse(source_id).kind != IMAGE:
            raise BadInput(f"{source_id[:60]!r} is not a single image: only images can be pooled.")
        profile = image_profiles(context, source_id, concept)[0]
        members[profile.image_id] = profile.mask_id
    if len(members) < 2:
        raise BadInput("These rows show the same image. Pool different images.")
    name = request.name or f"{concept}, {count_noun(len(members), 'image')}"
    set_id = context.storage.picture_sets.add(
        name,
        concept,
        [(image_id, mask_id, "") for image_id, mask_id in members.items()],
        request.of_people,
        actor.id,
    )
    return {
        **concept_json(concept),
        "set_id": set_id,
        "source": f"pictures:{set_id}",
        "name": name,
    }


def _as_record(image_id: str, mask: Mask) -> MaskRecord:
    """A mask that is not stored, as what speaks of masks takes it."""
    return MaskRecord(
        mask_id="",
        image_id=image_id,
        maker=mask.maker,
        parameters=mask.parameters,
        content_sha256=mask.content_sha256,
        area_px=mask.area_px,
    )
