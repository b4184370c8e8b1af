"""HTTP routes of long work: one list, one job, one way to cancel."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import anyio
from fastapi.responses import JSONResponse

from truehue.tabs.page.actor import requires
from truehue.tabs.page.answers import Answer, endless, guarded
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import ENDED, LISTED, is_reported, job_json
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter


class AllJobs(PageRequest):
    """The jobs of a kind, or of every kind."""

    kind: str = ""


class NamedJob(PageRequest):
    """A job by its id."""

    job_id: str


@requires("look")
def jobs_view(context: Context, actor: Actor, request: AllJobs) -> dict[str, Any]:
    """All that runs, and what ended last; of others' ended work nothing is told."""
    version = context.jobs.version()  # before: what changes meanwhile is asked for again
    rows = context.jobs.all(request.kind)
    shown = [
        row for row in rows if row.status not in ENDED or is_reported(context.jobs, actor, row)
    ]
    under_way = sum(record.status not in ENDED for record in shown)
    limit = max(LISTED, under_way)
    listed = shown[:limit]
    for record in shown[limit:]:
        # A view shows the last work of its kind, however much of other kinds came after it.
        if all(record.kind != other.kind for other in listed):
            listed.append(record)
    return {
        "jobs": [job_json(context.jobs, actor, record) for record in listed],
        "version": version,
    }


@requires("look")
def job_view(context: Context, actor: Actor, request: NamedJob) -> dict[str, Any]:
    """One job."""
    version = context.jobs.changed(request.job_id)
    record = context.jobs.get(request.job_id)
    return {**job_json(context.jobs, actor, record), "version": version}


@requires("cancel")
def cancel_job(context: Context, actor: Actor, request: NamedJob) -> dict[str, Any]:
    """Asks a job to stop: whoever began it may, and the owner."""
    context.jobs.cancel(actor, request.job_id)
    return {}


LONGEST_S = 25.0
LOOK_S = 0.1


def job_routes(context: Context) -> FeatureRouter:
    """The router of long work. With ``seen``, the version of an earlier answer, the next one comes
    when something has changed, or after 25 seconds."""
    router = FeatureRouter(context, "/api/jobs")

    @router.get("")
    async def jobs(
        seen: int = -1,
        kind: str = "",
        actor: Actor = router.current_actor,
    ) -> JSONResponse:
        request = AllJobs(kind=kind)
        return await answered(
            context.jobs.version, seen, lambda: jobs_view(context, actor, request)
        )

    @router.get("/{job_id}")
    async def job(job_id: str, seen: int = -1, actor: Actor = router.current_actor) -> JSONResponse:
        request = NamedJob(job_id=job_id)
        return await answered(
            lambda: context.jobs.changed(job_id), seen, lambda: job_view(context, actor, request)
        )

    router.post_json("/{job_id}/cancel", NamedJob, cancel_job)
    return router


async def answered(
    version: Callable[[], int], seen: int, make: Callable[[], Answer]
) -> JSONResponse:
    """What ``make`` returns, once the version is another than ``seen`` or the time is over.

    No thread waits here: a hundred pages that wait would hold them all.
    """
    end = time.monotonic() + LONGEST_S
    with endless():
        while version() == seen and time.monotonic() < end:
            await anyio.sleep(LOOK_S)
    return await anyio.to_thread.run_sync(lambda: guarded(make))
