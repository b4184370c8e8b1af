"""HTTP routes to save, judge and delete verdicts, and to restore deleted ones."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from truehue.tabs.page.answers import csv_attachment, json_answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.verdicts.deleting import Delete, Deleted, delete, purge, restore, trash_view
from truehue.tabs.verdicts.judgments import (
    AnswerVerdict,
    Judgment,
    QuestionRequest,
    judge_verdict,
    judgments_csv,
    judgments_view,
    of_question,
    save_verdict,
    withdraw,
)


def judgment_routes(context: Context) -> FeatureRouter:
    """The router of judging and deleting."""
    router = FeatureRouter(context, "/api")
    router.post_json("/verdicts", QuestionRequest, save_verdict)
    router.post_json("/judgments", AnswerVerdict, judge_verdict)
    router.post_json("/judgments/{judgment_id}/withdraw", Judgment, withdraw)
    router.post_json("/trash", Delete, delete)
    router.post_json("/trash/{trash_id}/restore", Deleted, restore)
    router.post_json("/trash/{trash_id}/purge", Deleted, purge)

    @router.get("/judgments")
    def judgments(request: Request, actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: judgments_view(context, actor, request.query_params))

    @router.get("/judgments/of")
    def judgment(request: Request, actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: of_question(context, actor, request.query_params))

    @router.get("/judgments.csv")
    def table() -> Response:
        return csv_attachment(lambda: ("truehue-judgments.csv", judgments_csv(context)))

    @router.get("/trash")
    def deleted() -> JSONResponse:
        return json_answer(lambda: trash_view(context))

    return router
