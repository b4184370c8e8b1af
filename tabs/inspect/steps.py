"""The steps to a verdict, one by one, from the mask to the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from truehue.core.concepts.palette import ColorDescription
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.registry import masker
from truehue.core.verdict.measure import Measurement
from truehue.core.verdict.rules import FAIL, PASS, LightMatch, rule
from truehue.tabs.inspect.automatic import model_name, presence_text
from truehue.tabs.page import figures


class StepJson(TypedDict):
    """A step to a verdict; ``mark`` is a sign."""

    mark: str
    title: str
    text: str


def steps(
    measurement: Measurement,
    mask_text: str,
    mask_parameters: Mapping[str, Any],
    image_notes: Sequence[str],
) -> list[StepJson]:
    """How a verdict came about, step by step: ``mark``, ``title`` and ``text`` of each."""
    dominant, colors, verdict = measurement.dominant, measurement.colors, measurement.verdict
    assert dominant is not None
    assert colors is not None
    by = rule(verdict.rule)
    entries: list[StepJson] = [
        *_presence(mask_text, mask_parameters),
        {"mark": "✓", "title": "Mask", "text": mask_text + _mask_note(mask_parameters)},
        *_automatic(mask_parameters),
    ]
    entries += [
        {"mark": "!", "title": "Clean-up by the rule", "text": note} for note in measurement.notes
    ]
    entries.append(_to_lab(colors.pixel_count, image_notes))
    hue = dominant.axis_hue_deg
    if hue is None or dominant.axis_share is None:
        title, text = "No dominant hue", "all pixels are neutral or of one color"
    else:
        through = "through neutral" if dominant.method == "paper" else "through the mean"
        title = f"Dominant axis at {hue:.1f}°"
        text = f"first component {through}, {100 * dominant.axis_share:.1f}% of the variation"
    if dominant.achromatic:
        title, text = "Near neutral", "median C*ab below 10: mean of the pixels below 15"
    if not by.lit:
        entries.append({"mark": "✓", "title": title, "text": text})
    entries += [
        {"mark": "✓", "title": name[0].upper() + name[1:], "text": f"{pixels:,} pixels left"}
        for name, pixels in dominant.steps
        if not dominant.achromatic
    ]
    if verdict.light is not None:
        entries.append({"mark": "✓", "title": "Light of the image", "text": _light(verdict.light)})
    limits = _limits(verdict.parameters)
    entries.append(
        {
            "mark": {PASS: "✓", FAIL: "✕"}[verdict.status],
            "title": f"Verdict by {by.name} {by.version}",
            "text": f"{measurement.accepted_text}{_generated_text(measurement)}; {limits}",
        }
    )
    return entries


def measured_on(measurement: Measurement) -> str:
    """On which of the mask's pixels the color was measured, and how many other materials have."""
    dominant = measurement.dominant
    assert dominant is not None
    share = _percent(dominant.used_count, measurement.mask_px)
    if dominant.used_count == measurement.mask_px:
        return "Measured on all pixels of the mask."
    if not dominant.steps:
        return f"Measured on {share} of the mask, after the rule's clean-up."
    if not rule(measurement.verdict.rule).lit:
        names = ", then ".join(name for name, _ in dominant.steps)
        return f"Measured on {share} of the mask: {names}."
    others = _percent(dominant.pixel_count - dominant.steps[0][1], measurement.mask_px)
    rest = (
        f" Other materials ({others} of the mask) are excluded." if len(dominant.steps) > 1 else ""
    )
    lit_part = "the lit part of its largest material, up to the shade that fits the target best"
    return f"Measured on {share} of the mask: {lit_part}.{rest}"


def _percent(pixels: int, total: int) -> str:
    percent = 100.0 * pixels / total
    return f"{percent:.0f}%" if percent >= 0.5 else "<1%"


def color_steps(
    mask_text: str,
    mask_parameters: Mapping[str, Any],
    image_notes: Sequence[str],
    described: ColorDescription,
) -> list[StepJson]:
    """How the colors of a mask came about, while nothing is asked."""
    return [
        *_presence(mask_text, mask_parameters),
        {"mark": "✓", "title": "Mask", "text": mask_text + _mask_note(mask_parameters)},
        *_automatic(mask_parameters),
        _to_lab(described.pixel_count, image_notes),
        {
            "mark": "✓",
            "title": "The lit region of the largest material",
            "text": f"{100.0 * described.lit_share:.0f}% of the pixels, "
            "as the rule truehue takes it",
        },
        {
            "mark": "✓",
            "title": "Palette",
            "text": "8 × 8 × 8 cells of sRGB, the largest 20 merged while 7 ΔE00 or less apart",
        },
        {"mark": "·", "title": "No verdict", "text": "no target color yet"},
    ]


def _to_lab(pixel_count: int, image_notes: Sequence[str]) -> StepJson:
    return {
        "mark": "✓",
        "title": f"{pixel_count:,} pixels to CIELAB",
        "text": "D65, 2°, float64; " + (" ".join(image_notes) or "sRGB, nothing converted"),
    }


def _generated_text(measurement: Measurement) -> str:
    limit = figures.MAX_POINTS_DRAWN
    return f" (the first {limit} are shown)" if len(measurement.candidates) > limit else ""


def _limits(parameters: Mapping[str, Any]) -> str:
    limits, units = parameters["thresholds"], {"hue_deg": "°"}
    names = {
        "misfit": "mismatch score",
        "delta_chroma": "Δa*b*",
        "delta_e00": "ΔE00",
        "hue_deg": "hue",
    }
    judged = [
        f"{names[key]} {limits[key]:g}{units.get(key, '')}"
        for key in names
        if limits.get(key) is not None
    ]
    return f"{'limit' if len(judged) == 1 else 'limits'}: {', '.join(judged)}"


def _light(light: LightMatch) -> str:
    over = ""
    if light.clipped_percent >= 0.5:
        over = f", {light.clipped_percent:.0f}% of it over exposure"
    return (
        f"full light estimated where {light.percentile:.0f}% of the object is darker"
        f"{over}; the target color comes nearest at {100 * light.factor:.0f}% intensity with "
        f"{light.haze_percent:.1f}% haze; light penalty {light.cost:.1f}"
    )


def _presence(mask_text: str, parameters: Mapping[str, Any]) -> list[StepJson]:
    answers = parameters.get("presence") or ()
    if not answers:
        exact = mask_text.startswith(masker("renderer").name)
        text = "rendered" if exact else "not checked"
        return [{"mark": "·", "title": "Object present", "text": text}]
    entries: list[StepJson] = []
    for record in answers:
        override, answer = record.get("override"), record.get("override") or record.get("answer")
        by_hand = f"{override}, manually; " if override else ""
        entries.append(
            {
                "mark": {"yes": "✓", "no": "✕"}.get(str(answer), "?"),
                "title": f"Object present: {answer}",
                "text": by_hand + presence_text(record),
            }
        )
    return entries


def _automatic(parameters: Mapping[str, Any]) -> list[StepJson]:
    """The steps of an automatic mask; none for others."""
    salient = parameters.get(SALIENT)
    if isinstance(salient, Mapping):
        return [_salient(salient)]
    boxes, variant = parameters.get("boxes"), parameters.get("variant")
    if not isinstance(boxes, list) or not isinstance(variant, Mapping):
        return []
    scores = ", ".join(f"{box['label']} {box['score']:.2f}" for box in boxes)
    entries: list[StepJson] = [
        {
            "mark": "✓",
            "title": f"Detected by {model_name(parameters, 'detector')}",
            "text": f"{scores}; above {variant['box_threshold']:g}, variant {variant['name']}",
        },
        {
            "mark": "✓",
            "title": f"Segmented by {model_name(parameters, 'segmenter')}",
            "text": "one segment a box, united",
        },
    ]
    entries += _negatives(parameters.get("negatives") or ())
    overrides = parameters.get("overrides") or {}
    by_hand = [f"box {n + 1} excluded" for n in overrides.get("without_boxes", ())]
    by_hand += [f"{label} kept" for label in overrides.get("without_negatives", ())]
    if by_hand:
        entries.append({"mark": "!", "title": "Edited manually", "text": "; ".join(by_hand)})
    entries += [
        {"mark": "!", "title": "Note", "text": note} for note in parameters.get("notes") or ()
    ]
    return entries


def _negatives(negatives: Sequence[Mapping[str, Any]]) -> list[StepJson]:
    """A step for each negative label that took pixels, and one for all others with the same reason."""
    entries: list[StepJson] = []
    unused: dict[str, list[str]] = {}
    for negative in negatives:
        label, taken_px = negative["label"], negative["taken_px"]
        if taken_px:
            title, text = f"Negative label: {label}", f"{taken_px:,} px removed"
            entries.append({"mark": "✓", "title": title, "text": text})
        else:
            unused.setdefault(negative["reason"], []).append(label)
    for reason, labels in unused.items():
        title = f"Negative label: {labels[0]}"
        if len(labels) > 1:
            title = f"Negative labels: {', '.join(labels)}"
            reason = reason.replace("this name", "these names")
        entries.append({"mark": "·", "title": title, "text": reason})
    return entries


def _salient(salient: Mapping[str, Any]) -> StepJson:
    return {
        "mark": "✓",
        "title": f"Salient object by U²-Net small, version {salient['version']}",
        "text": f"largest probability {salient['max_probability']:.2f}; pixels between 0.1 and 0.9: "
        f"{salient['unsure_percent']:.0f}% of those above 0.5",
    }


def _mask_note(parameters: Mapping[str, Any]) -> str:
    note = parameters.get("note")
    return f"; {note}" if isinstance(note, str) and note else ""
