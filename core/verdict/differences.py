"""The differences of a verdict by other formulas: evidence, which changes no verdict."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from truehue.core.color.formulas import SRGB_VIEWING, ViewingConditions, differences
from truehue.core.color.systems import Lab
from truehue.core.verdict.measure import Measurement


def verdict_differences(
    measurement: Measurement, viewing: ViewingConditions = SRGB_VIEWING
) -> dict[str, Any]:
    """How far the measured color is from the target and from the color that the rule compared it
    with, by every formula of :data:`truehue.core.color.formulas.FORMULAS`, as plain JSON.

    ``compared_lab`` is the color that the verdict's ΔE00 was taken to; ``to_compared["cie2000"]`` is
    that ΔE00. A value is None where its formula is not defined, and all are where nothing was
    measured. Raises BadInput without colour-science.
    """
    lab, compared = measurement.verdict.lab, measurement.compared_lab
    return {
        "viewing": asdict(viewing),
        "compared_lab": None if compared is None else list(compared),
        "to_target": None if lab is None else plain(lab, measurement.target.lab, viewing),
        "to_compared": None if lab is None or compared is None else plain(lab, compared, viewing),
    }


def plain(
    sample: Lab, reference: Lab, viewing: ViewingConditions = SRGB_VIEWING
) -> dict[str, float | None]:
    """The differences of two colors ``(3,)`` as numbers of JSON; None where there is none."""
    found = differences(sample, reference, viewing)
    return {name: float(value) if math.isfinite(value) else None for name, value in found.items()}
