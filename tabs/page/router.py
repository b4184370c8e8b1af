"""The HTTP router of all features: it identifies the user and validates the request once.

A route of a function that takes a record of the request is one line of ``get_json``, ``post_json``
or ``post_file``: its address, the record, and the function. Where the function takes something
else, such as the query as it is or names in the address, the route is a ``def`` below
``@router.get`` that returns ``json_answer(lambda: …)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import anyio
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse

from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.answers import (
    MAX_JSON_BYTES,
    Answer,
    Fields,
    json_answer,
    posted,
    receive_upload,
)
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest, read_as, require_known
from truehue.tabs.page.roles import Actor, authorize

_Request = TypeVar("_Request", bound=PageRequest)
_JSON, _FILE = "application/json", "application/octet-stream"
_OUR_HEADER = {"name": "X-TrueHue", "in": "header", "required": True, "schema": {"const": "1"}}


def read_address(kind: type[_Request], request: Request) -> _Request:
    """What an address asks for, by its path and its query. Raises BadInput."""
    return read_as(kind, {**request.query_params, **request.path_params})


class FeatureRouter(APIRouter):
    """A router of one feature's routes. Errors are answered as ``{"error": text, "field": name}``
    with a status of 400 and more. A ``strict`` one refuses what no field asks for by its name."""

    def __init__(self, context: Context, prefix: str = "", strict: bool = False) -> None:
        super().__init__(prefix=prefix)
        self.context, self._strict = context, strict
        self.current_actor: Any = Depends(self.actor)

    async def actor(self, request: Request) -> Actor:
        """Who asks; every changing route depends on it."""
        return actor_of(self.context, request)

    def get_json(
        self, path: str, kind: type[_Request], do: Callable[[Context, Actor, _Request], Answer]
    ) -> None:
        """GET: ``do`` gets what the address asks for, by its path and its query."""

        def given(request: Request, actor: Actor = self.current_actor) -> JSONResponse:
            return json_answer(lambda: do(self.context, actor, read_address(kind, request)))

        self.add_api_route(path, given, methods=["GET"], **_openapi_entry(do, kind, path))

    def post_json(
        self,
        path: str,
        kind: type[_Request],
        do: Callable[[Context, Actor, _Request], Answer],
        max_bytes: int = MAX_JSON_BYTES,
        known: Callable[[Request], Fields] = lambda request: {},
        limiter: anyio.CapacityLimiter | None = None,
    ) -> None:
        """POST: ``do`` gets the JSON object that was sent, with the names in the address and what
        else is ``known`` of the request, whatever was sent of it, as a record of ``kind``. As many
        as the ``limiter`` says are answered at once."""

        action = str(vars(do).get("action", "")) if hasattr(do, "__dict__") else ""

        async def taken(request: Request, actor: Actor = self.current_actor) -> JSONResponse:
            def done(fields: Fields) -> Answer:
                # Who may not do it at all is not told first what the form lacks.
                if action:
                    authorize(actor, action)
                if self._strict:
                    require_known(kind, fields)
                named = {**fields, **known(request), **request.path_params}
                page_request = read_as(kind, named)
                return do(self.context, actor, page_request)

            return await posted(request, done, max_bytes, limiter)

        entry = _openapi_entry(do, kind, path, _JSON)
        if self._strict:
            body = entry["openapi_extra"]["requestBody"]["content"][_JSON]
            body["schema"]["additionalProperties"] = False
        self.add_api_route(path, taken, methods=["POST"], **entry)

    def post_file(
        self,
        path: str,
        kind: type[_Request],
        max_bytes: int,
        do: Callable[[Context, Actor, _Request, Path, str], Answer],
        limiter: anyio.CapacityLimiter | None = None,
    ) -> None:
        """POST: ``do`` gets the file that was sent and its name; what else is asked stands in the
        address, and its place in a folder in the header ``X-File-Path``."""

        async def taken(request: Request, actor: Actor = self.current_actor) -> JSONResponse:
            def done(file: Path, name: str) -> Answer:
                path_in = request.headers.get("x-file-path", "")
                page_request = read_as(kind, {"path": path_in, **request.path_params})
                self.context.require_space(file.stat().st_size)
                return do(self.context, actor, page_request, file, name)

            return await receive_upload(
                request, max_bytes, done, limiter, self.context.require_space
            )

        self.add_api_route(path, taken, methods=["POST"], **_openapi_entry(do, kind, path, _FILE))


def _openapi_entry(
    do: Callable[..., Answer], kind: type[PageRequest], path: str, media: str = ""
) -> dict[str, Any]:
    """What ``/api/openapi.json`` says of a route: its parameters, and the body that it takes as
    ``media``. A GET, which has no body, takes all by its address."""
    schema = kind.model_json_schema()
    definitions = schema.pop("$defs", {})
    fields = inlined(schema.get("properties", {}), definitions)
    named = re.findall(r"{(\w+)}", path)
    required = [name for name in schema.get("required", ()) if name not in named]
    extra: dict[str, Any] = {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": fields.pop(name, {})}
            for name in named
        ]
    }
    if not media:
        extra["parameters"] += [
            # Not exploded: a list stands between commas.
            {"name": name, "in": "query", "required": name in required, "explode": False}
            | {"schema": field}
            for name, field in fields.items()
        ]
    else:
        body: dict[str, Any] = {"type": "string", "format": "binary"}
        if media == _JSON:
            body = {**schema, "properties": fields, "required": required}
        extra["requestBody"] = {"content": {media: {"schema": body}}}
        extra["parameters"].append(_OUR_HEADER)
    first, _, _ = (do.__doc__ or "").partition("\n\n")
    return {
        "name": getattr(do, "__name__", "done"),
        "summary": " ".join(first.split()),
        "openapi_extra": extra,
    }


def inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A JSON schema with the parts in it that it refers to."""
    if isinstance(schema, list):
        return [inlined(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inlined(definitions[str(schema["$ref"]).rpartition("/")[2]], definitions)
    return {name: inlined(part, definitions) for name, part in schema.items()}
