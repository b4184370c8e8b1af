"""The routes of public results, all below ``/results/TOKEN``: read without an account, a cookie or a
script."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import anyio
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from truehue.core.errors import NotStored
from truehue.tabs.page.answers import attachment
from truehue.tabs.page.context import Context
from truehue.tabs.participants.images import ParticipantImages
from truehue.tabs.studies.publication.page import SIDE, content_policy, notice_html
from truehue.tabs.studies.publication.public import (
    NOWHERE,
    NotPublic,
    PublicFile,
    PublicPage,
    PublicPages,
)
from truehue.tabs.studies.publication.publishing import PREFIX
from truehue.tabs.studies.results import NotReady

RELOAD_S = 5
# A browser asks each time whether what it has is current: a page that was withdrawn is gone at once.
_HEADERS = {"Cache-Control": "private, no-cache", "X-Robots-Tag": "noindex, nofollow"}
_HTML = "text/html; charset=utf-8"
_WAITING = "The results are being computed. This page loads itself again in a few seconds."

Answered = Callable[[PublicPage], Awaitable[Response]]


def publication_routes(context: Context) -> APIRouter:
    """The router of public results; in a demonstration every link leads nowhere."""
    pages = context.service(PublicPages)
    images = ParticipantImages(context.storage)

    async def answered(request: Request, do: Answered) -> Response:
        """What ``do`` answers of the page at a link; a sentence where it shows none."""
        try:
            if context.demo:
                raise NotPublic(NOWHERE)
            return await do(await pages.page(context, request.path_params["token"]))
        except NotReady:
            return _notice("Results in a moment", _WAITING, 503, RELOAD_S)
        except NotStored as error:
            return _notice("No results here", str(error), 404)

    async def page(request: Request) -> Response:
        async def shown(public_page: PublicPage) -> Response:
            return _file(request, public_page.html, {"Content-Security-Policy": content_policy()})

        return await answered(request, shown)

    async def file(request: Request) -> Response:
        name = request.path_params["name"]

        async def sent(public_page: PublicPage) -> Response:
            if name not in public_page.files:
                raise NotPublic(NOWHERE)
            return _file(request, public_page.files[name], attachment(f"{public_page.stem}-{name}"))

        return await answered(request, sent)

    async def image(request: Request) -> Response:
        number = request.path_params["number"]

        async def shown(public_page: PublicPage) -> Response:
            if number >= len(public_page.images):
                raise NotPublic(NOWHERE)
            entry = public_page.images[number]
            if entry.sketch:
                content = await images.ink(entry.id)
            else:
                path = await images.scaled(entry.id, SIDE)
                content = await anyio.to_thread.run_sync(path.read_bytes)
            return Response(content, headers=_HEADERS, media_type="image/png")

        return await answered(request, shown)

    return APIRouter(
        routes=[
            Route(f"{PREFIX}/{{token}}", page),
            Route(f"{PREFIX}/{{token}}/{{name}}", file),
            Route(f"{PREFIX}/{{token}}/images/{{number:int}}.png", image),
        ]
    )


def _file(request: Request, file: PublicFile, more: Mapping[str, str]) -> Response:
    headers = {**_HEADERS, **more, "ETag": file.tag}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return file.answer(request.headers.get("accept-encoding", ""), headers)


def _notice(title: str, text: str, status: int, reload_s: int = 0) -> Response:
    headers = {**_HEADERS, "Content-Security-Policy": content_policy()}
    if reload_s:
        headers["Retry-After"] = str(reload_s)
    return Response(notice_html(title, text, reload_s), status, headers, _HTML)
