"""HTTP routes of Generate: its form, and the generated images."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse

from truehue.tabs.generate.examples import NamedExample, generate_example, listed
from truehue.tabs.generate.form import GenerationForm, filled_form, plan_generation, start_form
from truehue.tabs.generate.gallery import gallery_view
from truehue.tabs.generate.pairs import maps_of, pair_json
from truehue.tabs.page.answers import json_answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.router import FeatureRouter

MAX_ITEMS = 96


def generation_routes(context: Context) -> FeatureRouter:
    """The router of drawings."""
    router = FeatureRouter(context, "/api")

    @router.get("/drawings")
    def drawings(
        limit: int = 24,
        offset: int = 0,
        status: str = "",
        verdict: str = "",
        model: str = "",
        rule: str = "",
    ) -> JSONResponse:
        filters = {
            "status": status or None,
            "verdict": verdict or None,
            "model": model or None,
            "rule": rule or None,
        }
        limit, offset = min(max(limit, 1), MAX_ITEMS), min(max(offset, 0), 2**31)
        return json_answer(lambda: gallery_view(context, limit, offset, filters))

    @router.get("/drawings/{drawing_id}/pair")
    def pair(drawing_id: str) -> JSONResponse:
        return json_answer(lambda: pair_json(context, drawing_id))

    @router.get("/images/{image_id}/cfr-maps")
    def maps(image_id: str) -> JSONResponse:
        return json_answer(lambda: maps_of(context, image_id))

    @router.get("/generations/form")
    def form(request: Request) -> JSONResponse:
        """The form as a link fills it, and the models to choose from."""
        return json_answer(lambda: filled_form(context, request.query_params))

    router.post_json("/generations/plan", GenerationForm, plan_generation)
    router.post_json("/generations/start", GenerationForm, start_form)
    return router


def example_routes(context: Context) -> FeatureRouter:
    """The router of examples."""
    router = FeatureRouter(context, "/api/examples")

    @router.get("")
    def examples() -> JSONResponse:
        return json_answer(lambda: listed(context))

    router.post_json("", NamedExample, generate_example)
    return router
