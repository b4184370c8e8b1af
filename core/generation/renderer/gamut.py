"""Colors brought into sRGB."""

from __future__ import annotations

import numpy as np

from core.color.spaces import lab_to_srgb1


def in_srgb(lab: np.ndarray) -> np.ndarray:
    """The color ``(3,)`` brought into sRGB by less chroma alone: L* and hue stay.

    The largest factor on a* and b* up to 1 that leaves all channels within 0 to 1, by bisection to
    1e-5. L* is within 0 to 100.
    """

    def fits(factor: float) -> bool:
        srgb1 = lab_to_srgb1(lab * (1.0, factor, factor))
        return bool((srgb1 > -1e-6).all() and (srgb1 < 1.0 + 1e-6).all())

    if fits(1.0):
        return lab
    low, high = 0.0, 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return np.asarray(lab * (1.0, low, low))
