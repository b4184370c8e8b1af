"""The first page: Gradio's, with what belongs into its head, compressed and told by its ETag.

Gradio 6.31 writes the head's elements that it is given into the page's configuration, and its own
script adds them when it has started. What stands in ``assets/html/page/head.html`` is in the page
from its first byte, so that a browser asks for our modules and for Gradio's at the same time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truehue.core.cache import LruCache
from truehue.tabs.page.asset_files import CATALOG, STYLE, Body, asset_files, constants
from truehue.tabs.page.templates import html

FIRST = "inspect"
SELECTED = b'"type":"tabs","props":{"selected":"%s"'
# A page differs by its host, its tab and the data folder's numbers in it.
MOST_KEPT = 16


def head(tab: str) -> str:
    """What a page that opens with this tab brings in its head; the tab's scripts are
    ``assets/js/TAB/page.js``."""
    files = asset_files()
    modules = files.with_imports(["js/page/page.js", *files.under(f"js/{tab}/page.js")])
    return html(
        "page/head",
        constants=constants(),
        style=files.address(STYLE),
        catalog=files.address(CATALOG),
        modules=[files.address(name) for name in modules],
    )


class FrontPage:
    """ASGI app around Gradio's that completes the answer to ``GET /``. A link opens one of
    ``tabs``."""

    def __init__(self, app: ASGIApp, tabs: Sequence[str]) -> None:
        self._app, self._tabs = app, tabs
        self._made: LruCache[tuple[str, Body]] = LruCache(MOST_KEPT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        start: Message = {}
        parts: list[bytes] = []

        async def recorder(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                parts.append(message.get("body", b""))

        await self._app(scope, receive, recorder)
        plain = b"".join(parts)
        if start["status"] != 200:
            answer = Response(plain, start["status"])
            answer.raw_headers = list(start["headers"])
        else:
            request_headers = Headers(scope=scope)
            tab = parse_qs(scope["query_string"].decode("latin-1")).get("tab", [FIRST])[0]
            tag, body = self._page(plain, tab)
            headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
            if tag in request_headers.get("if-none-match", ""):
                answer = Response(status_code=304, headers=headers)
            else:
                answer = body.answer(request_headers.get("accept-encoding", ""), headers)
        await answer(scope, receive, send)

    def _page(self, plain: bytes, tab: str) -> tuple[str, Body]:
        """The whole page and its tag; made once for all who are sent the same."""
        # A demonstration has no studies: a link to them opens what it has.
        there = tab in self._tabs and b'"id":"%s"' % tab.encode() in plain
        tab = tab if there else FIRST
        key = hashlib.sha256(tab.encode() + b"\0" + plain).hexdigest()[:32]

        def make() -> tuple[str, Body]:
            # Before the first script: what is asked for later comes later.
            page = plain.replace(b"<script>", head(tab).encode() + b"<script>", 1)
            # Gradio would mount the first tab before a link's tab is opened.
            page = page.replace(SELECTED % FIRST.encode(), SELECTED % tab.encode(), 1)
            return f'"{key}-{asset_files().version}"', Body(page, "text/html")

        return self._made.get(key, make)
