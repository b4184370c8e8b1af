"""HTTP routes of the Explore tab: reports and their pictures, agreement of rules, long work."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tabs.diagnosis.images import measured, picture_png, scene, stored
from tabs.diagnosis.report import report_view, reports_here
from tabs.diagnosis.run import start_run
from tabs.explore.audit import agreement_view
from tabs.explore.rejudge import start_rejudge
from tabs.explore.why import reasons
from tabs.page.answers import guarded, posted, refusal
from tabs.page.context import Context
from tabs.page.once import Once

KEPT_PNGS = 512
JOBS = ("diagnosis", "rejudge", "cells")
"""Kinds of long work that pages ask after; the last is Compare's."""
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def explore_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/explore")
    folder = context.storage.data_dir / "diagnosis"
    small = Once(picture_png, most_kept=KEPT_PNGS)

    @router.get("/report")
    def report(source: str = "", set: str = "") -> JSONResponse:
        return guarded(lambda: report_view(reports_here(folder), source, set))

    @router.get("/picture.png")
    async def picture(request: Request) -> Response:
        try:
            data = await small.get(scene(request.query_params))
        except Exception as error:
            return refusal(error)
        return Response(data, media_type="image/png", headers=_FOREVER)

    @router.get("/example")
    def example(request: Request, rule: str = "", asked: str = "") -> JSONResponse:
        return guarded(lambda: measured(scene(request.query_params), rule, asked))

    @router.post("/example")
    async def keep(request: Request) -> JSONResponse:
        def kept(given: dict[str, Any]) -> dict[str, Any]:
            rule_id, asked = str(given.get("rule") or ""), str(given.get("asked") or "")
            return stored(context, scene(given), rule_id, asked)

        return await posted(request, kept)

    @router.get("/agreement")
    def agreement(request: Request) -> JSONResponse:
        return guarded(lambda: agreement_view(context, request.query_params))

    @router.get("/why")
    def why(keys: str = "") -> JSONResponse:
        return guarded(lambda: {"why": reasons(context, keys.split(",") if keys else [])})

    @router.get("/jobs")
    def jobs(owner: str = "") -> JSONResponse:
        def listed() -> dict[str, Any]:
            latest = {kind: context.jobs.latest(kind) for kind in JOBS}
            return {kind: job.as_json(owner) if job else None for kind, job in latest.items()}

        return guarded(listed)

    @router.post("/jobs/{job_id}/cancel")
    async def cancel(job_id: str, request: Request) -> JSONResponse:
        def stop(given: dict[str, Any]) -> dict[str, Any]:
            context.jobs.cancel(job_id, str(given.get("owner") or ""))
            return {}

        return await posted(request, stop)

    @router.post("/runs")
    async def run(request: Request) -> JSONResponse:
        def begin(given: dict[str, Any]) -> dict[str, Any]:
            job = start_run(context, given.get("every"), str(given.get("owner") or "")[:64])
            return {"job": job.id}

        return await posted(request, begin)

    @router.post("/rejudge")
    async def judge(request: Request) -> JSONResponse:
        def begin(given: dict[str, Any]) -> dict[str, Any]:
            owner = str(given.get("owner") or "")[:64]
            return {"job": start_rejudge(context, given.get("rules"), owner).id}

        return await posted(request, begin)

    return router
