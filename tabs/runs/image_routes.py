"""HTTP routes of images that were drawn elsewhere: files of a folder, its plan, its import."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tabs.page.answers import guarded, posted, uploaded
from tabs.page.context import Context
from tabs.runs.image_import import look, take
from tabs.runs.imported import score


def image_set_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/image-sets")

    @router.post("/files/{session}")
    async def file_of_folder(session: str, request: Request) -> JSONResponse:
        path = unquote(request.headers.get("x-file-path", ""))

        def keep(file: Path, name: str) -> dict[str, Any]:
            context.staging.take(session, path or name, file)
            return {}

        return await uploaded(request, context.limits.image_bytes, keep)

    @router.post("/forget")
    async def forget(request: Request) -> JSONResponse:
        def clear(given: dict[str, Any]) -> dict[str, Any]:
            context.staging.clear(str(given.get("session") or ""))
            return {}

        return await posted(request, clear)

    @router.post("/plan")
    async def plan(request: Request) -> JSONResponse:
        return await posted(request, lambda given: look(context, given))

    @router.post("/start")
    async def start(request: Request) -> JSONResponse:
        def begin(given: dict[str, Any]) -> dict[str, Any]:
            return {"job": context.imports.start(lambda job: take(context, given, job))}

        return await posted(request, begin)

    @router.post("/score")
    async def score_them(request: Request) -> JSONResponse:
        def begin(given: dict[str, Any]) -> dict[str, Any]:
            return {"job": context.imports.start(lambda job: score(context, given, job))}

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

    return router
