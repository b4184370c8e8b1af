"""HTTP routes of the results of studies: numbers, decisions, files, and the import of a study."""

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

from truehue.tabs.page.answers import attachment, guarded, refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter, read_address
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
from truehue.tabs.studies.imports import MOST_ARCHIVE_BYTES, import_study
from truehue.tabs.studies.results import StudyReference, StudyResultsRequest, study_results
from truehue.tabs.studies.results_people import (
    Decide,
    Erase,
    ParticipantReference,
    SetRule,
    clear_external,
    erase,
    exclude,
    include,
    participant_export,
    replayed,
    set_rule,
)


def results_routes(context: Context) -> FeatureRouter:
    """The router; empty in a demonstration, which has no studies."""
    router = FeatureRouter(context, "/api/studies", strict=True)
    if context.demo:
        return router
    current_actor = router.current_actor

    @router.get("/{study}/results")
    def results(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(
            lambda: study_results(context, actor, read_address(StudyResultsRequest, request))
        )

    @router.get("/{study}/replay")
    def replay(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(lambda: replayed(context, actor, read_address(StudyReference, request)))

    @router.get("/{study}/tables")
    def tables(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(lambda: table_list(context, actor, read_address(StudyReference, request)))

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
    router.post_file("/import", EmptyRequest, MOST_ARCHIVE_BYTES, import_study, importing)
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
