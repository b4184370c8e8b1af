"""HTTP routes of keeping, judging and deleting: verdicts, judgments of people, what was deleted."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tabs.judging.deleting import delete, purge, restore, trash_view
from tabs.judging.judgments import judge_verdict, judgments_csv, judgments_view, of_question
from tabs.judging.keeping import keep_asked
from tabs.page.answers import guarded, posted
from tabs.page.context import Context


def judgment_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api")

    @router.post("/verdicts")
    async def keep(request: Request) -> JSONResponse:
        def make(given: dict[str, object]) -> dict[str, object]:
            rows = keep_asked(context, given)
            return {"evidence": {row.protocol: row.evidence_id for row in rows},
                    "data": context.data_text()}  # fmt: skip

        return await posted(request, make)

    @router.get("/judgments")
    def judgments(request: Request) -> JSONResponse:
        return guarded(lambda: judgments_view(context, request.query_params))

    @router.get("/judgments/of")
    def judgment(request: Request) -> JSONResponse:
        return guarded(lambda: {"judgment": of_question(context, request.query_params)})

    @router.get("/judgments.csv")
    def table() -> Response:
        headers = {"Content-Disposition": 'attachment; filename="truehue-judgments.csv"'}
        return Response(judgments_csv(context), media_type="text/csv", headers=headers)

    @router.post("/judgments")
    async def judge(request: Request) -> JSONResponse:
        return await posted(request, lambda given: judge_verdict(context, given))

    @router.post("/judgments/{judgment_id}/withdraw")
    async def withdraw(judgment_id: str, request: Request) -> JSONResponse:
        def make(_: dict[str, object]) -> dict[str, object]:
            context.storage.judgments.withdraw(judgment_id)
            return {}

        return await posted(request, make)

    @router.get("/trash")
    def deleted() -> JSONResponse:
        return guarded(lambda: trash_view(context))

    @router.post("/trash")
    async def move(request: Request) -> JSONResponse:
        return await posted(request, lambda given: delete(context, given))

    @router.post("/trash/{trash_id}/restore")
    async def put_back(trash_id: str, request: Request) -> JSONResponse:
        return await posted(request, lambda _: restore(context, trash_id))

    @router.post("/trash/{trash_id}/purge")
    async def for_good(trash_id: str, request: Request) -> JSONResponse:
        return await posted(request, lambda _: purge(context, trash_id))

    return router
