"""The rule ``truehue``: could the asked color look like this in the light of this image?

Light scales a color and lays white over it (:mod:`core.color.lit`); it does not turn its hue and
does not make it more vivid. So the asked color is put into the light, ``factor × asked + haze`` in
linear sRGB and clipped as a camera clips it, and compared with the lit color of the object by
CIEDE2000. Light that is less likely costs: the best account of the image is the one with the least
``misfit``, the root of the sum of the squares of the distance and of what its light costs.

The costs are in units of ΔE00, so that one of them means as much as the distance. The README says
how they and the limit were chosen, and what was seen of the other half while choosing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.color.difference import delta_chroma, delta_e00, hue_difference_deg
from core.color.lit import LitColor
from core.color.spaces import lab_to_xyz1, linear1_to_xyz1, xyz1_to_lab, xyz1_to_linear1
from core.errors import BadInput
from core.verdict.judge import FAIL, PASS, LightMatch, Metric, Verdict, offset_between
from core.verdict.rules import Rule

FULL_LIGHT = (0.93, 1.0)
"""Factors that cost nothing: on almost every object some surface faces the light."""
DARKER_COST = 9.0
"""ΔE00 for each factor of e by which the lit part is darker than full light, in deep shade."""
EVEN_LIGHT_ROOM = 0.6
"""In even light there is less to excuse it by: the cost is divided by this, in deep shade by 1."""
BRIGHTER_COST = 40.0
"""ΔE00 for each factor of e by which it is brighter: only the exposure can do that."""
HAZE_COST = 3.0
"""ΔE00 for a haze of :data:`SURFACE_HAZE1` over the lit part."""
SURFACE_HAZE1 = 0.04
"""What a surface of refractive index 1.5 reflects of a white surround, ((1.5 - 1) / (1.5 + 1))²
(Fresnel, normal incidence)."""
MOST_HAZE1 = 0.08
CONFIDENCE_SLOPE = 5.0
"""Of the logistic curve over the logarithm of the misfit over its limit: about what fits how often
verdicts on path-traced renders were right."""
_HAZES = 7
# Full light itself is among them: a color that is just right is found at a distance of 0.
_FACTORS = np.concatenate([np.geomspace(0.45, 1.0, 33), np.geomspace(1.0, 1.4, 15)[1:]])


def judge_lit(
    lit: LitColor,
    candidates_lab: np.ndarray,
    rule: Rule,
    parameters: dict[str, Any] | None = None,
) -> Verdict:
    """Judges a lit color; ``candidates_lab`` ``(M, 3)`` with the nominal color first.

    The ``misfit`` of the best account judges, below the rule's threshold. ``delta_e00``,
    ``delta_chroma`` and ``hue_deg`` between the found color and that candidate as the light shows
    it (``Verdict.light``) are told. The reason is left empty. Raises BadInput without a candidate
    or a threshold.
    """
    candidates_lab = np.asarray(candidates_lab, dtype=np.float64).reshape(-1, 3)
    limit = rule.thresholds.misfit
    if not candidates_lab.size or limit is None:
        raise BadInput("A verdict needs a color that was asked for, and a limit of the misfit.")
    haze_most1 = min(MOST_HAZE1, float(lit.linear1.min()))
    hazes1 = np.linspace(0.0, haze_most1, _HAZES)
    cost = np.hypot(factor_cost(_FACTORS, lit.contrast)[:, None], haze_cost(hazes1)[None, :])
    asked1 = xyz1_to_linear1(lab_to_xyz1(candidates_lab))
    seen1 = asked1[:, None, None] * _FACTORS[None, :, None, None] + hazes1[None, None, :, None]
    seen_lab = _lab(np.minimum(seen1, 1.0))
    found_lab = _lab(lit.linear1)
    distance = delta_e00(seen_lab, found_lab)
    misfit = np.hypot(distance, cost[None])
    best = np.unravel_index(int(misfit.argmin()), misfit.shape)
    nearest, factor, haze = (int(place) for place in best)
    seen = seen_lab[best]
    values = {
        "misfit": float(misfit[best]),
        "delta_e00": float(distance[best]),
        "delta_chroma": float(delta_chroma(found_lab, seen)),
        "hue_deg": float(hue_difference_deg(found_lab, seen)),
    }
    metrics = tuple(
        Metric(name, value, getattr(rule.thresholds, name), nearest)
        for name, value in values.items()
    )
    margin = values["misfit"] / limit
    return Verdict(
        status=PASS if margin < 1.0 else FAIL,
        reason="",
        rule=rule.id,
        version=rule.version,
        parameters=parameters or {},
        lab=_triple(found_lab),
        target_lab=_triple(candidates_lab[0]),
        metrics=metrics,
        nearest=nearest,
        offset=offset_between(found_lab, seen),
        light=LightMatch(
            factor=float(_FACTORS[factor]), haze_percent=100.0 * float(hazes1[haze]),
            cost=float(cost[factor, haze]), contrast=lit.contrast, seen_lab=_triple(seen),
        ),
        confidence_percent=confidence_percent(margin, lit.materials.lead_percent),
    )  # fmt: skip


def factor_cost(factor: np.ndarray, contrast: float) -> np.ndarray:
    """What factors of full light cost, in ΔE00; any shape.

    ``contrast``, 0 to 1, of :class:`core.color.lit.LitColor`: the darker the object's shade, the
    less sure is it that any of its surface faces the light.
    """
    room = EVEN_LIGHT_ROOM + (1.0 - EVEN_LIGHT_ROOM) * (1.0 - min(contrast, 1.0))
    low, high = FULL_LIGHT
    darker = DARKER_COST / room * np.log(low / np.minimum(factor, low))
    brighter = BRIGHTER_COST * np.log(np.maximum(factor, high) / high)
    return np.asarray(darker + brighter)


def haze_cost(haze1: np.ndarray) -> np.ndarray:
    """What white over the lit part costs, in ΔE00; any shape."""
    return np.asarray(HAZE_COST * haze1 / SURFACE_HAZE1)


def confidence_percent(margin: float, lead_percent: float) -> float:
    """How sure a verdict is, 50 to 100: by the misfit over its limit, and by how clearly the
    largest material leads (``lead_percent`` 50 to 100)."""
    clear = 1.0 / (1.0 + np.exp(-CONFIDENCE_SLOPE * abs(np.log(max(margin, 1e-6)))))
    return float(50.0 + (100.0 * clear - 50.0) * (lead_percent - 50.0) / 50.0)


def _lab(linear1: np.ndarray) -> np.ndarray:
    return xyz1_to_lab(linear1_to_xyz1(linear1))


def _triple(lab: np.ndarray) -> tuple[float, float, float]:
    return float(lab[0]), float(lab[1]), float(lab[2])
