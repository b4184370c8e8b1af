"""HTTP routes of runs: the form, the estimate, the start, and the list."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from truehue.tabs.page.answers import csv_attachment, json_answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter, read_address
from truehue.tabs.runs.form import estimate_view, form_view, start_runs, try_out
from truehue.tabs.runs.image_import import (
    ImageFolder,
    StagedFile,
    StagedFolder,
    forget_folder,
    look,
    start_import,
    take_file,
)
from truehue.tabs.runs.imported import ImportedTable, ScoreImages, images_csv, start_scoring
from truehue.tabs.runs.list import ChangeRun, change_run, runs_view
from truehue.tabs.runs.request import RunRequest


def run_routes(context: Context) -> FeatureRouter:
    """The router of runs."""
    router = FeatureRouter(context, "/api/runs")

    @router.get("")
    def runs(hidden: bool = False, actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: runs_view(context, actor, hidden))

    @router.get("/form")
    def form(actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: form_view(context, actor))

    router.post_json("/estimate", RunRequest, estimate_view)
    router.post_json("/trial", RunRequest, try_out)
    router.post_json("", RunRequest, start_runs)
    router.post_json("/{run_id}/{what}", ChangeRun, change_run)
    return router


def image_set_routes(context: Context) -> FeatureRouter:
    """The router of folders of images."""
    router = FeatureRouter(context, "/api/image-sets")
    router.post_file("/files/{session}", StagedFile, context.limits.image_bytes, take_file)
    router.post_json("/forget", StagedFolder, forget_folder)
    router.post_json("/plan", ImageFolder, look)
    router.post_json("/start", ImageFolder, start_import)
    router.post_json("/score", ScoreImages, start_scoring)

    @router.get("/images.csv")
    def table(request: Request, actor: Actor = router.current_actor) -> Response:
        return csv_attachment(
            lambda: images_csv(context, actor, read_address(ImportedTable, request))
        )

    return router
