"""HTTP routes of the Explore tab: reports and their images, agreement of rules, long work."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from truehue.tabs.charts.analyses import figure_csv, figure_view
from truehue.tabs.explore.disagreements import agreement_view, reasons_view
from truehue.tabs.explore.failures import (
    count_view,
    facets_view,
    failures_view,
    image_view,
    mask_view,
)
from truehue.tabs.explore.gap import gap_view
from truehue.tabs.explore.leaderboard import cards_view, leaderboard_view
from truehue.tabs.explore.leaderboard_csv import leaderboard_csv
from truehue.tabs.explore.rule_accuracy import KIND, Diagnose, start_run, stored_reports
from truehue.tabs.explore.rule_accuracy_images import (
    SaveImageRequest,
    measured,
    save_image,
    scene_of,
    thumbnail_png,
)
from truehue.tabs.explore.rule_accuracy_report import rates_csv, report_view
from truehue.tabs.explore.run_pairs import compare_view
from truehue.tabs.explore.score_stored import ScoreStored, start_scoring_stored
from truehue.tabs.explore.scores import measures_csv, measures_view
from truehue.tabs.explore.scoring import ScoreRuns, start_scoring
from truehue.tabs.page.answers import csv_attachment, json_answer, refusal
from truehue.tabs.page.asset_files import FOREVER
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.page.single_flight import SingleFlightCache

KEPT_PNGS = 512


def explore_routes(context: Context) -> FeatureRouter:
    """The router of Explore."""
    router = FeatureRouter(context, "/api/explore")
    small = SingleFlightCache(thumbnail_png, most_kept=KEPT_PNGS)

    @router.get("/report")
    def report(source: str = "", set: str = "") -> JSONResponse:
        return json_answer(
            lambda: report_view(stored_reports(context.storage.data_dir / KIND), source, set)
        )

    @router.get("/report.csv")
    def report_csv(source: str = "", set: str = "") -> Response:
        reports = stored_reports(context.storage.data_dir / KIND)
        return csv_attachment(
            lambda: ("truehue-rule-accuracy.csv", rates_csv(reports, source, set))
        )

    @router.get("/picture.png")
    async def picture(request: Request) -> Response:
        try:
            data = await small.get(scene_of(request.query_params))
        except Exception as error:
            return refusal(error)
        return Response(data, media_type="image/png", headers=FOREVER)

    @router.get("/example")
    def example(
        request: Request, rule: str = "", requested: Annotated[str, Query(alias="asked")] = ""
    ) -> JSONResponse:
        return json_answer(lambda: measured(scene_of(request.query_params), rule, requested))

    router.post_json("/example", SaveImageRequest, save_image)

    @router.get("/agreement")
    def agreement(request: Request) -> JSONResponse:
        return json_answer(lambda: agreement_view(context, request.query_params))

    @router.get("/why")
    def why(keys: str = "") -> JSONResponse:
        return json_answer(lambda: reasons_view(context, keys))

    router.post_json("/runs", Diagnose, start_run)
    router.post_json("/score-stored", ScoreStored, start_scoring_stored)
    router.post_json("/scores", ScoreRuns, start_scoring)
    return router


def analyses_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/explore/figures")

    @router.get("/{name}.csv")
    def numbers(name: str, request: Request) -> Response:
        query = request.query_params
        return csv_attachment(lambda: (f"truehue-{name}.csv", figure_csv(context, name, query)))

    @router.get("/{name}")
    def figure(name: str, request: Request) -> JSONResponse:
        return json_answer(lambda: figure_view(context, name, request.query_params))

    return router


def leaderboard_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = FeatureRouter(context, "/api/explore")

    @router.get("/leaderboard")
    def leaderboard(request: Request, actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: leaderboard_view(context, request.query_params, actor))

    @router.get("/leaderboard/gap")
    def gap(request: Request) -> JSONResponse:
        return json_answer(lambda: gap_view(context, request.query_params))

    @router.get("/leaderboard/cards")
    def cards(request: Request, actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: cards_view(context, request.query_params, actor))

    @router.get("/measures")
    def measures(request: Request) -> JSONResponse:
        return json_answer(lambda: measures_view(context, request.query_params))

    @router.get("/measures.csv")
    def measures_table() -> Response:
        return csv_attachment(lambda: ("truehue-measures.csv", measures_csv(context)))

    @router.get("/leaderboard.csv")
    def as_csv(request: Request, actor: Actor = router.current_actor) -> Response:
        query = request.query_params
        return csv_attachment(
            lambda: ("truehue-leaderboard.csv", leaderboard_csv(context, query, actor))
        )

    return router


def failures_routes(context: Context) -> FeatureRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = FeatureRouter(context, "/api/explore")

    @router.get("/failures")
    def failures(request: Request) -> JSONResponse:
        return json_answer(lambda: failures_view(context, request.query_params))

    @router.get("/failures/facets")
    def facets(request: Request) -> JSONResponse:
        return json_answer(lambda: facets_view(context, request.query_params))

    @router.get("/failures/count")
    def count(request: Request) -> JSONResponse:
        return json_answer(lambda: count_view(context, request.query_params))

    @router.get("/failures/image")
    def image(request: Request, actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: image_view(context, actor, request.query_params))

    @router.get("/failures/mask")
    def mask(request: Request) -> JSONResponse:
        return json_answer(lambda: mask_view(context, request.query_params))

    @router.get("/compare")
    def compare(request: Request) -> JSONResponse:
        return json_answer(lambda: compare_view(context, request.query_params))

    return router
