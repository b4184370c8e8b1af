"""HTTP routes of the notices above the tabs."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from core.errors import BadInput
from tabs.page.answers import guarded, posted
from tabs.page.context import Context
from tabs.page.notices import notices


def notice_routes(context: Context) -> APIRouter:
    """The router; errors are answered as ``{"error": text}`` with a 4xx status."""
    router = APIRouter()

    @router.get("/api/notices")
    def shown() -> JSONResponse:
        return guarded(lambda: notices(context))

    @router.post("/api/notices/read")
    async def read(request: Request) -> JSONResponse:
        def mark(given: dict[str, Any]) -> dict[str, Any]:
            number = given.get("number")
            if not context.local or not isinstance(number, int) or not 0 < number < 2**31:
                raise BadInput("That notice cannot be marked as read here.")
            context.storage.losses.read(number)
            return notices(context)

        return await posted(request, mark)

    return router
