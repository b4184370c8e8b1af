"""The controls of the automatic mask, folded away beside the rule's, and what Find and Point do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.variants import VARIANTS, mask_variant
from truehue.tabs.inspect.mask_request import (
    FIRST_VARIANT,
    CutPoints,
    FindObject,
    at_hand,
    first_of,
    labels_for,
    start_find,
    start_points,
)
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.events import QUIET, Cause, on, on_data
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import Actor


@dataclass(frozen=True)
class FindView:
    """The components of the accordion."""

    detector: Any
    segmenter: Any
    variant: Any
    negatives: Any
    presence: Any
    box_threshold: Any
    negative_threshold: Any

    @property
    def asked(self) -> list[Any]:
        """In the order of :data:`CONTROLS`."""
        return [
            self.detector,
            self.segmenter,
            self.variant,
            self.negatives,
            self.presence,
            self.box_threshold,
            self.negative_threshold,
        ]


def layout(sources: Sources | None = None) -> FindView:
    """Draws the folded accordion. ``sources`` tell which weights are here."""
    local = sources or Sources.here()
    first = mask_variant(FIRST_VARIANT)
    with gr.Accordion(
        "Automatic mask", open=False, elem_classes="th-settings", elem_id="automatic-mask"
    ):
        negatives = gr.Textbox(
            label="Negative labels, comma-separated",
            elem_id="negative-labels",
            max_lines=1,
            placeholder="handle, plate",
            max_length=1000,
            info="Parts that are not measured, from GenColorBench's table of objects.",
        )
        with gr.Row():
            detector = gr.Dropdown(
                at_hand(local, "detector"),
                value=first_of(local, "detector"),
                min_width=150,
                label="Detector",
                elem_id="detector",
                allow_custom_value=True,
                info="Or hub:owner/name, folder:/path",
            )
            segmenter = gr.Dropdown(
                at_hand(local, "segmenter"),
                value=first_of(local, "segmenter"),
                min_width=150,
                label="Segmenter",
                elem_id="segmenter",
                allow_custom_value=True,
                info="Or one of these, or the path of a .pth file",
            )
        variant = gr.Radio(
            [(variant.name, variant.id) for variant in VARIANTS],
            value=first.id,
            label="Variant",
            elem_id="mask-variant",
            elem_classes="th-segments",
        )
        with gr.Row():
            box_threshold = gr.Slider(
                0,
                1,
                value=first.box_threshold,
                step=0.01,
                label="Box score above",
                elem_id="box-threshold",
                min_width=150,
            )
            negative_threshold = gr.Slider(
                0,
                1,
                value=first.negative_threshold,
                step=0.01,
                elem_id="negative-threshold",
                label="Negative score above",
                min_width=150,
            )
        presence = gr.Dropdown(
            [("nobody", ""), *at_hand(local, "presence")],
            value="",
            label="Presence check",
            elem_id="presence-model",
            allow_custom_value=True,
        )
    return FindView(
        detector, segmenter, variant, negatives, presence, box_threshold, negative_threshold
    )


CONTROLS = (
    "detector",
    "segmenter",
    "variant",
    "negatives",
    "presence",
    "box_threshold",
    "negative_threshold",
)
"""The fields of a request, in the order of :attr:`FindView.asked`."""


def begun(image_id: str, kind: str, begin: Callable[[], Job]) -> Any:
    """What the stage is told: the search to watch, or in words why there is none."""
    about = {"image_id": image_id, "kind": kind}
    try:
        job = begin()
    except Exception as error:
        return {**about, "problem": message_of(error)}
    return {**about, "job": job.id, "words": job.record.words}


def find(context: Context, actor: Actor, data: Any, object_name: Any, *controls: Any) -> Any:
    """The event ``find``: the stage's prop ``work``."""
    image_id = _image_id(data)
    fields = {
        "image_id": image_id,
        "object_name": object_name,
        **dict(zip(CONTROLS, controls, strict=True)),
    }
    return begun(image_id, "find", lambda: start_find(context, actor, read_as(FindObject, fields)))


def points(context: Context, actor: Actor, data: Any, segmenter: Any) -> Any:
    """The event ``points``: the stage's prop ``work``."""
    image_id = _image_id(data)
    marks = data.get("marks") if isinstance(data, dict) else None
    fields = {"image_id": image_id, "marks": marks, "segmenter": segmenter}
    return begun(
        image_id, "points", lambda: start_points(context, actor, read_as(CutPoints, fields))
    )


def _image_id(data: Any) -> str:
    image_id = data.get("image_id") if isinstance(data, dict) else None
    return image_id if isinstance(image_id, str) else ""


def wire(view: FindView, stage: Any, object_name: Any, context: Context) -> None:
    """Connects Find and Point of the stage, and fills in what follows from object and variant."""

    def on_find(cause: Cause, *values: Any) -> Any:
        work = find(context, cause.actor, cause.data, *values)
        return gr.update(work=_once(work))

    def on_points(cause: Cause, segmenter: Any) -> Any:
        work = points(context, cause.actor, cause.data, segmenter)
        return gr.update(work=_once(work))

    def thresholds(_: Cause, variant: Any) -> list[Any]:
        chosen = mask_variant(str(variant))
        return [chosen.box_threshold, chosen.negative_threshold]

    finding = on_data(context, "compute", on_find)
    cutting = on_data(context, "compute", on_points)
    stage.find(finding, [object_name, *view.asked], stage, trigger_mode="multiple", **QUIET)
    stage.points(cutting, view.segmenter, stage, trigger_mode="multiple", **QUIET)
    labels = on(context, "look", lambda _, name: labels_for(name))
    object_name.change(labels, object_name, view.negatives, trigger_mode="always_last", **QUIET)
    view.variant.input(
        on(context, "look", thresholds),
        view.variant,
        [view.box_threshold, view.negative_threshold],
        **QUIET,
    )


def _once(work: dict[str, Any]) -> dict[str, Any]:
    """A number of its own, so that the same words twice are two answers."""
    import time

    return {**work, "at": time.time_ns() // 1000}
