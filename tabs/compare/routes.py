"""HTTP routes of Compare's view of one concept, and of the saturation sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from truehue.tabs.compare.concept.exports import file_name, numbers_csv, weights_csv
from truehue.tabs.compare.concept.service import (
    bins_view,
    choices_view,
    concept_view,
    flow_view,
    intervals_view,
)
from truehue.tabs.compare.concept.steps import images_view, steps_view
from truehue.tabs.compare.example import compare_example
from truehue.tabs.compare.images import Mark, Pool, pool, review_mark, save_mark
from truehue.tabs.compare.sweep import sweep_chart, sweep_view
from truehue.tabs.page.answers import Answer, csv_attachment, json_answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.sources.distributions import concepts_view


def compare_routes(context: Context) -> FeatureRouter:
    """The router of Compare."""
    router = FeatureRouter(context, "/api/compare")

    @router.get("/bins")
    def bins() -> JSONResponse:
        return json_answer(bins_view)

    @router.get("/concepts")
    def listed() -> JSONResponse:
        return json_answer(lambda: concepts_view(context))

    views: dict[str, Callable[[Context, Mapping[str, str]], Answer]] = {
        "choices": choices_view,
        "view": concept_view,
        "intervals": intervals_view,
        "flow": flow_view,
        "images": images_view,
        "steps": steps_view,
    }
    for name, view in views.items():
        router.add_api_route(f"/{name}", _answering(context, view), methods=["GET"])

    router.post_json("/example", EmptyRequest, compare_example)
    router.post_json("/image/look", Mark, review_mark)
    router.post_json("/image/mark", Mark, save_mark)
    router.post_json("/image/pool", Pool, pool)

    @router.get("/weights.csv")
    def weights(request: Request) -> Response:
        query = request.query_params
        return csv_attachment(lambda: (file_name(query, "histograms"), weights_csv(context, query)))

    @router.get("/numbers.csv")
    def numbers(request: Request) -> Response:
        query = request.query_params
        return csv_attachment(lambda: (file_name(query, "numbers"), numbers_csv(context, query)))

    @router.get("/sweep")
    def sweep(images: str = "") -> JSONResponse:
        return json_answer(lambda: sweep_view(context, images.split(",")))

    @router.get("/sweep.csv")
    def sweep_csv(images: str = "") -> Response:
        return csv_attachment(
            lambda: (
                "truehue-saturation-sweep.csv",
                sweep_chart(context, images.split(",")).csv(),
            )
        )

    return router


def _answering(
    context: Context, view: Callable[[Context, Mapping[str, str]], Answer]
) -> Callable[[Request], JSONResponse]:
    def answer(request: Request) -> JSONResponse:
        return json_answer(lambda: view(context, request.query_params))

    return answer
