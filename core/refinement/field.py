"""Equation 10: how much of the guidance is left at each place and step."""

from __future__ import annotations

import numpy as np

from truehue.core.errors import BadInput

VARIANTS = {
    "full": "in space and in time: as published",
    "spatial": "in space alone: the map counts alike at every step",
    "temporal": "in time alone: everywhere alike, most at the first step",
    "none": "not at all",
}

MAPPED = ("full", "spatial")
"""The variants that read a map."""


def decay(step: int, steps: int) -> float:
    """α(t) = 1 - t / T: 1 at the first of ``steps`` (``step`` 0), 1 / T at the last.

    The paper states the formula and not how t counts; as it is to "gradually reduce" the
    modulation "along the denoising trajectory", t counts the steps that are done.
    """
    if not 0 <= step < steps:
        raise BadInput(f"Step {step} is none of {steps} steps.")
    return 1.0 - step / steps


def guidance_ratio(
    discrepancy: np.ndarray, step: int, steps: int, strength: float, variant: str = "full"
) -> np.ndarray:
    """s_t(u, v) / s_0 = 1 - λ α(t) a'(u, v), equation 10 divided by s_0.

    ``discrepancy`` a' float ``(h, w)`` in [0, 1]; ``strength`` λ in [0, 1]; ``variant`` of
    VARIANTS. Returns float32 ``(h, w)`` in [0, 1], exactly 1 where nothing changes. Raises BadInput
    for values out of range.
    """
    if variant not in VARIANTS:
        raise BadInput(f"CFR has no variant {variant!r}: {', '.join(VARIANTS)}.")
    if not 0 <= strength <= 1:
        raise BadInput(f"The strength λ lies from 0 to 1, not at {strength:g}.")
    if variant == "none":
        return np.ones(discrepancy.shape, np.float32)
    alpha = 1.0 if variant == "spatial" else decay(step, steps)
    indices = np.ones_like(discrepancy) if variant == "temporal" else discrepancy
    ratio: np.ndarray = (1.0 - strength * alpha * indices.astype(np.float64)).astype(np.float32)
    return ratio
