"""HTTP routes of Compare's analyses over many concepts, and of the work that fills their cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tabs.compare.tables.cells import start_cells
from tabs.compare.tables.guidance import guidance_csv, guidance_view
from tabs.compare.tables.modifiers import modifiers_csv, modifiers_view
from tabs.compare.tables.people import PeopleHere
from tabs.compare.tables.view import tables_csv, tables_view
from tabs.compare.tables.worst import concepts_view
from tabs.page.answers import guarded, posted, refusal
from tabs.page.context import Context

Make = Callable[[Context, PeopleHere, Mapping[str, str]], Any]


def compare_tables_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/compare/analyses")
    people = PeopleHere(context)

    def answered(make: Make, request: Request) -> JSONResponse:
        return guarded(lambda: make(context, people, request.query_params))

    def attached(make: Make, name: str, request: Request) -> Response:
        try:
            text = make(context, people, request.query_params)
        except Exception as error:
            return refusal(error)
        headers = {"Content-Disposition": f'attachment; filename="truehue-{name}.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    @router.get("/tables")
    def tables(request: Request) -> JSONResponse:
        return answered(tables_view, request)

    @router.get("/tables.csv")
    def tables_file(request: Request) -> Response:
        return attached(tables_csv, "concept-tables", request)

    @router.get("/tables/concepts")
    def concepts(request: Request) -> JSONResponse:
        return answered(concepts_view, request)

    @router.get("/modifiers")
    def modifiers(request: Request) -> JSONResponse:
        return answered(modifiers_view, request)

    @router.get("/modifiers.csv")
    def modifiers_file(request: Request) -> Response:
        return attached(modifiers_csv, "modifiers", request)

    @router.get("/guidance")
    def guidance(request: Request) -> JSONResponse:
        return answered(guidance_view, request)

    @router.get("/guidance.csv")
    def guidance_file(request: Request) -> Response:
        return attached(guidance_csv, "guidance-and-size", request)

    @router.post("/cells")
    async def cells(request: Request) -> JSONResponse:
        return await posted(request, lambda given: {"job": start_cells(context, given).id})

    return router
