"""The nearest name of a measured color, and the reason if a verdict accepts another one."""

from __future__ import annotations

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import ColorTarget, nearest_names, parse_target
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import MaskCache, Measurement, measure
from truehue.core.verdict.reasons import rival_label

AS_WELL = 0.1
"""Mismatch scores that differ by no more read alike at one decimal."""


def note_of(
    srgb8: np.ndarray,
    pixels: np.ndarray,
    measurement: Measurement,
    acceptance: Acceptance,
    cache: MaskCache,
) -> str:
    """:func:`names_note` of a measurement of the mask ``pixels``, bool ``(H, W)``, of which ``cache``
    has what was found already; empty for rules that fit no light."""
    if measurement.verdict.light is None or measurement.verdict.lab is None:
        return ""
    nearest = nearest_name(measurement)
    if nearest.hex == measurement.target.hex:
        return names_note(measurement, measurement)
    by = measurement.verdict.rule
    other = measure(srgb8, pixels, nearest, by, acceptance=acceptance, cache=cache)
    return names_note(measurement, other)


def nearest_name(measurement: Measurement) -> ColorTarget:
    """The name nearest to the measured color, in the system of the target or CSS."""
    assert measurement.verdict.lab is not None
    system = measurement.target.system or "css"
    name = nearest_names(np.array(measurement.verdict.lab), system, 1)[0][0].name
    return parse_target(f"{system}:{name}")


def names_note(measurement: Measurement, nearest: Measurement) -> str:
    """Why the target matches though another name is nearer, or fails though none is; empty where
    verdict and nearest name agree. ``nearest`` measures the same pixels against that name."""
    if measurement.verdict.light is None or nearest.verdict.lab is None:
        return ""
    misfit, other = measurement.verdict.metric("misfit"), nearest.verdict.metric("misfit")
    assert misfit is not None
    assert other is not None
    name, target = nearest.target.label, measurement.target.label
    if measurement.target.hex == nearest.target.hex:
        if misfit.passed:
            return ""
        rival = measurement.verdict.rival
        if rival is not None and rival.decides:
            return (
                f"{name} is the nearest name to the measured color, but "
                f"{rival_label(rival.name, rival.system, name)} explains the image better: "
                f"mismatch score {rival.misfit:.1f}, {name} {misfit.value:.1f}."
            )
        return (
            f"{name} is the nearest name to the measured color, but no likely light makes it look "
            f"so: mismatch score {misfit.value:.1f}."
        )
    if not misfit.passed:
        return ""
    lab = np.array(measurement.verdict.lab)
    near, far = (
        float(delta_e00(lab, np.array(color_target.lab)))
        for color_target in (nearest.target, measurement.target)
    )
    if far <= near:  # a target of one's own, nearer than every name
        return ""
    if abs(misfit.value - other.value) <= AS_WELL:
        fits = "fits as well"
    else:
        fits = "fits better" if misfit.value < other.value else "also passes"
    return (
        f"By its pixels alone, {name} is nearer ({near:.1f} ΔE00; {target} {far:.1f}). Under the "
        f"estimated light {target} {fits}: mismatch score {misfit.value:.1f}, {name} "
        f"{other.value:.1f}."
    )
