"""Gradio's events: authorized before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import ACTIONS, Actor, authorize

# Of every event whose progress Gradio 6.31 shows on a component, hidden or not, its page copies all
# properties of that component and of all in it each time the event goes on a step.
QUIET: Mapping[str, Any] = {
    "show_progress": "hidden",
    "show_progress_on": [],
    "api_visibility": "private",
}
"""How events of the page are wired: their progress is ours to show, and no program calls them."""


def on(context: Context, action: str, handler: Callable[[Actor], Any]) -> Callable[..., Any]:
    """What Gradio is given to call: ``handler(actor)``, for those who may do ``action``."""
    assert action in ACTIONS

    def handled(request: gr.Request) -> Any:
        actor = actor_of(context, request)
        authorize(actor, action)
        with context.visit(actor):
            return handler(actor)

    vars(handled)["action"] = action
    return handled
