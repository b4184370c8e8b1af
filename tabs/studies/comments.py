"""What participants wrote of a study as a whole: comments that belong to no sketch or trial."""

from __future__ import annotations

from typing import Any

from truehue.core.studies import EventKind
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.live import StudyRequest, study_of
from truehue.tabs.studies.results_json import label
from truehue.tabs.studies.rights import may_personal


@requires("study")
def comments(context: Context, actor: Actor, request: StudyRequest) -> dict[str, Any]:
    """``{"comments": [{"label", "text", "at"}, …]}``, by participant and time.

    They are personal data: nobody but who made the study, and admins, is told any
    (:func:`truehue.tabs.studies.rights.may_personal`). Anonymous exports, and so what is imported
    of them, have none.
    """
    record = study_of(context, request.study)
    if not may_personal(actor, record):
        return {"comments": []}
    events = context.storage.study_events.of_study(record.id, without=EventKind.ACTION)
    return {
        "comments": [
            {
                "label": label(person.number),
                "text": str(event.body["text"]),
                "at": event.at.isoformat() if event.at else None,
            }
            for person in context.storage.participants.of(record.id)
            for event in events.get(person.id, ())
            if event.kind is EventKind.COMMENT and event.position is None and event.body.get("text")
        ]
    }
