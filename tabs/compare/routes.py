"""HTTP routes of Compare's view of one concept."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from tabs.compare.concept.concepts import choices_view, concepts_view
from tabs.compare.concept.service import bins_view, concept_view, flow_view, intervals_view
from tabs.compare.concept.steps import images_view, steps_view
from tabs.compare.export import file_name, numbers_csv, weights_csv
from tabs.compare.images import keep_mark, look_at_mark, pool
from tabs.page.answers import guarded, posted, refusal
from tabs.page.context import Context


def compare_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api/compare")

    @router.get("/bins")
    def bins() -> JSONResponse:
        return guarded(bins_view)

    @router.get("/concepts")
    def listed() -> JSONResponse:
        return guarded(lambda: concepts_view(context))

    views: dict[str, Callable[[Context, Mapping[str, str]], dict[str, Any]]] = {
        "choices": choices_view, "view": concept_view, "intervals": intervals_view,
        "flow": flow_view, "images": images_view, "steps": steps_view,
    }  # fmt: skip
    for name, view in views.items():
        router.add_api_route(f"/{name}", _answering(context, view), methods=["GET"])

    for name, make in {"look": look_at_mark, "mark": keep_mark, "pool": pool}.items():
        router.add_api_route(f"/image/{name}", _taking(context, make), methods=["POST"])

    @router.get("/weights.csv")
    def weights(request: Request) -> Response:
        return _file(lambda: weights_csv(context, request.query_params), request, "histograms")

    @router.get("/numbers.csv")
    def numbers(request: Request) -> Response:
        return _file(lambda: numbers_csv(context, request.query_params), request, "numbers")

    return router


def _answering(
    context: Context, view: Callable[[Context, Mapping[str, str]], dict[str, Any]]
) -> Callable[[Request], JSONResponse]:
    def answer(request: Request) -> JSONResponse:
        return guarded(lambda: view(context, request.query_params))

    return answer


def _taking(
    context: Context, make: Callable[[Context, Mapping[str, Any]], dict[str, Any]]
) -> Callable[[Request], Coroutine[Any, Any, JSONResponse]]:
    async def answer(request: Request) -> JSONResponse:
        return await posted(request, lambda given: make(context, given))

    return answer


def _file(make: Callable[[], str], request: Request, what: str) -> Response:
    try:
        text = make()
        name = file_name(request.query_params, what)
    except Exception as error:
        return refusal(error)
    attached = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=attached)
