"""The Generate tab: a first picture in one press, from a model that needs no weights."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import gradio as gr

from core.color.systems import parse_target
from core.errors import BadInput, StorageError
from core.generation.registry import MODELS, GenerationRequest, generate
from core.generation.renderer import LIGHTS, OBJECTS
from core.records import ImageRecord
from tabs import inspect
from tabs.color_picker import color_picker
from tabs.context import Context
from tabs.guard import message_of
from tabs.inspect_judge import Question, question
from tabs.links import ID_LENGTH, link, read, whole
from tabs.widgets import widget

SIZES = (256, 512, 1024, 2048)
MAX_SEED = 2**31 - 1
FIRST_COLOR = "l3:Vivid reddish orange"
PICTURE = """<section class="th-picture"><div class="th-picture-stage"><img alt="" hidden>
<p class="th-picture-empty"></p></div>
<div class="th-picture-bar"><span class="th-picture-text"></span><span class="th-space"></span>
<span class="th-picture-size"></span></div></section>"""
RECENT = """<section class="th-recent" hidden><h3>Drawn lately; click to open in Inspect</h3>
<div class="th-recent-grid"></div></section>"""
EMPTY = (
    "The picture appears here. Choose an object and a color, and press Draw: its true color is "
    "known, so you can see what a verdict makes of light and shade."
)


@dataclass(frozen=True)
class View:
    """The tab's components."""

    picture: Any
    model: Any
    object_name: Any
    target: Any
    light: Any
    light_text: Any
    seed: Any
    new_seed: Any
    size: Any
    draw: Any
    to_inspect: Any
    recent: Any
    drawn: Any

    @property
    def request(self) -> list[Any]:
        """What a picture depends on, in the order of draw()'s arguments."""
        return [self.model, self.object_name, self.target, self.light, self.seed, self.size]

    @property
    def restored(self) -> list[Any]:
        """What a link fills, in the order of restore()."""
        return [self.model, self.object_name, self.target, self.light, self.light_text, self.seed,
                self.size, self.picture, self.drawn, self.to_inspect]  # fmt: skip


def layout() -> View:
    """Draws the tab; nothing is wired yet."""
    with gr.Row(elem_classes="th-generate"):
        with gr.Column(elem_classes="th-card th-stage-card", min_width=320):
            picture = widget("picture", PICTURE, elem_id="picture", view={"empty": EMPTY})
        with gr.Column(elem_classes="th-card th-request-card", min_width=320):
            model = gr.Dropdown(
                [(entry.name, entry.id) for entry in MODELS], value=MODELS[0].id, label="Model",
                elem_id="generate-model", info=MODELS[0].note,
            )  # fmt: skip
            with gr.Row(elem_classes="th-ask"):
                object_name = gr.Dropdown(
                    list(OBJECTS), value="mug", label="Object", elem_id="generate-object",
                    min_width=110, scale=2,
                )  # fmt: skip
                with gr.Column(min_width=180, scale=4):
                    target = color_picker("Color", FIRST_COLOR, elem_id="generate-color")
            light = gr.Radio(
                list(LIGHTS), value="studio", label="Light", elem_id="generate-light",
                elem_classes="th-segments",
            )  # fmt: skip
            light_text = gr.Markdown(LIGHTS["studio"].description, elem_classes="th-hint")
            with gr.Row(elem_classes="th-ask th-seed"):
                seed = gr.Number(
                    0, label="Seed", elem_id="generate-seed", min_width=110,
                )  # fmt: skip
                new_seed = gr.Button("New seed", elem_id="generate-new-seed", min_width=90)
                size = gr.Dropdown(
                    [(f"{side} × {side}", side) for side in SIZES], value=1024, label="Size",
                    elem_id="generate-size", min_width=120,
                )  # fmt: skip
            with gr.Row(elem_classes="th-draw"):
                draw_button = gr.Button("Draw", variant="primary", elem_id="draw")
                to_inspect = gr.Button("Open in Inspect", interactive=False, elem_id="to-inspect")
            gr.Markdown(
                "Every drawn picture is stored with its model, seed and light, and its exact mask.",
                elem_classes="th-hint",
            )
            recent = widget("recent", RECENT, elem_id="recent", changed="")
    drawn = gr.State({})
    return View(picture, model, object_name, target, light, light_text, seed, new_seed, size,
                draw_button, to_inspect, recent, drawn)  # fmt: skip


def draw(
    context: Context, model_id: str, object_name: str, target_text: str | None, light: str,
    seed: float | None, size_px: int,
) -> tuple[ImageRecord, str]:  # fmt: skip
    """Draws and stores a picture with its mask; returns its record and the link to draw it again.

    Raises UnknownColor, BadInput or StorageError.
    """
    target = parse_target(target_text or "")
    if seed is None or seed != int(seed) or not 0 <= seed <= MAX_SEED:
        raise BadInput(f"The seed is a whole number from 0 to {MAX_SEED:,}.")
    made = generate(
        GenerationRequest(
            model_id=model_id, object_name=object_name, color_srgb8=target.srgb8, light=light,
            seed=int(seed), size_px=int(size_px),
        )
    )  # fmt: skip
    origin = {**made.origin, "object_name": object_name, "target": target.value}
    record = context.storage.images.add(
        made.srgb8, f"{object_name}, {target.label}, {light} light, seed {int(seed)}", "render",
        (), origin,
    )  # fmt: skip
    if made.mask is not None:
        context.storage.masks.add(record.image_id, made.mask)
    address = link(
        "generate",
        {"image": record.image_id[:ID_LENGTH], "model": model_id, "object": object_name,
         "target": target.value, "light": light, "seed": int(seed), "size": int(size_px)},
    )  # fmt: skip
    return record, address


def picture_view(record: ImageRecord, address: str) -> dict[str, Any]:
    """A stored picture as the tab shows it."""
    return {
        "url": f"/media/images/{record.image_id}.png", "alt": record.name, "text": record.name,
        "size": f"{record.width} × {record.height} · sRGB · exact pixels", "link": address,
        "image_id": record.image_id,
    }  # fmt: skip


def restore(context: Context, query: dict[str, str]) -> list[Any]:
    """Fills the controls from a link and shows its picture; updates for ``View.restored``."""
    if query.get("tab") != "generate":
        return [gr.skip()] * 10
    seed = whole(query.get("seed", ""), MAX_SEED)
    size = whole(query.get("size", ""), max(SIZES))
    light = query.get("light", "")
    light = light if light in LIGHTS else "studio"
    picture = [gr.skip()] * 3
    if query.get("image"):
        try:
            record = context.storage.images.get(query["image"])
            shown = picture_view(record, link("generate", {**query, "tab": ""}))
            asked = {"opened": record.image_id, "object": query.get("object", ""),
                     "target": query.get("target", "")}  # fmt: skip
            picture = [gr.update(view=shown), asked, gr.update(interactive=True)]
        except StorageError as error:
            words = f"The picture of this link cannot be shown here. {error} Press Draw."
            picture[0] = gr.update(view={"empty": EMPTY, "error": words})
    return [
        query["model"] if query.get("model") in {entry.id for entry in MODELS} else gr.skip(),
        query["object"] if query.get("object") in OBJECTS else gr.skip(),
        gr.update(value=query["target"]) if query.get("target") else gr.skip(),
        light,
        LIGHTS[light].description,
        gr.skip() if seed is None else seed,
        size if size in SIZES else gr.skip(),
        *picture,
    ]


def wire(view: View, inspect_view: inspect.View, context: Context, header: Any, tabs: Any) -> None:
    """Connects the controls."""

    def drawn(*values: Any) -> list[Any]:
        try:
            record, address = draw(context, *values)
        except Exception as error:
            shown = gr.update(view={"empty": EMPTY, "error": message_of(error)})
            return [shown, {}, gr.update(interactive=False), gr.skip(), gr.skip()]
        # What was asked now, not what was asked when the same picture was first drawn.
        asked = {"opened": record.image_id, "object": values[1], "target": values[2]}
        return [
            gr.update(view=picture_view(record, address)), asked, gr.update(interactive=True),
            gr.update(changed=record.image_id), gr.update(data=context.data_text()),
        ]  # fmt: skip

    def inspected(source: Any, *asked: Any) -> list[Any]:
        source = source if isinstance(source, dict) else {}
        try:
            now = question(*asked)
            put = Question(
                str(source.get("object", "")), str(source.get("target", "")), now.rule_id, now.k,
                now.show_measured, now.neighbors_of,
            )  # fmt: skip
            out = inspect.open_image(context, inspect_view, str(source.get("opened", "")), put)
        except Exception as error:
            gr.Warning(message_of(error))
            return [gr.skip()] * (len(inspect_view.outputs) + 2)
        return [gr.update(selected="inspect"), *out, gr.update(data=context.data_text())]

    # A click while a picture is being drawn is the next wish, not a mistake to drop.
    view.draw.click(
        drawn, view.request,
        [view.picture, view.drawn, view.to_inspect, view.recent, header],
        trigger_mode="always_last", show_progress="minimal", show_progress_on=view.picture,
        api_visibility="private",
    )  # fmt: skip

    def linked(request: gr.Request) -> list[Any]:
        return restore(context, read(dict(request.query_params)))

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    # Not on page load: this tab may not be drawn yet, and what is not drawn cannot be filled.
    view.picture.ready(linked, None, view.restored, **quiet)
    view.new_seed.click(lambda: secrets.randbelow(100_000), None, view.seed, **quiet)
    view.light.change(lambda name: LIGHTS[name].description, view.light, view.light_text, **quiet)
    opened = [tabs, *inspect_view.outputs, header]
    order = {**quiet, **inspect.IN_ORDER}
    view.to_inspect.click(inspected, [view.drawn, *inspect_view.asked], opened, **order)
    view.recent.open(inspected, [view.recent, *inspect_view.asked], opened, **order)
