"""HTTP routes of Inspect: what the eyedropper says, and color fidelity."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from truehue.tabs.inspect.colors import pixel_view
from truehue.tabs.inspect.fidelity import (
    RegisterCfm,
    ScoreImage,
    fidelity_view,
    register_cfm,
    score_by_cfm,
)
from truehue.tabs.page.answers import guarded
from truehue.tabs.page.context import Context
from truehue.tabs.page.router import FeatureRouter


def inspect_routes(context: Context) -> FeatureRouter:
    """The router of Inspect."""
    router = FeatureRouter(context, "/api")

    @router.get("/color/{srgb}")
    def color(srgb: str) -> JSONResponse:
        return guarded(lambda: pixel_view(srgb))

    @router.get("/fidelity/{image}")
    def fidelity(image: str, by: str = "") -> JSONResponse:
        return guarded(lambda: fidelity_view(context, image, by))

    router.post_json("/fidelity", ScoreImage, score_by_cfm)
    router.post_json("/cfm", RegisterCfm, register_cfm)
    return router
