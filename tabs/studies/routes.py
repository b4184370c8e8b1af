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
    router = FeatureRouter(context, PREFIX, strict=True)
    if context.demo:
        return _closed(router)

    @router.get("")
    def every(actor: Actor = router.current_actor) -> JSONResponse:
        return guarded(lambda: study_list(context, actor, EmptyRequest()))

    @router.get("/presets")
    def beginnings(actor: Actor = router.current_actor) -> JSONResponse:
        return guarded(lambda: presets(context, actor, EmptyRequest()))

    @router.get("/materials")
    def made_of(actor: Actor = router.current_actor) -> JSONResponse:
        return guarded(lambda: materials(context, actor, EmptyRequest()))

    @router.get("/concepts")
    def colored_of(actor: Actor = router.current_actor) -> JSONResponse:
        return guarded(lambda: concept_list(context, actor, EmptyRequest()))

    router.post_json("/outline", StudyForm, outline)
    router.post_json("/cases", CasesForm, cases)
    router.post_json("/create", StudyForm, create)
    router.post_json("/power", PowerRequest, power)
    router.post_json("/votes-needed", VotesRequest, votes_needed)

    @router.get("/{study_id}")
    def one(study_id: str, actor: Actor = router.current_actor) -> JSONResponse:
        return guarded(lambda: study(context, actor, StudyRequest(study=study_id)))

    @router.get("/{study_id}/live")
    def at_work(study_id: str, actor: Actor = router.current_actor) -> JSONResponse:
        return guarded(lambda: live(context, actor, StudyRequest(study=study_id)))

    @router.get("/{study_id}/comments")
    def said(study_id: str, actor: Actor = router.current_actor) -> JSONResponse:
        return guarded(lambda: comments(context, actor, StudyRequest(study=study_id)))

    router.post_json("/{study}/revise", Revision, revise)
    router.post_json("/{study}/copy", Copying, copy)
    router.post_json("/{study}/state", StateRequest, set_state)
    router.post_json("/{study}/delete", StudyRequest, delete_draft)
    router.post_json("/{study}/links/{link}/revoke", LinkRequest, revoke_link)

    def here(request: Request) -> Answer:
        return {"base": base_of(request, context.local)}

    router.post_json("/{study}/links", LinksRequest, make_links, known=here)
    router.post_json("/{study}/preview", PreviewRequest, preview, known=here)
    return router


def _closed(router: FeatureRouter) -> FeatureRouter:
    async def nothing(_: Actor = router.current_actor) -> JSONResponse:
        return JSONResponse({"error": NO_STUDIES}, 404)

    for path in ("", "/{rest:path}"):
        router.add_api_route(path, nothing, methods=["GET", "POST"], include_in_schema=False)
    return router
