"""Addresses that scripts still ask for long work by; :mod:`tabs.page.jobs_routes` has the one.

Each goes with the last script that asks it.
"""

from __future__ import annotations

import time
from typing import Any

import anyio
from fastapi import Request
from fastapi.responses import JSONResponse

from core.records import JobRecord
from tabs.page.actor import Actor
from tabs.page.answers import foreign, guarded, refusal
from tabs.page.context import Context
from tabs.page.door import Door
from tabs.page.jobs import ENDED, job_json
from tabs.page.jobs_service import NamedJob, cancel_job

WAIT_S = 2.0
LOOK_S = 0.05
OF_EXPLORE = ("diagnosis", "rejudge", "cells")
OF_EXPORTS = ("export", "import")


def old_addresses(context: Context) -> Door:
    """The router of the addresses of before."""
    door = Door(context, "/api")
    for path in ("/image-sets/jobs", "/compare/sets/jobs"):
        door.add_api_route(f"{path}/{{job_id}}", _import_of(context), methods=["GET"])
        door.takes(f"{path}/{{job_id}}/cancel", NamedJob, cancel_job)
    for path, kinds in (("/explore/jobs", OF_EXPLORE), ("/exports", OF_EXPORTS)):
        door.add_api_route(path, _latest_of(door, kinds), methods=["GET"])
    door.takes("/explore/jobs/{job_id}/cancel", NamedJob, cancel_job)

    @door.get("/automatic/{job_id}")
    async def search(job_id: str, seen: int = -1) -> JSONResponse:
        end = time.monotonic() + WAIT_S
        while context.jobs.changed(job_id) == seen and time.monotonic() < end:
            await anyio.sleep(LOOK_S)
        try:
            return JSONResponse(_search(context, job_id))
        except Exception as error:
            return JSONResponse(_error(error), 404)

    @door.delete("/automatic/{job_id}")
    def end(job_id: str, request: Request, actor: Actor = door.asking) -> JSONResponse:
        if (refused := foreign(request)) is not None:
            return refused
        try:
            cancel_job(context, actor, NamedJob(job_id=job_id))
        except Exception as error:
            return refusal(error)
        return JSONResponse({"status": "cancelled"})

    return door


def _import_of(context: Context) -> Any:
    def told(job_id: str) -> JSONResponse:
        return guarded(lambda: _import(context.jobs.get(job_id)))

    return told


def _import(record: JobRecord) -> dict[str, Any]:
    ended = record.status in ENDED
    said = {"cancelled": "Cancelled. What was stored stays.", "done": "Done."}
    words = record.problem or said.get(record.status, record.words)
    return {"finished": ended, "words": words, "report": record.result if ended else {}}


def _latest_of(door: Door, kinds: tuple[str, ...]) -> Any:
    jobs = door.context.jobs

    def told(actor: Actor = door.asking) -> JSONResponse:
        latest = {kind: jobs.latest(kind) for kind in kinds}
        return guarded(
            lambda: {
                kind: _running(job_json(jobs, actor, job)) if job else None
                for kind, job in latest.items()
            }
        )

    return told


def _running(job: dict[str, Any]) -> dict[str, Any]:
    return {**job, "status": "running"} if job["status"] == "waiting" else job


def _search(context: Context, job_id: str) -> dict[str, Any]:
    count = context.jobs.changed(job_id)
    record = context.jobs.get(job_id)
    ended = record.status in ENDED
    status = {"interrupted": "failed"}.get(record.status, record.status) if ended else "working"
    return {
        "job": record.job_id,
        "status": status,
        "words": record.problem or record.words,
        "count": count,
        **record.result,
    }


def _error(error: Exception) -> dict[str, str]:
    return {"error": str(error)}
