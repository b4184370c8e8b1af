"""Users' actions on long jobs: view and cancel."""

from __future__ import annotations

from typing import TypedDict

from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import ENDED, LISTED, JobJson, is_reported, job_json
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import Done


class AllJobs(PageRequest):
    """The jobs of a kind, or of every kind."""

    kind: str = ""


class NamedJob(PageRequest):
    """A job by its id."""

    job_id: str


class JobsView(TypedDict):
    """The jobs of a list; ``version`` asks for the next list."""

    jobs: list[JobJson]
    version: int


class JobView(JobJson):
    """One job; ``version`` asks for its next change."""

    version: int


@requires("look")
def jobs_view(context: Context, actor: Actor, request: AllJobs) -> JobsView:
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
def job_view(context: Context, actor: Actor, request: NamedJob) -> JobView:
    """One job."""
    version = context.jobs.changed(request.job_id)
    record = context.jobs.get(request.job_id)
    return {**job_json(context.jobs, actor, record), "version": version}


@requires("cancel")
def cancel_job(context: Context, actor: Actor, request: NamedJob) -> Done:
    """Cancels a job. The user who started it may, and the owner."""
    context.jobs.cancel(actor, request.job_id)
    return {}
