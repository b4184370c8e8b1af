"""Reasons why rules disagree on the same pixels, and thresholds at which a verdict would pass.

The audit names only steps that differ between two rules, with their size on this image, and states
whether a step alone decides the outcome, if the other rules show that.

The thresholds are computed without a new verdict, and no stored data changes.

A verdict passes if one of its *alternatives* has every judged number below its threshold. The rules
of the paper and ``truehue`` have one alternative: the numbers of the verdict itself. A rule that
wants all numbers on one accepted color has one for each color that could count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.color.difference import delta_chroma, delta_e00, hue_difference_deg
from truehue.core.errors import BadInput
from truehue.core.verdict.measure import Measurement
from truehue.core.verdict.rules import FAIL, PASS, UNSCORED, judge, rule

WORDS = {PASS: "passes", FAIL: "fails", UNSCORED: "cannot be scored"}
# Dominant colors that are nearer than this are the same to the eye.
_SEEN_DELTA_E00 = 1.0


@dataclass(frozen=True)
class Audit:
    """A disagreement.

    ``sentence`` says which rules pass and which fail; ``reasons`` are pairs of a title and a
    sentence, the step that decides the outcome first. ``passing`` and ``failing`` are rule ids.
    """

    sentence: str
    reasons: tuple[tuple[str, str], ...]
    passing: tuple[str, ...]
    failing: tuple[str, ...]


def audit(measurements: Sequence[Measurement]) -> Audit | None:
    """The cause of the rules' disagreement on one object and color; None where they agree.

    ``measurements`` are of the same pixels and target, one a rule. Rules that could not score are
    told, and are no disagreement by themselves.
    """
    by = {measurement.verdict.rule: measurement for measurement in measurements}
    passing = tuple(name for name, measurement in by.items() if measurement.verdict.status == PASS)
    failing = tuple(name for name, measurement in by.items() if measurement.verdict.status == FAIL)
    if not passing or not failing:
        return None
    sentence = f"{_names(passing)} {_verb(passing, PASS)}; {_names(failing)} {_verb(failing, FAIL)}"
    unscored = tuple(
        name for name, measurement in by.items() if measurement.verdict.status == UNSCORED
    )
    if unscored:
        sentence += f"; {_names(unscored)} could not score it"
    reasons = [
        *_guidance(by),
        *_cleanup(by),
        *_vivid_half(by),
        *_candidates(by),
        *_axis(by),
        *_light(by),
    ]
    return Audit(sentence + ".", tuple(reasons), passing, failing)


def _guidance(by: Mapping[str, Measurement]) -> list[tuple[str, str]]:
    """The released step that keeps the tenth nearest to the target color."""
    guided, plain = by.get("released"), by.get("released-unguided")
    if guided is None or guided.dominant is None or guided.dominant.method != "released":
        return []
    if guided.dominant.achromatic or guided.verdict.parameters.get("guided") is False:
        return []
    share_percent = 100.0 * guided.dominant.used_count / max(guided.dominant.pixel_count, 1)
    text = (
        f"released looks at {share_percent:.0f}% of its pixels, those nearest to the target color, "
        f"and is {_distance(guided)} from it"
    )
    if plain is None or plain.verdict.status == UNSCORED:
        return [("Target guidance", text + ".")]
    text += f"; without that step it is {_distance(plain)} and {WORDS[plain.verdict.status]}."
    turns = plain.verdict.status != guided.verdict.status
    return [(_title("Target guidance", turns), text)]


def _cleanup(by: Mapping[str, Measurement]) -> list[tuple[str, str]]:
    """The released clean-up, which takes out shadows and grays."""
    cleaned = by.get("released-unguided") or by.get("released")
    if cleaned is None or cleaned.colors is None or not cleaned.mask_px:
        return []
    rest_percent = 100.0 * cleaned.colors.pixel_count / cleaned.mask_px
    undone = [note for note in cleaned.notes if "undone" in note]
    if undone:
        return [("Gray pixels excluded, then restored", undone[0])]
    if rest_percent > 99.0:
        return []
    text = (
        f"The clean-up of released excludes {100.0 - rest_percent:.0f}% of the mask as shadow, "
        "gray or small fragments; paper measures all of it."
    )
    return [("Gray pixels excluded", text)]


def _vivid_half(by: Mapping[str, Measurement]) -> list[tuple[str, str]]:
    """The released rule's dominant color against the paper's, before any guidance."""
    paper, released = by.get("paper"), by.get("released-unguided")
    if paper is None or released is None or released.dominant is None:
        return []
    if paper.verdict.lab is None or released.verdict.lab is None:
        return []
    apart = float(delta_e00(np.array(paper.verdict.lab), np.array(released.verdict.lab)))
    if apart < _SEEN_DELTA_E00:
        return []
    label = (
        "takes a near-neutral object by its grayest pixels"
        if released.dominant.achromatic
        else "drops the less colorful half of the pixels"
    )
    text = (
        f"released {label}, paper averages all: their dominant colors are {apart:.1f} ΔE00 apart, "
        f"at L* {released.verdict.lab[0]:.0f} and {paper.verdict.lab[0]:.0f}."
    )
    turns = paper.verdict.status != released.verdict.status
    return [(_title("Other pixels averaged", turns), text)]


def _candidates(by: Mapping[str, Measurement]) -> list[tuple[str, str]]:
    """Accepted colors: the paper's neighbors, the released rule's Munsell samples."""
    entries = []
    for name in ("paper", "released", "released-munsell"):
        measurement = by.get(name)
        if (
            measurement is None
            or len(measurement.candidates) < 2
            or measurement.verdict.lab is None
        ):
            continue
        if not all(metric.passed for metric in measurement.verdict.metrics):
            continue
        nominal = np.array([measurement.candidates[0].lab])
        alone = judge(measurement.verdict.lab, measurement.target.lab, nominal, rule(name))
        if alone.status == PASS:
            continue
        met = measurement.candidates[measurement.verdict.nearest]
        label = f"{met.name or met.hex}, not the target color"
        if not measurement.verdict.nearest:
            label = "the target color with their help alone"
        count = len(measurement.candidates)
        text = f"{name} accepts {count} colors here and the object matches {label}."
        if len({metric.candidate for metric in measurement.verdict.metrics}) > 1:
            text += " Its metrics pass on different ones."
        entries.append((_title("Candidates", True), text))
    return entries


def _axis(by: Mapping[str, Measurement]) -> list[tuple[str, str]]:
    """The paper's component through neutral against that through the mean."""
    paper, centered = by.get("paper"), by.get("paper-centred")
    if paper is None or centered is None:
        return []
    if paper.verdict.status == centered.verdict.status or paper.verdict.lab is None:
        return []
    assert centered.verdict.lab is not None
    apart = float(delta_e00(np.array(paper.verdict.lab), np.array(centered.verdict.lab)))
    text = (
        "paper takes the component through neutral, paper-centred through the mean: "
        f"{apart:.1f} ΔE00 apart on this object."
    )
    return [(_title("Chromatic axis", True), text)]


def _light(by: Mapping[str, Measurement]) -> list[tuple[str, str]]:
    """Our rule's lit part against the means of the others."""
    ours, paper = by.get("truehue"), by.get("paper")
    if ours is None or paper is None or ours.verdict.light is None or ours.verdict.lab is None:
        return []
    if ours.verdict.status == paper.verdict.status or paper.verdict.lab is None:
        return []
    text = (
        f"truehue compares the lit part (L* {ours.verdict.lab[0]:.0f}) with the target color under "
        f"the estimated light; paper averages light and shadow (L* {paper.verdict.lab[0]:.0f})."
    )
    return [(_title("Shading", True), text)]


def _title(step: str, turns: bool) -> str:
    return f"{step}: decides the outcome" if turns else step


def _distance(measurement: Measurement) -> str:
    metric = measurement.verdict.metric("delta_e00")
    return "not scored" if metric is None else f"{metric.value:.1f} ΔE00"


def _names(ids: Sequence[str]) -> str:
    names = list(ids)  # not the names for people, which hold commas
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _verb(ids: Sequence[str], status: str) -> str:
    singular, several = {PASS: ("passes", "pass"), FAIL: ("fails", "fail")}[status]
    return singular if len(ids) == 1 else several


Limits = Mapping[str, float]
METRICS = ("misfit", "delta_e00", "delta_chroma", "hue_deg")
MAX_LIMITS = {"misfit": 50.0, "delta_e00": 100.0, "delta_chroma": 200.0, "hue_deg": 180.0}
"""Beyond these there is nothing left to forbid."""


def judged_limits(measurement: Measurement) -> dict[str, float]:
    """The limits that this verdict was judged by, by metric."""
    return {m.name: m.threshold for m in measurement.verdict.metrics if m.threshold is not None}


def alternatives(measurement: Measurement) -> list[dict[str, float]]:
    """The numbers, by judged metric, of each account that could make this verdict pass.

    Of a rule that judges by one accepted color, those that another one beats in every number are
    left out. Empty for an unscored measurement.
    """
    verdict, names = measurement.verdict, list(judged_limits(measurement))
    if verdict.lab is None or not names:
        return []
    by = rule(verdict.rule)
    if not by.same_candidate or len(measurement.candidates) == 1:
        values = {metric.name: metric.value for metric in verdict.metrics}
        return [{name: values[name] for name in names}]
    return [
        dict(zip(names, (float(value) for value in row), strict=True))
        for row in _undominated(_of_candidates(measurement, names))
    ]


def read_limits(text: str) -> dict[str, float]:
    """``"delta_e00:8,hue_deg:40"`` as limits by metric; raises BadInput for what is none."""
    limits = {}
    for part in filter(None, text.split(",")):
        name, _, number = part.partition(":")
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if name not in MAX_LIMITS or not 0.0 < value <= MAX_LIMITS[name]:
            raise BadInput(
                f'The limit "{part[:40]}" cannot be read: write one of {", ".join(METRICS)}, a '
                "colon and a number above 0, as in delta_e00:8."
            )
        limits[name] = value
    return limits


def _of_candidates(measurement: Measurement, names: list[str]) -> np.ndarray:
    """The numbers ``(M, N)`` of each accepted color that could count, the nominal one first.

    In the released search a color that passes counts only when its summed metrics are below the
    nominal color's (gen-color-bench @ 802a3ba).
    """
    assert measurement.verdict.lab is not None
    candidates_lab = np.array([candidate.lab for candidate in measurement.candidates])
    lab = np.array(measurement.verdict.lab)
    values = {
        "delta_chroma": delta_chroma(lab, candidates_lab),
        "delta_e00": delta_e00(candidates_lab, lab),
        "hue_deg": hue_difference_deg(lab, candidates_lab),
    }
    total = np.sum(list(values.values()), axis=0)
    counts = total < total[0]
    counts[0] = True
    return np.stack([values[name][counts] for name in names], axis=-1)


def _undominated(rows: np.ndarray) -> np.ndarray:
    """The rows that no other row is below or equal to in every number; of equal ones the first."""
    front: list[np.ndarray] = []
    for row in rows[np.argsort(rows.sum(axis=1), kind="stable")]:
        if not any((other <= row).all() for other in front):
            front.append(row)
    return np.array(front)
