"""HTTP routes of Compare's analyses over many concepts, and of the work that fills their cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from truehue.tabs.compare.tables.cells import ExtractCells, start_cells
from truehue.tabs.compare.tables.gap import gap_view
from truehue.tabs.compare.tables.guidance import guidance_csv, guidance_view
from truehue.tabs.compare.tables.modifiers import modifiers_csv, modifiers_view
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.compare.tables.view import concepts_view, tables_csv, tables_view
from truehue.tabs.page.answers import csv_attachment, json_answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.router import FeatureRouter

Make = Callable[[Context, ReferenceSets, Mapping[str, str]], Any]


def compare_tables_routes(context: Context) -> FeatureRouter:
    """The router of Compare's analyses."""
    router = FeatureRouter(context, "/api/compare/analyses")
    people = ReferenceSets(context)

    def answered(make: Make, request: Request) -> JSONResponse:
        return json_answer(lambda: make(context, people, request.query_params))

    def attached(make: Make, name: str, request: Request) -> Response:
        query = request.query_params
        return csv_attachment(lambda: (f"truehue-{name}.csv", make(context, people, query)))

    @router.get("/tables")
    def tables(request: Request) -> JSONResponse:
        return answered(tables_view, request)

    @router.get("/tables.csv")
    def tables_file(request: Request) -> Response:
        return attached(tables_csv, "concept-tables", request)

    @router.get("/tables/concepts")
    def concepts(request: Request) -> JSONResponse:
        return answered(concepts_view, request)

    @router.get("/gap")
    def gap(request: Request) -> JSONResponse:
        return answered(gap_view, request)

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

    router.post_json("/cells", ExtractCells, start_cells)
    return router
