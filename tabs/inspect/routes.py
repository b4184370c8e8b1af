"""HTTP routes of Inspect: how far a search is, its end, and what the eyedropper says."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from core.errors import TrueHueError
from tabs.inspect.colors import pixel_view
from tabs.inspect.finding import Searches
from tabs.page.answers import guarded
from tabs.page.context import Context

WAIT_S = 2.0


def automatic_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter()

    @router.get("/api/automatic/{search_id}")
    def state(search_id: str, seen: int = -1) -> JSONResponse:
        """Answers at once when the state is another than ``seen``, else within two seconds."""
        try:
            return JSONResponse(context.service(Searches).state(search_id, seen, WAIT_S))
        except TrueHueError as error:
            return JSONResponse({"error": str(error)}, 404)

    @router.delete("/api/automatic/{search_id}")
    def cancel(search_id: str, request: Request) -> JSONResponse:
        if request.headers.get("x-truehue") != "1":
            return JSONResponse({"error": "Only TrueHue's own page may end a search."}, 403)
        context.service(Searches).cancel(search_id)
        return JSONResponse({"status": "cancelled"})

    @router.get("/api/color/{srgb}")
    def color(srgb: str) -> JSONResponse:
        return guarded(lambda: pixel_view(srgb))

    return router
