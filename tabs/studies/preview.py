"""A study walked through by whoever makes it, without a trace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from truehue.annotation.studies.plan import Completion
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.participants.service import Participation
from truehue.tabs.studies.live import StudyRequest, current, study_of
from truehue.tabs.studies.rights import may_personal


class PreviewRequest(StudyRequest):
    """A study to walk through. ``base`` is the address under which the app was asked."""

    base: str = ""


@requires("study")
def preview(context: Context, actor: Actor, request: PreviewRequest) -> dict[str, Any]:
    """The address of a preview of a study as it is now. It lies in memory, for an hour."""
    record = study_of(context, request.study)
    plan = current(context, record)
    if not may_personal(actor, record):
        plan = replace(plan, completion=Completion())  # a preview goes to the last page
    token = context.service(Participation).preview(plan, record)
    return {"url": f"{request.base}/study/{token}"}
