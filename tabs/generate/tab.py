"""The Generate tab: find prompts, generate images with any model, see what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.verdict.rules import MATCHES, RULES
from truehue.tabs.generate.form import SIZES
from truehue.tabs.generate.models import model_choices, objects_to_render
from truehue.tabs.generate.own_prompt import FIRST
from truehue.tabs.generate.realism import first_props
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.page.context import Page
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.events import QUIET, Cause, on
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import widget
from truehue.tabs.verdicts.question import question


@dataclass(frozen=True)
class View:
    """What of the tab goes by way of Gradio: an image of the gallery is opened in Inspect."""

    gallery: Any


def request_html() -> str:
    """The form, with what there is to choose from."""
    return html(
        "generate/request",
        object=FIRST[0],
        objects=objects_to_render(),
        sizes=SIZES,
        lights=list(LIGHTS),
        failures=FAILURES,
    )


def layout(page: Page) -> View:
    """Draws the tab; nothing is wired yet."""
    with gr.Row(elem_classes="th-generate"):
        with gr.Column(elem_classes="th-card th-prompts-card", min_width=320):
            widget("generate/prompts", elem_id="prompts")
        with gr.Column(elem_classes="th-card th-request-card", min_width=320):
            widget(
                "generate/request",
                template=request_html(),
                elem_id="request",
                choices=model_choices(page.context),
                chosen=[RENDERER],
                target=FIRST[1],
                realism=first_props(),
            )
    gallery = widget(
        "generate/gallery",
        elem_id="gallery",
        events=("open",),
        rules=[by.id for by in RULES],
    )
    widget("generate/pair", elem_id="pair")
    return View(gallery)


def wire(page: Page) -> None:
    """Connects the gallery to Inspect."""
    context = page.context
    view: View = page.views["generate"]
    inspect_view: inspect.View = page.views["inspect"]

    def inspected(_: Cause, source: Any, *controls: Any) -> list[Any]:
        source = source if isinstance(source, dict) else {}
        try:
            screen_question = question(*controls)
            put = question(
                source.get("object"),
                source.get("target"),
                screen_question.rule_id,
                screen_question.k,
                screen_question.show_measured,
                screen_question.neighbors_of,
                source.get("relation") or MATCHES,
            )
            updates = inspect.open_image(
                context,
                inspect_view,
                str(source.get("opened", "")),
                put,
                str(source.get("mask", "")),
            )
        except Exception as error:
            gr.Warning(message_of(error))
            return [gr.skip()] * (len(inspect_view.outputs) + 2)
        return [gr.update(selected="inspect"), *updates, gr.update(data=context.data_text())]

    view.gallery.open(
        on(context, "look", inspected),
        [view.gallery, *inspect_view.asked],
        [page.tabs, *inspect_view.outputs, page.header],
        **QUIET,
        **inspect.IN_ORDER,
    )
