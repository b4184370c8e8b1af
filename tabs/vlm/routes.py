"""HTTP routes of VLMs: sets, evaluations, results, questions one by one, and their images."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fastapi import Request
from fastapi.responses import Response

from truehue.tabs.page.answers import csv_attachment, refusal
from truehue.tabs.page.asset_files import PRIVATE_FOREVER
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter, read_address
from truehue.tabs.vlm.gap import GapRequest, JudgeGapRequest, gap_view, judge_gap_view
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
from truehue.tabs.vlm.models import ModelsRequest, models_file, models_view
from truehue.tabs.vlm.questions import (
    ImageRequest,
    OneQuestion,
    QuestionsRequest,
    image_png,
    question_view,
    questions_view,
)
from truehue.tabs.vlm.results import ResultsRequest, answers_file, results_view, scores_file
from truehue.tabs.vlm.sets import HideSet, hide_set
from truehue.tabs.vlm.start import StartEvaluation, start_evaluation, start_view

PREFIX = "/api/vlm"
R = TypeVar("R", bound=PageRequest)


def vlm_routes(context: Context) -> FeatureRouter:
    """The router of the VLMs tab."""
    router = FeatureRouter(context, PREFIX)
    router.get_json("/start", EmptyRequest, start_view)
    router.get_json("/evaluations", ListEvaluations, evaluations_view)
    router.get_json("/results", ResultsRequest, results_view)
    router.get_json("/gap", GapRequest, gap_view)
    router.get_json("/judge-gap", JudgeGapRequest, judge_gap_view)
    router.get_json("/models", ModelsRequest, models_view)
    router.get_json("/questions", QuestionsRequest, questions_view)
    router.get_json("/question", OneQuestion, question_view)
    router.post_json("/sets/make", MakeSet, make_set)
    router.post_json("/sets/judge", MakeJudgeSet, make_judge_set)
    router.post_json("/sets/import", ImportSet, import_set)
    router.post_json("/sets/{set}/hide", HideSet, hide_set)
    router.post_json("/sets/{set}/rules", JudgeRenders, judge_renders)
    router.post_json("/evaluations", StartEvaluation, start_evaluation)
    router.post_json("/evaluations/{id}/{what}", ChangeEvaluation, change_evaluation)

    def file(path: str, kind: type[R], do: Callable[[Context, Actor, R], tuple[str, str]]) -> None:
        def given(request: Request, actor: Actor = router.current_actor) -> Response:
            return csv_attachment(lambda: do(context, actor, read_address(kind, request)))

        router.add_api_route(path, given, methods=["GET"], name=do.__name__)

    file("/results.csv", ResultsRequest, scores_file)
    file("/answers.csv", ResultsRequest, answers_file)
    file("/models.csv", ModelsRequest, models_file)

    @router.get("/images/{set}/{image}.png")
    def image(request: Request, actor: Actor = router.current_actor) -> Response:
        try:
            content = image_png(context, actor, read_address(ImageRequest, request))
        except Exception as error:
            return refusal(error)
        return Response(content, media_type="image/png", headers=PRIVATE_FOREVER)

    return router
