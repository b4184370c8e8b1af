"""HTTP routes of runs: the form, the estimate, starting, and what becomes of them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tabs.page.answers import guarded, posted
from tabs.page.context import Context
from tabs.runs.form import estimate_view, form_view, start_runs, try_out
from tabs.runs.list import act, runs_view


def run_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text, "field": name}`` with a 4xx status."""
    router = APIRouter(prefix="/api/runs")

    @router.get("")
    def runs(owner: str = "", hidden: bool = False) -> JSONResponse:
        return guarded(lambda: runs_view(context, owner, hidden))

    @router.get("/form")
    def form() -> JSONResponse:
        return guarded(lambda: form_view(context))

    @router.post("/estimate")
    async def estimate(request: Request) -> JSONResponse:
        return await posted(request, lambda given: estimate_view(context, given))

    @router.post("/trial")
    async def trial(request: Request) -> JSONResponse:
        return await posted(request, lambda given: try_out(context, given))

    @router.post("")
    async def start(request: Request) -> JSONResponse:
        return await posted(request, lambda given: start_runs(context, given))

    @router.post("/{run_id}/{what}")
    async def change(run_id: str, what: str, request: Request) -> JSONResponse:
        def acted(given: dict[str, Any]) -> dict[str, Any]:
            return act(context, run_id, what, given)

        return await posted(request, acted)

    return router
