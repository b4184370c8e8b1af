"""The first page: Gradio's, with what belongs into its head, compressed and told by its ETag.

Gradio 6.31 writes the head's elements that it is given into the page's configuration, and its own
script adds them when it has started. What stands in ``assets/html/page/head.html`` is in the page
from its first byte, so that a browser asks for our modules and for Gradio's at the same time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truehue.core.cache import LruCache
from truehue.tabs.page.asset_files import CATALOG, STYLE, Body, asset_files, constants
from truehue.tabs.page.templates import html

# The folders of scripts that a room needs when it is the first one to be seen.
FOLDERS: Mapping[str, Sequence[str]] = {
    "inspect": ("inspect", "stage", "picker"),
    "generate": ("generate", "picker"),
    "explore": ("explore",),
    "compare": ("compare",),
    "colorize": ("colorize",),
    "vlm": ("vlm",),
    "studies": ("studies",),
}
SELECTED = b'"type":"tabs","props":{"selected":"%s"'
# A page differs by its host, its room and the data folder's numbers in it.
MOST_KEPT = 16


def head(room: str) -> str:
    """What a page that opens with this room brings in its head."""
    files = asset_files()
    folders = ("page", *FOLDERS.get(room, FOLDERS["inspect"]))
    modules = files.with_imports([name for part in folders for name in files.under(f"js/{part}/")])
    return html(
        "page/head",
        constants=constants(),
        style=files.address(STYLE),
        catalog=files.address(CATALOG),
        modules=[files.address(name) for name in modules],
    )


class FrontPage:
    """ASGI app around Gradio's that completes the answer to ``GET /``."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
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
            room = parse_qs(scope["query_string"].decode("latin-1")).get("tab", ["inspect"])[0]
            tag, body = self._page(plain, room)
            headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
            if tag in request_headers.get("if-none-match", ""):
                answer = Response(status_code=304, headers=headers)
            else:
                answer = body.answer(request_headers.get("accept-encoding", ""), headers)
        await answer(scope, receive, send)

    def _page(self, plain: bytes, room: str) -> tuple[str, Body]:
        """The whole page and its tag; made once for all who are sent the same."""
        # A demonstration has no studies: a link to them opens what it has.
        there = room.isalpha() and b'"id":"%s"' % room.encode() in plain
        room = room if there else "inspect"
        key = hashlib.sha256(room.encode() + b"\0" + plain).hexdigest()[:32]

        def make() -> tuple[str, Body]:
            # Before the first script: what is asked for later comes later.
            page = plain.replace(b"<script>", head(room).encode() + b"<script>", 1)
            # Gradio would mount the first room before a link's room is opened.
            page = page.replace(SELECTED % b"inspect", SELECTED % room.encode(), 1)
            return f'"{key}-{asset_files().version}"', Body(page, "text/html")

        return self._made.get(key, make)
