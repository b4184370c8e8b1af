"""HTTP routes of studies for those who make them."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse

from truehue.tabs.page.answers import Answer, guarded
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.page.same_origin import base_of
from truehue.tabs.studies.changing import (
    Copying,
    Revision,
    StateRequest,
    copy,
    create,
    revise,
    set_state,
)
from truehue.tabs.studies.comments import comments
from truehue.tabs.studies.deleting import delete_draft
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.links import LinkRequest, LinksRequest, make_links, revoke_link
from truehue.tabs.studies.live import StudyRequest, live
from truehue.tabs.studies.materials import materials, presets
from truehue.tabs.studies.outline import CasesForm, cases, outline
from truehue.tabs.studies.planning import PowerRequest, VotesRequest, power, votes_needed
from truehue.tabs.studies.preview import PreviewRequest, preview
from truehue.tabs.studies.sketch_choices import concept_list
from truehue.tabs.studies.study import study, study_list

PREFIX = "/api/studies"
NO_STUDIES = "A demonstration has no studies. Run TrueHue on your own machine."


def study_routes(context: Context) -> FeatureRouter:
    """The router of studies; in a demonstration one that knows none."""
    door = FeatureRouter(context, PREFIX, strict=True)
    if context.demo:
        return _closed(door)

    @door.get("")
    def every(actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: study_list(context, actor, EmptyRequest()))

    @door.get("/presets")
    def beginnings(actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: presets(context, actor, EmptyRequest()))

    @door.get("/materials")
    def made_of(actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: materials(context, actor, EmptyRequest()))

    @door.get("/concepts")
    def colored_of(actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: concept_list(context, actor, EmptyRequest()))

    door.takes("/outline", StudyForm, outline)
    door.takes("/cases", CasesForm, cases)
    door.takes("/create", StudyForm, create)
    door.takes("/power", PowerRequest, power)
    door.takes("/votes-needed", VotesRequest, votes_needed)

    @door.get("/{study_id}")
    def one(study_id: str, actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: study(context, actor, StudyRequest(study=study_id)))

    @door.get("/{study_id}/live")
    def at_work(study_id: str, actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: live(context, actor, StudyRequest(study=study_id)))

    @door.get("/{study_id}/comments")
    def said(study_id: str, actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: comments(context, actor, StudyRequest(study=study_id)))

    door.takes("/{study}/revise", Revision, revise)
    door.takes("/{study}/copy", Copying, copy)
    door.takes("/{study}/state", StateRequest, set_state)
    door.takes("/{study}/delete", StudyRequest, delete_draft)
    door.takes("/{study}/links/{link}/revoke", LinkRequest, revoke_link)

    def here(request: Request) -> Answer:
        return {"base": base_of(request, context.local)}

    door.takes("/{study}/links", LinksRequest, make_links, known=here)
    door.takes("/{study}/preview", PreviewRequest, preview, known=here)
    return door


def _closed(door: FeatureRouter) -> FeatureRouter:
    async def nothing(_: Actor = door.asking) -> JSONResponse:
        return JSONResponse({"error": NO_STUDIES}, 404)

    for path in ("", "/{rest:path}"):
        door.add_api_route(path, nothing, methods=["GET", "POST"], include_in_schema=False)
    return door
