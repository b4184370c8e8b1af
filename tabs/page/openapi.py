"""The OpenAPI document of the app: what every route takes, and the schema of what it answers.

A route answers what the function that it calls says it returns. ``assets/js/api.d.ts`` is made of
the same schemas, and ``tests/test_reference.py`` requires that every JSON route has one.
"""

from __future__ import annotations

import inspect
import mimetypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import CodeType, NoneType, UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.routing import Route

DESCRIPTION = "/api/openapi.json"
"""The address of the document."""
_PLAIN = {
    str: "string",
    bytes: "string",
    datetime: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    NoneType: "null",
}

Schema = dict[str, Any]
_UNKNOWN: Schema = {"application/json": {"schema": {}}}
"""What FastAPI says of a function that makes its response itself."""


class DescribedApp(FastAPI):
    """A web app whose OpenAPI document has the schemas of the answers."""

    _described: Schema | None = None

    def openapi(self) -> Schema:
        """The document; it is made when it is first asked for."""
        document = super().openapi()
        if document is not self._described:
            _describe_answers(document, routes_of(self.routes))
            self._described = document
        return document


def _describe_answers(document: Schema, routes: Iterable[Route]) -> None:
    schemas = Schemas()
    for route in routes:
        described = document["paths"].get(route.path_format, {})
        for method in {name.lower() for name in route.methods or ()} & set(described):
            answer = described[method]["responses"]["200"]
            if answer["content"] == _UNKNOWN:
                answer["content"] = _content(route, schemas)
    document.setdefault("components", {}).setdefault("schemas", {}).update(schemas.records)


def _content(route: Route, schemas: Schemas) -> Schema:
    answer = answer_of(route.endpoint)
    if answer is not None:
        return {"application/json": {"schema": schemas.of(answer)}}
    return {mimetypes.guess_type(route.path)[0] or "*/*": {}}


class Schemas:
    """JSON schemas of Python types, and the records that they refer to by name."""

    def __init__(self) -> None:
        self.records: dict[str, Schema] = {}
        self.kinds: dict[str, type] = {}

    def of(self, kind: Any) -> Schema:
        """The schema of a type; empty for what says nothing more."""
        origin, args = get_origin(kind), get_args(kind)
        if kind in _PLAIN:
            return {"type": _PLAIN[kind]}
        if origin is Literal:
            return {"enum": list(args)}
        if origin in (Union, UnionType):
            return {"anyOf": list(map(self.of, args))}
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"enum": [member.value for member in kind]}
        if is_typeddict(kind) or is_dataclass(kind) or is_model(kind):
            return self._record(kind)
        if origin is tuple and args and args[-1] is not Ellipsis:
            size = len(args)
            parts = list(map(self.of, args))
            return {"type": "array", "prefixItems": parts, "minItems": size, "maxItems": size}
        if isinstance(origin, type) and args:
            if issubclass(origin, Mapping):
                return {"type": "object", "additionalProperties": self.of(args[1])}
            if issubclass(origin, Iterable):
                return {"type": "array", "items": self.of(args[0])}
        return {}

    def _record(self, kind: type) -> Schema:
        name = kind.__name__
        known = self.kinds.setdefault(name, kind)
        assert known is kind, f"{known} and {kind} have the same name: rename one of them."
        if name not in self.records:
            record = self.records[name] = {"type": "object"}
            types = list(_fields(kind))
            record["properties"] = {field: self.of(type_) for field, type_, _ in types}
            record["required"] = [field for field, _, required in types if required]
        return {"$ref": f"#/components/schemas/{name}"}


def _fields(kind: Any) -> Iterator[tuple[str, Any, bool]]:
    """The fields of a record: name, type, and whether it is always there."""
    hints = get_type_hints(kind)
    if is_typeddict(kind):
        for name, hint in get_type_hints(kind, include_extras=True).items():
            is_required = name in kind.__required_keys__ and get_origin(hint) is not NotRequired
            yield name, hints[name], is_required
    elif is_model(kind):
        for name, field in kind.model_fields.items():
            yield name, hints[name], field.is_required()
    else:
        yield from ((field.name, hints[field.name], True) for field in fields(kind))


def is_model(kind: Any) -> bool:
    """Is it a record that is checked when it is read?"""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def routes_of(routes: Iterable[Any]) -> Iterator[Route]:
    """All routes, also those of routers that were included, and the plain ones of participants."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from routes_of(route.original_router.routes)
        elif isinstance(route, Route) and route.methods:
            yield route


def answer_of(route: Callable[..., Any]) -> Any:
    """What the function that a route calls says it returns; None where it says nothing of it."""
    kinds = map(_returned, calls(route))
    # Some functions return a status with the answer.
    answers = (part for kind in kinds for part in (kind, *get_args(kind)))
    return next(filter(is_typeddict, answers), None)


def _returned(done: Callable[..., Any]) -> Any:
    """The type that a function returns; None where only type checkers know it."""
    done = inspect.unwrap(done)
    kind = done.__annotations__.get("return")
    with suppress(NameError):
        return eval(kind, done.__globals__) if isinstance(kind, str) else kind
    return None


def calls(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """All functions that a function names, in their order, also those with a cache."""

    def names(body: CodeType) -> Iterator[str]:
        yield from body.co_names
        for constant in body.co_consts:
            if isinstance(constant, CodeType):
                yield from names(constant)

    bound = [item.cell_contents for item in function.__closure__ or ()]
    named = [function.__globals__.get(name) for name in names(function.__code__)]
    return filter(lambda done: inspect.isfunction(inspect.unwrap(done)), (*bound, *named))
