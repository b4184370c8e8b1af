"""The Inspect tab: an image, a mark, an asked color; a verdict and all that led to it."""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass
from typing import Any

import gradio as gr
import numpy as np

from core.color.systems import parse_target
from core.errors import TrueHueError
from core.masks.outline import outline_path
from core.masks.overlay import unmeasured_overlay_png
from core.pipeline import Measurement, measure, unscored_measurement
from core.pixels import select_pixels
from core.records import EvidenceRecord, MaskRecord
from core.verdict.rules import RULES
from tabs.color_picker import color_picker
from tabs.context import Context
from tabs.guard import message_of
from tabs.inspect_state import (
    Work,
    exact_mask,
    make_mask,
    marks_of,
    mask_text,
    origin_target,
    read_stage,
)
from tabs.inspect_view import evidence_view, problem, verdict_view, waiting
from tabs.links import ID_LENGTH, link, read, whole
from tabs.stage import stage
from tabs.widgets import refresh, widget

MAX_K = 10
NO_IMAGE = "Open a photograph on the left, or draw an object in Generate, to see a verdict here."
NO_MASK = (
    "Mark the object: draw a box around it. Then, where the mask is wrong, draw over what to keep "
    "and over what to cut."
)
NO_TARGET = "Choose the asked color: type a name, a hex or an rgb value."

VERDICT = '<section class="th-verdict" aria-live="polite"></section>'
LIBRARY = """<dialog class="th-library" aria-label="Stored images"><header><b>Stored images</b>
<span class="th-library-status" role="status"></span>
<button type="button" class="th-button th-library-close">Close</button></header>
<div class="th-library-grid"></div>
<button type="button" class="th-button th-library-more" hidden>Show more</button></dialog>"""
EVIDENCE = """<div class="th-evidence" hidden>
<section class="th-card th-card-ab"><h3>Chromaticity of the measured pixels</h3>
<div class="th-figure" role="img" aria-label="Pixels in the a*b* plane"></div></section>
<section class="th-card th-card-light"><h3>Lightness L*</h3>
<div class="th-figure" role="img" aria-label="Histogram of L*"></div>
<h3>Where the difference lies</h3><p class="th-offsets-to"></p><div class="th-offsets"></div></section>
<section class="th-card th-card-names"><h3>Nearest names, ΔE00</h3><div class="th-names"></div></section>
<section class="th-card th-card-steps"><h3>How this was measured</h3><ol class="th-steps"></ol></section>
</div>"""  # noqa: E501


@dataclass(frozen=True)
class View:
    """The tab's components. ``outputs`` is the order in which judge() and restore() answer."""

    stage: Any
    object_name: Any
    target: Any
    rule: Any
    neighbors: Any
    show_measured: Any
    verdict: Any
    evidence: Any
    library: Any

    @property
    def controls(self) -> list[Any]:
        """What a verdict depends on, in the order of judge()'s arguments."""
        return [self.stage, self.object_name, self.target, self.rule, self.neighbors,
                self.show_measured]  # fmt: skip

    @property
    def results(self) -> list[Any]:
        """What judge() fills."""
        return [self.stage, self.verdict, self.evidence]

    @property
    def outputs(self) -> list[Any]:
        """What open_image() and restore() fill."""
        return [*self.results, self.object_name, self.target, self.rule, self.neighbors]


def layout() -> View:
    """Draws the tab; nothing is wired yet."""
    with gr.Row(elem_classes="th-inspect"):
        with gr.Column(elem_classes="th-card th-stage-card", min_width=320):
            stage_view = stage("stage")
        with gr.Column(elem_classes="th-card th-verdict-card", min_width=320):
            with gr.Row(elem_classes="th-ask"):
                object_name = gr.Textbox(
                    label="Object", placeholder="mug", elem_id="object-name", max_length=80,
                    min_width=90, scale=2,
                )  # fmt: skip
                with gr.Column(min_width=180, scale=4):
                    target = color_picker("Asked color", elem_id="asked-color")
            rule_choice = gr.Radio(
                [(known.name, known.id) for known in RULES], value="paper", label="Rule",
                elem_id="rule", elem_classes="th-segments",
            )  # fmt: skip
            verdict = widget("verdict", VERDICT, elem_id="verdict", view=waiting(NO_IMAGE))
            with gr.Accordion("Settings of the rule", open=False, elem_classes="th-settings"):
                neighbors = gr.Slider(
                    0, MAX_K, value=0, step=1, elem_id="neighbors",
                    label="Neighbors accepted by the paper rules, k",
                    info="The paper accepts the k nearest names of the same system, but does not "
                    "say k. 0 accepts the asked color alone.",
                )  # fmt: skip
                show_measured = gr.Checkbox(
                    value=True, elem_id="show-measured",
                    label="Hatch the pixels of the mask that the rule left out",
                )  # fmt: skip
    evidence = widget("evidence", EVIDENCE, elem_id="evidence", view=None)
    library = widget("library", LIBRARY, elem_id="library", open=0)
    return View(stage_view, object_name, target, rule_choice, neighbors, show_measured,
                verdict, evidence, library)  # fmt: skip


def judge(
    context: Context, stage_value: Any, object_name: str, target_text: str | None,
    rule_id: str, k: float, show_measured: bool,
) -> list[Any]:  # fmt: skip
    """Marks to mask to verdict, stored; updates for ``View.results``. Errors become words."""
    seq = 0
    try:
        work = read_stage(stage_value)
        if work is None:
            return [gr.skip(), gr.update(view=waiting(NO_IMAGE)), gr.update(view=None)]
        seq = work.seq
        mask = make_mask(context, work)
        if mask is None:
            cleared = gr.update(outline="", measured_url=None, mask_text="", message="", seq=seq)
            return [cleared, gr.update(view=waiting(NO_MASK)), gr.update(view=None)]
    except Exception as error:
        text = message_of(error)
        shown = gr.update(outline="", measured_url=None, mask_text="", message=text, seq=seq)
        return [shown, gr.update(view=problem(text)), gr.update(view=None)]
    try:
        return _judge_mask(
            context, work, mask, object_name or "", target_text or "", rule_id, int(k),
            show_measured,
        )  # fmt: skip
    except Exception as error:
        marked = _stage_update(context, work, mask, None)
        return [marked, gr.update(view=problem(message_of(error))), gr.update(view=None)]


def _judge_mask(
    context: Context, work: Work, mask: MaskRecord, object_name: str, target_text: str,
    rule_id: str, k: int, show_measured: bool,
) -> list[Any]:  # fmt: skip
    if not target_text.strip():
        marked = _stage_update(context, work, mask, None)
        return [marked, gr.update(view=waiting(NO_TARGET)), gr.update(view=None)]
    target = parse_target(target_text)
    image = context.storage.images.get(work.image_id)
    srgb8, pixels = context.srgb8(work.image_id), context.storage.masks.pixels(mask.mask_id)
    name = object_name.strip()
    found = measure(
        srgb8, pixels, target, rule_id, k=k, munsell=context.munsell, object_name=name
    )
    others: list[Measurement] = []
    for known in RULES:
        if known.id == rule_id:
            continue
        try:
            more = measure(srgb8, pixels, target, known.id, k=k, munsell=context.munsell)
        except TrueHueError as error:  # one rule that cannot judge must not hide the others
            more = unscored_measurement(str(error), target, known.id)
        others.append(more)
    stored = context.storage.evidence.add(evidence_record(found, image.image_id, mask.mask_id))
    address = link(
        "inspect",
        {
            "image": image.image_id[:ID_LENGTH], "mask": mask.mask_id[:ID_LENGTH], "object": name,
            "target": target.value, "rule": rule_id, "k": k or None,
        },
    )  # fmt: skip
    overlay = _overlay(srgb8, pixels, found) if show_measured else None
    text = mask_text(mask, image)
    return [
        _stage_update(context, work, mask, overlay),
        gr.update(view=verdict_view(found, others, stored.evidence_id, address)),
        gr.update(view=evidence_view(found, text, mask.parameters, image.notes)),
    ]


def evidence_record(found: Measurement, image_id: str, mask_id: str) -> EvidenceRecord:
    """A measurement as storage keeps it."""
    verdict, target = found.verdict, found.target
    return EvidenceRecord(
        image_id=image_id, mask_id=mask_id, object_name=found.object_name,
        target={"name": target.name, "system": target.system, "hex": target.hex,
                "lab": list(target.lab), "value": target.value},
        protocol=verdict.rule, version=verdict.version, parameters=verdict.parameters,
        status=verdict.status, reason=verdict.reason, numbers=found.numbers(),
    )  # fmt: skip


def _overlay(srgb8: np.ndarray, mask: np.ndarray, found: Measurement) -> str | None:
    """Data URL of the hatching over what the rule left out; None when it left nothing out."""
    assert found.measured is not None
    assert found.colors is not None
    assert found.dominant is not None
    used = found.colors.srgb24[found.dominant.used > 0]
    measured = found.measured
    if used.size < found.colors.srgb24.size:
        measured = select_pixels(srgb8, measured, used)
    png = unmeasured_overlay_png(mask, measured)
    if png is None:
        return None
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _stage_update(
    context: Context, work: Work, mask: MaskRecord, overlay: str | None
) -> dict[str, Any]:
    image = context.storage.images.get(work.image_id)
    outline = outline_path(context.storage.masks.pixels(mask.mask_id))
    update: dict[str, Any] = gr.update(
        outline=outline, measured_url=overlay, mask_text=mask_text(mask, image), message="",
        seq=work.seq,
    )  # fmt: skip
    return update


def open_image(
    context: Context, view: View, image_id: str, *, mask_id: str = "", object_name: str = "",
    target: str = "", rule_id: str = "paper", k: int = 0, show_measured: bool = True,
) -> list[Any]:  # fmt: skip
    """Puts a stored image on the stage with its mask, and judges it; fills ``View.outputs``."""
    image = context.storage.images.get(image_id)
    exact = exact_mask(context, image.image_id)
    marks: list[dict[str, Any]] = []
    problem_text = ""
    try:
        if mask_id:
            record = context.storage.masks.get(mask_id)
            if record.image_id == image.image_id:
                marks = marks_of(record)
        elif exact is not None:
            marks = marks_of(exact)
    except TrueHueError as error:
        problem_text = str(error)
    drawn_object, drawn_target = origin_target(image)
    object_name, target = object_name or drawn_object, target or drawn_target
    value = {"image_id": image.image_id, "marks": marks, "seq": 0, "restored": time.time_ns()}
    staged, verdict, evidence = judge(
        context, value, object_name, target, rule_id, k, show_measured
    )
    opened = refresh(
        view.stage,
        value=value, image_url=f"/media/images/{image.image_id}.png", image_id=image.image_id,
        width=image.width, height=image.height, image_name=image.name, notes=list(image.notes),
        marks=marks, exact_mask_id=exact.mask_id if exact else None,
        outline=staged.get("outline", ""), measured_url=staged.get("measured_url"),
        mask_text=staged.get("mask_text", ""), seq=0,
        message=problem_text or staged.get("message", ""),
    )  # fmt: skip
    return [opened, verdict, evidence, object_name, refresh(view.target, value=target), rule_id, k]


def restore(context: Context, view: View, query: dict[str, str]) -> list[Any]:
    """Opens what a link names; fills ``View.outputs``. A link to nothing says so."""
    if query.get("tab", "inspect") != "inspect" or not query.get("image"):
        return [gr.skip()] * 7
    known = {by.id for by in RULES}
    rule_id = query.get("rule", "paper")
    try:
        return open_image(
            context, view, query["image"], mask_id=query.get("mask", ""),
            object_name=query.get("object", ""), target=query.get("target", ""),
            rule_id=rule_id if rule_id in known else "paper",
            k=whole(query.get("k", ""), MAX_K) or 0,
        )  # fmt: skip
    except Exception as error:
        text = f"This link cannot be opened here. {message_of(error)}"
        return [gr.update(message=text), gr.update(view=problem(text)), *[gr.skip()] * 5]


def wire(view: View, context: Context, header: Any) -> None:
    """Connects the controls; every change judges again, at once."""
    def rejudge(*values: Any) -> list[Any]:
        return [*judge(context, *values), gr.update(data=context.data_text())]

    def remarked(*values: Any) -> list[Any]:
        # The stage also says so when it was opened or restored: those are answered elsewhere.
        value = values[0] if isinstance(values[0], dict) else {}
        if "opened" in value or value.get("restored"):
            return [gr.skip()] * 4
        return rejudge(*values)

    def rejudge_by(clicked: Any, *values: Any) -> list[Any]:
        chosen = clicked.get("rule") if isinstance(clicked, dict) else None
        rule_id = chosen if chosen in {by.id for by in RULES} else values[3]
        return [rule_id, *rejudge(*values[:3], rule_id, *values[4:])]

    def opened(source: Any, current_rule: str, k: float, show: bool) -> list[Any]:
        image_id = source.get("opened") if isinstance(source, dict) else None
        if not isinstance(image_id, str):
            return [gr.skip()] * 8
        try:
            out = open_image(
                context, view, image_id, rule_id=current_rule, k=int(k), show_measured=show
            )
        except Exception as error:
            text = message_of(error)
            out = [gr.update(message=text), gr.update(view=problem(text)), *[gr.skip()] * 5]
        return [*out, gr.update(data=context.data_text())]

    def linked(request: gr.Request) -> list[Any]:
        return restore(context, view, read(dict(request.query_params)))

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    view.verdict.ready(linked, None, view.outputs, **quiet)
    results = [*view.results, header]
    # Every mark counts, in order; with Gradio's default a quick second stroke would be dropped.
    view.stage.change(remarked, view.controls, results, trigger_mode="multiple", **quiet)
    for event in (
        view.object_name.submit, view.object_name.blur, view.target.input, view.rule.input,
        view.neighbors.release, view.show_measured.input,
    ):  # fmt: skip
        event(rejudge, view.controls, results, trigger_mode="always_last", **quiet)
    view.verdict.rule(
        rejudge_by, [view.verdict, *view.controls], [view.rule, *results],
        trigger_mode="always_last", **quiet,
    )  # fmt: skip
    open_inputs = [view.rule, view.neighbors, view.show_measured]
    for source in (view.stage, view.library):
        source.open(opened, [source, *open_inputs], [*view.outputs, header],
                    trigger_mode="multiple", **quiet)  # fmt: skip
    view.stage.browse(_counter, view.library, view.library, **quiet)


def _counter(_: Any) -> Any:
    """A new number each time, so that the drawer notices."""
    return gr.update(open=time.time_ns() // 1_000_000)
