"""A study walked through by whoever makes it, without a trace."""

from __future__ import annotations

from typing import Any

from tabs.page.actor import Actor, asks
from tabs.page.context import Context
from tabs.participants.service import Participation
from tabs.studies.live import StudyRequest, current, study_of


class PreviewRequest(StudyRequest):
    """A study to walk through. ``base`` is the address under which the app was asked."""

    base: str = ""


@asks("study")
def preview(context: Context, actor: Actor, request: PreviewRequest) -> dict[str, Any]:
    """The address of a preview of a study as it is now. It lies in memory, for an hour."""
    record = study_of(context, request.study)
    token = context.service(Participation).preview(current(context, record), record)
    return {"url": f"{request.base}/study/{token}"}
