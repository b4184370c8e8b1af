"""The one door of Gradio's events: who causes one is asked before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import ACTIONS, STORING, Actor, authorize

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


def _cause(context: Context, action: str, request: gr.Request, data: Any = None) -> Cause:
    actor = actor_of(context, request)
    authorize(actor, action)
    return Cause(actor, dict(request.query_params), data)
