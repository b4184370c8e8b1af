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
    door = FeatureRouter(context, "/api/runs")

    @door.get("")
    def runs(hidden: bool = False, actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: runs_view(context, actor, hidden))

    @door.get("/form")
    def form(actor: Actor = door.asking) -> JSONResponse:
        return guarded(lambda: form_view(context, actor))

    door.takes("/estimate", RunRequest, estimate_view)
    door.takes("/trial", RunRequest, try_out)
    door.takes("", RunRequest, start_runs)
    door.takes("/{run_id}/{what}", ChangeRun, change_run)
    return door


def image_set_routes(context: Context) -> FeatureRouter:
    """The router of folders of images."""
    door = FeatureRouter(context, "/api/image-sets")
    door.takes_file("/files/{session}", StagedFile, context.limits.image_bytes, take_file)
    door.takes("/forget", StagedFolder, forget_folder)
    door.takes("/plan", ImageFolder, look)
    door.takes("/start", ImageFolder, start_import)
    door.takes("/score", ScoreImages, start_scoring)
    return door
