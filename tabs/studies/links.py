"""Links by which participants come in: made, shown once, and revoked."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import Counter
from typing import TYPE_CHECKING, Any

from pydantic import Field

from core.errors import BadInput
from core.studies import StudyRecord
from tabs.page.actor import Actor, asks
from tabs.page.context import Context
from tabs.page.requests import Whole
from tabs.studies.live import StudyRequest, study_of

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_AT_ONCE = 500
TOKEN_BYTES = 32
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?")


class LinksRequest(StudyRequest):
    """Links to make: ``personal`` ones are for one participant each. ``base`` is the address under
    which the app was asked, which the door fills in."""

    label: str = Field(default="", max_length=200, title="What the link is called")
    personal: bool = False
    count: Whole = Field(default=1, ge=1, le=MOST_AT_ONCE, title="How many links")
    base: str = ""


class LinkRequest(StudyRequest):
    """One link of a study."""

    link: str


@asks("study")
def make_links(context: Context, actor: Actor, request: LinksRequest) -> dict[str, Any]:
    """Makes links. Their addresses are told now and never again: only hashes are stored."""
    record = study_of(context, request.study)
    if not request.personal and request.count > 1:
        raise BadInput(
            "One shared link lets everybody in. Several are made where each is personal.", "count"
        )
    made = []
    for number in range(request.count):
        token = secrets.token_urlsafe(TOKEN_BYTES)
        label = f"{request.label} {number + 1}".strip() if request.count > 1 else request.label
        link = context.storage.invitations.add(
            record.id, token_hash(token), label, request.personal, actor.id
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


@asks("study")
def revoke_link(context: Context, actor: Actor, request: LinkRequest) -> dict[str, Any]:
    """Lets nobody in by a link any more; who came in by it cannot go on either."""
    record = study_of(context, request.study)
    if request.link not in {link.id for link in context.storage.invitations.of(record.id)}:
        raise BadInput("That link is not one of this study's. Reload the page.", "link")
    context.storage.invitations.revoke(request.link, actor.id)
    return {"links": listed(context, record)}


def listed(context: Context, record: StudyRecord) -> list[dict[str, Any]]:
    """The links of a study, without their tokens, which nobody knows here."""
    used = Counter(one.invitation_id for one in context.storage.participants.of(record.id))
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


def token_hash(token: str) -> str:
    """What is stored of a token, which is 256 bits of chance: its SHA-256 in hex."""
    return hashlib.sha256(token.encode()).hexdigest()


def base_of(request: Request, local: bool) -> str:
    """``https://host`` as whoever asks sees it, for links to hand on.

    Where the app may stand behind a proxy, which passes on what it was asked for, the proxy's
    headers count, as :mod:`tabs.page.origins` takes them. Raises BadInput for a host that is none.
    """
    headers = request.headers
    scheme, host = request.url.scheme, headers.get("host", "")
    if not local:
        named = headers.get("x-forwarded-proto", "").split(",")[0].strip().lower()
        scheme = named if named in ("http", "https") else scheme
        host = headers.get("x-forwarded-host", "").split(",")[0].strip() or host
    if not _HOST.fullmatch(host):
        raise BadInput("It cannot be told under which address this TrueHue is reached.")
    return f"{scheme}://{host}"
