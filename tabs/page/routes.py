"""HTTP routes beside Gradio: exact image files, uploads, and scripts.

Uploads do not go through Gradio's own file handling: it would hand over a path that the browser
names, and it has no limit that fits images.
"""

from __future__ import annotations

import io
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import anyio
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from core.errors import TrueHueError
from core.records import ImageRecord
from tabs.page.answers import uploaded
from tabs.page.context import ROOT, Context
from tabs.page.errors import message_of
from tabs.page.once import Once

DECODES_AT_ONCE = 2
# Over this, only one is decoded at a time: at 64 MP and 16 bit it takes 2.3 GB for half a minute.
LARGE_PX = 24_000_000
_LARGE = Lock()
THUMB_SIDES = (192, 384)
MAX_WORDS = 200
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def image_json(record: ImageRecord) -> dict[str, Any]:
    """What the page needs to know of a stored image."""
    return {
        "image_id": record.image_id, "name": record.name, "source": record.source,
        "width": record.width, "height": record.height, "notes": list(record.notes),
        "url": f"/media/images/{record.image_id}.png",
        "thumb": f"/media/thumbs/{record.image_id}.png",
        "created_at": record.created_at.isoformat() if record.created_at else None,
    }  # fmt: skip


def store_upload(context: Context, file: Path, name: str) -> ImageRecord:
    """Reads an uploaded file, converts it to sRGB and stores it; raises ImageError."""
    from core.images.load import load_image
    from core.images.mask import Mask

    with _LARGE if _pixels(file) > LARGE_PX else nullcontext():
        loaded = load_image(file, name=name)
    record = context.storage.images.add(loaded.srgb8, loaded.name, "upload", loaded.notes)
    if loaded.opaque is not None and loaded.opaque.any():
        # A cut-out brings its own mask; white paper around it is not the object.
        mask = Mask(loaded.opaque, "file", {"from": "transparency"})
        context.storage.masks.add(record.image_id, mask)
    return record


def routes(context: Context) -> APIRouter:
    """The router; handlers answer errors as ``{"error": text}`` with a 4xx status."""
    router = APIRouter()
    decoding = anyio.CapacityLimiter(DECODES_AT_ONCE)  # a large image takes a gigabyte for a moment
    thumbnail = Once(partial(_thumbnail, context), DECODES_AT_ONCE)

    @router.post("/api/images")
    async def upload(request: Request) -> JSONResponse:
        def store(file: Path, name: str) -> dict[str, Any]:
            return image_json(store_upload(context, file, name or "pasted image"))

        return await uploaded(request, context.limits.image_bytes, store, decoding)

    @router.get("/api/images")
    def recent(limit: int = 60, offset: int = 0, source: str = "", words: str = "") -> JSONResponse:
        limit, offset = min(max(limit, 1), 200), min(max(offset, 0), 2**31)
        images = context.storage.images
        records = images.recent(limit, offset, source or None, words[:MAX_WORDS])
        counts = images.counts(words[:MAX_WORDS])
        return JSONResponse(
            {
                "images": [image_json(record) for record in records],
                "total": counts.get(source, 0) if source else sum(counts.values()),
                "sources": counts, "stored": images.count(), "data": context.data_text(),
            }
        )  # fmt: skip

    @router.get("/media/images/{image_id}.png")
    def image(image_id: str) -> Response:
        try:
            path = context.storage.images.path(image_id)
        except TrueHueError as error:
            return JSONResponse({"error": str(error)}, 404)
        if not path.is_file():
            return JSONResponse({"error": f"The file of image {image_id} is gone."}, 404)
        return FileResponse(path, media_type="image/png", headers=_FOREVER)

    @router.get("/media/thumbs/{image_id}.png")
    async def thumb(image_id: str, side: int = THUMB_SIDES[0]) -> Response:
        side = side if side in THUMB_SIDES else THUMB_SIDES[0]
        try:
            made = await thumbnail.get(image_id, side, context.deletions)
            return Response(made, media_type="image/png", headers=_FOREVER)
        except TrueHueError as error:
            return JSONResponse({"error": message_of(error)}, 404)

    @router.get("/assets/plotly.min.js")
    def plotly() -> FileResponse:
        import plotly

        path = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
        return FileResponse(path, media_type="text/javascript", headers=_FOREVER)

    @router.get("/assets/favicon.svg")
    def favicon() -> FileResponse:
        return FileResponse(ROOT / "assets" / "favicon.svg", media_type="image/svg+xml")

    @router.get("/api/ready")
    def ready() -> dict[str, str]:
        return {"status": "ready", "data": context.data_text()}

    return router


def _pixels(file: Path) -> int:
    """How many pixels the file's header says; 0 for what is refused anyway."""
    from PIL import Image

    try:
        with Image.open(file) as opened:
            return opened.width * opened.height
    except Exception:  # load_image says what is wrong
        return 0


def _thumbnail(context: Context, image_id: str, side: int, _deletions: int) -> bytes:
    """PNG of the image, its longer side at most ``side`` pixels."""
    from PIL import Image

    picture = Image.fromarray(context.storage.images.srgb8(image_id))
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return out.getvalue()
