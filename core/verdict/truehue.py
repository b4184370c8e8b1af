"""The rule ``truehue``: could the target color look like this in the light of this image?

Light scales a color and lays white over it (:mod:`truehue.core.color.shading`); it does not turn
its hue and does not make it more vivid. So the rule puts the target color into the light, ``factor
× target + haze`` in linear sRGB, clips it as a camera does, and compares it with the lit color of
the object by CIEDE2000. Less likely light has a cost: the best explanation of the image has the
least ``misfit``, the root of the sum of squares of the distance and of the light's cost.

Exposure belongs to the light. A camera metered on its frame often overexposes the best-lit parts of
an object, so full light may lie at any of three levels of the object's shade, and less likely
levels have a cost too.

Much of what light can do to one color makes it another: so a named color that explains the image
better than the target, its *rival*, has a cost as well.

The costs are in units of ΔE00, so that one unit counts as much as one of the distance.
docs/science/rules.md describes the choice of the costs and the threshold, and the use of the
held-out half in that choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from truehue.core.color.difference import delta_chroma, delta_e00, hue_difference_deg
from truehue.core.color.shading import LIT_PERCENTILES, USUAL, LitColor, LitPart
from truehue.core.color.spaces import (
    lab_to_xyz1,
    linear1_to_xyz1,
    triple,
    xyz1_to_lab,
    xyz1_to_linear1,
)
from truehue.core.color.systems import NamedColor, system
from truehue.core.errors import BadInput
from truehue.core.verdict.rules import (
    FAIL,
    PASS,
    LightMatch,
    Metric,
    Rival,
    Rule,
    Thresholds,
    Verdict,
    offset_between,
)

LIGHTNESS_K = 2.0
"""k_L of CIEDE2000 in the misfit: exposure and shade change lightness first, so it counts half."""
LEVEL_COSTS = dict(zip(LIT_PERCENTILES, (0.3, 0.0, 2.2), strict=True))
"""ΔE00 for full light at this percentile of the object's shade."""
FULL_LIGHT = (0.86, 1.0)
"""Factors that cost nothing: on almost every object some surface faces the light."""
DARKER_COST = 2.7
"""ΔE00 for each factor of e by which the lit part is darker than full light."""
BRIGHTER_COST = 7.0
"""ΔE00 for each factor of e by which it is brighter: only the exposure can do that."""
HAZE_COST = 1.2
"""ΔE00 for a haze of :data:`SURFACE_HAZE1` over the lit part."""
SURFACE_HAZE1 = 0.04
"""What a surface of refractive index 1.5 reflects of a white surround, ((1.5 - 1) / (1.5 + 1))²
(Fresnel, normal incidence)."""
MAX_HAZE1 = 0.08
RIVAL_SYSTEMS = ("l2", "css")
"""Their colors are the rivals of every target, a hex too, however it is named."""
RIVALS = 24
"""So many of them compete, those nearest to the lit color with :data:`LIGHTNESS_K`."""
RIVAL_APART_DELTA_E00 = 10.0
"""A color nearer to an accepted one than this is no rival of it."""
RIVAL_COST = 3.0
"""ΔE00 for each unit by which the best rival's misfit is below the target's."""
PASS_CONFIDENCE, FAIL_CONFIDENCE = (1.7, 1.0), (-0.25, 2.6)
"""Offset and slope of a logistic curve over the logarithm of how far the misfit is from its limit,
in ratio. Fitted to the two sets of path-traced images that the constants were chosen on, with five
near names tried for each true color; a failure's curve to the range below 2.5 times the limit, where
doubt is."""
CLEAR_LEAD_PERCENT = 75.0
"""From here on the largest material leaves no doubt which one is meant."""
_HAZES = 7
# Full light itself is among them: a color that is just right is found at a distance of 0.
_FACTORS = np.concatenate([np.geomspace(0.45, 1.0, 33), np.geomspace(1.0, 1.4, 15)[1:]])


def judge_lit(
    lit: LitColor,
    candidates_lab: np.ndarray,
    rule: Rule,
    parameters: dict[str, Any] | None = None,
    rivals: RivalMisfits | None = None,
) -> Verdict:
    """Judges a lit color; ``candidates_lab`` ``(M, 3)`` with the nominal color first.

    The ``misfit`` of the best account, and of the best rival against it, judges, below the rule's
    threshold. ``delta_e00``, ``delta_chroma`` and ``hue_deg`` between the found color and that
    candidate as the light shows it (``Verdict.light``) are told. ``rivals`` are those of
    :func:`misfits_of_rivals`, which do not depend on the candidates. The reason is left empty.
    Raises BadInput without a candidate or a threshold.
    """
    candidates_lab = np.asarray(candidates_lab, dtype=np.float64).reshape(-1, 3)
    limit = rule.thresholds.misfit
    if not candidates_lab.size or limit is None:
        raise BadInput("A verdict needs a target color, and a limit of the mismatch score.")
    asked1 = xyz1_to_linear1(lab_to_xyz1(candidates_lab))
    best = _best_account(lit.parts, asked1)
    rival = _best_rival(best.misfit, limit, candidates_lab, rivals or misfits_of_rivals(lit))
    misfit = best.misfit if rival is None else float(np.hypot(best.misfit, rival.cost))
    values = {
        "misfit": misfit,
        "delta_e00": float(delta_e00(best.seen_lab, best.found_lab)),
        "delta_chroma": float(delta_chroma(best.found_lab, best.seen_lab)),
        "hue_deg": float(hue_difference_deg(best.found_lab, best.seen_lab)),
    }
    metrics = tuple(
        Metric(name, value, getattr(rule.thresholds, name), best.nearest)
        for name, value in values.items()
    )
    margin = misfit / limit
    return Verdict(
        status=PASS if margin < 1.0 else FAIL,
        reason="",
        rule=rule.id,
        version=rule.version,
        parameters=parameters or {},
        lab=triple(best.found_lab),
        target_lab=triple(candidates_lab[0]),
        metrics=metrics,
        nearest=best.nearest,
        offset=offset_between(best.found_lab, best.seen_lab),
        light=LightMatch(
            factor=best.factor,
            haze_percent=100.0 * best.haze1,
            cost=best.cost,
            percentile=best.part.percentile,
            clipped_percent=100.0 * lit.clipped_share,
            seen_lab=triple(best.seen_lab),
        ),
        rival=rival,
        confidence_percent=confidence_percent(margin, lit.materials.lead_percent),
    )


@dataclass(frozen=True)
class RivalMisfits:
    """The misfits of the rivals of one image, whatever its target.

    ``positions`` int64 ``(N,)`` among all rivals; ``misfits`` float64 ``(N,)`` are their own.
    """

    positions: np.ndarray
    misfits: np.ndarray


def misfits_of_rivals(lit: LitColor) -> RivalMisfits:
    """The misfit of each rival by the light that explains it best.

    Of factors and hazes every second is tried.
    """
    _, rivals1, rivals_lab = _rivals()
    distance = delta_e00(rivals_lab, _lab(lit.parts[USUAL].linear1), LIGHTNESS_K)
    positions = np.argsort(distance, kind="stable")[:RIVALS]
    accounts = _Accounts(lit.parts, rivals1[positions], _FACTORS[::2], every_haze=2)
    return RivalMisfits(positions, accounts.misfit.min(axis=(0, 2, 3)))


def _best_rival(
    misfit: float, limit: float, candidates_lab: np.ndarray, rivals: RivalMisfits
) -> Rival | None:
    """The rival with the lowest misfit if that is below ``misfit``, the candidates' own."""
    colors, _, rivals_lab = _rivals()
    better = np.flatnonzero(rivals.misfits < misfit)
    positions = rivals.positions[better]
    apart = delta_e00(candidates_lab[:, None], rivals_lab[positions]) >= RIVAL_APART_DELTA_E00
    better = better[apart.all(axis=0)]
    if not better.size:
        return None
    best = int(better[rivals.misfits[better].argmin()])
    color, least = colors[int(rivals.positions[best])], float(rivals.misfits[best])
    cost = RIVAL_COST * (misfit - least)
    decides = misfit < limit <= float(np.hypot(misfit, cost))
    return Rival(color.name, color.system, color.hex, least, cost, decides)


@cache
def _rivals() -> tuple[tuple[NamedColor, ...], np.ndarray, np.ndarray]:
    """The colors that compete, each once, and their linear sRGB and CIELAB ``(R, 3)``."""
    by_hex: dict[str, NamedColor] = {}
    for system_id in RIVAL_SYSTEMS:
        for color in system(system_id).colors:
            by_hex.setdefault(color.hex, color)
    lab = np.array([color.lab for color in by_hex.values()])
    return tuple(by_hex.values()), xyz1_to_linear1(lab_to_xyz1(lab)), lab


class _Accounts:
    """The misfits of colors ``(M, 3)`` in linear sRGB, by level of shade, color, factor and haze."""

    def __init__(
        self,
        parts: tuple[LitPart, ...],
        colors1: np.ndarray,
        factors: np.ndarray,
        every_haze: int = 1,
    ) -> None:
        found1 = np.array([part.linear1 for part in parts])
        hazes1 = np.linspace(0.0, np.minimum(MAX_HAZE1, found1.min(axis=1)), _HAZES, axis=1)
        self.hazes1 = hazes1[:, ::every_haze]
        level_costs = np.array([LEVEL_COSTS[part.percentile] for part in parts])
        self.cost = np.sqrt(
            factor_cost(factors)[None, :, None] ** 2
            + haze_cost(self.hazes1)[:, None, :] ** 2
            + level_costs[:, None, None] ** 2
        )
        darker1 = colors1[:, None, :] * factors[None, :, None]
        seen1 = darker1[None, :, :, None, :] + self.hazes1[:, None, None, :, None]
        self.seen_lab, self.found_lab = _lab(np.minimum(seen1, 1.0)), _lab(found1)
        found_lab = self.found_lab[:, None, None, None, :]
        distance = delta_e00(self.seen_lab, found_lab, LIGHTNESS_K)
        self.misfit = np.hypot(distance, self.cost[:, None])


@dataclass(frozen=True)
class _Account:
    """The likeliest light at one level of shade, as :class:`LightMatch`."""

    part: LitPart
    misfit: float
    cost: float
    factor: float
    haze1: float
    nearest: int
    found_lab: np.ndarray
    seen_lab: np.ndarray


def _best_account(parts: tuple[LitPart, ...], asked1: np.ndarray) -> _Account:
    """``asked1`` ``(M, 3)``: the accepted colors in linear sRGB."""
    accounts = _Accounts(parts, asked1, _FACTORS)
    best = np.unravel_index(int(accounts.misfit.argmin()), accounts.misfit.shape)
    level, nearest, factor, haze = (int(index) for index in best)
    return _Account(
        parts[level],
        float(accounts.misfit[best]),
        float(accounts.cost[level, factor, haze]),
        float(_FACTORS[factor]),
        float(accounts.hazes1[level, haze]),
        nearest,
        accounts.found_lab[level],
        accounts.seen_lab[best],
    )


def factor_cost(factor: np.ndarray) -> np.ndarray:
    """The costs of factors of full light, in ΔE00; any shape."""
    low, high = FULL_LIGHT
    darker = DARKER_COST * np.log(low / np.minimum(factor, low))
    brighter = BRIGHTER_COST * np.log(np.maximum(factor, high) / high)
    return np.asarray(darker + brighter)


def haze_cost(haze1: np.ndarray) -> np.ndarray:
    """The costs of white over the lit part, in ΔE00; any shape."""
    return np.asarray(HAZE_COST * haze1 / SURFACE_HAZE1)


def confidence_percent(margin: float, lead_percent: float) -> float:
    """How often such a verdict is right, 50 to 100: by the misfit over its limit, and by how
    clearly the largest material leads (``lead_percent`` 50 to 100).

    The limit is where false accepts are few, not where both errors are as likely: so a pass near
    it is surer than a failure. Below 50 nothing is told apart.
    """
    offset, slope = PASS_CONFIDENCE if margin < 1.0 else FAIL_CONFIDENCE
    right = 1.0 / (1.0 + np.exp(-offset - slope * abs(np.log(max(margin, 1e-6)))))
    clear = min((lead_percent - 50.0) / (CLEAR_LEAD_PERCENT - 50.0), 1.0)
    return float(50.0 + max(100.0 * right - 50.0, 0.0) * clear)


def _lab(linear1: np.ndarray) -> np.ndarray:
    return xyz1_to_lab(linear1_to_xyz1(linear1))


# As far as a rule without a limit on ΔChroma is looked at; 5 ΔE00 of the most vivid colors.
_MAX_CHROMA = 40.0


def acceptance_outline(
    candidate_lab: tuple[float, float, float], thresholds: Thresholds, directions: int = 72
) -> np.ndarray:
    """Closed outline float64 ``(directions + 1, 2)`` of (a*, b*) that pass on one candidate.

    At the candidate's own lightness, where the region is largest; all metrics that have a
    threshold must pass.
    """
    center = np.array(candidate_lab, dtype=np.float64)
    angle = np.linspace(0.0, 2.0 * np.pi, directions + 1)
    maximum = thresholds.delta_chroma if thresholds.delta_chroma is not None else _MAX_CHROMA
    radius = np.linspace(0.0, maximum, 126)[1:]
    points = np.empty((angle.size, radius.size, 3))
    points[..., 0] = center[0]
    points[..., 1] = center[1] + np.cos(angle)[:, None] * radius
    points[..., 2] = center[2] + np.sin(angle)[:, None] * radius
    passes = np.ones(points.shape[:-1], dtype=bool)
    for value, limit in (
        (delta_e00, thresholds.delta_e00),
        (delta_chroma, maximum + 1e-9),
        (hue_difference_deg, thresholds.hue_deg),
    ):
        if limit is not None:
            passes &= value(points, center) < limit
    # The last radius before the first that fails.
    reach = np.where(passes.all(axis=1), radius.size, passes.argmin(axis=1))
    length = np.concatenate(([0.0], radius))[reach]
    return center[1:] + length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def space_left(
    light: LightMatch, thresholds: Thresholds, rival: Rival | None = None
) -> Thresholds | None:
    """The distance that a misfit still allows in this light: CIEDE2000 with :data:`LIGHTNESS_K`,
    without rivals. None where there is none, or where a rival decides whatever the distance."""
    if rival is not None and rival.decides:
        return None
    if thresholds.misfit is None or light.cost >= thresholds.misfit:
        return None
    room = float(np.sqrt(thresholds.misfit**2 - light.cost**2))
    return Thresholds(delta_chroma=None, delta_e00=room, hue_deg=None)


def square_around(points: np.ndarray, least_half: float = 12.0) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner ``(2,)`` of a square with room around ``points`` ``(N, 2)``."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = max(float((high - low).max()) * 0.55, least_half)
    middle = (low + high) / 2.0
    return middle - half, middle + half


def line_across(
    through: np.ndarray, axis: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Both ends ``(2, 2)`` of the line along ``axis`` through a point inside, cut at the square."""
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.stack([(low - through) / axis, (high - through) / axis])
    reach = np.array([np.nanmax(steps.min(axis=0)), np.nanmin(steps.max(axis=0))])
    return through + np.outer(reach, axis)
