"""HTTP routes of studies: making and running them, their results and files, and their colorings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import anyio
from fastapi import Request
from fastapi.responses import FileResponse, JSONResponse, Response
from starlette.background import BackgroundTask

from truehue.tabs.page.answers import Fields, attachment, refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter, read_address
from truehue.tabs.page.same_origin import base_of
from truehue.tabs.studies.audits import AuditRequest, start_audit
from truehue.tabs.studies.changing import (
    Copying,
    Revision,
    StateRequest,
    copy,
    create,
    revise,
    set_state,
)
from truehue.tabs.studies.colorings.experts import SetExperts, experts, set_experts
from truehue.tabs.studies.colorings.listing import (
    ColoringImageRequest,
    ListColorings,
    coloring_png,
    colorings,
)
from truehue.tabs.studies.colorings.live import coloring_progress
from truehue.tabs.studies.colorings.marks import (
    PostKeep,
    PostPractice,
    PostRecolor,
    PostSentBack,
    post_keep,
    post_practice,
    post_recolor,
    post_sent_back,
    set_coloring_rule,
)
from truehue.tabs.studies.colorings.quality import (
    MakeDistribution,
    concept_uncertainty_json,
    make_distribution,
    quality,
)
from truehue.tabs.studies.colorings.reviews import (
    PostReview,
    ReviewItemReference,
    next_review,
    post_review,
    review_image,
    reviews_open,
)
from truehue.tabs.studies.colorings.rule import SetColoringRule
from truehue.tabs.studies.exports import (
    ExportedFile,
    StudyExportRequest,
    StudyTableRequest,
    codebook_file,
    table_file,
    table_list,
    votes_file,
    write_archive,
)
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.imports import MAX_ARCHIVE_BYTES, import_study
from truehue.tabs.studies.links import (
    LinkRequest,
    LinksRequest,
    PreviewRequest,
    make_links,
    preview,
    revoke_link,
)
from truehue.tabs.studies.live import StudyRequest, live
from truehue.tabs.studies.materials import materials, presets
from truehue.tabs.studies.outline import CasesForm, cases, outline
from truehue.tabs.studies.planning import PowerRequest, VotesRequest, power, votes_needed
from truehue.tabs.studies.publication.publishing import PublishRequest, publish, unpublish
from truehue.tabs.studies.results import StudyReference, StudyResultsRequest, study_results
from truehue.tabs.studies.results_people import (
    Decide,
    Erase,
    ParticipantReference,
    SetRule,
    check_replays,
    clear_external,
    comments,
    erase,
    exclude,
    include,
    participant_export,
    set_rule,
)
from truehue.tabs.studies.sketch_choices import concept_list
from truehue.tabs.studies.study import delete_draft, study, study_list
from truehue.tabs.studies.submissions import check_submissions

PREFIX = "/api/studies"
NO_STUDIES = "A demonstration has no studies. Run TrueHue on your own machine."
_KEPT = {"Cache-Control": "private, max-age=86400", "X-Content-Type-Options": "nosniff"}
"""The address of a picture names the answer that it is of, so that it never changes."""


def study_routes(context: Context) -> FeatureRouter:
    """The router of studies; in a demonstration one that knows none."""
    router = FeatureRouter(context, PREFIX, strict=True)
    if context.demo:
        return _closed(router)

    router.get_json("", EmptyRequest, study_list)
    router.get_json("/presets", EmptyRequest, presets)
    router.get_json("/materials", EmptyRequest, materials)
    router.get_json("/concepts", EmptyRequest, concept_list)
    router.post_json("/outline", StudyForm, outline)
    router.post_json("/cases", CasesForm, cases)
    router.post_json("/create", StudyForm, create)
    router.post_json("/power", PowerRequest, power)
    router.post_json("/votes-needed", VotesRequest, votes_needed)
    router.post_json("/audit", AuditRequest, start_audit)

    router.get_json("/{study}", StudyRequest, study)
    router.get_json("/{study}/live", StudyRequest, live)
    router.post_json("/{study}/submissions", StudyRequest, check_submissions)
    router.get_json("/{study}/comments", StudyRequest, comments)
    router.post_json("/{study}/revise", Revision, revise)
    router.post_json("/{study}/copy", Copying, copy)
    router.post_json("/{study}/state", StateRequest, set_state)
    router.post_json("/{study}/delete", StudyRequest, delete_draft)
    router.post_json("/{study}/links/{link}/revoke", LinkRequest, revoke_link)
    router.post_json("/{study}/publish", PublishRequest, publish)
    router.post_json("/{study}/unpublish", StudyRequest, unpublish)

    def here(request: Request) -> Fields:
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


def results_routes(context: Context) -> FeatureRouter:
    """The router; empty in a demonstration, which has no studies."""
    router = FeatureRouter(context, "/api/studies", strict=True)
    if context.demo:
        return router
    current_actor = router.current_actor

    router.get_json("/{study}/results", StudyResultsRequest, study_results)
    router.get_json("/{study}/replay", StudyReference, check_replays)
    router.get_json("/{study}/tables", StudyReference, table_list)

    @router.get("/{study}/tables/{table}.{format}")
    def table(request: Request, actor: Actor = current_actor) -> Response:
        return _sent(lambda: table_file(context, actor, read_address(StudyTableRequest, request)))

    @router.get("/{study}/votes.jsonl")
    def votes(request: Request, actor: Actor = current_actor) -> Response:
        return _sent(lambda: votes_file(context, actor, read_address(StudyExportRequest, request)))

    @router.get("/{study}/codebook.md")
    def codebook(request: Request, actor: Actor = current_actor) -> Response:
        return _sent(
            lambda: codebook_file(context, actor, read_address(StudyExportRequest, request))
        )

    @router.get("/{study}/all.zip")
    def everything(request: Request, actor: Actor = current_actor) -> Response:
        return _archive(context, actor, request)

    @router.get("/{study}/participants/{participant}/export")
    def one(request: Request, actor: Actor = current_actor) -> Response:
        return _sent(
            lambda: _participant_file(context, actor, read_address(ParticipantReference, request))
        )

    router.post_json("/{study}/rule", SetRule, set_rule)
    router.post_json("/{study}/clear-external", StudyReference, clear_external)
    router.post_json("/{study}/participants/{participant}/exclude", Decide, exclude)
    router.post_json("/{study}/participants/{participant}/include", Decide, include)
    router.post_json("/{study}/participants/{participant}/erase", Erase, erase)
    importing = anyio.CapacityLimiter(1)  # a study may take some hundred megabytes for a moment
    router.post_file("/import", EmptyRequest, MAX_ARCHIVE_BYTES, import_study, importing)
    return router


def _sent(make: Callable[[], ExportedFile]) -> Response:
    """The file that ``make`` returns, to be saved, or its error in words."""
    try:
        file = make()
        headers = {**attachment(file.name), "Cache-Control": "no-store"}
    except Exception as error:
        return refusal(error)
    return Response(file.content, media_type=file.media_type, headers=headers)


def _archive(context: Context, actor: Actor, request: Request) -> Response:
    with NamedTemporaryFile(prefix="truehue-study-", suffix=".zip", delete=False) as file:
        path = Path(file.name)
    try:
        name = write_archive(context, actor, read_address(StudyExportRequest, request), path)
        headers = {**attachment(name), "Cache-Control": "no-store"}
    except Exception as error:
        path.unlink(missing_ok=True)
        return refusal(error)
    gone = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type="application/zip", headers=headers, background=gone)


def _participant_file(
    context: Context, actor: Actor, request: ParticipantReference
) -> ExportedFile:
    content: dict[str, Any] = participant_export(context, actor, request)
    number = content["participant"]["number"] + 1
    text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
    return ExportedFile(
        f"participant-{number}-{content['study']['id'][:6]}.json",
        "application/json",
        text.encode(),
    )


def coloring_routes(context: Context) -> FeatureRouter:
    """The router; empty in a demonstration, which has no studies."""
    router = FeatureRouter(context, "/api", strict=True)
    if context.demo:
        return router
    current_actor, base = router.current_actor, "/studies/{study}"

    router.get_json("/reviews", EmptyRequest, reviews_open)
    router.get_json(f"{base}/colorings", ListColorings, colorings)
    router.get_json(f"{base}/colorings/progress", StudyReference, coloring_progress)

    @router.get(f"{base}/colorings/{{participant}}/{{position}}.png")
    def shown(request: Request, actor: Actor = current_actor) -> Response:
        return _png(
            lambda: coloring_png(context, actor, read_address(ColoringImageRequest, request))
        )

    router.get_json(f"{base}/review", StudyReference, next_review)

    @router.get(f"{base}/review/{{item}}.png")
    def reviewed(request: Request, actor: Actor = current_actor) -> Response:
        return _png(
            lambda: review_image(context, actor, read_address(ReviewItemReference, request))
        )

    router.get_json(f"{base}/quality", StudyReference, quality)
    router.get_json(f"{base}/worth", StudyReference, concept_uncertainty_json)
    router.post_json(f"{base}/review", PostReview, post_review)
    router.post_json(f"{base}/practice", PostPractice, post_practice)
    router.post_json(f"{base}/recolor", PostRecolor, post_recolor)
    router.post_json(f"{base}/keep", PostKeep, post_keep)
    router.post_json(f"{base}/send-back", PostSentBack, post_sent_back)
    router.get_json(f"{base}/experts", StudyReference, experts)
    router.post_json(f"{base}/experts", SetExperts, set_experts)
    router.post_json(f"{base}/quality", SetColoringRule, set_coloring_rule)
    router.post_json(f"{base}/distribution", MakeDistribution, make_distribution)
    return router


def _png(make: Callable[[], bytes]) -> Response:
    try:
        content = make()
    except Exception as error:
        return refusal(error)
    return Response(content, media_type="image/png", headers=_KEPT)
