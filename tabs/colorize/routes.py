"""HTTP routes of Colorize: sketches and their files, comparison, saved colorings, preparation."""

from __future__ import annotations

from typing import Any

import anyio
from fastapi import Request
from fastapi.responses import JSONResponse, Response

from truehue.tabs.colorize.candidates import (
    CandidatesRequest,
    OfConcept,
    candidates_view,
    models_view,
    start_candidates,
)
from truehue.tabs.colorize.comparison import compare_view
from truehue.tabs.colorize.files import Files
from truehue.tabs.colorize.images import (
    MAX_LOG_BYTES,
    ColoringRequest,
    SketchImageRequest,
    file_name,
    image_view,
)
from truehue.tabs.colorize.saved import (
    NamedColoring,
    SaveColoringRequest,
    coloring_view,
    delete_coloring,
    save_coloring,
    saved_view,
)
from truehue.tabs.colorize.sketches import (
    NamedSketch,
    PrepareSketchRequest,
    StoreSketchRequest,
    import_sketch,
    prepared_view,
    sketch_view,
    sketches_view,
    store_sketch,
)
from truehue.tabs.page.answers import Answer, attachment, json_answer, refusal
from truehue.tabs.page.asset_files import PRIVATE_FOREVER
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, read_as
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.sources.sketches import PREFIX

DECODES_AT_ONCE = 2
FOREVER = {**PRIVATE_FOREVER, "X-Content-Type-Options": "nosniff"}
SVG = "image/svg+xml"
INERT = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
"""Of files that a browser would run scripts of: ours have none, and none could run."""


def colorize_routes(context: Context) -> FeatureRouter:
    """The router of Colorize."""
    router = FeatureRouter(context, PREFIX)
    files = Files(context)

    router.get_json("/sketches", EmptyRequest, sketches_view)
    router.get_json("/sketch", NamedSketch, sketch_view)
    router.get_json("/models", EmptyRequest, models_view)
    router.get_json("/candidates", OfConcept, candidates_view)
    router.get_json("/kept", EmptyRequest, saved_view)
    router.get_json("/kept/{coloring}", NamedColoring, coloring_view)

    @router.get("/prepared")
    async def about_prepared(request: Request, actor: Actor = router.current_actor) -> JSONResponse:
        def about() -> Answer:
            return prepared_view(
                context, actor, read_as(PrepareSketchRequest, request.query_params)
            )

        # Cleaning an image and finding its regions costs what its pictures cost.
        return await anyio.to_thread.run_sync(lambda: json_answer(about), limiter=files.limiter)

    router.post_json("/compare", ColoringRequest, compare_view, MAX_LOG_BYTES)
    router.post_json("/picture", SketchImageRequest, image_view, MAX_LOG_BYTES)
    router.post_json("/keep", SaveColoringRequest, save_coloring, MAX_LOG_BYTES)
    router.post_json("/kept/{coloring}/delete", NamedColoring, delete_coloring)
    router.post_json("/candidates", CandidatesRequest, start_candidates)
    router.post_json("/sketches", StoreSketchRequest, store_sketch)
    # A large image takes a gigabyte for a moment.
    decoding = anyio.CapacityLimiter(DECODES_AT_ONCE)
    router.post_file("/import", EmptyRequest, context.limits.image_bytes, import_sketch, decoding)
    _file_routes(router, files)
    return router


def _file_routes(router: FeatureRouter, files: Files) -> None:
    """The files of sketches and colorings, each named by its content."""

    @router.get("/starter/{drawing}.svg")
    async def starter(drawing: str) -> Response:
        return await _answered(files.starter(drawing), SVG)

    @router.get("/sketches/{sketch}.png")
    async def ink(sketch: str, side: int = 0) -> Response:
        return await _answered(files.ink(sketch, side), "image/png")

    @router.get("/sketches/{sketch}.regions")
    async def regions(sketch: str) -> Response:
        return await _answered(files.regions(sketch), "application/octet-stream")

    @router.get("/sketches/{sketch}/regions.png")
    async def hatches(sketch: str, closing: int = -1, side: int = 900) -> Response:
        return await _answered(files.hatches(sketch, closing, side), "image/png")

    @router.get("/prepared/{image}.png")
    async def prepared(
        image: str, request: Request, view: str = "ink", side_px: int = 900
    ) -> Response:
        requested = {**request.query_params, "image": image}
        return await _answered(files.prepared(requested, view, side_px), "image/png")

    @router.get("/kept/{coloring}/{name}")
    async def kept(coloring: str, name: str, side: int = 0) -> Response:
        try:
            kind = files.saved_kind(name)
        except Exception as error:
            return refusal(error)
        answer = await _answered(files.saved(coloring, kind, side), _type_of(name))
        if side == 0 and answer.status_code == 200:
            answer.headers.update(attachment(file_name(files.words_of(coloring), kind)))
        return answer


async def _answered(made: Any, media_type: str) -> Response:
    """A file, or its error in words."""
    try:
        data = await made
    except Exception as error:
        return refusal(error)
    headers = {**FOREVER, **(INERT if media_type == SVG else {})}
    return Response(data, media_type=media_type, headers=headers)


def _type_of(name: str) -> str:
    return SVG if name.endswith(".svg") else "image/png"
