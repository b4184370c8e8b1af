"""HTTP routes of runs: the form, the estimate, starting, and what becomes of them."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from truehue.tabs.page.answers import guarded
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter
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
from truehue.tabs.runs.imported import ScoreImages, start_scoring
from truehue.tabs.runs.list import ChangeRun, change_run, runs_view
from truehue.tabs.runs.request import RunRequest


def run_routes(context: Context) -> FeatureRouter:
    """The router of runs."""
    feature_router = FeatureRouter(context, "/api/runs")

    @feature_router.get("")
    def runs(hidden: bool = False, actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: runs_view(context, actor, hidden))

    @feature_router.get("/form")
    def form(actor: Actor = feature_router.asking) -> JSONResponse:
        return guarded(lambda: form_view(context, actor))

    feature_router.takes("/estimate", RunRequest, estimate_view)
    feature_router.takes("/trial", RunRequest, try_out)
    feature_router.takes("", RunRequest, start_runs)
    feature_router.takes("/{run_id}/{what}", ChangeRun, change_run)
    return feature_router


def image_set_routes(context: Context) -> FeatureRouter:
    """The router of folders of images."""
    feature_router = FeatureRouter(context, "/api/image-sets")
    feature_router.takes_file("/files/{session}", StagedFile, context.limits.image_bytes, take_file)
    feature_router.takes("/forget", StagedFolder, forget_folder)
    feature_router.takes("/plan", ImageFolder, look)
    feature_router.takes("/start", ImageFolder, start_import)
    feature_router.takes("/score", ScoreImages, start_scoring)
    return feature_router
