"""HTTP routes of the Explore tab: reports and their pictures, agreement of rules, long work."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from tabs.diagnosis.images import KeepPicture, keep_picture, measured, picture_png, scene
from tabs.diagnosis.report import report_view
from tabs.diagnosis.run import Diagnose, start_run
from tabs.diagnosis.store import reports_here
from tabs.explore.audit import agreement_view
from tabs.explore.rejudge import JudgeStored, start_rejudge
from tabs.explore.why import reasons
from tabs.page.answers import guarded, refusal
from tabs.page.context import Context
from tabs.page.door import Door
from tabs.page.once import Once

KEPT_PNGS = 512
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def explore_routes(context: Context) -> Door:
    """The router of Explore."""
    door = Door(context, "/api/explore")
    folder = context.storage.data_dir / "diagnosis"
    small = Once(picture_png, most_kept=KEPT_PNGS)

    @door.get("/report")
    def report(source: str = "", set: str = "") -> JSONResponse:
        return guarded(lambda: report_view(reports_here(folder), source, set))

    @door.get("/picture.png")
    async def picture(request: Request) -> Response:
        try:
            data = await small.get(scene(request.query_params))
        except Exception as error:
            return refusal(error)
        return Response(data, media_type="image/png", headers=_FOREVER)

    @door.get("/example")
    def example(request: Request, rule: str = "", asked: str = "") -> JSONResponse:
        return guarded(lambda: measured(scene(request.query_params), rule, asked))

    door.takes("/example", KeepPicture, keep_picture)

    @door.get("/agreement")
    def agreement(request: Request) -> JSONResponse:
        return guarded(lambda: agreement_view(context, request.query_params))

    @door.get("/why")
    def why(keys: str = "") -> JSONResponse:
        return guarded(lambda: {"why": reasons(context, keys.split(",") if keys else [])})

    door.takes("/runs", Diagnose, start_run)
    door.takes("/rejudge", JudgeStored, start_rejudge)
    return door
