"""The one door of Gradio's events: who causes one is asked before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import ACTIONS, STORING, Actor, may

# Of every event whose progress Gradio 6.31 shows on a component, hidden or not, its page copies all
# properties of that component and of all in it each time the event goes on a step.
QUIET: Mapping[str, Any] = {
    "show_progress": "hidden",
    "show_progress_on": [],
    "api_visibility": "private",
}
"""How events of the page are wired: their progress is ours to show, and no program calls them."""


@dataclass(frozen=True)
class Cause:
    """What caused an event: who, at which address of the page (``query``), and the ``data`` that a
    widget sent along."""

    actor: Actor
    query: Mapping[str, str] = field(default_factory=dict)
    data: Any = None


def on(context: Context, action: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    """What Gradio is given to call: ``handler(cause, *inputs)``, for who may do ``action``."""
    assert action in ACTIONS

    def handled(request: gr.Request, *inputs: Any) -> Any:
        cause = _cause(context, action, request)
        with context.visit(cause.actor):
            if action in STORING:
                context.require_space()
            return handler(cause, *inputs)

    vars(handled)["action"] = action
    return handled


def on_data(context: Context, action: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    """The same for an event of a widget that sends data along."""
    assert action in ACTIONS

    def handled(request: gr.Request, event: gr.EventData, *inputs: Any) -> Any:
        cause = _cause(context, action, request, event._data)
        with context.visit(cause.actor):
            if action in STORING:
                context.require_space()
            return handler(cause, *inputs)

    vars(handled)["action"] = action
    return handled


def on_last_edit(
    triggers: Sequence[Any], handled: Callable[..., Any], inputs: Any, outputs: Any, **more: Any
) -> None:
    """One event that any of ``triggers`` begins, for a form that is answered as a whole: while an
    answer is on its way none is sent, and then one more, with what the form holds by then.

    Not an event for each field. Gradio 6.31 sends those side by side, its queue takes two that are
    sent a moment apart in either order, and its page can mix up their answers: the one to the older
    values then stood there until the next edit.
    """
    gr.on(triggers, handled, inputs, outputs, trigger_mode="always_last", **{**QUIET, **more})


def _cause(context: Context, action: str, request: gr.Request, data: Any = None) -> Cause:
    actor = actor_of(context, request)
    may(actor, action)
    return Cause(actor, dict(request.query_params), data)
