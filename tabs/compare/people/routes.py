"""HTTP routes of imported distributions and sets of pictures: a report first, then storage."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import anyio
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from core.errors import BadInput, TrueHueError
from tabs.compare.people import imports as files
from tabs.compare.people import sets
from tabs.compare.people.examples import EXAMPLES
from tabs.compare.people.images import CONTRIBUTORS, MASKS, preview
from tabs.compare.people.taking import look, take
from tabs.compare.people.words import suggestions
from tabs.page.answers import guarded, posted, refusal, uploaded
from tabs.page.context import Context
from tabs.page.once import Once
from tabs.page.routes import DECODES_AT_ONCE

CUTOUT_PX = 192
MOST_PAGE = 200
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def compare_people_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/compare/sets")
    for add in (_lists, _distributions, _pictures, _examples):
        add(router, context)
    _one_set(router, context)  # last: its paths hold a name that could be any of the others
    return router


def _lists(router: APIRouter, context: Context) -> None:
    @router.get("")
    def listed(hidden: bool = False) -> JSONResponse:
        return guarded(lambda: {
            **sets.listed(context, hidden), "bins": sets.bins_json(), "masks": MASKS,
            "contributors": CONTRIBUTORS,
        })  # fmt: skip

    @router.get("/words")
    def words(typed: str = "") -> JSONResponse:
        return guarded(lambda: suggestions(typed))


def _distributions(router: APIRouter, context: Context) -> None:
    @router.post("/distributions/{session}")
    async def stage(session: str, request: Request) -> JSONResponse:
        return await uploaded(
            request, files.MOST_BYTES, lambda file, name: files.stage(context, session, file, name)
        )

    @router.post("/distributions/{session}/read")
    async def read(session: str, request: Request) -> JSONResponse:
        return await posted(
            request, lambda given: files.look(context, {**given, "session": session})
        )

    @router.post("/distributions/{session}/store")
    async def keep(session: str, request: Request) -> JSONResponse:
        return await posted(
            request, lambda given: files.keep(context, {**given, "session": session})
        )

    @router.post("/forget/{session}")
    async def forget(session: str, request: Request) -> JSONResponse:
        def clear(_: dict[str, Any]) -> dict[str, Any]:
            context.staging.clear(session)
            return {}

        return await posted(request, clear)


def _pictures(router: APIRouter, context: Context) -> None:
    decoding = anyio.CapacityLimiter(DECODES_AT_ONCE)

    @router.post("/pictures/{session}/{place}")
    async def stage(session: str, place: int, request: Request) -> JSONResponse:
        def keep(file: Any, name: str) -> dict[str, Any]:
            context.staging.take(session, f"{place:06d}/{name or 'picture'}", file)
            return {}

        return await uploaded(request, context.limits.image_bytes, keep)

    @router.get("/pictures/{session}/{place}")
    async def shown(session: str, place: int, mask: str = "stored") -> JSONResponse:
        def make() -> dict[str, Any]:
            # Why a picture cannot be taken is what this is asked for, so it is an answer.
            try:
                return preview(context, session, place, mask, CUTOUT_PX)
            except TrueHueError as error:
                return {"refused": str(error)}

        try:
            return JSONResponse(await anyio.to_thread.run_sync(make, limiter=decoding))
        except Exception as error:
            return refusal(error)

    @router.post("/pictures-plan/{session}")
    async def plan(session: str, request: Request) -> JSONResponse:
        return await posted(request, lambda given: look(context, {**given, "session": session}))

    @router.post("/pictures-store/{session}")
    async def start(session: str, request: Request) -> JSONResponse:
        def begin(given: dict[str, Any]) -> dict[str, Any]:
            wanted = {**given, "session": session}
            look(context, wanted)  # what is wrong with the wish is said now
            return {"job": context.imports.start(lambda job: take(context, wanted, job))}

        return await posted(request, begin)

    @router.get("/jobs/{job_id}")
    def job(job_id: str) -> JSONResponse:
        return guarded(lambda: context.imports.get(job_id).as_json())

    @router.post("/jobs/{job_id}/cancel")
    async def cancel(job_id: str, request: Request) -> JSONResponse:
        def stop(_: dict[str, Any]) -> dict[str, Any]:
            context.imports.get(job_id).stop.set()
            return {}

        return await posted(request, stop)

    def cutout(image_id: str, mask_id: str) -> bytes:
        from core.masks.display import cutout_png

        mask, image = context.storage.masks.get(mask_id), context.storage.images.get(image_id)
        if mask.image_id != image.image_id:
            raise BadInput("That mask belongs to another image.")
        pixels = context.storage.masks.pixels(mask_id)
        return cutout_png(context.storage.images.srgb8(image_id), pixels, 2 * CUTOUT_PX)

    cutouts = Once(cutout, DECODES_AT_ONCE)

    @router.get("/cutouts/{image_id}/{mask_id}.png")
    async def cut(image_id: str, mask_id: str) -> Response:
        try:
            made = await cutouts.get(image_id, mask_id)
            return Response(made, media_type="image/png", headers=_FOREVER)
        except TrueHueError as error:
            return refusal(error)


def _examples(router: APIRouter, context: Context) -> None:
    @router.get("/examples/{file_name}")
    def example(file_name: str) -> Response:
        for one in EXAMPLES:
            if one.file_name == unquote(file_name):
                kind = "application/json" if file_name.endswith(".json") else "text/csv"
                said = f'attachment; filename="truehue-{one.file_name}"'
                return Response(one.make(), media_type=kind, headers={"Content-Disposition": said})
        return JSONResponse({"error": "There is no example of that name."}, 404)


def _one_set(router: APIRouter, context: Context) -> None:
    @router.get("/{set_id}")
    def inside(
        set_id: str, typed: str = "", offset: int = 0, limit: int = sets.PAGE
    ) -> JSONResponse:
        start, most = min(max(offset, 0), 2**31), min(max(limit, 1), MOST_PAGE)
        return guarded(lambda: sets.inside(context, set_id, typed, start, most))

    @router.post("/{set_id}/name")
    async def rename(set_id: str, request: Request) -> JSONResponse:
        return await posted(request, lambda given: sets.rename(context, set_id, given.get("name")))

    @router.post("/{set_id}/hidden")
    async def hide(set_id: str, request: Request) -> JSONResponse:
        return await posted(
            request, lambda given: sets.hide(context, set_id, bool(given.get("hidden")))
        )
