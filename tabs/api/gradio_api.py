"""The endpoints in Gradio's API, for ``gradio_client`` and "Use via API"."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import gradio as gr
from gradio.context import get_blocks_context
from pydantic.fields import FieldInfo

from truehue.tabs.api.description import Endpoint
from truehue.tabs.api.endpoints import ENDPOINTS
from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of

AT_ONCE = 4
"""Calls of one endpoint that are answered at a time."""


def wire(context: Context) -> None:
    """Names the endpoints in the ``gr.Blocks`` around."""
    blocks = get_blocks_context()
    assert blocks is not None
    for endpoint in ENDPOINTS:
        call = gr.api(_handler(context, endpoint), concurrency_limit=AT_ONCE)
        for number, field in zip(
            call["inputs"], endpoint.request.model_fields.values(), strict=True
        ):
            # Gradio calls parameters "1st", "2nd" and describes none.
            parameter = blocks.blocks[number]
            described = {**parameter.api_info(), "additional_description": _about(field)}
            parameter._api_info = described


def _handler(context: Context, endpoint: Endpoint) -> Callable[..., dict[str, Any]]:
    """The endpoint as Gradio reads it: a function with types, after the request's."""
    fields = endpoint.request.model_fields

    def answer(request: gr.Request, *values: Any) -> dict[str, Any]:
        try:
            actor = actor_of(context, request)
            with context.visit(actor, stays=endpoint.action != "look"):
                return endpoint.answer(context, actor, dict(zip(fields, values, strict=True)))
        except Exception as error:
            raise gr.Error(message_of(error), print_exception=False) from None

    types = {name: field.annotation for name, field in fields.items()}
    parameters = [_parameter("request", gr.Request)]
    parameters += [
        _parameter(
            name, types[name], inspect.Parameter.empty if field.is_required() else field.default
        )
        for name, field in fields.items()
    ]
    signature = inspect.Signature(parameters, return_annotation=dict[str, Any])
    vars(answer).update(action=endpoint.action, __signature__=signature)
    answer.__annotations__ = {"request": gr.Request, **types, "return": dict[str, Any]}
    answer.__name__ = endpoint.name
    about = [f"    {name}: {_about(field)}" for name, field in fields.items()]
    answer.__doc__ = "\n".join([endpoint.words, "", "Parameters:", *about])
    return answer


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    in_order = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, in_order, default=default, annotation=kind)


def _about(field: FieldInfo) -> str:
    """The words about a field, with its examples."""
    examples = ", ".join(map(str, field.examples or ()))
    return f"{field.description}" + (f" For example: {examples}." if examples else "")
