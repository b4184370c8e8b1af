"""The cookies of visitors, given with the first page."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager

from starlette.datastructures import MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truehue.tabs.page.actor import COOKIE, FRESH_VISITOR
from truehue.tabs.page.visitors import Visitors

KEPT_S = 365 * 24 * 3600
OURS = ("/api", "/media", "/assets", "/mcp")
"""How the paths of TrueHue's own routes begin."""
Answering = Callable[[str, bool], AbstractContextManager[None]]


class VisitorCookies:
    """ASGI middleware that knows the visitor of a request, and gives a cookie to who has none, with
    the first page or change.

    Not with anything else: a cache between could hand one visitor's cookie to another. With
    ``space`` the page lies in a frame of another site, where a browser sends no ``Lax`` cookie;
    that other sites change nothing is held by
    :class:`truehue.tabs.page.same_origin.SameOriginMiddleware` either way.
    ``answer`` is called with the visitor and whether the request changes something, and the answer
    is made in its block.
    """

    def __init__(
        self, app: ASGIApp, visitors: Visitors, answer: Answering, space: bool = False
    ) -> None:
        self._app, self._visitors, self._space = app, visitors, space
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visitor = self._known(scope)
        if visitor:
            await self._answered(visitor, scope, receive, send)
            return
        visitor = secrets.token_hex(16)
        shown = scope["method"] not in ("GET", "HEAD") or scope["path"] == "/"

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start" and shown:
                headers = MutableHeaders(scope=message)
                headers.append("Set-Cookie", self._cookie(scope, visitor))
            await send(message)

        await self._answered(visitor, {**scope, FRESH_VISITOR: visitor}, receive, answered)

    async def _answered(self, visitor: str, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(OURS):
            # Gradio's: what it begins with one visitor's request goes on for others.
            await self._app(scope, receive, send)
            return
        with self._answer(visitor, scope["method"] not in ("GET", "HEAD")):
            await self._app(scope, receive, send)

    def _known(self, scope: Scope) -> str:
        for name, value in scope["headers"]:
            if name == b"cookie":
                cookie = cookie_parser(value.decode("latin-1")).get(COOKIE, "")
                if visitor := self._visitors.id_of(cookie):
                    return visitor
        return ""

    def _cookie(self, scope: Scope, visitor: str) -> str:
        site = "None; Secure; Partitioned" if self._space else "Lax" + "; Secure" * is_https(scope)
        signed = self._visitors.signed(visitor)
        return f"{COOKIE}={signed}; Path=/; Max-Age={KEPT_S}; HttpOnly; SameSite={site}"


def is_https(scope: Scope) -> bool:
    """Whether the browser sent the request over https, to us or to a proxy before us."""
    headers = dict(scope["headers"])
    return scope.get("scheme") == "https" or headers.get(b"x-forwarded-proto") == b"https"
