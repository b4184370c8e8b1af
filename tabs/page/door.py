"""The one door of HTTP: a router that knows who asks, and reads what they ask once.

A route is a line: its address, the record of its request, and the function that does it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse

from tabs.page.actor import Actor, actor_of
from tabs.page.answers import MOST_JSON_BYTES, Answer, posted, uploaded
from tabs.page.context import Context
from tabs.page.requests import PageRequest, read_as

_Request = TypeVar("_Request", bound=PageRequest)


class Door(APIRouter):
    """A router of one feature's routes. Errors are answered as ``{"error": text, "field": name}``
    with a status of 400 and more."""

    def __init__(self, context: Context, prefix: str = "") -> None:
        super().__init__(prefix=prefix)
        self.context = context
        self.asking: Any = Depends(self.actor)

    async def actor(self, request: Request) -> Actor:
        """Who asks; every changing route depends on it."""
        return actor_of(self.context, request)

    def takes(
        self, path: str, kind: type[_Request], do: Callable[[Context, Actor, _Request], Answer],
        most_bytes: int = MOST_JSON_BYTES,
    ) -> None:  # fmt: skip
        """POST: ``do`` gets the JSON object that was sent, with the names in the address, as a
        record of ``kind``."""

        async def taken(request: Request, actor: Actor = self.asking) -> JSONResponse:
            def done(given: Answer) -> Answer:
                wanted = read_as(kind, {**given, **request.path_params})
                return do(self.context, actor, wanted)

            return await posted(request, done, most_bytes)

        self.add_api_route(path, taken, methods=["POST"], **_told(do, kind, path))

    def takes_file(
        self, path: str, kind: type[_Request], most_bytes: int,
        do: Callable[[Context, Actor, _Request, Path, str], Answer],
        limiter: anyio.CapacityLimiter | None = None,
    ) -> None:  # fmt: skip
        """POST: ``do`` gets the file that was sent and its name; what else is asked stands in the
        address, and its place in a folder in the header ``X-File-Path``."""

        async def taken(request: Request, actor: Actor = self.asking) -> JSONResponse:
            def done(file: Path, name: str) -> Answer:
                path_in = request.headers.get("x-file-path", "")
                wanted = read_as(kind, {"path": path_in, **request.path_params})
                return do(self.context, actor, wanted, file, name)

            return await uploaded(request, most_bytes, done, limiter)

        self.add_api_route(path, taken, methods=["POST"], **_told(do, None, path))


def _told(do: Callable[..., Answer], kind: type[PageRequest] | None, path: str) -> dict[str, Any]:
    """What the description of the routes says of one."""
    schema: dict[str, Any] = {"type": "string", "format": "binary"}
    media = "application/octet-stream"
    if kind is not None:
        media, schema = "application/json", kind.model_json_schema()
    first, _, _ = (do.__doc__ or "").partition("\n\n")
    return {
        "name": getattr(do, "__name__", "done"), "summary": " ".join(first.split()),
        "openapi_extra": {"requestBody": {"content": {media: {"schema": schema}}}},
    }  # fmt: skip
