"""A verdict from image, mask and target color in one pure call, and batches as a generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from truehue.core.color import dominant as dominants
from truehue.core.color.dominant import DominantColor, Selection
from truehue.core.color.shading import LitColor, lit_color
from truehue.core.color.spaces import CONDITIONS_TEXT, check_pair, hex_of, hue_deg, lab_to_srgb8
from truehue.core.color.systems import ColorTarget
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.images.pixels import MaskedColors, changed_colors, distinct_colors
from truehue.core.masks.cleanup import released_cleanup
from truehue.core.verdict.candidates import AS_ASKED, Acceptance, Candidate, accepted, samples_for
from truehue.core.verdict.reasons import (
    explain,
    explain_differs,
    is_light_unlikely,
    plain_sentence,
    rival_label,
)
from truehue.core.verdict.rules import (
    DEFAULT_RULE,
    DIFFERS,
    FAIL,
    MATCHES,
    PASS,
    RELATIONS,
    UNSCORED,
    Rule,
    Verdict,
    judge,
    rule,
    unscored,
)
from truehue.core.verdict.truehue import RivalMisfits, judge_lit, misfits_of_rivals

MAX_KEPT = 32
"""Accepted colors that are written out with a verdict; of more, those that it speaks of."""


@dataclass(frozen=True)
class TargetObject:
    """The object that a color is asked of.

    ``name`` is what sentences call it. ``relation`` is ``matches``, or ``differs`` where it must
    not have the color. ``guided`` False measures it without the target color's help by a rule that
    would have it (truehue.core.verdict.tasks); None leaves that to the rule. Raises BadInput for
    another relation.
    """

    name: str = ""
    relation: str = MATCHES
    guided: bool | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise BadInput(
                f"The relation is {self.relation!r:.40}: give {MATCHES} where the object must have "
                f"the color, {DIFFERS} where it must not.",
                "relation",
            )


AN_OBJECT = TargetObject()
"""An object without a name that has to have the color."""


@dataclass(frozen=True)
class Measurement:
    """A verdict with all that led to it.

    ``colors`` are those of the pixels that entered (after the rule's clean-up), ``measured`` the
    mask bool ``(H, W)`` of those pixels, ``mask_px`` the pixels of the mask as given,
    ``accepted_text`` how the accepted colors were chosen. ``relation`` is ``matches``, or
    ``differs`` where the object must not have the color. Where nothing was measured (unscored, or
    an object that is not there), ``colors``, ``measured`` and ``dominant`` are None.
    """

    verdict: Verdict
    target: ColorTarget
    candidates: tuple[Candidate, ...]
    object_name: str = ""
    mask_px: int = 0
    accepted_text: str = ""
    measured: np.ndarray | None = None
    colors: MaskedColors | None = None
    dominant: DominantColor | None = None
    notes: tuple[str, ...] = ()
    relation: str = MATCHES

    @property
    def compared_lab(self) -> tuple[float, float, float] | None:
        """The color that ΔE00 was taken to: an accepted one, by the rule ``truehue`` as the light
        shows it. None where nothing was measured."""
        if self.verdict.lab is None:
            return None
        light = self.verdict.light
        return self.candidates[self.verdict.nearest].lab if light is None else light.seen_lab

    def numbers(self) -> dict[str, Any]:
        """Every number of the verdict as plain JSON; docs/reference/database.md names them."""
        verdict, dominant = self.verdict, self.dominant
        metrics = {metric.name: metric for metric in verdict.metrics}
        fields: dict[str, Any] = {
            "lab": None if verdict.lab is None else list(verdict.lab),
            "target_lab": list(self.target.lab),
        }
        for name in ("delta_e00", "delta_chroma", "hue_deg"):
            fields[name] = metrics[name].value if name in metrics else None
        fields["metrics"] = {
            name: {
                "value": metric.value,
                "threshold": metric.threshold,
                "passed": None if metric.threshold is None else metric.passed,
                "candidate": self.candidates[metric.candidate].name
                or self.candidates[metric.candidate].hex,
            }
            for name, metric in metrics.items()
        }
        fields["candidates"] = [
            {"name": c.name, "hex": c.hex, "lab": list(c.lab)} for c in self._saved_candidates()
        ]
        fields["accepted_count"] = len(self.candidates)
        if verdict.lab is not None and dominant is not None and verdict.offset is not None:
            fields["found_hex"] = hex_of(lab_to_srgb8(np.array(verdict.lab)))
            fields["found_hue_deg"] = float(hue_deg(np.array(verdict.lab)))
            fields["offset"] = {
                "lightness": verdict.offset.lightness,
                "chroma": verdict.offset.chroma,
                "hue_deg": verdict.offset.hue_deg,
                "to": self.candidates[verdict.nearest].name or self.candidates[verdict.nearest].hex,
            }
            fields["dominant"] = {
                "method": dominant.method,
                "axis_hue_deg": dominant.axis_hue_deg,
                "axis_share": dominant.axis_share,
                "achromatic": dominant.achromatic,
                "pixels": dominant.pixel_count,
                "pixels_used": dominant.used_count,
                "steps": [[name, pixels] for name, pixels in dominant.steps],
            }
        if verdict.light is not None and verdict.confidence_percent is not None:
            fields["confidence_percent"] = verdict.confidence_percent
            fields["light"] = {**asdict(verdict.light), "seen_lab": list(verdict.light.seen_lab)}
        if verdict.rival is not None:
            fields["rival"] = asdict(verdict.rival)
        fields["accepted"] = self.accepted_text
        fields["mask_px"] = self.mask_px
        fields["notes"] = list(self.notes)
        return fields

    def _saved_candidates(self) -> tuple[Candidate, ...]:
        """All, or of hundreds of Munsell samples the target color and what the metrics speak of."""
        if len(self.candidates) <= MAX_KEPT:
            return self.candidates
        positions = {0, *(metric.candidate for metric in self.verdict.metrics)}
        return tuple(self.candidates[index] for index in sorted(positions))

    def line(self, name: str = "") -> str:
        """The verdict in one line; ``name`` of the image stands behind its first word."""
        verdict = self.verdict
        lab = ", ".join(f"{value:.2f}" for value in verdict.lab or ())
        return (
            f"{verdict.status.upper()}  {f'{name}  ' if name else ''}target {self.target.label}, "
            f"measured Lab ({lab}; {CONDITIONS_TEXT})  [{verdict.rule} {verdict.version}] {verdict.reason}"
        )

    def as_json(self) -> dict[str, Any]:
        """One flat object: status, reason, rule, version, then what was asked, then the numbers."""
        return {
            "status": self.verdict.status,
            "reason": self.verdict.reason,
            "rule": self.verdict.rule,
            "version": self.verdict.version,
            "object": self.object_name,
            "target": self.target.name or self.target.hex,
            "target_hex": self.target.hex,
            "system": self.target.system,
            **({"relation": self.relation} if self.relation != MATCHES else {}),
            "parameters": dict(self.verdict.parameters),
            **self.numbers(),
        }


def measure(
    srgb8: np.ndarray,
    mask: np.ndarray,
    target: ColorTarget,
    rule_id: str = DEFAULT_RULE,
    *,
    acceptance: Acceptance = AS_ASKED,
    target_object: TargetObject = AN_OBJECT,
    cache: MaskCache | None = None,
) -> Measurement:
    """Judges the pixels inside a mask against a target color.

    ``srgb8`` uint8 ``(H, W, 3)``; ``mask`` bool ``(H, W)``; ``target`` from
    :func:`truehue.core.color.systems.parse_target`; ``rule_id`` from
    :data:`truehue.core.verdict.rules.RULES`; ``acceptance`` says which colors count as the asked
    one, ``target_object`` of what object it is asked: one that must not have the color passes when
    it does not match, and the metrics stay those of matching. ``cache`` has what was found of the
    same pixels before. Raises BadInput, MaskError or NoPixels when there is nothing that
    could be judged.
    """
    by = rule(rule_id)
    unguided = by.guided and target_object.guided is False
    if unguided:
        by = replace(by, guided=False)
    mask_px = check_pair(srgb8, mask)
    allowed, how = accepted(target, by, acceptance)
    parameters: dict[str, Any] = {
        "k": 0 if by.same_candidate else acceptance.k,
        "thresholds": {
            name: limit for name, limit in asdict(by.thresholds).items() if limit is not None
        },
    }
    # What changes the outcome names the evidence: no words and no file names, which do not.
    if acceptance.k and not by.same_candidate:
        parameters["neighbors_of"] = target.system or acceptance.system
    samples = samples_for(target, by, acceptance.munsell, acceptance.by_number)
    if samples is not None:
        parameters["munsell_sha256"] = samples.sha256
    if unguided:
        parameters["guided"] = False
    cache = cache or MaskCache()
    measured, colors, notes = _inside(srgb8, mask, by.cleanup, cache)
    allowed_lab = np.array([c.lab for c in allowed])
    if by.lit:
        lit = _lit(colors, cache)
        if cache.rivals is None:
            cache.rivals = misfits_of_rivals(lit)
        verdict = judge_lit(lit, allowed_lab, by, parameters, cache.rivals)
        assert verdict.light is not None
        dominant = dominants.lit(lit, verdict.light.percentile)
    else:
        dominant = _dominant(colors, by, target, cache)
        verdict = judge(dominant.lab, target.lab, allowed_lab, by, parameters)
    if target_object.relation == DIFFERS:
        verdict = replace(verdict, status=FAIL if verdict.status == PASS else PASS)
        verdict = replace(
            verdict, reason=explain_differs(verdict, target_object.name, target.name or "")
        )
    else:
        verdict = replace(verdict, reason=explain(verdict, target_object.name, target.name or ""))
    return Measurement(
        verdict,
        target,
        allowed,
        target_object.name,
        mask_px,
        how,
        measured,
        colors,
        dominant,
        notes,
        target_object.relation,
    )


def measure_by_rules(
    srgb8: np.ndarray,
    mask: np.ndarray,
    target: ColorTarget,
    rule_ids: Iterable[str],
    *,
    acceptance: Acceptance = AS_ASKED,
    target_object: TargetObject = AN_OBJECT,
    cache: MaskCache | None = None,
) -> Iterator[Measurement]:
    """Yields the measurement of each rule, as :func:`measure`, looking at the pixels once; with
    ``cache`` once for several targets.

    A rule that cannot judge what the others can comes out as ``unscored`` with its reason. Raises
    MaskError or NoPixels when none can.
    """
    check_pair(srgb8, mask)
    cache = cache or MaskCache()
    for rule_id in rule_ids:
        try:
            yield measure(
                srgb8,
                mask,
                target,
                rule_id,
                acceptance=acceptance,
                target_object=target_object,
                cache=cache,
            )
        except TrueHueError as error:
            yield unscored_measurement(
                str(error), target, rule_id, target_object.name, target_object.relation
            )


_Inside = tuple[np.ndarray, MaskedColors, tuple[str, ...]]


@dataclass
class MaskCache:
    """What several rules and targets need of the same pixels: found by the first, used by the others.

    ``inside`` by whether the clean-up came first; ``selection`` after it, and ``released`` the
    dominant colors by the color that guided; ``lit`` without it, and its ``rivals``.
    """

    inside: dict[bool, _Inside] = field(default_factory=dict)
    selection: Selection | None = None
    released: dict[tuple[float, float, float] | None, DominantColor] = field(default_factory=dict)
    lit: LitColor | None = None
    rivals: RivalMisfits | None = None


def _inside(srgb8: np.ndarray, mask: np.ndarray, cleanup: bool, cache: MaskCache) -> _Inside:
    """The measured mask, its colors and the clean-up's notes; from ``cache`` if they are there."""
    if cleanup in cache.inside:
        return cache.inside[cleanup]
    measured, notes = mask, []
    if cleanup:
        cleaned = released_cleanup(srgb8, mask)
        measured = cleaned.pixels
        area = int(np.count_nonzero(mask))
        if cleaned.undone:
            notes.append(
                "The clean-up would have left under 20% of the mask, so it was undone: "
                "the object is mostly dark or gray."
            )
        if cleaned.removed_px:
            share = 100.0 * cleaned.removed_px / area
            notes.append(
                f"The clean-up excluded {share:.1f}% of the mask: shadows, grays, small fragments."
            )
        if cleaned.added_px:
            notes.append(f"Closing gaps, it added {cleaned.added_px:,} pixels outside the mask.")
    other = cache.inside.get(not cleanup)
    if other is None:
        colors = distinct_colors(srgb8, measured)
    else:
        colors = changed_colors(other[1], srgb8, other[0], measured)
    inside = measured, colors, tuple(notes)
    cache.inside[cleanup] = inside
    return inside


def measurement_sentence(measurement: Measurement) -> str:
    """:func:`plain_sentence` of a measurement."""
    verdict = measurement.verdict
    distance, light, name = (
        verdict.metric("delta_e00"),
        verdict.light,
        measurement.object_name.strip(),
    )
    if verdict.lab is None or verdict.offset is None or distance is None:
        return ""
    rival = verdict.rival if verdict.rival and verdict.rival.decides else None
    return plain_sentence(
        verdict.status,
        f"the {name}" if name else "the color",
        measurement.target,
        forbidden=measurement.relation == DIFFERS,
        lab=verdict.lab,
        offset=asdict(verdict.offset),
        delta_e00=distance.value,
        unlikely_light=is_light_unlikely(verdict.lab, light.seen_lab, light.cost)
        if light
        else None,
        rival=rival_label(rival.name, rival.system, measurement.target.name) if rival else "",
    )


def unscored_measurement(
    reason: str, target: ColorTarget, rule_id: str, object_name: str = "", relation: str = MATCHES
) -> Measurement:
    """A measurement whose status is ``unscored``, with the reason and no numbers."""
    verdict = unscored(reason, rule(rule_id))
    assert verdict.status == UNSCORED
    return Measurement(verdict, target, (), object_name, relation=relation)


def _lit(colors: MaskedColors, cache: MaskCache) -> LitColor:
    if cache.lit is None:
        cache.lit = lit_color(colors.srgb8, colors.lab, colors.counts)
    return cache.lit


def _dominant(
    colors: MaskedColors, by: Rule, target: ColorTarget, cache: MaskCache
) -> DominantColor:
    if by.dominant == "released":
        if cache.selection is None:
            cache.selection = dominants.select_released(colors.lab, colors.counts)
        guide_lab = target.lab if by.guided else None
        if guide_lab not in cache.released:
            cache.released[guide_lab] = dominants.released(
                colors.lab,
                colors.counts,
                selection=cache.selection,
                target_lab=None if guide_lab is None else np.array(guide_lab),
            )
        return cache.released[guide_lab]
    if by.dominant not in ("paper", "paper-centred"):
        raise ValueError(
            f"The rule {by.id} has no measurement of its dominant color {by.dominant!r}."
        )
    return dominants.paper(colors.lab, colors.counts, centered=by.dominant == "paper-centred")
