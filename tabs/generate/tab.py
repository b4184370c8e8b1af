"""The Generate tab: find prompts, generate images with any model, see their verdicts."""

from __future__ import annotations

from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.verdict.rules import RULES
from truehue.tabs.generate.form import SIZES
from truehue.tabs.generate.models import model_choices, objects_to_render
from truehue.tabs.generate.own_prompt import FIRST
from truehue.tabs.generate.realism import first_props
from truehue.tabs.page.context import Context
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import tab_widget


def template() -> str:
    """The prompts, the form with what there is to choose from, and the images."""
    return html(
        "generate/generate",
        object=FIRST[0],
        objects=objects_to_render(),
        sizes=SIZES,
        lights=list(LIGHTS),
        failures=FAILURES,
    )


def layout(context: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    tab_widget(
        "generate/generate",
        template(),
        choices=model_choices(context),
        chosen=[RENDERER],
        target=FIRST[1],
        realism=first_props(),
        rules=[by.id for by in RULES],
    )
