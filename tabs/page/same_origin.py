"""The outermost layer of the web app: pages of other sites can neither change nor read anything.

It wraps Gradio's own CORS layer, which would grant a browser's preflight request for the routes of
TrueHue too. A program other than a browser sends no ``Origin`` and passes.

If only people at this machine can reach the app, a request through a proxy is refused: its sender
may be anywhere, and would count as a user at the machine.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from truehue.core.errors import BadInput
from truehue.tabs.page.errors import requested_by_program
from truehue.tabs.page.refusals import note_refusal

READING = ("GET", "HEAD")
METHODS = "GET, HEAD, POST, DELETE"
FOREIGN = (
    "This request came from a page of another site ({origin}), which may change nothing here. Open "
    "TrueHue at its own address. Behind a proxy: the proxy must pass the Host header on as it is."
)
THROUGH_PROXY = (
    "TrueHue was started for this machine alone, but this request came through a proxy (it has the "
    "header {header}). Start TrueHue with --public, so that those who come through the proxy are "
    "not taken for people at this machine, and let the proxy pass the Host header on as it is."
)
# Where the page of Hugging Face shows a Space.
SPACE_FRAMES = "https://huggingface.co"
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^/:@\[\]\s]+)(?::(\d{1,5}))?")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^/:@\[\]\s]+)(?::(\d{1,5}))?")
# What may stand in a link that is handed on.
_PLAIN_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?")
_GRANTS = b"access-control-"
_PORTS = {"http": "80", "https": "443"}


class SameOriginMiddleware:
    """ASGI middleware that lets pages of other sites read and change nothing.

    Everything but GET and HEAD is answered 403 where its ``Origin`` is not the host that was asked
    for, or where the browser calls it ``cross-site``. ``OPTIONS`` is answered here, and no answer
    carries a grant of CORS, whoever wrote it. With ``local``, what a proxy passed on is answered
    403 too. No other site may show the page in a frame, but the one that shows Spaces, with
    ``space``.
    """

    def __init__(self, app: ASGIApp, local: bool = True, space: bool = False) -> None:
        self._app, self._local = app, local
        self._said = Headers(browser_headers(space)).raw

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        shared = scope["path"] in ("/", "/config")
        requested_by_program(is_program(Headers(scope=scope)))

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._complete(message, shared)
            await send(message)

        refused = refusal_of(scope, self._local)
        if refused is not None and refused.status_code == 403:
            note_refusal("a request of another site's page, or through a proxy")
        if refused is not None and scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
            return
        await (refused or self._app)(scope, receive, answered)

    def _complete(self, message: MutableMapping[str, Any], shared: bool) -> None:
        """Takes grants away from an answer and adds what a browser must know of it."""
        values = [item for item in message.get("headers", ()) if not item[0].startswith(_GRANTS)]
        names = {name for name, _ in values}
        values += [entry for entry in self._said if entry[0] not in names]
        if shared:
            # Gradio writes the host that it was asked for into these; no cache may share that.
            MutableHeaders(raw=values)["Cache-Control"] = "private, no-cache"
        message["headers"] = values


def browser_headers(space: bool) -> dict[str, str]:
    """Headers of every answer: who may show it in a frame, and that it is what it says."""
    frames = f"frame-ancestors 'self' {SPACE_FRAMES}" if space else "frame-ancestors 'self'"
    return {
        "Content-Security-Policy": frames,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        # Older than frame-ancestors, and cannot name another site.
        **({} if space else {"X-Frame-Options": "SAMEORIGIN"}),
    }


def refusal_of(scope: Scope, local: bool = True) -> Response | None:
    """The answer to a request that goes no further, or None: 403 in words to pages elsewhere, and
    to what comes through a proxy where only people at this machine should."""
    headers = Headers(scope=scope)
    method = scope.get("method", "")  # a websocket has none, and is no reading
    if local and (header := proxy_header(headers)):
        return JSONResponse({"error": THROUGH_PROXY.format(header=header)}, 403)
    if method in READING:
        return None
    if foreign(headers):
        origin = ", ".join(headers.getlist("origin"))[:100] or "cross-site"
        return JSONResponse({"error": FOREIGN.format(origin=origin)}, 403)
    if method == "OPTIONS":
        return Response(status_code=204, headers={"Allow": METHODS})
    return None


def proxy_header(headers: Headers) -> str:
    """The first header by which a proxy says that it passes a request on; empty without one."""
    for name in headers:
        if name in ("forwarded", "x-real-ip", "via") or name.startswith("x-forwarded-"):
            return name
    return ""


def is_program(headers: Headers) -> bool:
    """Whether nothing says that a browser sends this request, which tells where from, or from which
    page, of all that its pages send."""
    return not any(name in headers for name in ("origin", "referer", "sec-fetch-site"))


def foreign(headers: Headers) -> bool:
    """Whether a browser says that a page of another site sends this request.

    ``Origin: null`` is such a page too: a sandboxed frame, a file, a redirect from elsewhere.
    """
    # Sent over https and to this machine's own addresses alone, so it is the second lock.
    if headers.get("sec-fetch-site", "same-origin").strip().lower() == "cross-site":
        return True
    origins = headers.getlist("origin")
    if not origins:
        return False
    # A page elsewhere cannot set X-Forwarded-Host: its browser would have to ask first.
    named = [*headers.getlist("host"), *headers.get("x-forwarded-host", "").split(",")[:1]]
    return len(origins) > 1 or not any(same_host(origins[0], host) for host in named)


def same_host(origin: str, host: str) -> bool:
    """Whether an ``Origin`` names the host and port of a ``Host`` header.

    The scheme only says which port is meant where none is named: behind a proxy it is ``https``
    for the browser and ``http`` here.
    """
    origin_parts = _ORIGIN.fullmatch(origin.strip().lower())
    host_parts = _HOST.fullmatch(host.strip().lower())
    if origin_parts is None or host_parts is None:
        return False
    scheme, name, port = origin_parts.groups()
    usual = _PORTS[scheme]
    return (name, port or usual) == (host_parts[1], host_parts[2] or usual)


def base_of(request: Request, local: bool) -> str:
    """``https://host`` as whoever asks sees it, for links to hand on.

    Where the app may stand behind a proxy, which passes on what it was asked for, the proxy's
    headers count. Raises BadInput for a host that is none.
    """
    headers = request.headers
    scheme, host = request.url.scheme, headers.get("host", "")
    if not local:
        named = headers.get("x-forwarded-proto", "").split(",")[0].strip().lower()
        scheme = named if named in ("http", "https") else scheme
        host = headers.get("x-forwarded-host", "").split(",")[0].strip() or host
    if not _PLAIN_HOST.fullmatch(host):
        raise BadInput("It cannot be told under which address this TrueHue is reached.")
    return f"{scheme}://{host}"
