"""The Explore tab: what runs found, can the measure be trusted, and where do the rules disagree?

Its views fill themselves over HTTP (the modules ``tabs.routes_*``); here is what belongs to Gradio:
the places that they fill, and opening a picture in Inspect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from truehue.core.errors import BadInput
from truehue.core.verdict.rules import MATCHES
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.page.context import Context, Page
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.events import QUIET, Cause, on
from truehue.tabs.page.widgets import widget
from truehue.tabs.verdicts.question import question


@dataclass(frozen=True)
class View:
    """The tab's components."""

    switch: Any
    board: Any
    wall: Any
    runs: Any
    trust: Any
    audit: Any
    judgments: Any


def layout(_: Page) -> View:
    """Draws the tab; nothing is wired yet."""
    switch = widget("explore/switch", elem_id="explore")
    board = widget("explore/board", elem_id="explore-board")
    wall = widget("explore/wall", elem_id="explore-wall", events=("open",))
    runs = widget("explore/runs", elem_id="explore-runs")
    trust = widget("explore/trust", elem_id="explore-trust", events=("open",))
    audit = widget("explore/audit", elem_id="explore-audit", events=("open",))
    judgments = widget("explore/judgments", elem_id="explore-judgments", events=("open",))
    return View(switch, board, wall, runs, trust, audit, judgments)


def opened(context: Context, inspect_view: inspect.View, source: Any, *controls: Any) -> list[Any]:
    """Opens in Inspect what a view sent: image, mask, object, asked color, relation
    and rule.

    ``controls`` are Inspect's; of them, k, hatching and the system of neighbors stay. Raises
    BadInput and NotStored for what cannot be opened.
    """
    if not isinstance(source, dict) or not source.get("opened"):
        raise BadInput("The page did not say which image to open. Reload the page.")
    screen_question = question(*controls)
    put = question(
        source.get("object"),
        source.get("target"),
        source.get("rule") or screen_question.rule_id,
        screen_question.k,
        screen_question.show_measured,
        screen_question.neighbors_of,
        source.get("relation") or MATCHES,
    )
    return inspect.open_image(
        context, inspect_view, str(source["opened"]), put, str(source.get("mask") or "")
    )


def wire(page: Page) -> None:
    """Connects the views to Inspect."""
    view: View = page.views["explore"]
    for source in (view.wall, view.trust, view.audit, view.judgments):
        opens(source, page)


def opens(source: Any, page: Page) -> None:
    """Connects one widget to Inspect: what its ``inspectIt`` sends is opened there."""
    context, inspect_view = page.context, page.views["inspect"]

    def shown(_: Cause, source: Any, *controls: Any) -> list[Any]:
        try:
            updates = opened(context, inspect_view, source, *controls)
        except Exception as error:
            gr.Warning(message_of(error))
            return [gr.skip()] * (len(inspect_view.outputs) + 2)
        return [gr.update(selected="inspect"), *updates, gr.update(data=context.data_text())]

    source.open(
        on(context, "look", shown),
        [source, *inspect_view.asked],
        [page.tabs, *inspect_view.outputs, page.header],
        trigger_mode="multiple",
        **inspect.IN_ORDER,
        **QUIET,
    )
