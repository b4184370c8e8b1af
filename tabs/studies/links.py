"""Links into a study: for participants, made, shown once and revoked; and for a preview."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TypedDict

from pydantic import Field

from truehue.annotation.studies.plan import Completion
from truehue.core.errors import BadInput
from truehue.core.studies import StudyRecord
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.participants.service import Participation
from truehue.tabs.participants.tokens import hash_of, new_token
from truehue.tabs.studies.live import StudyRequest, current, study_of
from truehue.tabs.studies.rights import may_personal

MAX_AT_ONCE = 500
MAX_LABEL = 80
"""Characters of a link's name."""


class LinksRequest(StudyRequest):
    """Links to make: ``personal`` ones are for one participant each. ``base`` is the address under
    which the app was asked, which the door fills in."""

    label: str = Field(default="", max_length=MAX_LABEL, title="The name of a link")
    personal: bool = False
    count: Whole = Field(default=1, ge=1, le=MAX_AT_ONCE, title="How many links")
    base: str = ""


class LinkRequest(StudyRequest):
    """One link of a study."""

    link: str


class NewLink(TypedDict):
    """A link with its address, which is told once."""

    id: str
    label: str
    personal: bool
    url: str


class NewLinks(TypedDict):
    """Links that were made, and the state of their study."""

    links: list[NewLink]
    state: str


class LinkJson(TypedDict):
    """A link without its address, and how many ``participants`` came by it."""

    id: str
    label: str
    personal: bool
    created_at: str
    revoked_at: str | None
    participants: int


class StudyLinks(TypedDict):
    """The links of a study."""

    links: list[LinkJson]


class PreviewAddress(TypedDict):
    """The address of a preview."""

    url: str


@requires("study")
def make_links(context: Context, actor: Actor, request: LinksRequest) -> NewLinks:
    """Makes links. Their addresses are returned once: only hashes are stored."""
    record = study_of(context, request.study)
    if not request.personal and request.count > 1:
        raise BadInput(
            "A shared link admits everyone. You can create several only if each is personal.",
            "count",
        )
    made: list[NewLink] = []
    for number in range(request.count):
        token = new_token()
        label = f"{request.label} {number + 1}".strip() if request.count > 1 else request.label
        link = context.storage.invitations.add(
            record.id, hash_of(token), label, request.personal, actor.id
        )
        made.append(
            {
                "id": link.id,
                "label": link.label,
                "personal": link.personal,
                "url": f"{request.base}/study/{token}",
            }
        )
    return {"links": made, "state": record.state.value}


@requires("study")
def revoke_link(context: Context, actor: Actor, request: LinkRequest) -> StudyLinks:
    """Revokes a link. Participants who joined by it cannot continue either."""
    record = study_of(context, request.study)
    if request.link not in {link.id for link in context.storage.invitations.of(record.id)}:
        raise BadInput("That link is not one of this study's. Reload the page.", "link")
    context.storage.invitations.revoke(request.link, actor.id)
    return {"links": listed(context, record)}


def listed(context: Context, record: StudyRecord) -> list[LinkJson]:
    """The links of a study, without their tokens, which nobody knows here."""
    used = Counter(
        participant_record.invitation_id
        for participant_record in context.storage.participants.of(record.id)
    )
    return [
        {
            "id": link.id,
            "label": link.label,
            "personal": link.personal,
            "created_at": link.created_at.isoformat(),
            "revoked_at": link.revoked_at.isoformat() if link.revoked_at else None,
            "participants": used[link.id],
        }
        for link in context.storage.invitations.of(record.id)
    ]


class PreviewRequest(StudyRequest):
    """A study to walk through. ``base`` is the address under which the app was asked."""

    base: str = ""


@requires("study")
def preview(context: Context, actor: Actor, request: PreviewRequest) -> PreviewAddress:
    """The address of a preview of a study as it is now. It is held in memory for an hour."""
    record = study_of(context, request.study)
    plan = current(context, record)
    if not may_personal(actor, record):
        plan = replace(plan, completion=Completion(), endings=())  # a preview goes to the last page
    token = context.service(Participation).preview(plan, record)
    return {"url": f"{request.base}/study/{token}"}
