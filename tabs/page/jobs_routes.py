"""HTTP routes of long work: one list, one job, one way to cancel."""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio
from fastapi.responses import JSONResponse

from truehue.tabs.page.answers import Answer, json_answer, until_ending
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_service import AllJobs, NamedJob, cancel_job, job_view, jobs_view
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter

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
        return await wait_for_change(
            context.jobs.version, seen, lambda: jobs_view(context, actor, request)
        )

    @router.get("/{job_id}")
    async def job(job_id: str, seen: int = -1, actor: Actor = router.current_actor) -> JSONResponse:
        request = NamedJob(job_id=job_id)
        return await wait_for_change(
            lambda: context.jobs.changed(job_id), seen, lambda: job_view(context, actor, request)
        )

    router.post_json("/{job_id}/cancel", NamedJob, cancel_job)
    return router


async def wait_for_change(
    version: Callable[[], int], seen: int, make: Callable[[], Answer]
) -> JSONResponse:
    """What ``make`` returns, once the version is another than ``seen``, the time is over, or the app
    ends.

    No thread waits here: a hundred pages that wait would hold them all.
    """
    end = time.monotonic() + LONGEST_S
    with until_ending():
        while version() == seen and time.monotonic() < end:
            await anyio.sleep(LOOK_S)
    return await anyio.to_thread.run_sync(lambda: json_answer(make))
