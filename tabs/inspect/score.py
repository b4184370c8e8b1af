"""Score the selection of the Inspect tab as a stored verdict, for stage, verdict and evidence.

Errors become messages on the page, never a verdict.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.color.shading import LIT_PERCENTILES, USUAL
from truehue.core.color.systems import SYSTEMS, parse_target
from truehue.core.concepts.palette import ColorDescription, describe_colors
from truehue.core.errors import BadInput, NoPixels, NotStored, ObjectNotFound, TrueHueError
from truehue.core.images.load import warnings_in
from truehue.core.images.pixels import masked_colors, select_pixels
from truehue.core.masks import salient
from truehue.core.masks.display import outline_path, unmeasured_overlay_png
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.registry import is_proposal, mask_text
from truehue.core.records import ImageRecord, MaskRecord
from truehue.core.scores.measures import measures_of
from truehue.core.scores.records import IMAGE, Measure
from truehue.core.scores.scoring import score_image
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import expectations_of
from truehue.core.verdict.measure import MaskCache, Measurement, measure_by_rules
from truehue.core.verdict.nearest import note_of
from truehue.core.verdict.rules import DEFAULT_RULE, DIFFERS, MATCHES, RELATIONS, RULES, rule
from truehue.tabs.inspect.automatic import GroundingJson, automatic_of, grounding_view, overrides_of
from truehue.tabs.inspect.colors import (
    EvidenceCards,
    MeasureText,
    colors_view,
    evidence_of_colors,
    whole_image,
)
from truehue.tabs.inspect.state import exact_mask, make_mask, marks_of, origin_target, remember
from truehue.tabs.inspect.steps import color_steps
from truehue.tabs.inspect.view import (
    WAITING,
    VerdictCard,
    evidence_view,
    problem,
    verdict_view,
    waiting,
)
from truehue.tabs.inspect.work import Work, names_other, number_of, object_of, read_stage
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.links import whole
from truehue.tabs.verdicts.question import MAX_K, NEIGHBORS_OF, Question, evidence_record, question
from truehue.tabs.verdicts.scoring import store_color


class ImageMeasures:
    """What measures say of the images that were looked at last; a stroke asks nothing anew."""

    def __init__(self) -> None:
        self._saved: LruCache[list[MeasureText]] = LruCache(64)

    def of(self, context: Context, image_id: str) -> list[MeasureText]:
        """What each measure says of a stored image (a whole id), in words; those that only people
        or a file could give stand there once there is a score. Nothing is stored. Raises
        NotStored."""
        key = image_id, context.storage.scores.changes, context.deletions
        return self._saved.get(key, lambda: _rows(context, image_id))


def _rows(context: Context, image_id: str) -> list[MeasureText]:
    rows: list[MeasureText] = []
    for measure in measures_of(IMAGE):
        text, reason = _text(context, measure, image_id)
        if text or reason:
            about = f"{measure.formula} ({measure.bounds_text}). {measure.source}. "
            rows.append(
                {
                    "name": measure.name,
                    "text": text or "unscored",
                    "title": reason or f"{about}Version {measure.version}.",
                }
            )
    return rows


def _text(context: Context, measure: Measure, image_id: str) -> tuple[str, str]:
    """The value in words, or why there is none; both empty where nobody has looked."""
    scores = context.storage.scores
    value = scores.values(measure, IMAGE, [image_id]).get(image_id)
    if value is None and measure.of is not None and measure.quick:
        record = score_image(measure, image_id, context.srgb8(image_id))
        value, reason = record.value, record.reason
    elif value is None:
        reason = scores.reasons(measure, IMAGE, [image_id]).get(image_id, "")
    return ("", reason) if value is None else (measure.text(value), "")


NO_IMAGE = "Open a photograph, or generate an image in Generate, to see its verdict here."
NO_MASK = (
    "Select the object: draw a box around it, press Salient for what stands out, or Find for its "
    "name. Whole measures all of the image. Then correct the mask with Scribble, Brush and Erase."
)
PROPOSING = "Looking for the object that stands out…"
OR_WHOLE = "Or press Whole to measure all of the image, as for a texture or a patch."
PROPOSED = "Proposed mask: correct it with the tools, or draw a box."
NO_TARGET = (
    "Is it the target color? Choose the target color above: a name, a hex, rgb, "
    "lab(52 40 30), or a pixel with Pick."
)


MASKED, WHOLE = "What color is it?", "Colors of the whole image"
WHOLE_NOTE = "Background included; select the object for its own color."


class StageJson(TypedDict, total=False):
    """What the stage shows: what came of its marks, and the image where one was opened.

    ``proposal`` is the sentence about a mask that the salient-object network alone has made, or
    about that it sees none; ``salient`` says that the network is on this machine, and ``propose``
    that the page is to ask it for a first mask.
    """

    outline: str
    measured_url: str
    mask_text: str
    message: str
    found: GroundingJson | Literal[""]
    hatched: str
    seq: int
    value: dict[str, Any]
    image_url: str
    image_id: str
    width: int
    height: int
    image_name: str
    notes: list[str]
    warnings: list[str]
    marks: list[dict[str, Any]]
    exact_mask_id: str
    proposal: str
    salient: bool
    propose: bool


class VerdictJson(TypedDict):
    """The verdict card, with the ``limits`` of a link that the page tries."""

    view: VerdictCard
    limits: NotRequired[str]


class EvidenceJson(TypedDict):
    """The cards below the image, and the id of the image."""

    view: EvidenceCards | Literal[""]
    image: NotRequired[str]


Shown = tuple[StageJson, VerdictJson, EvidenceJson]
"""What stage, verdict and evidence show from now on; what is not named stays."""


def judge(
    context: Context,
    stage_value: Any,
    *controls: Any,
    selects: bool = False,
    proposed: bool = False,
) -> Shown:
    """Marks to mask to verdict, stored; what stage, verdict and evidence show of it.

    ``controls`` as for :func:`truehue.tabs.verdicts.question.question`. Where somebody ``selects``,
    the mask counts elsewhere too from now on, and without a mask none does; what the page has
    ``proposed`` changes nothing that somebody selected.
    """
    work: Work | None = None
    put: Question | None = None
    try:
        work = read_stage(context, stage_value)
        if work is None:
            return {}, {"view": waiting(NO_IMAGE, "?tab=inspect")}, {"view": "", "image": ""}
        put = question(*controls)
        mask = make_mask(context, work)
        if selects:
            _select(context, work.image.image_id, mask, proposed)
    except Exception as error:
        text = message_of(error)
        if work and put and isinstance(error, ObjectNotFound) and error.step == SALIENT:
            if selects and not proposed:
                context.storage.masks.select(work.image.image_id, None)
            return _unmarked(context, work, put, text)
        shown: StageJson = {
            **_no_mask(number_of(stage_value)),
            "message": text,
            "found": _found_anyway(work),
        }
        return shown, {"view": problem(text)}, {"view": ""}
    if mask is None:
        return _unmarked(context, work, put)
    address = put.address(work.image.image_id, mask.mask_id)
    try:
        if not put.target_text:
            return _unasked(context, work, mask, address)
        if other := _other_object(work, put):
            return (
                _stage_update(context, work, mask),
                {"view": problem(other, address)},
                {"view": ""},
            )
        return _judge_mask(context, work, mask, put)
    except Exception as error:
        marked = _stage_update(context, work, mask)
        return marked, {"view": problem(message_of(error), address)}, {"view": ""}


def _select(context: Context, image_id: str, mask: MaskRecord | None, proposed: bool) -> None:
    """Has the mask count elsewhere too: in Compare, and on the card of an image without a target
    color."""
    if not proposed:
        context.storage.masks.select(image_id, mask.mask_id if mask else None)
    rows = context.storage.drawings.for_image(image_id) if mask else ()
    if mask and any(not expectations_of(row.targets) for row in rows):
        with suppress(NoPixels):  # too few pixels have no color to tell
            store_color(context, mask)


def _other_object(work: Work, put: Question) -> str:
    """Why there is no verdict on a mask that was stored for another object; empty where the names
    agree, or one of them is missing."""
    own, name = work.mask_name, put.object_name
    if not names_other(own, name):
        return ""
    return f"This mask is of the {own}. {_find(name)} or enter {own} as the object."


def _find(name: str) -> str:
    return f"Find the {name.strip()}, select it by hand,"


def _no_mask(seq: int) -> StageJson:
    """What the stage shows of marks that made no mask."""
    return {
        "outline": "",
        "measured_url": "",
        "mask_text": "",
        "message": "",
        "found": "",
        "hatched": "",
        "proposal": "",
        "seq": seq,
    }


def _unmarked(context: Context, work: Work, put: Question, nothing: str = "") -> Shown:
    """Nothing is marked: the colors of the whole picture, said to be that, and what to do next.
    ``nothing`` is the sentence where nothing stands out."""
    hint = f"{nothing} {OR_WHOLE}" if nothing else NO_MASK
    view = waiting(hint, put.address(work.image.image_id))
    try:
        _, described, every = whole_image(context.srgb8(work.image.image_id))
        view["colors"] = colors_view(described, WHOLE, WHOLE_NOTE + every)
    except TrueHueError:
        pass  # a picture of one pixel has no colors to tell; what to do next is said all the same
    stage: StageJson = {**_no_mask(work.seq), "proposal": nothing}
    return stage, {"view": view}, {"view": "", "image": work.image.image_id}


def _unasked(context: Context, work: Work, mask: MaskRecord, address: str) -> Shown:
    """A mask without a question: its colors, at once."""
    image, pixels = work.image, context.mask_pixels(mask.mask_id)
    colors = masked_colors(context.srgb8(image.image_id), pixels)
    described = describe_colors(colors)
    view = waiting(NO_TARGET, address)
    view["colors"] = colors_view(described, MASKED)
    text = mask_text(mask, image)
    shown = evidence_of_colors(
        colors, described, color_steps(text, mask.parameters, image.notes, described)
    )
    stage = _stage_update(context, work, mask)
    return stage, {"view": view}, {"view": shown, "image": image.image_id}


def _judge_mask(context: Context, work: Work, mask: MaskRecord, put: Question) -> Shown:
    target = parse_target(put.target_text)
    image = work.image
    srgb8, pixels = context.srgb8(image.image_id), context.mask_pixels(mask.mask_id)
    acceptance = Acceptance(put.k, context.munsell, put.neighbors_of)
    cache = MaskCache()
    by_rule = {
        measurement.verdict.rule: measurement
        for measurement in measure_by_rules(
            srgb8,
            pixels,
            target,
            [by.id for by in RULES],
            acceptance=acceptance,
            target_object=put.target_object,
            cache=cache,
        )
    }
    described = _described(by_rule.values())
    note = note_of(srgb8, pixels, by_rule[put.rule_id], acceptance, cache)
    measurement = by_rule.pop(put.rule_id)
    if measurement.dominant is None:
        raise BadInput(measurement.verdict.reason)
    # A draft: it is kept when somebody asks for it (truehue.tabs.verdicts.judgments).
    stored, permanent = context.storage.evidence.draft(
        evidence_record(measurement, image.image_id, mask.mask_id)
    )
    text = mask_text(mask, image)
    address = put.address(image.image_id, mask.mask_id)
    measured = _measured_mask(srgb8, measurement) if put.show_measured else None
    others = list(by_rule.values())
    view = verdict_view(measurement, others, stored, image, address, mask.parameters, note)
    shown = evidence_view(measurement, text, mask.parameters, image.notes)
    return (
        _stage_update(context, work, mask, measured),
        {
            "view": {
                **view,
                "question": put.as_json(image.image_id, mask.mask_id),
                "rule_name": rule(put.rule_id).name,
                "kept": permanent,
            }
        },
        {
            "view": {
                **shown,
                "measures": context.service(ImageMeasures).of(context, image.image_id),
                "colors": colors_view(described, MASKED) if described is not None else "",
            },
            "image": image.image_id,
        },
    )


def _described(measurements: Iterable[Measurement]) -> ColorDescription | None:
    """The colors of the mask, from what the rule ``truehue`` has found already; of its lit color
    only the usual level of shade, for which level it takes hangs on the asked color."""
    for measurement in measurements:
        if rule(measurement.verdict.rule).lit and measurement.colors is not None:
            light = measurement.verdict.light
            usual = light is not None and light.percentile == LIT_PERCENTILES[USUAL]
            return describe_colors(measurement.colors, measurement.dominant if usual else None)
    return None


def _measured_mask(srgb8: np.ndarray, measurement: Measurement) -> np.ndarray:
    """The pixels that the rule measured, bool ``(H, W)``."""
    assert measurement.measured is not None
    assert measurement.colors is not None
    assert measurement.dominant is not None
    used = measurement.colors.srgb24[measurement.dominant.used > 0]
    if used.size < measurement.colors.srgb24.size:
        return select_pixels(srgb8, measurement.measured, used)
    return measurement.measured


def _stage_update(
    context: Context, work: Work, mask: MaskRecord, measured: np.ndarray | None = None
) -> StageJson:
    """Outline, hatching and words of the mask. ``measured`` is what the rule measured of it, bool
    ``(H, W)``; None where that is not to be shown."""
    pixels, automatic = context.mask_pixels(mask.mask_id), work.automatic
    negative = automatic.taken & ~pixels if automatic is not None else None
    png = unmeasured_overlay_png(pixels, pixels if measured is None else measured, negative)
    left_out = measured is not None and bool((measured != pixels).any())
    used = negative is not None and bool(negative.any())
    return {
        "outline": outline_path(pixels),
        "mask_text": mask_text(mask, work.image),
        "message": "",
        "seq": work.seq,
        "measured_url": _data_url(png),
        "found": grounding_view(automatic) if automatic is not None else "",
        "hatched": " ".join(["left-out"] * left_out + ["negative"] * used),
        "proposal": _proposal(mask),
    }


def _proposal(mask: MaskRecord) -> str:
    """The sentence about a mask that nobody has selected or corrected; empty for others."""
    if not is_proposal(mask.parameters):
        return ""
    return " ".join(filter(None, (PROPOSED, str(mask.parameters.get("note") or ""))))


def _data_url(png: bytes | None) -> str:
    return "" if png is None else "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _found_anyway(work: Work | None) -> Any:
    """The list of an automatic mask of which nothing is left, so that it can be put back."""
    if work is None:
        return ""
    try:
        without = [mark for mark in work.marks if mark.type != "override"]
        automatic = automatic_of(work.image, without, work.base)
        if automatic is None:
            return ""
        return grounding_view(replace(automatic, overrides=overrides_of(work.marks)))
    except TrueHueError:
        return ""


@dataclass(frozen=True)
class Opening:
    """What opening an image sets: the stage's props, the cards, and the question's fields."""

    stage: StageJson
    verdict: VerdictJson
    evidence: EvidenceJson
    put: Question


def open_on_stage(
    context: Context,
    image_id: str,
    put: Question,
    mask_id: str = "",
    text: str = "",
) -> Opening:
    """Puts a stored image on the stage with its mask, and judges it.

    Object and asked color are those of ``put``; where it has none, those that the image was drawn
    with, if it was. ``text`` is shown on the stage. Raises NotStored for an image that is not
    there.
    """
    image = context.storage.images.get(image_id)
    marks: list[dict[str, Any]] = []
    trouble, other = text, ""
    name = put.object_name or origin_target(image)[0]
    exact = exact_mask(context, image.image_id, name)
    try:
        if mask_id:
            record = context.storage.masks.get(mask_id)
            if record.image_id != image.image_id:
                raise NotStored("The mask of this link belongs to another image.")
            marks = marks_of(record)
            remember(context, image, record, marks)
        elif exact is not None:
            marks = marks_of(exact)
        else:
            current, other = _current_mask(context, image, name)
            if current is not None:
                marks = marks_of(current)
                remember(context, image, current, marks)
    except TrueHueError as error:
        trouble = message_of(error)
    sample = origin_target(image)
    put = replace(
        put,
        object_name=put.object_name or sample[0],
        target_text=put.target_text or sample[1],
        # A relation belongs to its color: the image's own color is one to have.
        relation=put.relation if put.target_text else MATCHES,
    )
    value = {"image_id": image.image_id, "marks": marks, "seq": 0}
    staged, verdict, evidence = judge(context, value, *put.controls)
    if other and verdict["view"]["status"] == WAITING:
        verdict["view"]["reason"] = (
            f"The stored mask is of the {other}. {_find(name)} or press Salient for what stands out."
        )
    available = salient.is_available(context.sources)
    stage: StageJson = {
        **_no_mask(0),
        **staged,
        "value": value,
        "image_url": f"/media/images/{image.image_id}.png",
        "image_id": image.image_id,
        "width": image.width,
        "height": image.height,
        "image_name": image.name,
        "notes": list(image.notes),
        "warnings": warnings_in(image.notes),
        "marks": marks,
        "exact_mask_id": exact.mask_id if exact else "",
        "salient": available,
        # What stands out may be the object that the stored mask is of.
        "propose": available and not marks and not other,
        "message": trouble or staged["message"],
    }
    return Opening(stage, verdict, evidence, put)


def _current_mask(context: Context, image: ImageRecord, name: str) -> tuple[MaskRecord | None, str]:
    """The mask that counts of an image, or the newest of its object of that name; and where there is
    neither, whose mask it is that counts."""
    candidates = context.storage.masks.candidates([image.image_id]).get(image.image_id)
    masks = candidates.masks if candidates else ()
    if not masks or not names_other(object_of(masks[0]), name):
        return next(iter(masks), None), ""
    named = (
        record for record in masks if object_of(record) and not names_other(object_of(record), name)
    )
    if mask := next(named, None):
        return mask, ""
    return None, object_of(masks[0])


def last_question(context: Context, image_id: str, put: Question) -> tuple[Question, str]:
    """``put`` with object, color and relation of the last verdict that was kept of a stored image,
    and the id of its mask; ``put`` itself and an empty id where none was kept. Raises NotStored."""
    last = next(iter(context.storage.evidence.for_image(image_id)), None)
    if last is None:
        return put, ""
    color_text = str(last.target.get("value") or last.target.get("hex") or "")
    relation = str(last.target.get("relation") or MATCHES)
    put = replace(put, object_name=last.object_name, target_text=color_text, relation=relation)
    return put, last.mask_id or ""


def question_of(query: dict[str, str]) -> tuple[Question, str]:
    """The question that a link puts, and what of the link could not be read, in words.

    What cannot be read takes its default.
    """
    rule_id, system = query.get("rule", DEFAULT_RULE), query.get("system", NEIGHBORS_OF)
    k = whole(query.get("k", "0"), MAX_K)
    wrong = []
    if rule_id not in {by.id for by in RULES}:
        wrong.append(f'there is no rule "{rule_id}", so it is judged by {DEFAULT_RULE}')
        rule_id = DEFAULT_RULE
    if k is None:
        wrong.append(f'k = "{query["k"]}" is no whole number from 0 to {MAX_K}, so k is 0')
    if system not in SYSTEMS:
        wrong.append(f'there is no color system "{system}"')
        system = NEIGHBORS_OF
    relation = query.get("relation", MATCHES)
    if relation not in RELATIONS:
        wrong.append(f'there is no relation "{relation}", only {MATCHES} and {DIFFERS}')
        relation = MATCHES
    text = f"Of this link not everything could be read: {'; '.join(wrong)}." if wrong else ""
    put = Question(
        query.get("object", ""),
        query.get("target", ""),
        rule_id,
        k or 0,
        True,
        system,
        relation,
    )
    return put, text
