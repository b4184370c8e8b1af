"""The components of the Generate tab; what they do is wired in :mod:`tabs.generate.tab`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from core.generation.registry import RENDERER
from core.generation.renderer import FAILURES, LIGHTS
from core.verdict.rules import RULES
from tabs.generate.models import model_choices, objects_to_draw
from tabs.generate.own_words import FIRST
from tabs.inspect.controls import color_picker
from tabs.page.context import Context
from tabs.page.widgets import widget

SIZES = (256, 512, 768, 1024, 1280, 1536, 2048)
PROMPTS = """<section class="th-prompts" aria-label="Prompts"><h2 class="th-unseen">Prompts</h2><div class="th-prompts-bar">
<select class="th-set" aria-label="Prompt set"></select>
<button type="button" class="th-button th-set-remove" aria-label="Remove this set from the list" hidden>Remove</button>
<input class="th-search" type="search" placeholder="Words, &quot;a phrase&quot;, -without" aria-label="Search prompts">
<select class="th-sort" aria-label="Order"><option value="relevance">Best match first</option><option value="set">In set order</option><option value="text">A to Z</option><option value="hue">By hue</option><option value="lightness">By lightness</option><option value="object">By object</option><option value="task">By task</option><option value="random">Shuffled</option></select>
<button type="button" class="th-button th-facets-toggle" aria-expanded="false" aria-controls="th-facets">Filters</button>
<button type="button" class="th-button th-import-prompts">Import…</button></div>
<div class="th-chips" hidden></div><p class="th-suggest" hidden></p>
<div class="th-prompts-body"><div class="th-facets" id="th-facets" role="group" aria-label="Filters"></div>
<div class="th-list-box"><div class="th-list" role="grid" aria-multiselectable="true" tabindex="0" aria-label="Prompts: arrow keys move, space puts into the basket, Enter chooses"><div class="th-list-space" role="rowgroup"></div></div><p class="th-list-empty" hidden></p></div></div>
<div class="th-prompts-foot"><span class="th-matches" role="status"></span><span class="th-space"></span>
<button type="button" class="th-button th-add-all">Add all to the basket</button></div>
<dialog class="th-confirm" aria-labelledby="th-confirm-title"><b id="th-confirm-title"></b><p></p><p class="th-problem" role="alert" hidden></p>
<div class="th-confirm-actions"><button type="button" class="th-button th-confirm-no">Keep it</button>
<button type="button" class="th-button th-confirm-yes">Remove</button></div></dialog></section>"""  # noqa: E501
ASK = """<section class="th-ask-box"><div class="th-ask-tabs" role="tablist" aria-label="What to draw">
<button type="button" role="tab" data-mode="own">Own words</button><button type="button" role="tab" data-mode="chosen">Chosen prompt</button><button type="button" role="tab" data-mode="basket">Basket</button></div>
<div class="th-ask-body" hidden></div></section>"""  # noqa: E501
MODELS = '<ul class="th-models" hidden></ul>'
READING = """<div class="th-reading" role="status"><p class="th-reading-judged"></p>
<p class="th-reading-hand" hidden><span></span> <button type="button" class="th-button">Follow the words</button></p><ul class="th-ask-notes"></ul></div>"""  # noqa: E501
FOLD = """<button type="button" class="th-fold" aria-expanded="false" aria-controls="more-settings"><b>More settings</b><span></span></button>"""  # noqa: E501
LINE = '<p class="th-light-line"></p>'
DRAW = """<section class="th-draw-box"><button type="button" class="th-draw-button">Draw</button>
<p class="th-ask-note" role="status"></p></section>"""
RESULT = """<section class="th-result" aria-label="The newest picture">
<button type="button" class="th-result-picture" disabled><img alt="" hidden><span></span></button>
<div class="th-result-words"><p class="th-result-verdict" role="status"></p><p class="th-result-truth"></p><p class="th-result-about"></p></div></section>"""  # noqa: E501
QUEUE = """<section class="th-queue" aria-label="Queue" hidden><h3>Queue</h3>
<div class="th-queue-list"></div></section><p class="th-queue-said th-said" role="status"></p>"""
GALLERY = """<section class="th-gallery th-card"><div class="th-gallery-bar"><h3>Pictures</h3>
<span class="th-gallery-status" role="status"></span><span class="th-space"></span>
<select class="th-gallery-model" aria-label="Model" hidden></select><select class="th-gallery-rule" aria-label="Rule of the verdicts"></select>
<span class="th-gallery-filters" role="group" aria-label="Show">
<button type="button" data-filter="all" aria-pressed="true">All</button><button type="button" data-filter="pass" aria-pressed="false">✓ Pass</button><button type="button" data-filter="fail" aria-pressed="false">✕ Fail</button><button type="button" data-filter="unscored" aria-pressed="false">– Unscored</button><button type="button" data-filter="failed" aria-pressed="false">Failed to draw</button></span>
<button type="button" class="th-button th-import-images">Bring your own images…</button></div>
<p class="th-gallery-empty" hidden></p><div class="th-gallery-grid"></div>
<button type="button" class="th-button th-gallery-more" hidden>Show more</button></section>"""  # noqa: E501


@dataclass(frozen=True)
class View:
    """The tab's components."""

    prompts: Any
    ask: Any
    own_text: Any
    object_name: Any
    target: Any
    filled: Any
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
    renderer_only: Any
    draw: Any
    result: Any
    queue: Any
    gallery: Any

    @property
    def own(self) -> list[Any]:
        """A prompt in one's own words, in the order of
        :class:`tabs.generate.own_words.OwnPrompt`."""
        return [self.own_text, self.object_name, self.target, self.filled]

    @property
    def settings(self) -> list[Any]:
        """How to draw, in the order of :func:`tabs.generate.plan.settings`."""
        return [
            self.models,
            self.seed,
            self.seeds,
            self.guidance,
            self.steps,
            self.size,
            self.light,
            self.failure,
        ]

    @property
    def restored(self) -> list[Any]:
        """What a link fills, in the order of restore()."""
        return [*self.own, *self.settings]

    @property
    def planned(self) -> list[Any]:
        """What plan() fills."""
        return [self.draw, self.about, self.renderer_only, self.reading, self.fold, self.light_line]


def layout(context: Context) -> View:
    """Draws the tab; nothing is wired yet."""
    with gr.Row(elem_classes="th-generate"):
        with gr.Column(elem_classes="th-card th-prompts-card", min_width=320):
            prompts = widget("generate/prompts", PROMPTS, elem_id="prompts")
        with gr.Column(elem_classes="th-card th-request-card", min_width=320):
            ask = widget("generate/ask", ASK, elem_id="ask", events=("plan", "ready"))
            with gr.Column(elem_id="own-words", elem_classes="th-own"):
                own_text = gr.Textbox(
                    label="Prompt",
                    placeholder="A photo of a vivid reddish orange mug",
                    lines=2,
                    max_lines=6,
                    elem_id="generate-text",
                )
                with gr.Row(elem_classes="th-ask"):
                    object_name = gr.Dropdown(
                        objects_to_draw(),
                        value=FIRST[0],
                        label="Object",
                        elem_id="generate-object",
                        min_width=110,
                        scale=2,
                        allow_custom_value=True,
                    )
                    with gr.Column(min_width=180, scale=4):
                        target = color_picker("Color", FIRST[1], elem_id="generate-color")
                filled = gr.State(FIRST)
                reading = widget(
                    "generate/reading", READING, elem_id="reading", events=("follow",), view={}
                )
            models = gr.Dropdown(
                model_choices(context),
                value=[RENDERER],
                label="Models",
                elem_id="generate-model",
                multiselect=True,
                allow_custom_value=True,
            )
            about = widget("generate/models", MODELS, elem_id="models-about", view={})
            fold = widget("generate/fold", FOLD, elem_id="settings-fold", text="")
            with gr.Column(elem_id="more-settings", elem_classes="th-own th-off"):
                parts = _more_settings()
            with gr.Row(elem_classes="th-draw-row"):
                draw_box = widget(
                    "generate/draw",
                    DRAW,
                    elem_id="draw",
                    events=("draw",),
                    view={"button": "Draw"},
                )
                result = widget("generate/result", RESULT, elem_id="result")
                queue = widget("generate/queue", QUEUE, elem_id="queue", job="")
    gallery = widget(
        "generate/gallery",
        GALLERY,
        elem_id="gallery",
        events=("open",),
        rules=[by.id for by in RULES],
    )
    return View(
        prompts=prompts,
        ask=ask,
        own_text=own_text,
        object_name=object_name,
        target=target,
        filled=filled,
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
            [("Model's own", 0), *((f"{side} × {side}", side) for side in SIZES)],
            value=0,
            label="Size",
            elem_id="generate-size",
            min_width=110,
        )
        guidance = gr.Textbox(
            label="Guidance",
            placeholder="model's own",
            max_lines=1,
            elem_id="generate-guidance",
            min_width=110,
        )
        steps = gr.Textbox(
            label="Steps",
            placeholder="model's own",
            max_lines=1,
            elem_id="generate-steps",
            min_width=80,
        )
    with gr.Column(elem_classes="th-own") as renderer_only:
        light = gr.Radio(
            list(LIGHTS),
            value="studio",
            label="Light of the renderer",
            elem_id="generate-light",
            elem_classes="th-segments",
        )
        light_line = widget("generate/line", LINE, elem_id="light-line", text="")
        failure = gr.Dropdown(
            [(f"{name}: {words}", name) for name, words in FAILURES.items()],
            value="none",
            label="Failure that the renderer acts out",
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
        "renderer_only": renderer_only,
    }
