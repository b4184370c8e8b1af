"""HTTP routes of the wall: pages of pictures, counts of the filters, one picture, pairs of runs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tabs.explore.run_pairs import compare_view
from tabs.explore.wall import count_view, facets_view, mask_view, picture_view, wall_view
from tabs.page.answers import guarded
from tabs.page.context import Context


def wall_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/explore")

    @router.get("/wall")
    def wall(request: Request) -> JSONResponse:
        return guarded(lambda: wall_view(context, request.query_params))

    @router.get("/wall/facets")
    def facets(request: Request) -> JSONResponse:
        return guarded(lambda: facets_view(context, request.query_params))

    @router.get("/wall/count")
    def count(request: Request) -> JSONResponse:
        return guarded(lambda: count_view(context, request.query_params))

    @router.get("/wall/picture")
    def picture(request: Request) -> JSONResponse:
        return guarded(lambda: picture_view(context, request.query_params))

    @router.get("/wall/mask")
    def mask(request: Request) -> JSONResponse:
        return guarded(lambda: mask_view(context, request.query_params))

    @router.get("/compare")
    def compare(request: Request) -> JSONResponse:
        return guarded(lambda: compare_view(context, request.query_params))

    return router
