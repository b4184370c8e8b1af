"""Notices for everybody on the page: nothing can be stored, or data is lost."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, allowed


class NoticeJson(TypedDict):
    """A notice; its number can be marked as read, one without a number stays."""

    number: int | None
    text: str


class Notices(TypedDict):
    """All notices."""

    notices: list[NoticeJson]


def notices(context: Context, actor: Actor) -> Notices:
    """The notices that the actor may see.

    What was lost names files of this machine: it is told to those alone who look after it.
    """
    shown: list[NoticeJson] = []
    service = allowed(actor, "read-notice")
    if problem := context.folder_problem():
        text = problem if service else "Nothing can be saved: the data folder is gone."
        shown.append({"number": None, "text": text})
    elif service:
        texts = context.storage.losses.words()
        shown += [{"number": number, "text": text} for number, text in texts.items()]
    return {"notices": shown}


class Notice(PageRequest):
    """A notice by its number."""

    number: int = Field(strict=True, gt=0, lt=2**31, title="The number of the notice")


@requires("read-notice")
def read_notice(context: Context, actor: Actor, request: Notice) -> Notices:
    """Marks a notice as read, and returns the others. Raises NotStored."""
    context.storage.losses.read(request.number)
    return notices(context, actor)
