"""Plain sentences for verdicts: the rule, the difference, its size and direction; short for cards.

A verdict is a rule's finding and no fact about the object, so every sentence names its rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from truehue.core.color.difference import HUE_GATE_CHROMA, delta_e00, hue_word
from truehue.core.color.people import Naming, naming
from truehue.core.color.spaces import chroma, hue_deg
from truehue.core.color.systems import ColorTarget
from truehue.core.errors import enumeration
from truehue.core.verdict.rules import DIFFERS, FAIL, PASS, UNSCORED, LightMatch, Offset, Verdict
from truehue.core.verdict.truehue import LIGHTNESS_K

if TYPE_CHECKING:
    from truehue.core.verdict.expectations import Expectation

SMALL = 5.0
"""From here on a difference of lightness or chroma is named outright, in CIELAB units."""
SLIGHT = 2.0
HUE_RIGHT_DEG = 5.0
SHOWN_PENALTY = 0.05
"""Penalties below it are 0.0 at one decimal."""


BY = "By "


def by(rule_id: str, text: str) -> str:
    """``"By paper: the plate took the apple's color."``; words that name a rule stay."""
    if text.startswith(BY):
        return text
    return f"{BY}{rule_id}: {text[:1].lower()}{text[1:]}"


def without_rule(text: str) -> tuple[str, str]:
    """What :func:`by` put before a sentence (empty if nothing), and the sentence as it began."""
    if not text.startswith(BY):
        return "", text
    rule_id, _, rest = text.removeprefix(BY).partition(": ")
    return f"{BY}{rule_id}: ", f"{rest[:1].upper()}{rest[1:]}"


def explain(verdict: Verdict, object_name: str = "", target_name: str = "") -> str:
    """The sentence after "Passes" or "Fails"; ``object_name`` and ``target_name`` may be empty.

    It names the rule. Everything is said of the candidate that the ΔE00 was taken on, so that
    distance and directions belong to one color.
    """
    if verdict.status == UNSCORED:
        return verdict.reason
    return by(verdict.rule, account(verdict, object_name, target_name))


def account(verdict: Verdict, object_name: str = "", target_name: str = "") -> str:
    """The same without the rule, of a verdict with numbers: ``"13.6 ΔE00 from the asked …"``."""
    distance = verdict.metric("delta_e00")
    assert distance is not None
    assert verdict.offset is not None
    against = "the target color"
    if verdict.nearest:
        same = all(metric.candidate == verdict.nearest for metric in verdict.metrics)
        against = "an accepted color" if same else "the nearest accepted color"
    lead = f"{distance.value:.1f} ΔE00 from {against}"
    if verdict.light is not None:
        said = _in_light(verdict, verdict.light, object_name.strip(), target_name)
        return f"{lead} {said}."
    if verdict.status == FAIL:
        if distance.passed:
            lead += _what_failed(verdict)
        return f"{lead}; {_what_differs(verdict, verdict.offset, object_name.strip())}."
    if len({metric.candidate for metric in verdict.metrics}) > 1:
        return f"{lead}; each metric is met, though by different accepted colors."
    return f"{lead}; every metric is below its limit."


def explain_differs(verdict: Verdict, object_name: str = "", target_name: str = "") -> str:
    """The sentence for an object that must not have a color (COA's second object)."""
    if verdict.status == UNSCORED:
        return verdict.reason
    distance = verdict.metric("delta_e00")
    assert distance is not None
    name = object_name.strip()
    lead = f"{distance.value:.1f} ΔE00 from the color that {f'the {name}' if name else 'it'}"
    lead = by(verdict.rule, f"{lead} must not take")
    if verdict.light is not None:
        if verdict.status == FAIL:
            return f"{lead}, under the estimated light ({_how_lit(verdict.light)})."
        return f"{lead}, {_unlikely(verdict, verdict.light, target_name)}; it does not match it."
    if verdict.status == FAIL:
        return f"{lead}; every metric is below its limit."
    return f"{lead}; it does not match it."


def _in_light(verdict: Verdict, light: LightMatch, name: str, target_name: str) -> str:
    """The part of a difference that the image's light explains, and the rest."""
    if verdict.status == PASS:
        return f"under the estimated light ({_how_lit(light)}); {_misfit(verdict, 'below')}"
    assert verdict.offset is not None
    text = _unlikely(verdict, light, target_name)
    if _costs_more(verdict, light) or _is_beaten(verdict):
        return text
    return f"{text}; {_what_differs(verdict, verdict.offset, name)}"


def _how_lit(light: LightMatch) -> str:
    text = f"{100.0 * light.factor:.0f}% intensity"
    if light.haze_percent >= 0.5:
        text += f", {light.haze_percent:.1f}% haze"
    return text


def _unlikely(verdict: Verdict, light: LightMatch, target_name: str) -> str:
    """The light of a color that does not match, and what is wrong with it if the light is."""
    rival = verdict.rival
    if rival is not None and rival.decides:
        text = f"under the estimated light ({_how_lit(light)})"
        name = rival_label(rival.name, rival.system, target_name)
        return f"{text}, but {name} explains the image better: {_misfit(verdict, 'over')}"
    if _costs_more(verdict, light):
        text = f"but only under an unlikely light ({_how_lit(light)})"
        return f"{text}: {_misfit(verdict, 'over')}"
    return f"under the estimated light ({_how_lit(light)}); {_misfit(verdict, 'over')}"


def rival_label(name: str, system_id: str, target_name: str | None) -> str:
    """``"sienna"``; with its system where the target has the same name: ``"level-2 red"``."""
    label = name.lower()
    if label != (target_name or "").lower():
        return label
    return f"{RIVAL_SYSTEM_LABELS.get(system_id, 'another')} {label}"


RIVAL_SYSTEM_LABELS = {"l2": "level-2", "css": "CSS"}


def _is_beaten(verdict: Verdict) -> bool:
    """Whether the color would match without a rival."""
    return verdict.rival is not None and verdict.rival.decides


def is_light_unlikely(lab: Sequence[float], seen_lab: Sequence[float], cost: float) -> bool:
    """Whether the light speaks more against a color than the distance that is left in this light.

    Both are parts of the mismatch score, so the distance is its own: CIEDE2000 with
    :data:`truehue.core.verdict.truehue.LIGHTNESS_K`, not the ΔE00 that is shown.
    """
    return cost > float(delta_e00(np.array(lab), np.array(seen_lab), LIGHTNESS_K))


def _costs_more(verdict: Verdict, light: LightMatch) -> bool:
    """Whether it is the light rather than the distance that does not fit."""
    assert verdict.lab is not None
    return is_light_unlikely(verdict.lab, light.seen_lab, light.cost)


def _what_failed(verdict: Verdict) -> str:
    """Names the metric that fails when it is not the ΔE00 that the sentence begins with."""
    chroma_metric, hue = verdict.metric("delta_chroma"), verdict.metric("hue_deg")
    parts = []
    if chroma_metric is not None and not chroma_metric.passed:
        parts.append(f"Δa*b* is {chroma_metric.value:.1f}, over {chroma_metric.threshold:g}")
    if hue is not None and not hue.passed:
        parts.append(f"hue differs by {hue.value:.0f}°, over {hue.threshold:g}°")
    return f", but {' and '.join(parts)}"


def _what_differs(verdict: Verdict, offset: Offset, name: str) -> str:
    # "The color of the scissors is": one verb for every noun.
    subject = f"the color of the {name}" if name else "the color"
    parts = _directions(offset, SMALL, "")
    if not parts and (offset.hue_deg is None or abs(offset.hue_deg) < HUE_RIGHT_DEG):
        parts = _directions(offset, SLIGHT, "slightly ")
    # Of a lit color: darker than the asked one it often is too, for that lies in full light.
    against = "requested" if verdict.light is None else "the target color under this light"
    text = f"{subject} is {' and '.join(parts)} than {against}" if parts else ""
    hue = _hue(verdict, offset)
    if text:
        return f"{hue}; {text}"
    if offset.hue_deg is None:
        return f"{hue}; the tint differs from the target"
    return f"{hue}; lightness and chroma are close{_penalties(verdict)}"


def _penalties(verdict: Verdict) -> str:
    """What the mismatch score adds to a small difference: a verdict that fails by it says so."""
    parts = []
    if verdict.light is not None and verdict.light.cost >= SHOWN_PENALTY:
        parts.append(f"{verdict.light.cost:.1f} for this light")
    rival = verdict.rival
    if rival is not None and rival.cost >= SHOWN_PENALTY:
        name = rival_label(rival.name, rival.system, None)
        parts.append(f"{rival.cost:.1f} because {name} explains the image better")
    return f"; penalties: {', '.join(parts)}" if parts else ""


def _directions(offset: Offset, least: float, how: str) -> list[str]:
    parts = []
    if abs(offset.lightness) >= least:
        parts.append(how + ("lighter" if offset.lightness > 0 else "darker"))
    if abs(offset.chroma) >= least:
        parts.append(how + ("more vivid" if offset.chroma > 0 else "less vivid"))
    return parts


def _hue(verdict: Verdict, offset: Offset) -> str:
    if offset.hue_deg is None:
        assert verdict.lab is not None
        achromatic = float(chroma(verdict.lab)) < HUE_GATE_CHROMA  # type: ignore[arg-type]
        which = "the measured color" if achromatic else "the target color"
        return f"{which} is too near neutral to compare hues"
    turn = abs(offset.hue_deg)
    if turn < HUE_RIGHT_DEG:
        return "the hue is right"
    assert verdict.lab is not None
    word = hue_word(float(hue_deg(np.array(verdict.lab))), offset.hue_deg)
    return f"the hue is {turn:.0f}° off" + (f", {word}" if word else "")


def _misfit(verdict: Verdict, side: str) -> str:
    """The number that decides, and its limit."""
    misfit = verdict.metric("misfit")
    assert misfit is not None
    assert misfit.threshold is not None
    return f"mismatch score {misfit.value:.1f}, {side} {misfit.threshold:g}"


def sentence(text: str, reason: str = "") -> str:
    """``text`` as a sentence, and after a colon or as a second one the reason, if there is one."""
    start = f"{text[:1].upper()}{text[1:]}"
    return f"{start}: {reason}" if reason else f"{start}."


def measured(expectation: Expectation, verdict: Verdict) -> str:
    """What the verdict on one measured object says of it alone, and by which rule."""
    far = _far(verdict)
    if verdict.status not in (PASS, FAIL):
        return sentence(f"the color of {expectation.label} cannot be scored", verdict.reason)
    if expectation.relation == DIFFERS:
        has = "has not taken" if verdict.status == PASS else "took"
        return by(verdict.rule, f"{expectation.label} {has} the target color{far}.")
    if verdict.status == PASS:
        return by(verdict.rule, f"{expectation.label} has the target color{far}.")
    reference = ", the reference," if expectation.target.role == "reference" else ""
    said = account(verdict, target_name=expectation.color.name or "")
    return by(verdict.rule, f"the color of {expectation.label}{reference} is {said}")


def _far(verdict: Verdict) -> str:
    """How far from the color it is, with a comma before; nothing where it is the light that does
    not fit, or a rival fits better, for then it may be near and yet not match."""
    distance, misfit, light = verdict.metric("delta_e00"), verdict.metric("misfit"), verdict.light
    if distance is None:
        return ""
    matches = misfit is None or misfit.passed
    light_decides = light is not None and not matches and _costs_more(verdict, light)
    if light_decides or _is_beaten(verdict):
        return ""
    shown = " under the estimated light" if light is not None else ""
    return f", {distance.value:.1f} ΔE00 from it{shown}"


def has_other_color(expectation: Expectation, other: Expectation) -> str:
    """An object has the color that was asked of another one."""
    return sentence(f"{expectation.label} took {_of(other)} color")


def colors_swapped(expectation: Expectation, other: Expectation) -> str:
    """Two objects have each other's color."""
    return sentence(f"{expectation.label} and {other.label} swapped colors")


def leans_to_color(expectation: Expectation, other: Expectation) -> str:
    """An object's color lies between its own and that of another one."""
    return sentence(f"{expectation.label} took on part of {_of(other)} color")


def join_sentences(sentences: Iterable[str]) -> str:
    """Several sentences, none twice; those without numbers first, for a card may cut the rest.

    What names no rule, such as that an object is not there, stands before what does, and the rule
    is named once.
    """
    parts = [without_rule(sentence) for sentence in dict.fromkeys(sentences)]
    parts.sort(key=lambda part: (bool(part[0]), "ΔE00" in part[1] or ": " in part[1]))
    partial_type, named = [], ""
    for rule_words, rest in parts:
        same_rule = rule_words in ("", named)
        partial_type.append(rest if same_rule else f"{rule_words}{rest[:1].lower()}{rest[1:]}")
        named = rule_words or named
    return " ".join(partial_type)


def right(expectations: Sequence[Expectation]) -> str:
    """All objects are as asked."""
    has = [expectation.label for expectation in expectations if expectation.relation != DIFFERS]
    free = [expectation.label for expectation in expectations if expectation.relation == DIFFERS]
    same = len({expectation.color.hex for expectation in expectations}) == 1
    if len(has) == 1:
        text = f"{has[0]} has the target color"
    elif same:
        text = f"{enumeration(has)} have the target color"
    else:
        text = f"{enumeration(has)} each have their target color"
    return sentence(f"{text}, and {enumeration(free)} did not take it" if free else text)


def _of(expectation: Expectation) -> str:
    """``"the apple's"``, ``"the scissors'"``."""
    return expectation.label + ("'" if expectation.label.endswith("s") else "'s")


AS_REQUESTED = ", as requested."
"""How the sentence of a pass ends."""
SHOWN_HUE_DEG = 15.0
"""From here on the hue is said; below it, lightness and chroma."""
OTHER_NAME = 10.0
"""With the right hue, a measured color has another name from this difference of lightness or chroma
on, in CIELAB units. Of a lit color it is the difference from the target under that light."""
NAME_SHARE = 0.25
"""A color is called by a name that at least this share of people use for it."""
TARGET_SHARE = 0.1
"""Where at least this share of people call the measured color by the target's name, it has no other."""


def short_reason(
    lab: Sequence[float],
    target_lab: Sequence[float],
    offset: Mapping[str, float | None],
    target_name: str = "",
) -> str:
    """What distinguishes a measured color from its target: ``"yellow, not purple; hue 137° off"``.

    Both are CIELAB. ``offset`` has ``lightness``, ``chroma`` and ``hue_deg`` of
    :class:`truehue.core.verdict.rules.Offset`. The measured color has the name that people use
    most, where that is no name that they use for the target.
    """
    name = _other_name(lab, target_lab, target_name, offset)
    parts = [f"{name}, not {target_name.lower()}" if target_name else name] if name else []
    hue = abs(offset.get("hue_deg") or 0.0)
    directions = _short_directions(offset.get("lightness") or 0.0, offset.get("chroma") or 0.0)
    if hue >= SHOWN_HUE_DEG:
        parts.append(f"hue {hue:.0f}° off")
    elif directions:
        parts.append(" and ".join(directions))
    return "; ".join(parts)


def plain_sentence(
    status: str,
    label: str,
    target: ColorTarget,
    *,
    forbidden: bool,
    lab: Sequence[float],
    offset: Mapping[str, float | None],
    delta_e00: float,
    unlikely_light: bool | None = None,
    rival: str = "",
) -> str:
    """A verdict in one sentence without rule or jargon: ``"The mug is too dark: 13.6 ΔE00 from navy."``

    ``label`` is the object with its article; ``lab`` the measured color in CIELAB; ``offset`` and
    ``delta_e00`` are those of the verdict; ``unlikely_light`` is :func:`is_light_unlikely` of the
    estimated light, None for a rule that estimates none; ``rival`` the
    :func:`rival_label` of the color without which the target would match (:attr:`Rival.decides`).
    Empty for a verdict that is neither pass nor fail.
    """
    subject, color = _subject(label), _format_color(target)
    is_color = f"is {color}" if target.name else f"matches {color}"
    if status == PASS:
        is_not = f"is not {color}" if target.name else f"does not match {color}"
        return f"{subject} {is_not if forbidden else is_color}{AS_REQUESTED}"
    if status != FAIL:
        return ""
    if forbidden:
        return f"{subject} {is_color}, which it must not be."
    if rival:
        return f"{rival[:1].upper()}{rival[1:]} fits {label} better than {color}."
    if unlikely_light:
        return f"{subject} would match {color} only under an unlikely light."
    away = f"{delta_e00:.1f} ΔE00 from {color}{'' if unlikely_light is None else ' in this light'}"
    name = _other_name(lab, target.lab, target.name or "", offset)
    if name and target.name:
        return f"{subject} is {name}, not {color}."
    if name:  # what a code looks like may well have the same name
        return f"{subject} is {name}: {away}."
    share = _naming(tuple(lab)).share_of(target.name or "") or 0.0
    if share >= NAME_SHARE:
        away += f"; {share:.0%} of people do call it {color}"
    hue = abs(offset.get("hue_deg") or 0.0)
    if hue >= SHOWN_HUE_DEG:
        return f"{subject} has another hue, {hue:.0f}° off: {away}."
    faults = _faults(offset.get("lightness") or 0.0, offset.get("chroma") or 0.0)
    return f"{subject} is {' and '.join(faults)}: {away}." if faults else f"{subject} is {away}."


def _subject(label: str) -> str:
    """``"The mug"``; ``"The color of the scissors"``: one verb for every noun."""
    plural = label.endswith("s") and not label.endswith(("ss", "us"))
    subject = f"the color of {label}" if plural else label
    return f"{subject[:1].upper()}{subject[1:]}"


def _format_color(target: ColorTarget) -> str:
    return target.name.lower() if target.name else target.hex


def _other_name(
    lab: Sequence[float],
    target_lab: Sequence[float],
    target_name: str,
    offset: Mapping[str, float | None],
) -> str:
    """``"yellow"``: what most people call the measured color; empty where people do not agree on a
    name, call it by the target's, or where the verdict's numbers are of colors too alike for it."""
    hue = offset.get("hue_deg")
    differences = (offset.get("lightness") or 0.0, offset.get("chroma") or 0.0)
    hue_is_right = hue is not None and abs(hue) < SHOWN_HUE_DEG
    if hue_is_right and max(map(abs, differences)) < OTHER_NAME:
        return ""
    measured, target = _naming(tuple(lab)), _naming(tuple(target_lab))
    first = measured.names[0]
    alike = max(measured.share_of(name) or 0.0 for name in (target_name, target.names[0].name))
    return first.name if first.share >= NAME_SHARE and alike < TARGET_SHARE else ""


@lru_cache(maxsize=4096)
def _naming(lab: tuple[float, ...]) -> Naming:
    return naming(lab)


def _faults(lightness: float, chroma: float) -> list[str]:
    parts = []
    if abs(lightness) >= SMALL:
        parts.append("too light" if lightness > 0 else "too dark")
    if abs(chroma) >= SMALL:
        parts.append("too vivid" if chroma > 0 else "not vivid enough")
    return parts


def _short_directions(lightness: float, chroma: float) -> list[str]:
    parts = []
    if abs(lightness) >= SMALL:
        parts.append("lighter" if lightness > 0 else "darker")
    if abs(chroma) >= SMALL:
        parts.append("more vivid" if chroma > 0 else "less vivid")
    return parts
