"""The components of the Generate tab; what they do is wired in :mod:`truehue.tabs.generate.tab`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.verdict.rules import RULES
from truehue.tabs.generate.models import model_choices, objects_to_render
from truehue.tabs.generate.own_prompt import FIRST
from truehue.tabs.generate.realism import first_props
from truehue.tabs.inspect.controls import color_picker
from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import widget

NOT_EDITED = {"object": False, "target": False}
SIZES = (256, 512, 768, 1024, 1280, 1536, 2048)


@dataclass(frozen=True)
class View:
    """The tab's components."""

    prompts: Any
    ask: Any
    own_text: Any
    object_name: Any
    target: Any
    reading: Any
    models: Any
    about: Any
    seed: Any
    new_seed: Any
    fold: Any
    seeds: Any
    guidance: Any
    steps: Any
    size: Any
    light: Any
    light_line: Any
    failure: Any
    realism: Any
    renderer_only: Any
    draw: Any
    result: Any
    queue: Any
    gallery: Any

    @property
    def own(self) -> list[Any]:
        """A prompt in one's own words, in the order of
        :class:`truehue.tabs.generate.own_prompt.OwnPrompt`."""
        return [self.own_text, self.object_name, self.target, self.reading]

    @property
    def settings(self) -> list[Any]:
        """How to draw, in the order of :func:`truehue.tabs.generate.plan.settings`."""
        return [
            self.models,
            self.seed,
            self.seeds,
            self.guidance,
            self.steps,
            self.size,
            self.light,
            self.failure,
            self.realism,
        ]

    @property
    def restored(self) -> list[Any]:
        """What a link fills, in the order of restore(): the words last. Gradio's page fills one
        after the other, and a change of the words asks at once what follows from all of them."""
        return [self.object_name, self.target, self.reading, *self.settings, self.own_text]

    @property
    def planned(self) -> list[Any]:
        """What plan() fills."""
        return [
            self.draw,
            self.about,
            self.renderer_only,
            self.reading,
            self.fold,
            self.light_line,
            self.realism,
        ]


def layout(context: Context) -> View:
    """Draws the tab; nothing is wired yet."""
    with gr.Row(elem_classes="th-generate"):
        with gr.Column(elem_classes="th-card th-prompts-card", min_width=320):
            prompts = widget("generate/prompts", elem_id="prompts")
        with gr.Column(elem_classes="th-card th-request-card", min_width=320):
            ask = widget("generate/ask", elem_id="ask", events=("plan", "ready", "example"))
            with gr.Column(elem_id="own-words", elem_classes="th-own"):
                own_text = gr.Textbox(
                    label="Prompt",
                    placeholder="Describe an image, or leave empty and use the fields below",
                    lines=2,
                    max_lines=6,
                    elem_id="generate-text",
                )
                with gr.Row(elem_classes="th-ask"):
                    object_name = gr.Dropdown(
                        objects_to_render(),
                        value=FIRST[0],
                        label="Object",
                        elem_id="generate-object",
                        min_width=110,
                        scale=2,
                        allow_custom_value=True,
                    )
                    with gr.Column(min_width=180, scale=4):
                        target = color_picker("Color", FIRST[1], "generate-color", tab="generate")
                # Its value is which of both fields a person edited. The page sets it, at the edit:
                # what a field holds may be an answer to earlier words, still on its way.
                reading = widget(
                    "generate/reading",
                    NOT_EDITED,
                    elem_id="reading",
                    events=("follow", "again"),
                    view={},
                )
            models = gr.Dropdown(
                model_choices(context),
                value=[RENDERER],
                label="Models",
                elem_id="generate-model",
                multiselect=True,
                allow_custom_value=True,
            )
            about = widget("generate/models", elem_id="models-about", view={})
            fold = widget("generate/fold", elem_id="settings-fold", text="")
            with gr.Column(elem_id="more-settings", elem_classes="th-own th-off"):
                parts = _more_settings()
            with gr.Row(elem_classes="th-draw-row"):
                draw_box = widget(
                    "generate/draw",
                    elem_id="draw",
                    events=("draw",),
                    view={"button": "Generate"},
                )
                result = widget("generate/result", elem_id="result")
                queue = widget("generate/queue", elem_id="queue", job="")
    gallery = widget(
        "generate/gallery",
        elem_id="gallery",
        events=("open",),
        rules=[by.id for by in RULES],
    )
    widget("generate/pair", elem_id="pair")
    return View(
        prompts=prompts,
        ask=ask,
        own_text=own_text,
        object_name=object_name,
        target=target,
        reading=reading,
        models=models,
        about=about,
        fold=fold,
        draw=draw_box,
        result=result,
        queue=queue,
        gallery=gallery,
        **parts,
    )


def _more_settings() -> dict[str, Any]:
    """What a first picture needs not: seeds, size, steps, light, failure."""
    with gr.Row(elem_classes="th-ask th-seed"):
        seed = gr.Number(0, label="First seed", elem_id="generate-seed", min_width=90)
        new_seed = gr.Button("New seed", elem_id="generate-new-seed", min_width=90)
        seeds = gr.Number(1, label="Images per prompt", elem_id="generate-seeds", min_width=110)
    with gr.Row(elem_classes="th-ask"):
        size = gr.Dropdown(
            [("Default", 0), *((f"{side} × {side}", side) for side in SIZES)],
            value=0,
            label="Size",
            elem_id="generate-size",
            min_width=110,
        )
        guidance = gr.Textbox(
            label="Guidance",
            placeholder="default",
            max_lines=1,
            elem_id="generate-guidance",
            min_width=110,
        )
        steps = gr.Textbox(
            label="Steps",
            placeholder="default",
            max_lines=1,
            elem_id="generate-steps",
            min_width=80,
        )
    realism = widget("generate/realism", elem_id="realism", view={}, **first_props())
    with gr.Column(elem_classes="th-own") as renderer_only:
        light = gr.Radio(
            list(LIGHTS),
            value="studio",
            label="Renderer light",
            elem_id="generate-light",
            elem_classes="th-segments",
        )
        light_line = widget("generate/line", elem_id="light-line", text="")
        failure = gr.Dropdown(
            [(f"{name}: {text}", name) for name, text in FAILURES.items()],
            value="none",
            label="Simulated failure",
            elem_id="generate-failure",
        )
    return {
        "seed": seed,
        "new_seed": new_seed,
        "seeds": seeds,
        "size": size,
        "guidance": guidance,
        "steps": steps,
        "light": light,
        "light_line": light_line,
        "failure": failure,
        "realism": realism,
        "renderer_only": renderer_only,
    }
