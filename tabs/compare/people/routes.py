"""HTTP routes of imported distributions and image sets: a report first, then storage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

import anyio
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse, Response

from truehue.core.concepts.reading import MAX_BYTES
from truehue.core.errors import BadInput, TrueHueError
from truehue.tabs.compare.people import imports as files
from truehue.tabs.compare.people import sets, uploads
from truehue.tabs.compare.people.examples import EXAMPLES
from truehue.tabs.compare.people.images import StagedImage, preview
from truehue.tabs.compare.people.messages import suggestions
from truehue.tabs.compare.people.sets import set_page, sets_view
from truehue.tabs.page.answers import attachment, json_answer, refusal
from truehue.tabs.page.asset_files import FOREVER
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.page.routes import DECODES_AT_ONCE
from truehue.tabs.page.single_flight import SingleFlightCache

CUTOUT_PX = 192
MAX_PAGE = 200


def compare_people_routes(context: Context) -> FeatureRouter:
    """The router of the sets of Compare."""
    router = FeatureRouter(context, "/api/compare/sets")
    for add in (_lists, _distributions, _image_routes, _examples):
        add(router)
    _single_set(router)  # last: its paths hold a name that could be any of the others
    return router


def _lists(router: FeatureRouter) -> None:
    context = router.context

    @router.get("")
    def listed(hidden: bool = False) -> JSONResponse:
        return json_answer(lambda: sets_view(context, hidden))

    @router.get("/words")
    def words(typed: str = "") -> JSONResponse:
        return json_answer(lambda: suggestions(typed))


def _distributions(router: FeatureRouter) -> None:
    router.post_file(
        "/distributions/{session}", files.UploadedDistributions, MAX_BYTES, files.stage
    )
    router.post_json("/distributions/{session}/read", files.ReadFile, files.look)
    router.post_json(
        "/distributions/{session}/store", files.StoreDistributionsRequest, files.store_distributions
    )
    router.post_json("/forget/{session}", files.UploadedDistributions, files.forget)


def _image_routes(router: FeatureRouter) -> None:
    context = router.context
    decoding = anyio.CapacityLimiter(DECODES_AT_ONCE)

    max_bytes = context.limits.image_bytes
    router.post_file("/pictures/{session}/{place}", uploads.ImageFile, max_bytes, uploads.stage)
    router.post_json("/pictures-plan/{session}", uploads.ImageFiles, uploads.look)
    router.post_json("/pictures-store/{session}", uploads.ImageFiles, uploads.start)

    @router.get("/pictures/{session}/{place}")
    async def shown(
        session: str, index: Annotated[int, PathParameter(alias="place")], mask: str = "stored"
    ) -> JSONResponse:
        def make() -> StagedImage:
            # Why a picture cannot be taken is what this is asked for, so it is an answer.
            try:
                return preview(context, session, index, mask, CUTOUT_PX)
            except TrueHueError as error:
                return {"refused": message_of(error)}

        try:
            return JSONResponse(await anyio.to_thread.run_sync(make, limiter=decoding))
        except Exception as error:
            return refusal(error)

    def cutout(_: Path, image_id: str, mask_id: str) -> bytes:
        from truehue.core.masks.display import cutout_png

        mask, image = context.storage.masks.get(mask_id), context.storage.images.get(image_id)
        if mask.image_id != image.image_id:
            raise BadInput("That mask belongs to another image.")
        pixels = context.storage.masks.pixels(mask_id)
        return cutout_png(context.storage.images.srgb8(image_id), pixels, 2 * CUTOUT_PX)

    cutouts = SingleFlightCache(cutout, DECODES_AT_ONCE)

    @router.get("/cutouts/{image_id}/{mask_id}.png")
    async def cut(image_id: str, mask_id: str) -> Response:
        try:
            made = await cutouts.get(context.storage.data_dir, image_id, mask_id)
            return Response(made, media_type="image/png", headers=FOREVER)
        except Exception as error:
            return refusal(error)


def _examples(router: FeatureRouter) -> None:
    @router.get("/examples/{file_name}")
    def example(file_name: str) -> Response:
        for item in EXAMPLES:
            if item.file_name == unquote(file_name):
                kind = "application/json" if file_name.endswith(".json") else "text/csv"
                headers = attachment(f"truehue-{item.file_name}")
                return Response(item.make(), media_type=kind, headers=headers)
        return JSONResponse({"error": "There is no example of that name."}, 404)


def _single_set(router: FeatureRouter) -> None:
    context = router.context

    @router.get("/{set_id}")
    def inside(
        set_id: str, typed: str = "", offset: int = 0, limit: int = sets.PAGE
    ) -> JSONResponse:
        start, maximum = min(max(offset, 0), 2**31), min(max(limit, 1), MAX_PAGE)
        return json_answer(lambda: set_page(context, set_id, typed, start, maximum))

    router.post_json("/{set_id}/name", sets.RenameSet, sets.rename)
    router.post_json("/{set_id}/hidden", sets.HideConceptSet, sets.hide)
