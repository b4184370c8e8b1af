"""A verdict in one plain sentence, and the reason of a fail in a few words, for cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from truehue.core.color.systems import ColorTarget, nearest_names
from truehue.core.verdict.judge import FAIL, PASS
from truehue.core.verdict.measure import Measurement
from truehue.core.verdict.reasons import SMALL
from truehue.core.verdict.rules import DIFFERS

AS_REQUESTED = ", as requested."
"""How the sentence of a pass ends."""
SHOWN_HUE_DEG = 15.0
"""From here on the hue is said; below it, lightness and vividness."""


def color_name(lab: Sequence[float], system: str = "l1") -> str:
    """The nearest name of a color, in lower case: of level 1 one of thirteen."""
    return _color_name(tuple(lab), system)


@lru_cache(maxsize=4096)
def _color_name(lab: tuple[float, ...], system: str) -> str:
    return nearest_names(np.array(lab), system, 1)[0][0].name.lower()


def short_reason(
    lab: Sequence[float],
    target_lab: Sequence[float],
    offset: Mapping[str, float | None],
    target_name: str = "",
) -> str:
    """What distinguishes a measured color from its target: ``"yellow, not purple; hue 137° off"``.

    Both are CIELAB. ``offset`` has ``lightness``, ``chroma`` and ``hue_deg`` of
    :class:`truehue.core.verdict.judge.Offset`. A target with a name is called by it: the nearest
    other name of CSS red is orange. Names that are equal at levels 1 and 2 are not said.
    """
    names = _names(lab, target_lab, target_name)
    parts = [names] if names else []
    hue = abs(offset.get("hue_deg") or 0.0)
    directions = _directions(offset.get("lightness") or 0.0, offset.get("chroma") or 0.0)
    if hue >= SHOWN_HUE_DEG:
        parts.append(f"hue {hue:.0f}° off")
    elif directions:
        parts.append(" and ".join(directions))
    return "; ".join(parts)


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
    return plain_sentence(
        verdict.status,
        f"the {name}" if name else "the color",
        measurement.target,
        forbidden=measurement.relation == DIFFERS,
        lab=verdict.lab,
        offset=asdict(verdict.offset),
        delta_e00=distance.value,
        unlikely_light=light is not None and light.cost > distance.value,
    )


def plain_sentence(
    status: str,
    label: str,
    target: ColorTarget,
    *,
    forbidden: bool,
    lab: Sequence[float],
    offset: Mapping[str, float | None],
    delta_e00: float,
    unlikely_light: bool = False,
) -> str:
    """A verdict in one sentence without rule or jargon: ``"The mug is 13.6 ΔE00 too dark."``

    ``label`` is the object with its article; ``lab`` the measured color in CIELAB; ``offset`` and
    ``delta_e00`` are those of the verdict; ``unlikely_light`` says that the light fails, not the
    distance. Empty for a verdict that is neither pass nor fail.
    """
    subject, color = _subject(label), _color_words(target)
    is_color = f"is {color}" if target.name else f"matches {color}"
    if status == PASS:
        is_not = f"is not {color}" if target.name else f"does not match {color}"
        return f"{subject} {is_not if forbidden else is_color}{AS_REQUESTED}"
    if status != FAIL:
        return ""
    if forbidden:
        return f"{subject} {is_color}, which it must not be."
    if unlikely_light:
        return f"{subject} would match {color} only under an unlikely light."
    names = _names(lab, target.lab, target.name or "")
    if names:
        return f"{subject} is {names}."
    faults = _faults(offset.get("lightness") or 0.0, offset.get("chroma") or 0.0)
    if faults and faults[0].startswith("too") and len(faults) == 1:
        return f"{subject} is {delta_e00:.1f} ΔE00 {faults[0]}."
    if faults:
        return f"{subject} is {' and '.join(faults)}: {delta_e00:.1f} ΔE00 from {color}."
    return f"{subject} is {delta_e00:.1f} ΔE00 away from {color}."


def _subject(label: str) -> str:
    """``"The mug"``; ``"The color of the scissors"``: one verb for every noun."""
    plural = label.endswith("s") and not label.endswith(("ss", "us"))
    subject = f"the color of {label}" if plural else label
    return f"{subject[:1].upper()}{subject[1:]}"


def _color_words(target: ColorTarget) -> str:
    return target.name.lower() if target.name else target.hex


def _names(lab: Sequence[float], target_lab: Sequence[float], target_name: str) -> str:
    """``"yellow, not purple"``; empty where both have the same names at levels 1 and 2."""
    for system in ("l1", "l2"):
        measured, nearest = color_name(lab, system), color_name(target_lab, system)
        target = target_name.lower() or nearest
        if measured not in (nearest, target):
            return f"{measured}, not {target}"
    return ""


def _faults(lightness: float, chroma: float) -> list[str]:
    parts = []
    if abs(lightness) >= SMALL:
        parts.append("too light" if lightness > 0 else "too dark")
    if abs(chroma) >= SMALL:
        parts.append("too vivid" if chroma > 0 else "not vivid enough")
    return parts


def _directions(lightness: float, chroma: float) -> list[str]:
    parts = []
    if abs(lightness) >= SMALL:
        parts.append("lighter" if lightness > 0 else "darker")
    if abs(chroma) >= SMALL:
        parts.append("more vivid" if chroma > 0 else "less vivid")
    return parts
