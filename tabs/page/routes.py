"""HTTP routes beside Gradio: exact image files, uploads, and scripts.

Uploads do not use Gradio's own file handling: it would accept a path that the browser names, and it
has no suitable limit for images.
"""

from __future__ import annotations

import io
from pathlib import Path

import anyio
from fastapi.responses import FileResponse, JSONResponse, Response

from truehue.core.runs.records import NOT_KEPT
from truehue.storage.concept_images.images import NO_PIXELS
from truehue.tabs.page.answers import json_answer, refusal
from truehue.tabs.page.asset_files import FOREVER
from truehue.tabs.page.color_vision import SimulateVision, vision_simulation
from truehue.tabs.page.context import ROOT, Context
from truehue.tabs.page.images import images_view, take_image
from truehue.tabs.page.notices import Notice, read_notice
from truehue.tabs.page.page_view import page_view
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.page.single_flight import SingleFlightCache

DECODES_AT_ONCE = 2
THUMB_SIDES = (192, 384)
MAX_WORDS = 200


def routes(context: Context) -> FeatureRouter:
    """The router of images and of the page's files."""
    router = FeatureRouter(context)
    decoding = anyio.CapacityLimiter(DECODES_AT_ONCE)  # a large image takes a gigabyte for a moment
    # What is kept is kept for the data folder that it is of.
    thumbnail = SingleFlightCache(lambda _, *which: _thumbnail(context, *which), DECODES_AT_ONCE)

    router.post_file("/api/images", EmptyRequest, context.limits.image_bytes, take_image, decoding)

    router.get_json("/api/color-vision", SimulateVision, vision_simulation)

    @router.get("/api/images")
    def recent(limit: int = 60, offset: int = 0, source: str = "", words: str = "") -> JSONResponse:
        limit, offset = min(max(limit, 1), 200), min(max(offset, 0), 2**31)
        return json_answer(lambda: images_view(context, limit, offset, source, words[:MAX_WORDS]))

    @router.get("/media/images/{image_id}.png")
    def image(image_id: str) -> Response:
        try:
            record = context.storage.images.get(image_id)
            path = context.storage.images.file(record.image_id)
        except Exception as error:
            return refusal(error)
        if not path.is_file() and record.source == NOT_KEPT:
            return JSONResponse({"error": NO_PIXELS}, 404)
        if not path.is_file():
            return JSONResponse({"error": f"The file of image {image_id} is gone."}, 404)
        return FileResponse(path, media_type="image/png", headers=FOREVER)

    @router.get("/media/masks/{mask_id}.png")
    def mask(mask_id: str) -> Response:
        """A stored mask as a PNG of one bit a pixel, white inside, as ``--mask`` takes it."""
        try:
            content = context.storage.masks.file(context.storage.masks.get(mask_id))
        except Exception as error:
            return refusal(error)
        if not content.is_file():
            return JSONResponse({"error": f"The file of mask {mask_id} is gone."}, 404)
        return FileResponse(content, media_type="image/png", headers=FOREVER)

    @router.get("/media/thumbs/{image_id}.png")
    async def thumb(image_id: str, side: int = THUMB_SIDES[0]) -> Response:
        side = side if side in THUMB_SIDES else THUMB_SIDES[0]
        try:
            made = await thumbnail.get(context.storage.data_dir, image_id, side, context.deletions)
            return Response(made, media_type="image/png", headers=FOREVER)
        except Exception as error:
            return refusal(error)

    @router.get("/assets/plotly.min.js")
    def plotly() -> FileResponse:
        import plotly

        path = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
        return FileResponse(path, media_type="text/javascript", headers=FOREVER)

    @router.get("/assets/favicon.svg")
    def favicon() -> FileResponse:
        return FileResponse(ROOT / "assets" / "favicon.svg", media_type="image/svg+xml")

    @router.get("/api/ready")
    def ready() -> dict[str, str]:
        return {"status": "ready", "data": context.data_text()}

    return router


def _thumbnail(context: Context, image_id: str, side: int, _deletions: int) -> bytes:
    """PNG of the image, its longer side at most ``side`` pixels."""
    from PIL import Image

    stored = Image.fromarray(context.storage.images.srgb8(image_id))
    stored.thumbnail((side, side), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    stored.save(out, format="PNG")
    return out.getvalue()


def page_routes(context: Context) -> FeatureRouter:
    """The router of what the page shows around the tabs."""
    router = FeatureRouter(context, "/api")
    router.get_json("/page", EmptyRequest, page_view)
    router.post_json("/notices/read", Notice, read_notice)
    return router
