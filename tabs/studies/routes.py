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
    feature_router = FeatureRouter(context, PREFIX, strict=True)
    if context.demo:
        return _closed(feature_router)

    @feature_router.get("")
    def every(actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: study_list(context, actor, EmptyRequest()))

    @feature_router.get("/presets")
    def beginnings(actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: presets(context, actor, EmptyRequest()))

    @feature_router.get("/materials")
    def made_of(actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: materials(context, actor, EmptyRequest()))

    @feature_router.get("/concepts")
    def colored_of(actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: concept_list(context, actor, EmptyRequest()))

    feature_router.takes("/outline", StudyForm, outline)
    feature_router.takes("/cases", CasesForm, cases)
    feature_router.takes("/create", StudyForm, create)
    feature_router.takes("/power", PowerRequest, power)
    feature_router.takes("/votes-needed", VotesRequest, votes_needed)

    @feature_router.get("/{study_id}")
    def one(study_id: str, actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: study(context, actor, StudyRequest(study=study_id)))

    @feature_router.get("/{study_id}/live")
    def at_work(study_id: str, actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: live(context, actor, StudyRequest(study=study_id)))

    @feature_router.get("/{study_id}/comments")
    def said(study_id: str, actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: comments(context, actor, StudyRequest(study=study_id)))

    feature_router.takes("/{study}/revise", Revision, revise)
    feature_router.takes("/{study}/copy", Copying, copy)
    feature_router.takes("/{study}/state", StateRequest, set_state)
    feature_router.takes("/{study}/delete", StudyRequest, delete_draft)
    feature_router.takes("/{study}/links/{link}/revoke", LinkRequest, revoke_link)

    def here(request: Request) -> Answer:
        return {"base": base_of(request, context.local)}

    feature_router.takes("/{study}/links", LinksRequest, make_links, known=here)
    feature_router.takes("/{study}/preview", PreviewRequest, preview, known=here)
    return feature_router


def _closed(feature_router: FeatureRouter) -> FeatureRouter:
    async def nothing(_: Actor = feature_router.asking) -> JSONResponse:
        return JSONResponse({"error": NO_STUDIES}, 404)

    for path in ("", "/{rest:path}"):
        feature_router.add_api_route(
            path, nothing, methods=["GET", "POST"], include_in_schema=False
        )
    return feature_router
