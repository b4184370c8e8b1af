"""HTTP routes of the examples on the first screen."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tabs.generate.examples import drawn, listed
from tabs.page.answers import guarded, posted
from tabs.page.context import Context


def example_routes(context: Context) -> APIRouter:
    """The router; errors are answered as ``{"error": text}`` with a 4xx status."""
    router = APIRouter()

    @router.get("/api/examples")
    def examples() -> JSONResponse:
        return guarded(lambda: listed(context))

    @router.post("/api/examples")
    async def draw(request: Request) -> JSONResponse:
        def made(given: dict[str, Any]) -> dict[str, Any]:
            return {"image_id": drawn(context, str(given.get("example", "")))}

        return await posted(request, made)

    return router
