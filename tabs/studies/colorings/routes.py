"""HTTP routes of a study's colorings, for researchers and experts."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from truehue.tabs.page.answers import guarded, refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter, read_address
from truehue.tabs.studies.colorings.distribution import MakeDistribution, make_distribution
from truehue.tabs.studies.colorings.listing import (
    ColoringImageRequest,
    ListColorings,
    colorings,
    picture,
)
from truehue.tabs.studies.colorings.live import coloring_progress
from truehue.tabs.studies.colorings.marks import (
    PostKeep,
    PostPractice,
    PostRecolor,
    post_keep,
    post_practice,
    post_recolor,
    set_coloring_rule,
)
from truehue.tabs.studies.colorings.quality import quality, worth
from truehue.tabs.studies.colorings.review import (
    PostReview,
    ReviewItemReference,
    next_review,
    post_review,
    review_image,
    reviews_open,
)
from truehue.tabs.studies.colorings.rule import SetColoringRule
from truehue.tabs.studies.results import StudyReference

_KEPT = {"Cache-Control": "private, max-age=86400", "X-Content-Type-Options": "nosniff"}
"""The address of a picture names the answer that it is of, so that it never changes."""


def coloring_routes(context: Context) -> FeatureRouter:
    """The router; empty in a demonstration, which has no studies."""
    router = FeatureRouter(context, "/api", strict=True)
    if context.demo:
        return router
    current_actor, base = router.current_actor, "/studies/{study}"

    @router.get("/reviews")
    def reviews(actor: Actor = current_actor) -> JSONResponse:
        return guarded(lambda: reviews_open(context, actor, EmptyRequest()))

    @router.get(f"{base}/colorings")
    def listed(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(lambda: colorings(context, actor, read_address(ListColorings, request)))

    @router.get(f"{base}/colorings/progress")
    def progress(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(
            lambda: coloring_progress(context, actor, read_address(StudyReference, request))
        )

    @router.get(f"{base}/colorings/{{participant}}/{{position}}.png")
    def shown(request: Request, actor: Actor = current_actor) -> Response:
        return _png(lambda: picture(context, actor, read_address(ColoringImageRequest, request)))

    @router.get(f"{base}/review")
    def following(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(lambda: next_review(context, actor, read_address(StudyReference, request)))

    @router.get(f"{base}/review/{{item}}.png")
    def reviewed(request: Request, actor: Actor = current_actor) -> Response:
        return _png(
            lambda: review_image(context, actor, read_address(ReviewItemReference, request))
        )

    @router.get(f"{base}/quality")
    def controlled(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(lambda: quality(context, actor, read_address(StudyReference, request)))

    @router.get(f"{base}/worth")
    def worthwhile(request: Request, actor: Actor = current_actor) -> JSONResponse:
        return guarded(lambda: worth(context, actor, read_address(StudyReference, request)))

    router.post_json(f"{base}/review", PostReview, post_review)
    router.post_json(f"{base}/practice", PostPractice, post_practice)
    router.post_json(f"{base}/recolor", PostRecolor, post_recolor)
    router.post_json(f"{base}/keep", PostKeep, post_keep)
    router.post_json(f"{base}/quality", SetColoringRule, set_coloring_rule)
    router.post_json(f"{base}/distribution", MakeDistribution, make_distribution)
    return router


def _png(make: Callable[[], bytes]) -> Response:
    try:
        content = make()
    except Exception as error:
        return refusal(error)
    return Response(content, media_type="image/png", headers=_KEPT)
