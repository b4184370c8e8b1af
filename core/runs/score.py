"""Score an image with its masks by every rule of a run, as result rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from truehue.core.color.spaces import chroma
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import has_only_concepts
from truehue.core.runs.records import ObjectVerdict
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import Localization
from truehue.core.verdict.rules import DIFFERS, PASS, UNSCORED, Verdict
from truehue.core.verdict.tasks import BROKE, ObjectOutcome, TaskVerdict, judge_all

CAUSES: Mapping[str, str] = MappingProxyType(
    {
        "absent": "an object is not in the image",
        "leaked": "color leakage",
        "exchanged": "swapped colors",
        "leans": "partial color leakage",
        "same-color": "the other object has the target color too",
        "hue": "another hue",
        "more-vivid": "more vivid than requested",
        "duller": "duller than requested",
        "lighter": "lighter than requested",
        "darker": "darker than requested",
        "no-image": "no image: generation failed",
        "no-mask": "no mask of the object",
        "not-found": "the object was not found",
        "presence-unknown": "not known whether the object is there",
        "left-out": "the renderer cannot render this object",
        "too-few-pixels": "too few pixels to measure",
        "broke": "scoring was interrupted",
    }
)
"""The first ten are causes of a fail, the rest of ``unscored`` (``presence-unknown`` of both, for
the released rules count it as absent). Which of these count as incorrect when they are read, says
:mod:`truehue.core.analysis.records`."""

ANOTHER_HUE_DEG = 30.0
NOTHING = -1
"""The target of a row that speaks of no object."""


def score(
    prompt: Prompt,
    srgb8: np.ndarray,
    findings: Mapping[int, Localization],
    rules: Sequence[tuple[str, str]],
    acceptance: Acceptance,
    left_out: Collection[int] = (),
) -> tuple[ObjectVerdict, ...]:
    """The verdicts on an image, rules and objects in their order.

    ``srgb8`` uint8 ``(H, W, 3)``; ``findings`` by the position of the target; ``left_out`` are the
    positions that the reference renderer has no shape for. A rule that breaks is ``unscored`` on
    every object, with what broke. Empty where no color is asked for.
    """
    ids = [rule_id for rule_id, _ in rules]
    verdicts = judge_all(prompt.task, prompt.targets, findings, srgb8, ids, acceptance)
    return tuple(row for verdict in verdicts for row in rows_of(verdict, findings, left_out))


def not_generated(
    reason: str, rules: Sequence[tuple[str, str]], prompt: Prompt | None = None
) -> tuple[ObjectVerdict, ...]:
    """The verdicts of all rules on an image that was not generated: unscored, with the reason.

    Nothing where ``prompt`` is a concept that no color is asked of, for then no rule has a say.
    """
    if prompt is not None and has_only_concepts([prompt]):
        return ()
    return tuple(
        ObjectVerdict(
            rule_id,
            version,
            NOTHING,
            "",
            "matches",
            UNSCORED,
            "image",
            "no-image",
            reason,
            UNSCORED,
            reason,
            True,
        )
        for rule_id, version in rules
    )


def rows_of(
    verdict: TaskVerdict, findings: Mapping[int, Localization], left_out: Collection[int] = ()
) -> Iterator[ObjectVerdict]:
    """A row an object; the first of those with the image's own status leads."""
    statuses = [outcome.status for outcome in verdict.outcomes]
    first = statuses.index(verdict.status)
    for index, outcome in enumerate(verdict.outcomes):
        verdict_numbers = outcome.measurement.verdict
        values = {metric.name: metric.value for metric in verdict_numbers.metrics}
        yield ObjectVerdict(
            rule=verdict.rule,
            version=verdict.version,
            target=outcome.asked.position,
            object_name=outcome.asked.target.name,
            relation=outcome.asked.relation,
            status=outcome.status,
            step=outcome.step,
            cause=cause_of(outcome, findings.get(outcome.asked.position), left_out),
            told=outcome.told,
            picture_status=verdict.status,
            picture_reason=verdict.reason,
            leads=index == first,
            asked_hex=outcome.asked.color.hex,
            lab=verdict_numbers.lab,
            delta_e00=values.get("delta_e00"),
            delta_chroma=values.get("delta_chroma"),
            hue_deg=values.get("hue_deg"),
            misfit=values.get("misfit"),
            confidence_percent=verdict_numbers.confidence_percent,
            light_factor=verdict_numbers.light.factor if verdict_numbers.light else None,
            haze_percent=verdict_numbers.light.haze_percent if verdict_numbers.light else None,
        )


def cause_of(
    outcome: ObjectOutcome, finding: Localization | None, left_out: Collection[int] = ()
) -> str:
    """The key of truehue.core.runs.score.CAUSES that says why; empty for a pass."""
    if outcome.status == PASS:
        return ""
    verdict_numbers = outcome.measurement.verdict
    if BROKE in verdict_numbers.parameters:
        return "broke"
    if outcome.step == "presence":
        return (
            "absent" if verdict_numbers.parameters.get("presence") == "no" else "presence-unknown"
        )
    if outcome.status == UNSCORED:
        return _unscored(outcome, finding, left_out)
    if outcome.asked.relation == DIFFERS:
        return "leaked" if outcome.story else "same-color"
    return outcome.story or direction(verdict_numbers)


def direction(verdict: Verdict) -> str:
    """The largest deviation of a wrong color: its hue, its chroma or its lightness.

    Over 30°, where the rules' own limit lies, it is the hue, however dark the color. Below, the
    three are compared in CIELAB units: ΔL*, ΔC*, and ΔH* = 2·√(C1·C2)·sin(Δh/2) (CIE 15:2018).
    Where either color is near neutral, hue says nothing.
    """
    offset = verdict.offset
    if offset is None or verdict.lab is None:
        return "hue"
    hue = 0.0
    if offset.hue_deg is not None:
        if abs(offset.hue_deg) >= ANOTHER_HUE_DEG:
            return "hue"
        measured_chroma = float(chroma(np.array(verdict.lab)))
        product = max(measured_chroma * (measured_chroma - offset.chroma), 0.0)
        hue = 2.0 * product**0.5 * abs(float(np.sin(np.radians(offset.hue_deg) / 2.0)))
    sizes = {"hue": hue, "chroma": abs(offset.chroma), "lightness": abs(offset.lightness)}
    limit_text = max(sizes, key=lambda name: sizes[name])
    if limit_text == "hue":
        return "hue"
    if limit_text == "chroma":
        return "more-vivid" if offset.chroma > 0 else "duller"
    return "lighter" if offset.lightness > 0 else "darker"


def _unscored(
    outcome: ObjectOutcome, finding: Localization | None, left_out: Collection[int]
) -> str:
    if outcome.asked.position in left_out:
        return "left-out"
    if finding is None:
        return "no-mask"
    if finding.mask is not None:
        return "too-few-pixels" if outcome.step == "mask" else "broke"
    return "not-found" if outcome.step == "detection" else "no-mask"
