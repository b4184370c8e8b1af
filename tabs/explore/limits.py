"""Live thresholds of the leaderboard: the adjustable ones, and their description.

They never change a stored verdict: the numbers are recounted for each request.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TypedDict

from truehue.core.color.formulas import formula
from truehue.core.errors import BadInput
from truehue.core.verdict.rules import Rule, rule

_LABELS = {
    "delta_chroma": ("Δa*b*", "", 30.0, 0.5),
    "delta_e00": ("ΔE00", "", 30.0, 0.5),
    "hue_deg": ("Hue", "°", 180.0, 1.0),
    "misfit": ("Mismatch score", "", 20.0, 0.1),
}
"""Name, unit, where the slider ends and its step, by metric."""

OTHER_FORMULAS = {
    "cie1976": 10.0,
    "cie1994_graphic_arts": 5.0,
    "cie1994_textiles": 5.0,
    "cmc_2_1": 5.0,
    "cmc_1_1": 5.0,
    "cam16_ucs": 5.0,
    "itp": 20.0,
    "hyab": 10.0,
}
"""Differences by which the measured color can be compared with the target's in place of the rule,
with the limit that is offered first. These are no standard."""
MAX_LIMIT = 1000.0


def has_adjustable_limits(by: Rule) -> bool:
    """Whether the stored numbers of a rule say who passes with other limits."""
    return not by.same_candidate


def default_limits(by: Rule) -> dict[str, float]:
    """The limits that a rule judges by, in the order in which they are told."""
    limits = {name: getattr(by.thresholds, name) for name in _LABELS}
    return {name: value for name, value in limits.items() if value is not None}


def limits_of(params: Mapping[str, str], rule_id: str) -> dict[str, float]:
    """The limits of a link, ``limits=delta_e00:7,hue_deg:20``: all of the rule's, with those that
    are named changed; or ``limits=cam16_ucs:5``, another difference in place of the rule. Empty where
    none differs from the rule's own.

    Raises BadInput for a rule whose stored numbers cannot say, for a metric that is neither the rule's
    nor a formula, and for a number that is not above 0 and at most 1,000.
    """
    text = params.get("limits", "").strip()
    if not text:
        return {}
    by = rule(rule_id)
    usual = default_limits(by)
    other, _, value = text.partition(":")
    if other in OTHER_FORMULAS:
        return {other: _number(other, value)}
    if not has_adjustable_limits(by):
        raise BadInput(fixed_limits_reason(by))
    limits = dict(usual)
    for part in text[:200].split(","):
        name, _, value = part.partition(":")
        if name not in usual:
            raise BadInput(
                f"The rule {by.name} has no threshold {name[:40]!r}: it has {', '.join(usual)}."
            )
        limits[name] = _number(name, value)
    return {} if limits == usual else limits


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and 0 < value <= MAX_LIMIT):
        raise BadInput(f"The threshold of {name} is {text[:40]!r}: give a number above 0, as in 5.")
    return value


def fixed_limits_reason(by: Rule) -> str:
    """Why the limits of a rule cannot be moved here; empty where they can."""
    if has_adjustable_limits(by):
        return ""
    return (
        f"The thresholds of {by.name} cannot be adjusted: all its metrics must pass on one "
        "accepted color, and the numbers of one color are stored. With other thresholds another "
        "color could pass."
    )


class LimitJson(TypedDict):
    """A threshold as a slider: the rule's own value and the current one."""

    id: str
    name: str
    unit: str
    usual: float
    now: float
    most: float
    step: float


class LimitsJson(TypedDict):
    """The thresholds of a rule; ``why_not`` says why none can be moved."""

    metrics: list[LimitJson]
    formulas: list[LimitJson]
    formula: str
    why_not: str
    words: str


def limits_view(rule_id: str, limits: Mapping[str, float]) -> LimitsJson:
    """The limits as the page moves them; ``limits`` as :func:`limits_of` gave them."""
    by = rule(rule_id)
    usual = default_limits(by)
    words = ""
    formula_id = next((name for name in limits if name in OTHER_FORMULAS), "")
    if formula_id:
        words = (
            f"By {formula(formula_id).name} to the target’s color, below {limits[formula_id]:g}, in "
            f"place of the rule: the color that {by.name} measured counts, and no other color is "
            "accepted."
        )
    parts = [
        f"{_LABELS[name][0]} below {limits[name]:g}{_LABELS[name][1]} instead of {value:g}"
        for name, value in usual.items()
        if name in limits and limits[name] != value
    ]
    if parts:
        words = f"With your thresholds: {'; '.join(parts)}."
    return {
        "metrics": [
            {
                "id": name,
                "name": _LABELS[name][0],
                "unit": _LABELS[name][1],
                "usual": value,
                "now": limits.get(name, value),
                "most": _LABELS[name][2],
                "step": _LABELS[name][3],
            }
            for name, value in usual.items()
        ]
        if has_adjustable_limits(by)
        else [],
        "formulas": [
            {
                "id": name,
                "name": formula(name).name,
                "unit": "",
                "usual": first,
                "now": limits.get(name, first),
                "most": 8.0 * first,
                "step": 0.5,
            }
            for name, first in OTHER_FORMULAS.items()
        ],
        "formula": formula_id,
        "why_not": fixed_limits_reason(by),
        "words": f"{words} Stored data stays unchanged, there are no ranks, and a number opens its "
        "images by the rule's own thresholds."
        if words
        else "",
    }
