"""HTTP routes of VLMs: sets, askings, results, questions one by one, and their images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from truehue.tabs.page.answers import Answer, csv_attachment, refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter, read_address
from truehue.tabs.vlm.downloads import answers_file, scores_file
from truehue.tabs.vlm.images import ImageRequest, image_png
from truehue.tabs.vlm.judge import JudgeRenders, judge_renders
from truehue.tabs.vlm.list import (
    ChangeEvaluation,
    ListEvaluations,
    change_evaluation,
    evaluations_view,
)
from truehue.tabs.vlm.making import (
    ImportSet,
    MakeJudgeSet,
    MakeSet,
    import_set,
    make_judge_set,
    make_set,
)
from truehue.tabs.vlm.questions import OneQuestion, QuestionsRequest, question_view, questions_view
from truehue.tabs.vlm.results import ResultsRequest, results_view
from truehue.tabs.vlm.sets import HideSet, hide_set
from truehue.tabs.vlm.start import StartEvaluation, start_evaluation, start_view

PREFIX = "/api/vlm"
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}


def vlm_routes(context: Context) -> FeatureRouter:
    """The router of the VLMs tab."""
    feature_router = FeatureRouter(context, PREFIX)
    feature_router.gives("/start", EmptyRequest, start_view)
    feature_router.gives("/askings", ListEvaluations, evaluations_view)
    feature_router.gives("/results", ResultsRequest, results_view)
    feature_router.gives("/questions", QuestionsRequest, questions_view)
    feature_router.gives("/question", OneQuestion, question_view)
    feature_router.takes("/sets/make", MakeSet, make_set)
    feature_router.takes("/sets/judge", MakeJudgeSet, make_judge_set)
    feature_router.takes("/sets/import", ImportSet, import_set)
    feature_router.takes("/sets/{set}/hide", HideSet, hide_set)
    feature_router.takes("/sets/{set}/rules", JudgeRenders, judge_renders)
    feature_router.takes("/askings", StartEvaluation, start_evaluation)
    feature_router.takes("/askings/{id}/{what}", ChangeEvaluation, change_evaluation)

    def file(path: str, do: Callable[[Context, Actor, Any], Answer]) -> None:
        def given(request: Request, actor: Actor = feature_router.asking) -> Response:
            def made() -> tuple[str, str]:
                answer = do(context, actor, read_address(ResultsRequest, request))
                return answer["name"], answer["text"]

            return csv_attachment(made)

        feature_router.add_api_route(path, given, methods=["GET"], name=do.__name__)

    file("/results.csv", scores_file)
    file("/answers.csv", answers_file)

    @feature_router.get("/images/{set}/{image}.png")
    def image(request: Request, actor: Actor = feature_router.asking) -> Response:
        try:
            content = image_png(context, actor, read_address(ImageRequest, request))
        except Exception as error:
            return refusal(error)
        return Response(content, media_type="image/png", headers=FOREVER)

    return feature_router
