"""Imported images: read, converted to sRGB, and stored with the mask that they contain."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from threading import Lock
from typing import TypedDict

import numpy as np

from truehue.core.records import ImageRecord
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import UPLOAD, Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor

# Over this, only one is decoded at a time: at 64 MP and 16 bit it takes 2.3 GB for half a minute.
LARGE_PX = 24_000_000
_LARGE = Lock()

_TRANSPARENCY = {"from": "transparency"}
"""The parameters of the mask of a cut-out."""


class ImageJson(TypedDict):
    """A stored image; ``thumb`` is the address of its thumbnail."""

    image_id: str
    name: str
    source: str
    width: int
    height: int
    notes: list[str]
    url: str
    thumb: str
    created_at: str | None


class ImagesView(TypedDict):
    """A page of the stored images; ``sources`` are counts by source, ``data`` names the folder."""

    images: list[ImageJson]
    total: int
    sources: dict[str, int]
    stored: int
    data: str


@requires("add")
def take_image(
    context: Context, actor: Actor, request: EmptyRequest, file: Path, name: str
) -> ImageJson:
    """Stores an uploaded image file. Raises ImageError."""
    return image_json(store_upload(context, file, name or "pasted image", actor.id))


def image_json(record: ImageRecord) -> ImageJson:
    """What the page needs to know of a stored image."""
    return {
        "image_id": record.image_id,
        "name": record.name,
        "source": record.source,
        "width": record.width,
        "height": record.height,
        "notes": list(record.notes),
        "url": f"/media/images/{record.image_id}.png",
        "thumb": f"/media/thumbs/{record.image_id}.png",
        "created_at": record.created_at.isoformat() if record.created_at else None,
    }


def images_view(context: Context, limit: int, offset: int, source: str, words: str) -> ImagesView:
    """Stored images, newest first."""
    images = context.storage.images
    records = images.recent(limit, offset, source or None, words)
    counts = images.counts(words)
    return {
        "images": [image_json(record) for record in records],
        "total": counts.get(source, 0) if source else sum(counts.values()),
        "sources": counts,
        "stored": images.count(),
        "data": context.data_text(),
    }


def store_upload(context: Context, file: Path, name: str, maker: str) -> ImageRecord:
    """Reads a file that ``maker`` uploads, converts it to sRGB and stores it; raises ImageError."""
    from truehue.core.images.load import load_image
    from truehue.core.images.pixels import Mask

    pixels = _pixels(file)
    context.require_space(2 * pixels, images=1)
    with _LARGE if pixels > LARGE_PX else nullcontext():
        loaded = load_image(file, name=name)
    record = context.storage.images.add(
        loaded.srgb8, loaded.name, UPLOAD, loaded.notes, maker=maker
    )
    if loaded.opaque is not None and loaded.opaque.any():
        # A cut-out brings its own mask; white paper around it is not the object.
        mask = Mask(loaded.opaque, "file", _TRANSPARENCY)
        context.storage.masks.add(record.image_id, mask)
    return record


def opaque_pixels(context: Context, image_id: str) -> np.ndarray | None:
    """The opaque pixels of a stored cut-out, bool ``(H, W)``, by the mask that it brought; None for
    another image."""
    for mask in context.storage.masks.for_image(image_id):
        if mask.maker == "file" and mask.parameters == _TRANSPARENCY:
            return context.mask_pixels(mask.mask_id)
    return None


def _pixels(file: Path) -> int:
    """How many pixels the file's header says; 0 for what is refused anyway."""
    from PIL import Image

    try:
        with Image.open(file) as opened:
            return opened.width * opened.height
    except Exception:  # load_image says what is wrong
        return 0
