"""Once there are accounts, only sign-in, the participants' pages, published results and ``/healthz``
are open without a sign-in; and experts see their reviews alone.

The guard covers every route: ours, Gradio's, MCP's, and those that a later version adds.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.refusals import note_refusal
from truehue.tabs.page.roles import NOBODY, Role

SIGN_IN = (
    "You are not signed in, or your session has ended. Reload the page and sign in; a program "
    "sends the cookie truehue-session of a browser that is signed in."
)
NO_PROTOCOL = 1008
"""How a websocket is closed that may not be."""
_OPEN = re.compile(
    r"/signin|/signin/(style\.css|hugging-face(/done)?)|/signout|/healthz|/assets/favicon\.svg|"
    r"/(study|results|assets/participants)/.+",
    re.DOTALL,
)
REVIEW = "/review"
"""The page of experts."""
EXPERTS = "Experts review colorings here, and see nothing else."
_OF_EXPERTS = re.compile(
    r"/review|/api/reviews|/api/studies/[0-9a-f]{8,32}/review(/[0-9a-f]{32}\.png)?|"
    r"/assets/[0-9a-f]{16}/(css/review\.css|js/(studies|shared|participants)/.+)"
)
_STUDY = re.compile(r"(?:^|&)study=([0-9a-f]{32})(?:&|$)")
_UPWARD = re.compile(r"(^|[/\\])\.\.?($|[/\\])|\\|//")


class Guard:
    """ASGI middleware that lets nobody through who has no session, where one is asked for, and
    experts to their reviews alone.

    A page is then led to ``/signin`` and back, or to the reviews; anything else is answered 401 or
    403 in words. What is for those who signed in, no cache between keeps for others.
    """

    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app, self._context = app, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        actor = actor_of(self._context, HTTPConnection(scope))
        if actor == NOBODY:
            await _refuse(scope, receive, send)
            return
        if actor.role is Role.EXPERT and not is_of_experts(scope["path"]):
            await _refuse_expert(scope, receive, send)
            return
        if not self._context.storage.accounts.any():
            await self._app(scope, receive, send)
            return

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                _save_private(message)
            await send(message)

        await self._app(scope, receive, answered)


def is_open(path: str) -> bool:
    """Whether strangers may ask for this path."""
    return _OPEN.fullmatch(path) is not None and not _UPWARD.search(path)


def is_of_experts(path: str) -> bool:
    """Whether experts may ask for this path; all others are closed to them, also those that a later
    version adds."""
    return _OF_EXPERTS.fullmatch(path) is not None and not _UPWARD.search(path)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    note_refusal("a request without a session")
    if scope["type"] == "websocket":
        await WebSocketClose(NO_PROTOCOL)(scope, receive, send)
        return
    headers = {"Cache-Control": "no-store"}
    if is_page(scope):
        query = scope.get("query_string", b"").decode("latin-1")
        requested = quote(scope["path"]) + (f"?{query}" if query else "")
        address = "/signin" if requested == "/" else f"/signin?next={quote(requested, safe='/')}"
        await RedirectResponse(address, 303, headers)(scope, receive, send)
        return
    answer = JSONResponse({"error": SIGN_IN, "signin": "/signin"}, 401, headers)
    await answer(scope, receive, send)


async def _refuse_expert(scope: Scope, receive: Receive, send: Send) -> None:
    """Leads an expert to their reviews; what is no page is refused."""
    if scope["type"] == "websocket":
        await WebSocketClose(NO_PROTOCOL)(scope, receive, send)
        return
    headers = {"Cache-Control": "no-store"}
    if is_page(scope):
        study = _STUDY.search(scope.get("query_string", b"").decode("latin-1"))
        address = f"{REVIEW}?study={study[1]}" if study else REVIEW
        await RedirectResponse(address, 303, headers)(scope, receive, send)
        return
    await JSONResponse({"error": EXPERTS}, 403, headers)(scope, receive, send)


def is_page(scope: Scope) -> bool:
    """Whether a browser asks for something to show to a person."""
    accepted = Headers(scope=scope).get("accept", "")
    return scope["method"] in ("GET", "HEAD") and "text/html" in accepted


def _save_private(message: MutableMapping[str, Any]) -> None:
    headers = MutableHeaders(raw=list(message.get("headers", ())))
    saved = headers.get("cache-control", "")
    if "public" in saved:
        headers["Cache-Control"] = saved.replace("public", "private")
        message["headers"] = headers.raw
