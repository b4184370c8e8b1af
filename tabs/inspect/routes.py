"""HTTP routes of Inspect: its form, the eyedropper's readings, and color fidelity."""

from __future__ import annotations

import anyio
from fastapi.responses import JSONResponse

from truehue.tabs.inspect.colors import pixel_view
from truehue.tabs.inspect.differences import CompareColors, color_differences
from truehue.tabs.inspect.fidelity import (
    RegisterCfm,
    ScoreImage,
    fidelity_view,
    register_cfm,
    score_by_cfm,
)
from truehue.tabs.inspect.form import (
    FollowLink,
    MarkedImage,
    OpenImage,
    cut_points,
    find_object,
    open_image,
    open_link,
    score_marks,
)
from truehue.tabs.inspect.mask_request import (
    FIRST_VARIANT,
    CutPoints,
    FindObject,
    labels_view,
)
from truehue.tabs.page.answers import json_answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.router import FeatureRouter

MAX_MARKS_BYTES = 8 * 2**20
"""Many long strokes."""
SCORES_AT_ONCE = 4
"""A selection and all rules take a processor for a second; other routes are answered meanwhile."""


def inspect_routes(context: Context) -> FeatureRouter:
    """The router of Inspect."""
    router = FeatureRouter(context, "/api")

    @router.get("/color/{srgb}")
    def color(srgb: str) -> JSONResponse:
        return json_answer(lambda: pixel_view(srgb))

    @router.get("/inspect/labels")
    def labels(object: str = "", variant: str = FIRST_VARIANT) -> JSONResponse:
        return json_answer(lambda: labels_view(object, variant))

    @router.get("/fidelity/{image}")
    def fidelity(image: str, by: str = "") -> JSONResponse:
        return json_answer(lambda: fidelity_view(context, image, by))

    scoring = anyio.CapacityLimiter(SCORES_AT_ONCE)
    router.post_json("/inspect/score", MarkedImage, score_marks, MAX_MARKS_BYTES, limiter=scoring)
    router.post_json("/inspect/open", OpenImage, open_image, limiter=scoring)
    router.post_json("/inspect/link", FollowLink, open_link, limiter=scoring)
    router.post_json("/differences", CompareColors, color_differences)
    router.post_json("/inspect/find", FindObject, find_object)
    router.post_json("/inspect/points", CutPoints, cut_points, MAX_MARKS_BYTES)
    router.post_json("/fidelity", ScoreImage, score_by_cfm)
    router.post_json("/cfm", RegisterCfm, register_cfm)
    return router
