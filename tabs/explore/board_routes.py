"""HTTP routes of the leaderboard: what the page shows, and the same as a file."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tabs.explore.board import board_view
from tabs.explore.board_csv import board_csv
from tabs.explore.cards import cards_view
from tabs.page.answers import guarded, refusal
from tabs.page.context import Context


def board_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/explore")

    @router.get("/board")
    def board(request: Request) -> JSONResponse:
        return guarded(lambda: board_view(context, request.query_params))

    @router.get("/board/cards")
    def cards(request: Request) -> JSONResponse:
        return guarded(lambda: cards_view(context, request.query_params))

    @router.get("/board.csv")
    def as_csv(request: Request) -> Response:
        try:
            text = board_csv(context, request.query_params)
        except Exception as error:
            return refusal(error)
        headers = {"Content-Disposition": 'attachment; filename="truehue-leaderboard.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    return router
