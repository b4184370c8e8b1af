"""A draft of a study is deleted; what was opened once never is."""

from __future__ import annotations

from typing import Any

from truehue.core.studies import State, StudyRecord
from truehue.tabs.page.actor import brought, requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor, Resource, allowed, may
from truehue.tabs.studies.cache import StudyCache
from truehue.tabs.studies.live import StudyRequest, study_of
from truehue.tabs.verdicts.deleting import TRASH, trash_json

KEPT = (
    "A study that was opened cannot be deleted, because its answers are part of the record. "
    "Close it instead. You can erase single participants in People."
)


def may_delete(actor: Actor, record: StudyRecord) -> bool:
    """Whether the actor may delete the study now: who made a draft, admins and the owner."""
    return record.state is State.DRAFT and allowed(actor, "delete", _resource(record))


@requires("study")
def delete_draft(context: Context, actor: Actor, request: StudyRequest) -> dict[str, Any]:
    """Deletes a draft with its links; it can be put back for seven days (``/api/trash``).

    Raises BadInput for a study that was opened once, NotAllowed to who did not make it.
    """
    with context.service(StudyCache).changing:
        record = study_of(context, request.study)
        may(actor, "delete", _resource(record))
        gone = context.storage.trash.move("study", [record.id])
        brought(context, actor, TRASH, gone.trash_id)
    context.storage.invitations.changes += 1  # links that are kept in memory lead nowhere now
    context.forget()
    return {"deleted": trash_json(gone)}


def _resource(record: StudyRecord) -> Resource:
    return Resource(frozenset({record.author}))
