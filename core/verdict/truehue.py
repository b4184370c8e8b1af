"""The rule ``truehue``: could the asked color look like this in the light of this image?

Light scales a color and lays white over it (:mod:`core.color.lit`); it does not turn its hue and
does not make it more vivid. So the asked color is put into the light, ``factor × asked + haze`` in
linear sRGB, over all factors and haze that the image gives reason for, and the nearest of these
appearances is compared with the lit color of the object by CIEDE2000.
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

EVEN_FACTOR = 1.10
"""How far exposure may move a color up or down in any light, the camera's freedom."""
SHADE_FACTOR = 0.50
"""How much darker, on top, the lit part may be where the object shows deep shade: no surface of it
may face the light. The whole of it at a contrast of 0, none in even light."""
HAZE_LINEAR1 = 0.04
"""The most white over the lit part: what a dielectric of refractive index 1.5 reflects of a white
surround, ((1.5 - 1) / (1.5 + 1))² (Fresnel, normal incidence)."""
CONFIDENCE_SLOPE = 1.0
_FACTORS, _BRIGHTER, _HAZES = 20, 6, 5


def judge_lit(
    lit: LitColor,
    candidates_lab: np.ndarray,
    rule: Rule,
    parameters: dict[str, Any] | None = None,
) -> Verdict:
    """Judges a lit color; ``candidates_lab`` ``(M, 3)`` with the nominal color first.

    ``delta_e00`` judges, below the rule's threshold; ``delta_chroma`` and ``hue_deg`` are told. All
    are taken between the found color and the nearest candidate as this light shows it
    (``Verdict.light``). The reason is left empty.
    """
    candidates_lab = np.asarray(candidates_lab, dtype=np.float64).reshape(-1, 3)
    if not candidates_lab.size or rule.thresholds.delta_e00 is None:
        raise BadInput("A verdict needs a color that was asked for, and a limit.")
    least, most, haze_most1 = allowance(lit)
    # Full light itself is among them: a color that is just right is then found at a distance of 0.
    factors = np.concatenate(
        [np.geomspace(least, 1.0, _FACTORS), np.geomspace(1.0, most, _BRIGHTER)[1:]]
    )
    hazes = np.linspace(0.0, haze_most1, _HAZES)
    asked1 = xyz1_to_linear1(lab_to_xyz1(candidates_lab))
    seen1 = asked1[:, None, None] * factors[None, :, None, None] + hazes[None, None, :, None]
    seen_lab = _lab(seen1)
    found_lab = _lab(lit.linear1)
    distance = delta_e00(seen_lab, found_lab)
    nearest, factor, haze = (int(i) for i in np.unravel_index(distance.argmin(), distance.shape))
    seen = seen_lab[nearest, factor, haze]
    values = {
        "delta_chroma": float(delta_chroma(found_lab, seen)),
        "delta_e00": float(distance[nearest, factor, haze]),
        "hue_deg": float(hue_difference_deg(found_lab, seen)),
    }
    metrics = tuple(
        Metric(name, value, getattr(rule.thresholds, name), nearest)
        for name, value in values.items()
    )
    margin = values["delta_e00"] / rule.thresholds.delta_e00
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
            factor=float(factors[factor]), factor_least=least, factor_most=most,
            haze_percent=100.0 * float(hazes[haze]), haze_most_percent=100.0 * haze_most1,
            contrast=lit.contrast, seen_lab=_triple(seen),
        ),
        confidence_percent=confidence_percent(margin, lit.materials.lead_percent),
    )  # fmt: skip


def allowance(lit: LitColor) -> tuple[float, float, float]:
    """The least and the most of its full light that the lit part may have, and the most haze.

    The darker the object's shade, the less sure is it that any of its surface faces the light. The
    haze cannot be more than the found color's smallest channel.
    """
    least = 1.0 / (EVEN_FACTOR + SHADE_FACTOR * (1.0 - min(lit.contrast, 1.0)))
    return least, EVEN_FACTOR, min(HAZE_LINEAR1, float(lit.linear1.min()))


def confidence_percent(margin: float, lead_percent: float) -> float:
    """How sure a verdict is, 50 to 100: by the distance over the limit, and by whether the largest
    material leads clearly (``lead_percent`` 50 to 100)."""
    clear = 1.0 / (1.0 + np.exp(-CONFIDENCE_SLOPE * abs(np.log(max(margin, 1e-6)))))
    return float(50.0 + (100.0 * clear - 50.0) * (lead_percent - 50.0) / 50.0)


def _lab(linear1: np.ndarray) -> np.ndarray:
    return xyz1_to_lab(linear1_to_xyz1(linear1))


def _triple(lab: np.ndarray) -> tuple[float, float, float]:
    return float(lab[0]), float(lab[1]), float(lab[2])
