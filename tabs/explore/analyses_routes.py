"""HTTP routes of Explore's analyses: a figure as JSON, and its numbers as CSV."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tabs.explore.analyses import figure_csv, figure_view
from tabs.page.answers import guarded, refusal
from tabs.page.context import Context


def analyses_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/explore/figures")

    @router.get("/{name}.csv")
    def numbers(name: str, request: Request) -> Response:
        try:
            text = figure_csv(context, name, request.query_params)
        except Exception as error:
            return refusal(error)
        attached = {"Content-Disposition": f'attachment; filename="truehue-{name}.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=attached)

    @router.get("/{name}")
    def figure(name: str, request: Request) -> JSONResponse:
        return guarded(lambda: figure_view(context, name, request.query_params))

    return router
