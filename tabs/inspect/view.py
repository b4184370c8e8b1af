"""A measurement formatted for the page: texts and numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np

from truehue.core.color.difference import HUE_GATE_CHROMA, hue_word
from truehue.core.color.notation import lab_text
from truehue.core.color.spaces import chroma, hex_of, hue_deg, lab_to_srgb8
from truehue.core.generation.truth import describe_true_color
from truehue.core.records import EvidenceRecord, ImageRecord
from truehue.core.verdict.audit import alternatives, audit
from truehue.core.verdict.measure import Measurement, measurement_sentence
from truehue.core.verdict.nearest import nearest_name
from truehue.core.verdict.reasons import rival_label
from truehue.core.verdict.rules import DIFFERS, FAIL, PASS, LightMatch, Metric, Rival, rule
from truehue.tabs.inspect.automatic import name_of
from truehue.tabs.inspect.colors import (
    EVEN_CONTRAST,
    ColorsJson,
    EvidenceCards,
    OffsetRow,
    OffsetsJson,
    nearest_names_view,
    people_view,
)
from truehue.tabs.inspect.differences import ComparedColors, compared_colors
from truehue.tabs.inspect.steps import measured_on, steps
from truehue.tabs.page import figures
from truehue.tabs.verdicts.question import VerdictQuestion

TITLES = {PASS: "Passes", FAIL: "Fails", "unscored": "Not scored"}
WAITING = "waiting"
"""The status of a card without a verdict that waits for a mask or a target color."""
CONFIDENCE = (
    (90.0, "very confident"),
    (75.0, "fairly confident"),
    (60.0, "somewhat confident"),
    (0.0, "uncertain"),
)
FULL = {"misfit": 15.0, "delta_chroma": 15.0, "delta_e00": 15.0, "hue_deg": 90.0}
"""What fills the bar of a number that has no limit."""
REPORTED = "Without a limit, to the target under the estimated light:"
"""Above the numbers without a limit: those of a rule that estimates the light."""
METRICS: dict[str, tuple[str, str, str]] = {
    "misfit": (
        "Mismatch score",
        "",
        "√(ΔE² + light penalty² + rival penalty²); ΔE is CIEDE2000 with k_L = 2. How far the "
        "target is from the measured color under the light that explains the image best. "
        "Unlikely light, and a named color that explains it better, have penalties.",
    ),
    "delta_chroma": (
        "Δa*b*",
        "",
        "Distance in the a*b* plane: √(Δa*² + Δb*²). ΔChroma in GenColorBench, section 3.4; no "
        "difference of C*.",
    ),
    "delta_e00": ("ΔE00", "", "CIEDE2000 with kL = kC = kH = 1. Sharma, Wu, Dalal 2005."),
    "hue_deg": (
        "Hue",
        "°",
        "Difference of the hue angles h_ab; 0 where either C*ab is below 5, since a near-neutral "
        "color has no hue to compare.",
    ),
}


class SwatchJson(TypedDict):
    """A color on the card; ``title`` where its place does not say what it is."""

    name: str
    hex: str
    dark_text: bool
    lab: str
    title: NotRequired[str]


class MetricBar(TypedDict):
    """A number of a verdict; without a ``limit`` it is reported only. ``full`` fills the bar."""

    name: str
    label: str
    unit: str
    passed: bool | None
    help: str
    value: float
    limit: float | None
    full: float
    text: str
    limit_text: str
    on: str


class ConfidenceJson(TypedDict):
    """The confidence as a word and a number."""

    word: str
    text: str


class RulesDisagree(TypedDict):
    """Where rules disagree, and pairs of a title and a text that say why."""

    sentence: str
    reasons: list[list[str]]


class OtherVerdict(TypedDict):
    """The verdict by another rule."""

    id: str
    name: str
    status: str
    text: str
    title: NotRequired[str]
    help: NotRequired[str]


class CardHead(TypedDict):
    """What every verdict card has; ``link`` opens what there is."""

    status: str
    title: str
    reason: str
    link: str


class VerdictCard(CardHead, total=False):
    """The verdict card: before a verdict with ``colors`` alone, with a verdict with all else."""

    colors: ColorsJson
    relation: str
    sentence: str
    found: SwatchJson
    names_note: str
    accepted: SwatchJson | None
    asked: SwatchJson
    metrics: list[MetricBar]
    reported: str
    differences: ComparedColors
    alternatives: list[dict[str, float]]
    others: list[OtherVerdict]
    light: str
    measured_on: str
    confidence: ConfidenceJson | None
    absent: str
    truth: str
    audit: RulesDisagree | None
    evidence_id: str
    json: str
    question: VerdictQuestion
    rule_name: str
    kept: bool


def waiting(text: str, link: str) -> VerdictCard:
    """The verdict card before there is one: what to do next."""
    return {"status": WAITING, "title": "", "reason": text, "link": link}


def problem(text: str, link: str = "") -> VerdictCard:
    """The verdict card when the input cannot be judged."""
    return {"status": "unscored", "title": TITLES["unscored"], "reason": text, "link": link}


def _swatch(lab: Sequence[float], hex_code: str, name: str = "") -> SwatchJson:
    return {
        "name": name,
        "hex": hex_code,
        "dark_text": lab[0] > EVEN_CONTRAST,
        "lab": lab_text(lab),
    }


def _bar(metric: Metric, measurement: Measurement) -> MetricBar:
    label, unit, help_text = METRICS[metric.name]
    candidate = measurement.candidates[metric.candidate]
    against = (
        candidate.lab if measurement.verdict.light is None else measurement.verdict.light.seen_lab
    )
    # A gated hue difference is 0 by definition; a dash does not pretend that it was found.
    lab = np.array([measurement.verdict.lab, against])
    gated = metric.name == "hue_deg" and bool((chroma(lab) < HUE_GATE_CHROMA).any())
    reported = metric.threshold is None
    limit = "" if reported else f"limit {metric.threshold:g}{unit}"
    return {
        "name": metric.name,
        "label": label,
        "unit": unit,
        "passed": None if reported else metric.passed,
        "help": help_text + (" Reported only: no limit." if reported else ""),
        "value": metric.value,
        "limit": metric.threshold,
        "full": FULL[metric.name],
        "text": "–" if gated else f"{metric.value:.1f}{unit}",
        "limit_text": "no hue" if gated else limit,
        "on": (candidate.name or candidate.hex) if metric.candidate else "",
    }


def _between(measurement: Measurement) -> SwatchJson | None:
    """The swatch between found and asked: the color that was compared, where it is another one."""
    nearest, light = measurement.candidates[measurement.verdict.nearest], measurement.verdict.light
    if light is not None:
        hex_code = hex_of(lab_to_srgb8(np.array(light.seen_lab)))
        return {**_swatch(light.seen_lab, hex_code, nearest.name), "title": "Under this light"}
    if not measurement.verdict.nearest:
        return None
    return {**_swatch(nearest.lab, nearest.hex, nearest.name), "title": "Accepted"}


def light_sentence(
    light: LightMatch | None, rival: Rival | None = None, target_name: str | None = None
) -> str:
    """In which light the target color was compared, what that cost, and the named color that explains
    the image better; empty for other rules."""
    if light is None:
        return ""
    haze = f", {light.haze_percent:.1f}% haze" if light.haze_percent >= 0.05 else ""
    penalty = f"{light.cost:.1f}" if light.cost >= 0.05 else "0"
    intensity = f"{100 * light.factor:.0f}% intensity{haze}"
    text = f"Target under the estimated light ({intensity}). Light penalty: {penalty}."
    if rival is None or rival.cost < 0.05:
        return text
    name = rival_label(rival.name, rival.system, target_name)
    better = f"{name[:1].upper()}{name[1:]} explains the image better"
    return f"{text} {better}: penalty {rival.cost:.1f}."


def confidence_view(percent: float | None) -> ConfidenceJson | None:
    """The confidence as a word and a number; None for rules that have none."""
    if percent is None:
        return None
    word = next(word for least, word in CONFIDENCE if percent >= least)
    # A rule is never certain, whatever its arithmetic rounds to.
    return {"word": word, "text": "over 99%" if percent > 99.0 else f"{percent:.0f}%"}


def audit_view(measurements: Sequence[Measurement]) -> RulesDisagree | None:
    """Where the rules disagree on these pixels, and why; None where they agree."""
    result = audit(measurements)
    if result is None:
        return None
    return {"sentence": result.sentence, "reasons": [list(reason) for reason in result.reasons]}


def absence(mask_parameters: Mapping[str, Any]) -> str:
    """What the card says where the object was answered to be absent; empty otherwise."""
    said = [
        item
        for item in mask_parameters.get("presence") or ()
        if (item.get("override") or item.get("answer")) == "no"
    ]
    if not said:
        return ""
    who = "You" if said[0].get("override") else name_of(str(said[0].get("by")))
    return (
        f"{who} answered that there is no {said[0].get('object')} in the image: in a task that "
        "counts as a failure at the presence step. The mask is measured anyway."
    )


def verdict_view(
    measurement: Measurement,
    others: Sequence[Measurement],
    stored: EvidenceRecord,
    image: ImageRecord,
    link: str,
    mask_parameters: Mapping[str, Any] | None = None,
    names_note: str = "",
) -> VerdictCard:
    """The verdict card. ``others`` are the same pixels under the other rules, ``names_note`` is of
    :func:`truehue.core.verdict.nearest.names_note`."""
    verdict = measurement.verdict
    assert verdict.lab is not None
    color_target = measurement.target
    return {
        "status": verdict.status,
        "title": TITLES[verdict.status],
        "relation": measurement.relation,
        "sentence": measurement_sentence(measurement),
        "reason": verdict.reason,
        "found": _swatch(
            verdict.lab,
            hex_of(lab_to_srgb8(np.array(verdict.lab))),
            f"near {nearest_name(measurement).label}",
        ),
        "names_note": names_note,
        "accepted": _between(measurement),
        "asked": _swatch(
            color_target.lab, color_target.hex, color_target.name or color_target.notation
        ),
        "metrics": [_bar(metric, measurement) for metric in verdict.metrics],
        "reported": REPORTED if verdict.light else "",
        "differences": compared_colors(measurement),
        "alternatives": alternatives(measurement),
        "others": [_other(other) for other in others],
        "light": light_sentence(verdict.light, verdict.rival, color_target.name),
        "measured_on": measured_on(measurement),
        "confidence": confidence_view(verdict.confidence_percent),
        "absent": absence(mask_parameters or {}),
        "truth": describe_true_color(
            image.origin,
            color_target,
            measurement.object_name,
            forbidden=measurement.relation == DIFFERS,
        ),
        "audit": audit_view([measurement, *others]),
        "evidence_id": stored.evidence_id,
        "link": link,
        "json": json.dumps(
            {
                **measurement.as_json(),
                "evidence_id": stored.evidence_id,
                "image_id": image.image_id,
                "mask_id": stored.mask_id,
                "image_name": image.name,
                "image_notes": list(image.notes),
            },
            indent=2,
            ensure_ascii=False,
        ),
    }


def _other(measurement: Measurement) -> OtherVerdict:
    verdict = measurement.verdict
    by = rule(verdict.rule)
    if not verdict.metrics:
        return {"id": by.id, "name": by.name, "status": verdict.status, "text": verdict.reason}
    numbers = {metric.name: metric for metric in verdict.metrics}
    text = (
        f"{numbers['delta_e00'].value:.1f} ΔE00 · {numbers['delta_chroma'].value:.1f} Δa*b* · "
        f"{numbers['hue_deg'].value:.1f}°{' in this light' if verdict.light else ''}"
    )
    if "misfit" in numbers:
        text = f"{numbers['misfit'].value:.1f} mismatch score · {text}"
    return {
        "id": by.id,
        "name": by.name,
        "status": verdict.status,
        "text": text,
        "title": TITLES[verdict.status],
        "help": by.description,
    }


def evidence_view(
    measurement: Measurement,
    mask_text: str,
    mask_parameters: Mapping[str, Any],
    image_notes: Sequence[str],
) -> EvidenceCards:
    """The four cards below the image."""
    assert measurement.verdict.lab is not None
    return {
        "chromaticity": figures.chromaticity(measurement),
        "lightness": figures.lightness(measurement),
        "offsets": _offsets(measurement),
        "names_of": "the measured color",
        "names": nearest_names_view(measurement.verdict.lab),
        "people": people_view(measurement.verdict.lab, measurement.target.name or ""),
        "steps": steps(measurement, mask_text, mask_parameters, image_notes),
    }


def _offsets(measurement: Measurement) -> OffsetsJson:
    offset = measurement.verdict.offset
    assert offset is not None
    nearest = measurement.candidates[measurement.verdict.nearest]
    turn = "none to compare" if offset.hue_deg is None else f"{_signed1(offset.hue_deg)}°"
    rows: list[OffsetRow] = [
        {
            "label": "ΔL*",
            "text": _signed1(offset.lightness),
            "value": offset.lightness,
            "word": _word(offset.lightness, "lighter", "darker"),
        },
        {
            "label": "ΔC*",
            "text": _signed1(offset.chroma),
            "value": offset.chroma,
            "word": _word(offset.chroma, "more vivid", "less vivid"),
        },
        {
            "label": "Δh",
            "text": turn,
            "value": offset.hue_deg or 0.0,
            "word": "" if offset.hue_deg is None else _turn_word(measurement, offset.hue_deg),
        },
    ]
    light = "" if measurement.verdict.light is None else " under the estimated light"
    return {"to": (nearest.name or nearest.hex) + light, "rows": rows}


def _signed1(value: float) -> str:
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def _word(value: float, more: str, less: str) -> str:
    if abs(value) < 1.0:
        return "the same"
    return more if value > 0 else less


def _turn_word(measurement: Measurement, turn_deg: float) -> str:
    if abs(turn_deg) < 1.0:
        return "the same"
    found_deg = float(hue_deg(np.array(measurement.verdict.lab)))
    return hue_word(found_deg, turn_deg) or "different hue"
