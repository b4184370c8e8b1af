"""HTTP routes of ring tests: sets, answers, certificates."""

from __future__ import annotations

from collections.abc import Callable

from fastapi.responses import JSONResponse, Response

from truehue.core.ring.answers import MAX_BYTES
from truehue.tabs.explore.ring import (
    RingFile,
    certificate,
    ring_csv,
    ring_view,
    set_zip,
    start_ring,
    take_answers,
)
from truehue.tabs.page.answers import attachment, csv_attachment, json_answer, refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.router import FeatureRouter


def ring_routes(context: Context) -> FeatureRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = FeatureRouter(context, "/api/explore/ring")

    @router.get("")
    def view(set: str = "") -> JSONResponse:
        return json_answer(lambda: ring_view(context, set))

    router.post_json("/make", EmptyRequest, start_ring)
    router.post_file("/answers/{set}", RingFile, MAX_BYTES, take_answers)

    @router.get("/{set}/rates.csv")
    def rates(set: str) -> Response:
        return csv_attachment(lambda: ring_csv(context, set))

    @router.get("/{set}/set.zip")
    def images(set: str) -> Response:
        return _file(lambda: set_zip(context, set), "application/zip")

    @router.get("/{set}/{scorer}.html")
    def page(set: str, scorer: str) -> Response:
        return _file(lambda: certificate(context, set, scorer), "text/html; charset=utf-8")

    return router


def _file(make: Callable[[], tuple[str, bytes]], media: str) -> Response:
    """A file to be saved, or its error in words."""
    try:
        name, content = make()
    except Exception as error:
        return refusal(error)
    return Response(content, media_type=media, headers=attachment(name))
