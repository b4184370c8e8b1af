"""What the page around the tabs shows of the app."""

from __future__ import annotations

from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_service import AllJobs, JobsView, jobs_view
from truehue.tabs.page.notices import Notices, notices
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor, allowed


class PageView(Notices):
    """The data folder in words, the name of the account, whether it may make backups, notices, and
    the jobs, whose next list ``GET /api/jobs`` waits for."""

    data: str
    account: str
    backup: bool
    jobs: JobsView


@requires("look")
def page_view(context: Context, actor: Actor, request: EmptyRequest) -> PageView:
    """The data folder, the account, notices and jobs: what a page asks for first."""
    return {
        "data": context.data_text(),
        "account": actor.name,
        "backup": not context.demo and allowed(actor, "backup"),
        "jobs": jobs_view(context, actor, AllJobs()),
        **notices(context, actor),
    }
