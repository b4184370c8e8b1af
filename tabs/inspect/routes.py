"""What the stage asks while a search runs: how far it is, and to end it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from core.errors import TrueHueError
from tabs.page.context import Context

WAIT_S = 2.0


def automatic_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter()

    @router.get("/api/automatic/{search_id}")
    def state(search_id: str, seen: int = -1) -> JSONResponse:
        """Answers at once when the state is another than ``seen``, else within two seconds."""
        try:
            return JSONResponse(context.searches.state(search_id, seen, WAIT_S))
        except TrueHueError as error:
            return JSONResponse({"error": str(error)}, 404)

    @router.delete("/api/automatic/{search_id}")
    def cancel(search_id: str, request: Request) -> JSONResponse:
        if request.headers.get("x-truehue") != "1":
            return JSONResponse({"error": "Only TrueHue's own page may end a search."}, 403)
        context.searches.cancel(search_id)
        return JSONResponse({"status": "cancelled"})

    return router
