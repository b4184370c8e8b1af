"""The endpoints as tools of the Model Context Protocol, at ``/mcp``.

Every request has its own JSON response: there is no session, and no stream that the app would have
to wait for at its end. The checks of the app's routes apply to this one too: hosts, pages of other
sites, visitors' cookies.
"""

from __future__ import annotations

import json
from functools import cache, cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import TYPE_CHECKING, Any

import anyio
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from truehue.core.version import VERSION
from truehue.tabs.api.description import Endpoint
from truehue.tabs.api.endpoints import ENDPOINTS
from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.gradio_routes import MAX_EVENT_BYTES, TOO_LONG, is_short

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp.types import CallToolRequestParams, CallToolResult, Tool

ADDRESS = "/mcp"
AT_ONCE = 4
"""Calls of one tool that are answered at a time."""
INSTRUCTIONS = (
    "TrueHue measures whether images have their target colors. find_mask, generate and "
    "start_run only start a job: poll job_state or run_state until it ends."
)
INVALID_REQUEST = -32600
"""As JSON-RPC numbers it."""
POST_ALONE = (
    "This address takes MCP's messages by POST alone: there are no sessions and no streams."
)


OLDEST = (2, 3)
TOO_OLD = (
    "The tools of MCP need the package mcp 2.3 or later, which is not installed: a Space of "
    "Hugging Face brings an older one. The same endpoints are at Gradio's API."
)


@cache
def has_package() -> bool:
    """Whether the package ``mcp`` is one that this server is written for."""
    try:
        major, minor = version("mcp").split(".")[:2]
    except (PackageNotFoundError, ValueError):
        return False
    return (int(major), int(minor)) >= OLDEST


class McpServer:
    """ASGI app of :data:`ADDRESS`.

    The package ``mcp`` takes a third of a second to import: it is imported with the first request.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._limiters = {tool.name: anyio.CapacityLimiter(AT_ONCE) for tool in ENDPOINTS}
        self._lock = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await _refusal(405, POST_ALONE)(scope, receive, send)
            return
        if not is_short(Headers(scope=scope)):
            await _refusal(413, TOO_LONG)(scope, receive, send)
            return
        if not has_package():
            await _refusal(501, TOO_OLD)(scope, receive, send)
            return
        server = await anyio.to_thread.run_sync(self._made)
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        # One for each request: nothing is to be kept, begun or ended with the app.
        manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=MAX_EVENT_BYTES
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    def _made(self) -> Server[Any]:
        with self._lock:
            return self._server

    @cached_property
    def _server(self) -> Server[Any]:
        from mcp import MCPError
        from mcp.server import Server
        from mcp.types import INVALID_PARAMS, ListToolsResult

        listed = ListToolsResult(tools=[_tool(endpoint) for endpoint in ENDPOINTS])
        by_name = {endpoint.name: endpoint for endpoint in ENDPOINTS}

        async def list_tools(_: ServerRequestContext[Any], params: Any) -> ListToolsResult:
            return listed

        async def call_tool(
            server_request_context: ServerRequestContext[Any], params: CallToolRequestParams
        ) -> CallToolResult:
            if params.name not in by_name:
                text = f"There is no tool {params.name[:60]!r}. It is one of {', '.join(by_name)}."
                raise MCPError(INVALID_PARAMS, text)
            call = partial(
                answer_call,
                self._context,
                by_name[params.name],
                server_request_context.request,
                params.arguments or {},
            )
            return await anyio.to_thread.run_sync(call, limiter=self._limiters[params.name])

        return Server(
            "TrueHue",
            version=VERSION,
            instructions=INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )


def _refusal(status: int, text: str) -> JSONResponse:
    """The answer to what is not handed on, as a client of MCP reads it."""
    error = {"code": INVALID_REQUEST, "message": text}
    headers = {"Allow": "POST"} if status == 405 else None
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status, headers)


def _tool(endpoint: Endpoint) -> Tool:
    from mcp.types import Tool

    return Tool(
        name=endpoint.name,
        description=endpoint.words,
        input_schema=endpoint.request.model_json_schema(),
    )


def answer_call(
    context: Context, endpoint: Endpoint, request: Any, fields: dict[str, Any]
) -> CallToolResult:
    """What the tool answers who sent the HTTP request, or its error in words."""
    from mcp.types import CallToolResult, TextContent

    try:
        actor = actor_of(context, request)
        with context.visit(actor, stays=endpoint.action != "look"):
            answer = endpoint.answer(context, actor, fields)
        # What is no number is none in JSON.
        content = json.loads(json.dumps(answer), parse_constant=lambda _: None)
    except Exception as error:
        return CallToolResult(content=[TextContent(text=message_of(error))], is_error=True)
    text = json.dumps(content, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=content)
