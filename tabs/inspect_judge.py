"""From what is on the Inspect tab to a stored verdict, as updates of its components.

Handlers are plain functions; errors become words on the page, never a verdict.
"""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr
import numpy as np

from core.color.systems import SYSTEMS, ColorTarget, parse_target
from core.errors import BadInput, NotStored, TrueHueError
from core.masks.outline import outline_path
from core.masks.overlay import unmeasured_overlay_png
from core.pipeline import MAX_NEIGHBORS, Measurement, measure_by_rules
from core.pixels import select_pixels
from core.records import EvidenceRecord, MaskRecord
from core.verdict.rules import RULES
from tabs.automatic import automatic_of, found_view, overrides_of
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
    remember,
)
from tabs.inspect_view import evidence_view, problem, verdict_view, waiting
from tabs.links import ID_LENGTH, link, whole

MAX_K = MAX_NEIGHBORS
NEIGHBORS_OF = "l3"
NO_IMAGE = "Open a photograph on the left, or draw an object in Generate, to see a verdict here."
NO_MASK = (
    "Mark the object: draw a box around it, or have it found by its name with Find. Then, where "
    "the mask is wrong, draw over what to keep and over what to cut."
)
NO_TARGET = "Choose the asked color: type a name, a hex or an rgb value."


@dataclass(frozen=True)
class Question:
    """What is asked of the marked pixels. ``neighbors_of`` serves colors that have no system."""

    object_name: str = ""
    target_text: str = ""
    rule_id: str = "paper"
    k: int = 0
    show_measured: bool = True
    neighbors_of: str = NEIGHBORS_OF

    def address(self, image_id: str, mask_id: str = "") -> str:
        """The link that opens this image, mask and question again."""
        other = self.neighbors_of if self.k and self.neighbors_of != NEIGHBORS_OF else None
        return link(
            "inspect",
            {
                "image": image_id[:ID_LENGTH], "mask": mask_id[:ID_LENGTH],
                "object": self.object_name, "target": self.target_text, "rule": self.rule_id,
                "k": self.k or None, "system": other,
            },
        )  # fmt: skip


def question(
    object_name: Any, target_text: Any, rule_id: Any, k: Any, show_measured: Any,
    neighbors_of: Any = NEIGHBORS_OF,
) -> Question:  # fmt: skip
    """Checks what the browser sent; raises BadInput for what the page cannot have sent."""
    known = {by.id for by in RULES}
    right = (
        isinstance(k, (int, float)) and 0 <= k <= MAX_K and k == int(k)
        and rule_id in known and neighbors_of in SYSTEMS
    )  # fmt: skip
    if not right:
        raise BadInput(
            f"The page sent the rule {rule_id!r} with k = {k!r} and neighbors of "
            f"{neighbors_of!r}, which cannot be judged by. Reload the page."
        )
    return Question(
        str(object_name or "").strip(), str(target_text or "").strip(), str(rule_id), int(k),
        bool(show_measured), str(neighbors_of),
    )  # fmt: skip


def judge(context: Context, stage_value: Any, *asked: Any) -> list[Any]:
    """Marks to mask to verdict, stored; updates of stage, verdict and evidence.

    ``asked`` as for :func:`question`.
    """
    work: Work | None = None
    try:
        work = read_stage(stage_value)
        if work is None:
            return [gr.skip(), gr.update(view=waiting(NO_IMAGE, "?tab=inspect")), _no_evidence()]
        put = question(*asked)
        mask = make_mask(context, work)
    except Exception as error:
        text = message_of(error)
        seq = work.seq if work else 0
        shown = gr.update(
            outline="", measured_url="", mask_text="", message=text, seq=seq, hatched="",
            found=_found_anyway(context, work),
        )  # fmt: skip
        return [shown, gr.update(view=problem(text)), _no_evidence()]
    if mask is None:
        address = put.address(work.image_id)
        cleared = gr.update(
            outline="", measured_url="", mask_text="", message="", seq=work.seq, hatched="",
            found="",
        )  # fmt: skip
        return [cleared, gr.update(view=waiting(NO_MASK, address)), _no_evidence()]
    address = put.address(work.image_id, mask.mask_id)
    try:
        if not put.target_text:
            marked = _stage_update(context, work, mask)
            return [marked, gr.update(view=waiting(NO_TARGET, address)), _no_evidence()]
        return _judge_mask(context, work, mask, put)
    except Exception as error:
        marked = _stage_update(context, work, mask)
        return [marked, gr.update(view=problem(message_of(error), address)), _no_evidence()]


def _no_evidence() -> Any:
    # Not None: Gradio leaves out a prop that is None, and the old figures would stay.
    return gr.update(view="")


def _judge_mask(context: Context, work: Work, mask: MaskRecord, put: Question) -> list[Any]:
    target = parse_target(put.target_text)
    image = context.storage.images.get(work.image_id)
    srgb8, pixels = context.srgb8(work.image_id), context.mask_pixels(mask.mask_id)
    by_rule = {
        found.verdict.rule: found
        for found in measure_by_rules(
            srgb8, pixels, target, [by.id for by in RULES], k=put.k, munsell=context.munsell,
            system=put.neighbors_of, object_name=put.object_name,
        )
    }  # fmt: skip
    found = by_rule.pop(put.rule_id)
    if found.dominant is None:
        raise BadInput(found.verdict.reason)
    stored = context.storage.evidence.add(evidence_record(found, image.image_id, mask.mask_id))
    text = mask_text(mask, image)
    address = put.address(image.image_id, mask.mask_id)
    return [
        _stage_update(context, work, mask, _measured(srgb8, found) if put.show_measured else None),
        gr.update(
            view=verdict_view(
                found, list(by_rule.values()), stored, image, address, mask.parameters
            )
        ),
        gr.update(view=evidence_view(found, text, mask.parameters, image.notes)),
    ]


def evidence_record(found: Measurement, image_id: str, mask_id: str | None) -> EvidenceRecord:
    """A measurement as storage keeps it."""
    verdict = found.verdict
    return EvidenceRecord(
        image_id=image_id, mask_id=mask_id, object_name=found.object_name,
        target=_target_json(found.target), protocol=verdict.rule, version=verdict.version,
        parameters=verdict.parameters, status=verdict.status, reason=verdict.reason,
        numbers=found.numbers(),
    )  # fmt: skip


def _target_json(target: ColorTarget) -> dict[str, Any]:
    return {"name": target.name, "system": target.system, "hex": target.hex,
            "lab": list(target.lab), "value": target.value}  # fmt: skip


def _measured(srgb8: np.ndarray, found: Measurement) -> np.ndarray:
    """The pixels that the rule measured, bool ``(H, W)``."""
    assert found.measured is not None
    assert found.colors is not None
    assert found.dominant is not None
    used = found.colors.srgb24[found.dominant.used > 0]
    if used.size < found.colors.srgb24.size:
        return select_pixels(srgb8, found.measured, used)
    return found.measured


def _stage_update(
    context: Context, work: Work, mask: MaskRecord, measured: np.ndarray | None = None
) -> dict[str, Any]:
    """Outline, hatching and words of the mask. ``measured`` is what the rule measured of it, bool
    ``(H, W)``; None where that is not to be shown."""
    image, pixels = context.storage.images.get(work.image_id), context.mask_pixels(mask.mask_id)
    automatic = automatic_of(context, image, work.marks)
    negative = automatic.taken & ~pixels if automatic is not None else None
    png = unmeasured_overlay_png(pixels, pixels if measured is None else measured, negative)
    left_out = measured is not None and bool((measured != pixels).any())
    taken = negative is not None and bool(negative.any())
    update: dict[str, Any] = gr.update(
        outline=outline_path(pixels), mask_text=mask_text(mask, image), message="", seq=work.seq,
        measured_url=_data_url(png), found=found_view(automatic) if automatic is not None else "",
        hatched=" ".join(["left-out"] * left_out + ["negative"] * taken),
    )  # fmt: skip
    return update


def _data_url(png: bytes | None) -> str:
    return "" if png is None else "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _found_anyway(context: Context, work: Work | None) -> Any:
    """The list of an automatic mask of which nothing is left, so that it can be put back."""
    if work is None:
        return ""
    try:
        without = [mark for mark in work.marks if mark.get("type") != "override"]
        image = context.storage.images.get(work.image_id)
        made = automatic_of(context, image, without)
        if made is None:
            return ""
        return found_view(replace(made, overrides=overrides_of(work.marks, image)))
    except (TrueHueError, AttributeError):
        return ""


@dataclass(frozen=True)
class Opened:
    """What opening an image sets: the stage's props, the cards, and the question's controls."""

    stage: dict[str, Any]
    verdict: Any
    evidence: Any
    put: Question


def open_on_stage(
    context: Context, image_id: str, put: Question, mask_id: str = "",
    kept: tuple[str, str] = ("", ""), words: str = "",
) -> Opened:  # fmt: skip
    """Puts a stored image on the stage with its mask, and judges it.

    Object and asked color are those of ``put``; where it has none, those that the image was drawn
    with; where it has none either, ``kept``. ``words`` are shown on the stage. Raises NotStored
    for an image that is not there.
    """
    image = context.storage.images.get(image_id)
    exact = exact_mask(context, image.image_id, put.object_name or origin_target(image)[0])
    marks: list[dict[str, Any]] = []
    trouble = words
    try:
        if mask_id:
            record = context.storage.masks.get(mask_id)
            if record.image_id != image.image_id:
                raise NotStored("The mask of this link belongs to another image.")
            marks = marks_of(record)
            remember(context, record, marks)
        elif exact is not None:
            marks = marks_of(exact)
    except TrueHueError as error:
        trouble = str(error)
    drawn = origin_target(image)
    put = Question(
        put.object_name or drawn[0] or kept[0], put.target_text or drawn[1] or kept[1],
        put.rule_id, put.k, put.show_measured, put.neighbors_of,
    )  # fmt: skip
    # The time makes the value a new one, which the stage takes as a view to restore.
    value = {"image_id": image.image_id, "marks": marks, "seq": 0, "restored": time.time_ns()}
    staged, verdict, evidence = judge(
        context, value, put.object_name, put.target_text, put.rule_id, put.k, put.show_measured,
        put.neighbors_of,
    )  # fmt: skip
    stage = {
        "value": value, "image_url": f"/media/images/{image.image_id}.png",
        "image_id": image.image_id, "width": image.width, "height": image.height,
        "image_name": image.name, "notes": list(image.notes), "marks": marks,
        "exact_mask_id": exact.mask_id if exact else "", "outline": staged.get("outline", ""),
        "measured_url": staged.get("measured_url", ""), "mask_text": staged.get("mask_text", ""),
        "seq": 0, "message": trouble or staged.get("message", ""),
        "found": staged.get("found", ""), "hatched": staged.get("hatched", ""), "work": "",
    }  # fmt: skip
    return Opened(stage, verdict, evidence, put)


def question_of(query: dict[str, str]) -> tuple[Question, str]:
    """The question that a link puts, and what of the link could not be read, in words.

    What cannot be read takes its default.
    """
    rule_id, system = query.get("rule", "paper"), query.get("system", NEIGHBORS_OF)
    k = whole(query.get("k", "0"), MAX_K)
    wrong = []
    if rule_id not in {by.id for by in RULES}:
        wrong.append(f'there is no rule "{rule_id}", so it is judged by paper')
        rule_id = "paper"
    if k is None:
        wrong.append(f'k = "{query["k"]}" is no whole number from 0 to {MAX_K}, so k is 0')
    if system not in SYSTEMS:
        wrong.append(f'there is no color system "{system}"')
        system = NEIGHBORS_OF
    words = f"Of this link not everything could be read: {'; '.join(wrong)}." if wrong else ""
    put = Question(query.get("object", ""), query.get("target", ""), rule_id, k or 0, True, system)
    return put, words
