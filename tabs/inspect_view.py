"""A measurement as the page shows it: words and numbers ready to be written into place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.color.difference import HUE_GATE_CHROMA
from core.color.spaces import chroma, hex_of, lab_to_srgb8
from core.color.systems import SYSTEMS, all_nearest
from core.masks.registry import masker
from core.pipeline import Measurement
from core.records import EvidenceRecord, ImageRecord
from core.verdict.judge import FAIL, PASS, Metric
from core.verdict.rules import rule
from tabs import figures

TITLES = {PASS: "Passes", FAIL: "Fails", "unscored": "Not scored"}
EVEN_CONTRAST = 49.5
"""The L* on which black and white text have the same contrast (WCAG, about 4.6 to 1)."""
METRICS: dict[str, tuple[str, str, str]] = {
    "delta_chroma": (
        "ΔChroma", "",
        "Distance in the a*b* plane: √(Δa*² + Δb*²). GenColorBench, section 3.4.",
    ),
    "delta_e00": ("ΔE00", "", "CIEDE2000 with kL = kC = kH = 1. Sharma, Wu, Dalal 2005."),
    "hue_deg": (
        "Hue", "°",
        "Difference of the hue angles h_ab; 0 where either C*ab is below 5, since a near-neutral "
        "color has no hue to judge.",
    ),
}  # fmt: skip


def waiting(text: str, link: str) -> dict[str, Any]:
    """The verdict card before there is one: what to do next. ``link`` opens what there is."""
    return {"status": "waiting", "title": "", "reason": text, "link": link}


def problem(text: str, link: str = "") -> dict[str, Any]:
    """The verdict card when the input cannot be judged."""
    return {"status": "unscored", "title": TITLES["unscored"], "reason": text, "link": link}


def _swatch(lab: Sequence[float], hex_code: str, name: str = "") -> dict[str, Any]:
    light, a, b = lab
    return {
        "name": name, "hex": hex_code, "dark_text": light > EVEN_CONTRAST,
        "lab": f"L* {light:.1f} · a* {_signed0(a)} · b* {_signed0(b)}",
    }  # fmt: skip


def _signed0(value: float) -> str:
    """Two decimals with a real minus sign and no minus zero."""
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _bar(metric: Metric, found: Measurement) -> dict[str, Any]:
    label, unit, help_text = METRICS[metric.name]
    candidate = found.candidates[metric.candidate]
    # A gated hue difference is 0 by definition; a dash does not pretend that it was found.
    lab = np.array([found.verdict.lab, candidate.lab])
    gated = metric.name == "hue_deg" and bool((chroma(lab) < HUE_GATE_CHROMA).any())
    return {
        "label": label, "unit": unit, "help": help_text, "passed": metric.passed,
        "value": metric.value, "limit": metric.threshold,
        "text": "–" if gated else f"{metric.value:.1f}{unit}",
        "limit_text": "no hue" if gated else f"< {metric.threshold:g}{unit}",
        "on": (candidate.name or candidate.hex) if metric.candidate else "",
    }  # fmt: skip


def verdict_view(
    found: Measurement,
    others: Sequence[Measurement],
    stored: EvidenceRecord,
    image: ImageRecord,
    link: str,
) -> dict[str, Any]:
    """The verdict card. ``others`` are the same pixels under the other rules."""
    verdict = found.verdict
    assert verdict.lab is not None
    asked = found.target
    nearest = found.candidates[verdict.nearest]
    return {
        "status": verdict.status,
        "title": TITLES[verdict.status],
        "reason": verdict.reason,
        "found": _swatch(verdict.lab, hex_of(lab_to_srgb8(np.array(verdict.lab)))),
        "accepted": _swatch(nearest.lab, nearest.hex, nearest.name) if verdict.nearest else None,
        "asked": _swatch(asked.lab, asked.hex, asked.name or ""),
        "metrics": [_bar(metric, found) for metric in verdict.metrics],
        "others": [_other(other) for other in others],
        "evidence_id": stored.evidence_id,
        "link": link,
        "json": json.dumps(
            {
                **found.as_json(), "evidence_id": stored.evidence_id, "image_id": image.image_id,
                "mask_id": stored.mask_id, "image_name": image.name,
                "image_notes": list(image.notes),
            },
            indent=2, ensure_ascii=False,
        ),
    }  # fmt: skip


def _other(found: Measurement) -> dict[str, Any]:
    verdict = found.verdict
    by = rule(verdict.rule)
    if not verdict.metrics:
        return {"id": by.id, "name": by.name, "status": verdict.status, "text": verdict.reason}
    numbers = {metric.name: metric for metric in verdict.metrics}
    text = (
        f"{numbers['delta_e00'].value:.1f} ΔE00 · {numbers['delta_chroma'].value:.1f} ΔChroma · "
        f"{numbers['hue_deg'].value:.1f}°"
    )
    return {"id": by.id, "name": by.name, "status": verdict.status, "text": text,
            "title": TITLES[verdict.status], "help": by.description}  # fmt: skip


def evidence_view(
    found: Measurement,
    mask_text: str,
    mask_parameters: Mapping[str, Any],
    image_notes: Sequence[str],
) -> dict[str, Any]:
    """The four cards below the image."""
    return {
        "chromaticity": figures.chromaticity(found),
        "lightness": figures.lightness(found),
        "offsets": _offsets(found),
        "names": _names(found),
        "steps": _steps(found, mask_text, mask_parameters, image_notes),
    }


def _offsets(found: Measurement) -> dict[str, Any]:
    offset = found.verdict.offset
    assert offset is not None
    nearest = found.candidates[found.verdict.nearest]
    turn = "none to compare" if offset.hue_deg is None else f"{_signed1(offset.hue_deg)}°"
    rows = [
        {"label": "ΔL*", "text": _signed1(offset.lightness), "value": offset.lightness,
         "word": _word(offset.lightness, "lighter", "darker")},
        {"label": "ΔC*", "text": _signed1(offset.chroma), "value": offset.chroma,
         "word": _word(offset.chroma, "more vivid", "less vivid")},
        {"label": "Δh", "text": turn, "value": offset.hue_deg or 0.0,
         "word": "" if offset.hue_deg is None else _turn_word(offset.hue_deg)},
    ]  # fmt: skip
    return {"to": nearest.name or nearest.hex, "rows": rows}


def _signed1(value: float) -> str:
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def _word(value: float, more: str, less: str) -> str:
    if abs(value) < 1.0:
        return "the same"
    return more if value > 0 else less


def _turn_word(value: float) -> str:
    if abs(value) < 1.0:
        return "the same"
    return "larger angle" if value > 0 else "smaller angle"


def _names(found: Measurement) -> list[dict[str, Any]]:
    assert found.verdict.lab is not None
    out = []
    for system, near in all_nearest(np.array(found.verdict.lab), 3).items():
        rows = [
            {"name": color.name, "hex": color.hex, "delta_e00": f"{distance:.1f}"}
            for color, distance in near
        ]
        out.append({"system": SYSTEMS[system], "rows": rows})
    return out


def _steps(
    found: Measurement,
    mask_text: str,
    mask_parameters: Mapping[str, Any],
    image_notes: Sequence[str],
) -> list[dict[str, Any]]:
    dominant, colors, verdict = found.dominant, found.colors, found.verdict
    assert dominant is not None
    assert colors is not None
    by = rule(verdict.rule)
    steps: list[dict[str, Any]] = [
        {"mark": "·", "title": "Object present", "text": _presence(mask_text)},
        {"mark": "✓", "title": "Mask", "text": mask_text + _mask_note(mask_parameters)},
    ]
    steps += [{"mark": "!", "title": "Clean-up of the rule", "text": note} for note in found.notes]
    steps.append({
        "mark": "✓", "title": f"{colors.pixel_count:,} pixels to CIELAB",
        "text": "D65, 2°, float64; " + (" ".join(image_notes) or "sRGB, nothing converted"),
    })  # fmt: skip
    hue = dominant.axis_hue_deg
    if hue is None or dominant.axis_share is None:
        title, text = "No dominant hue", "all pixels are neutral or of one color"
    else:
        through = "through neutral" if dominant.method == "paper" else "through the mean"
        title = f"Dominant axis at {hue:.1f}°"
        text = f"first component {through}, {100 * dominant.axis_share:.1f}% of the variation"
    if dominant.achromatic:
        title, text = "Near neutral", "median C*ab below 10: mean of the pixels below 15"
    steps.append({"mark": "✓", "title": title, "text": text})
    steps += [
        {"mark": "✓", "title": name[0].upper() + name[1:], "text": f"{pixels:,} pixels left"}
        for name, pixels in dominant.steps
        if not dominant.achromatic
    ]
    limits = verdict.parameters["thresholds"]
    steps.append({
        "mark": {PASS: "✓", FAIL: "✕"}[verdict.status],
        "title": f"Verdict by {by.name} {by.version}",
        "text": f"{found.accepted_text}{_drawn(found)}; limits ΔChroma {limits['delta_chroma']:g}, "
                f"ΔE00 {limits['delta_e00']:g}, hue {limits['hue_deg']:g}°",
    })  # fmt: skip
    return steps


def _drawn(found: Measurement) -> str:
    most = figures.MOST_DRAWN
    return f" (the first {most} are drawn)" if len(found.candidates) > most else ""


def _presence(mask_text: str) -> str:
    if mask_text.startswith(masker("renderer").name):
        return "drawn by the renderer"
    return "by your mark; no VQA model is loaded"


def _mask_note(parameters: Mapping[str, Any]) -> str:
    note = parameters.get("note")
    return f"; {note}" if isinstance(note, str) and note else ""
