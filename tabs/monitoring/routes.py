"""HTTP routes for those who operate the app, at the addresses that their programs expect."""

from __future__ import annotations

from fastapi.responses import JSONResponse, Response

from truehue.tabs.monitoring.health import health
from truehue.tabs.monitoring.metrics import MEDIA_TYPE, metrics_text
from truehue.tabs.page.answers import json_answer, refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter


def monitoring_routes(context: Context) -> FeatureRouter:
    """The router of health and metrics."""
    router = FeatureRouter(context)

    @router.get("/healthz")
    def healthz() -> JSONResponse:
        answer = json_answer(lambda: health(context))
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @router.get("/metrics")
    def metrics(actor: Actor = router.current_actor) -> Response:
        try:
            text = metrics_text(context, actor, EmptyRequest())
        except Exception as error:
            return refusal(error)
        return Response(text, media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})

    return router
