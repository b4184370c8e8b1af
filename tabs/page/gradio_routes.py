"""Gradio's own routes: only those that the page of TrueHue needs.

Gradio has about 80 routes. Some accept files from anybody (``upload``, ``process_recording``), some
fetch from other servers (``proxy=``), some call functions past the queue (``run``, ``call``). This
module closes all routes that it does not name, including those that a later version adds.

The first page: Gradio's, with our elements in its head, compressed and identified by its ETag.

Gradio 6.31 writes custom elements of the head into the page's configuration, and its script adds
them after its start. ``assets/html/page/head.html`` is in the page from its first byte, so that a
browser requests our modules and Gradio's at the same time.
"""

from __future__ import annotations

import hashlib
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truehue.core.cache import LruCache
from truehue.tabs.page.answers import endless
from truehue.tabs.page.asset_files import (
    CATALOG,
    STYLE,
    Body,
    asset_files,
    constants,
    tab_style,
)
from truehue.tabs.page.refusals import note_refusal
from truehue.tabs.page.templates import html

if TYPE_CHECKING:
    import gradio as gr


TABS = {"ask": "vlm", "judge": "studies"}
"""Former names of tabs in links, with today's."""
VIEWS = {
    "board": "leaderboard",
    "wall": "failures",
    "trust": "rule_accuracy",
    "audit": "disagreements",
}
"""Former names of Explore's views in links, with today's."""
EXPLORE_VIEWS = ("runs", *VIEWS.values())
"""Opened also by links that name them as tabs."""
ROUTES = {
    "/api/ask/askings": "/api/vlm/evaluations",
    "/api/vlm/askings": "/api/vlm/evaluations",
    "/api/ask/": "/api/vlm/",
    "/api/explore/board": "/api/explore/leaderboard",
    "/api/explore/wall/picture": "/api/explore/failures/image",
    "/api/explore/wall": "/api/explore/failures",
    "/api/explore/rejudge": "/api/explore/score-stored",
}
"""How former routes begin, with how they begin today."""


def current_address(path: str, query: str) -> str | None:
    """Today's path and query of a former address; None for an address of today."""
    for former, current in ROUTES.items():
        if path.startswith(former):
            return f"{current}{path.removeprefix(former)}{'?' if query else ''}{query}"
    if path != "/":
        return None
    values = parse_qsl(query, keep_blank_values=True)
    tab = dict(values).get("tab", "")
    if tab in EXPLORE_VIEWS:
        rest = [pair for pair in values if pair[0] not in ("tab", "view")]
        named = [("tab", "explore"), ("view", tab), *rest]
    else:
        former_names = {"tab": TABS, "view": VIEWS if tab == "explore" else {}}
        named = [(name, former_names.get(name, {}).get(value, value)) for name, value in values]
    if named == values:
        return None
    return f"/?{urlencode(named, safe=',:/')}"


FIRST = "inspect"
SELECTED = b'"type":"tabs","props":{"selected":"%s"'
# Gradio's page loads a script by which the page around tells it its size, wherever it is.
RESIZER = b"document.head.appendChild(script);"
# A page differs by its host, its tab and the data folder's numbers in it.
MAX_KEPT = 16


def head(tab: str, template: str | None) -> str:
    """What a page that opens with this tab brings in its head; the tab's scripts are
    ``assets/js/TAB/page.js``, and ``template`` is the address of its template, if it has one.

    Raises FileNotFoundError for a template that the app does not serve.
    """
    files = asset_files()
    style = tab_style(tab)
    content = ""
    if template:
        _, _, version, path = template.split("/", 3)
        body = files.body(version, path)
        if body is None:
            raise FileNotFoundError(
                f"The page names the template {template}, which this app does not serve. Start "
                "TrueHue again."
            )
        content = body.plain.decode()
    pages = ["js/page/page.js", *files.under(f"js/{tab}/page.js")]
    return html(
        "page/head",
        constants=constants(),
        styles=[files.address(name) for name in (STYLE, style) if name],
        template=template,
        content=content,
        catalog=files.address(CATALOG) if files.fetches(pages, CATALOG) else "",
        modules=[files.address(name) for name in files.with_imports(pages)],
    )


def template_of(tab: str, page: bytes) -> str | None:
    """The address of a tab's template, as Gradio's page names it; None for a tab without one."""
    found = re.search(rb"/assets/\w+/html/%s\.html" % re.escape(tab.encode()), page)
    return found and found[0].decode()


class FrontPage:
    """ASGI app around Gradio's that completes the answer to ``GET /``. A link opens one of
    ``tabs``."""

    def __init__(self, app: ASGIApp, tabs: Sequence[str]) -> None:
        self._app, self._tabs = app, tabs
        self._made: LruCache[tuple[str, Body]] = LruCache(MAX_KEPT)

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
            elements = head(tab, template_of(tab, plain)).encode()
            page = plain.replace(b"<script>", elements + b"<script>", 1)
            # Gradio would mount the first tab before a link's tab is opened.
            page = page.replace(SELECTED % FIRST.encode(), SELECTED % tab.encode(), 1)
            page = page.replace(RESIZER, b"if (self !== top) " + RESIZER, 1)
            return f'"{key}-{asset_files().version}"', Body(page, "text/html")

        return self._made.get(key, make)


# What a program sends for one call: images as base64, which takes four bytes for three.
MAX_EVENT_BYTES = 8 * 2**20
SMALL_BYTES, MAX_WAITING = 2**16, 20
BUSY = "TrueHue is busy. Try again in a minute."
NOTHING_HERE = "There is nothing at this address. Open TrueHue at: /"
TOO_LONG = (
    f"That is more than {MAX_EVENT_BYTES // 2**20} MB at once. A program sends an image of more "
    f"than {MAX_EVENT_BYTES * 3 // 4 // 2**20} MB to POST /api/images first, and then its id."
)

_STREAM = re.compile(r"/gradio_api/(queue/data|heartbeat/[^/]+)/?")
_READ = re.compile(
    r"/|/config/?|/theme\.css|/favicon\.ico|/manifest\.json|/robots\.txt|/(assets|static|svelte)/.+"
    rf"|/gradio_api/(info|app_id|startup-events|theme\.css)/?|{_STREAM.pattern}"
)
_SENT = re.compile(r"/gradio_api/(queue/join|cancel|reset)/?")


class GradioRoutes:
    """ASGI app that hands a request on to Gradio's where the page needs its route.

    Anything else is answered 404 in words: it is the last of the app's routes, so what nobody
    knows comes here too. Addresses of before are sent on (:mod:`truehue.tabs.page.gradio_routes`).

    Events longer than ``MAX_EVENT_BYTES`` are answered 413; those longer than ``SMALL_BYTES`` 503
    while ``waiting`` says that ``MAX_WAITING`` wait, as they wait in memory.
    """

    def __init__(
        self, app: ASGIApp, waiting: Callable[[], int] = lambda: 0, tabs: Sequence[str] = ()
    ) -> None:
        self._app = FrontPage(app, tabs)
        self._waiting = waiting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            current = current_address(scope["path"], scope["query_string"].decode("latin-1"))
            if current is not None:
                # 308: sent again with the same method and body.
                await RedirectResponse(current, 308, {"Cache-Control": "no-store"})(
                    scope, receive, send
                )
                return
        if scope["type"] == "lifespan" or needed(scope.get("method", ""), scope["path"]):
            if scope.get("method") == "POST":
                size = size_of(Headers(scope=scope))
                if size is None or not is_short(Headers(scope=scope)):
                    await JSONResponse({"error": TOO_LONG}, 413)(scope, receive, send)
                    return
                if size > SMALL_BYTES and self._waiting() >= MAX_WAITING:
                    await JSONResponse({"error": BUSY}, 503)(scope, receive, send)
                    return
            if _STREAM.fullmatch(scope["path"]):
                with endless():
                    await self._app(scope, receive, send)
            else:
                await self._app(scope, receive, send)
            return
        await JSONResponse({"error": NOTHING_HERE}, 404)(scope, receive, send)


def needed(method: str, path: str) -> bool:
    """Whether the page needs this route of Gradio's."""
    allowed = _SENT if method == "POST" else _READ if method in ("GET", "HEAD") else None
    return allowed is not None and allowed.fullmatch(path) is not None


def size_of(headers: Headers) -> int | None:
    """The length of a request in bytes, as every browser says it; None where it does not."""
    length = headers.get("content-length", "")
    return int(length[:12]) if length.isascii() and length.isdigit() else None


def is_short(headers: Headers) -> bool:
    """Whether a request says its length and keeps to the limit."""
    size = size_of(headers)
    return size is not None and size <= MAX_EVENT_BYTES


def check_paths(demo: gr.Blocks) -> None:
    """Has Gradio check the file paths that a page sends, as it does only where ``launch`` was
    called: else every file that the process can read could be copied out through its ``file=``
    route. Raises RuntimeError for a Gradio that decides by another name."""
    from gradio import processing_utils

    check = getattr(processing_utils, "_check_allowed", None)
    code = getattr(check, "__code__", None)
    if not hasattr(demo, "has_launched") or "has_launched" not in getattr(code, "co_names", ()):
        raise RuntimeError(
            "This version of Gradio does not check file paths by Blocks.has_launched. Install the "
            "version that requirements.txt names."
        )
    demo.has_launched = True


def count_refused_events() -> None:
    """Has Gradio's queue print no trace of an event whose values it refuses, as strangers can send
    them without end: they are counted in the log. Errors of our own are still printed."""
    from gradio import queueing

    counting = SimpleNamespace(**{**vars(traceback), "print_exc": _print_error})
    vars(queueing)["traceback"] = counting


def _print_error() -> None:
    names = [frame.f_code.co_name for frame, _ in traceback.walk_tb(sys.exc_info()[2])]
    if "preprocess_data" in names:  # before anything of ours is called
        note_refusal("an event with values that it cannot have")
    else:
        traceback.print_exc()
