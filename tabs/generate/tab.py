"""The Generate tab: find prompts, generate images with any model, see their verdicts."""

from __future__ import annotations

import gradio as gr

from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.verdict.rules import RULES
from truehue.tabs.generate.form import SIZES
from truehue.tabs.generate.models import model_choices, objects_to_render
from truehue.tabs.generate.own_prompt import FIRST
from truehue.tabs.generate.realism import first_props
from truehue.tabs.page.context import Context
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import widget


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


def layout(context: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    with gr.Row(elem_classes="th-generate"):
        with gr.Column(elem_classes="th-card th-prompts-card", min_width=320):
            widget("generate/prompts", elem_id="prompts")
        with gr.Column(elem_classes="th-card th-request-card", min_width=320):
            widget(
                "generate/request",
                template=request_html(),
                elem_id="request",
                choices=model_choices(context),
                chosen=[RENDERER],
                target=FIRST[1],
                realism=first_props(),
            )
    widget("generate/gallery", elem_id="gallery", rules=[by.id for by in RULES])
    widget("generate/pair", elem_id="pair")
