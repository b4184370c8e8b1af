"""Publish the results of a closed study under a link of their own, and withdraw them."""

from __future__ import annotations

from typing import TypedDict

from truehue.core.errors import BadInput
from truehue.core.studies import EventKind, PublicationRecord, State, StudyRecord
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor, Resource, allowed, authorize
from truehue.tabs.participants.tokens import new_token
from truehue.tabs.studies.live import StudyCache, StudyRequest, study_of

PREFIX = "/results"
NOT_CLOSED = "Close the study first: results are published when nobody answers any more."
NO_ANSWERS = "Nobody has answered this study, so it has no results to publish."


class PublishRequest(StudyRequest):
    """``images``: whether the page shows the images of the stimuli."""

    images: bool = False


class PublicationJson(TypedDict):
    """The public page of a study: ``url`` below the address of the app. It is not ``shown`` while
    the study is open again."""

    url: str
    images: bool
    published_at: str
    shown: bool


class PublicationView(TypedDict):
    """The public page of a study; None where there is none."""

    publication: PublicationJson | None


@requires("study")
def publish(context: Context, actor: Actor, request: PublishRequest) -> PublicationView:
    """Makes the results of a closed study public under a link; where they are already, the link
    stays. For the maker of the study, and for admins."""
    with context.service(StudyCache).changing:
        record = study_of(context, request.study)
        authorize(actor, "change", _resource(record))
        if record.state is not State.CLOSED:
            raise BadInput(NOT_CLOSED, "study")
        if not context.storage.study_events.count(record.id, EventKind.ANSWER):
            raise BadInput(NO_ANSWERS, "study")
        context.storage.publications.publish(record.id, new_token(), request.images, actor.id)
    return {"publication": publication_json(context, record)}


@requires("study")
def unpublish(context: Context, actor: Actor, request: StudyRequest) -> PublicationView:
    """Withdraws the public page of a study: its link leads nowhere any more, and a later page gets
    another one. For the maker of the study, and for admins."""
    record = study_of(context, request.study)
    authorize(actor, "change", _resource(record))
    context.storage.publications.revoke(record.id, actor.id)
    return {"publication": None}


def publication_json(context: Context, record: StudyRecord) -> PublicationJson | None:
    """The public page of a study; None where there is none."""
    publication = context.storage.publications.of(record.id)
    if publication is None:
        return None
    return {
        "url": address_of(publication),
        "images": publication.images,
        "published_at": publication.created_at.isoformat(),
        "shown": record.state is State.CLOSED,
    }


def address_of(publication: PublicationRecord) -> str:
    """The path of a public page."""
    return f"{PREFIX}/{publication.token}"


def may_publish(actor: Actor, record: StudyRecord) -> bool:
    """Whether the actor may publish the results of the study once it is closed, and withdraw
    them."""
    return allowed(actor, "change", _resource(record))


def _resource(record: StudyRecord) -> Resource:
    return Resource(frozenset({record.author}))
