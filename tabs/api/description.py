"""Descriptions of the API's functions for programs, and parsing of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, get_type_hints

from pydantic import ConfigDict

from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest, read_as
from truehue.tabs.page.roles import Actor


class ApiRequest(PageRequest):
    """Base of what programs send: an unknown name is refused, for it may be a misspelled one."""

    model_config = ConfigDict(extra="forbid")

    missing_advice: ClassVar[str] = ""


@dataclass(frozen=True)
class Endpoint:
    """A function ``do(context, actor, request)`` that programs call.

    Its name, its docstring and the fields of its request are what they see of it.
    """

    do: Callable[..., Mapping[str, Any]]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.do.__name__

    @property
    def action(self) -> str:
        """What it asks for, of :data:`truehue.tabs.page.roles.ACTIONS`."""
        return str(vars(self.do)["action"])

    @property
    def words(self) -> str:
        """What it does."""
        return inspect.cleandoc(self.do.__doc__ or "")

    @cached_property
    def request(self) -> type[ApiRequest]:
        """The record of what it takes."""
        kind: type[ApiRequest] = get_type_hints(self.do)["request"]
        return kind

    def answer(self, context: Context, actor: Actor, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What it does with these. Raises BadInput in words for what they cannot be, NotAllowed,
        and the errors of what it does."""
        return dict(self.do(context, actor, read_as(self.request, fields)))
