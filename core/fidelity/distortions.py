"""Images whose order of fidelity is known without a model: a photograph, more and more vivid.

The paper's groups grow vivid by guidance alone, and its limitations say that other distortions
should follow. These two take the photograph itself: HSV saturation, and contrast about the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.fidelity.sweep import scaled_saturation

SCALES = (1.15, 1.3, 1.5, 1.75, 2.0, 2.4)
"""Of rank0 to rank5; ours, as many as the guidance scales of the paper."""


def scaled_contrast(srgb8: np.ndarray, scale: float) -> np.ndarray:
    """The image with every sRGB code moved away from the mean code of all pixels and channels by
    ``scale``, and cut at 0 and 255. uint8 ``(H, W, 3)`` in and out; raises BadInput for a scale
    below 0 and for what is no image."""
    if not scale >= 0 or not np.isfinite(scale):
        raise BadInput(f"A scale of contrast is 0 or more, not {scale}.")
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    mean = float(srgb8.mean())
    codes = mean + scale * (np.arange(256) - mean)
    table = np.clip(np.rint(codes), 0, 255).astype(np.uint8)
    out: np.ndarray = table[srgb8]
    return out


DISTORTIONS: Mapping[str, Callable[[np.ndarray, float], np.ndarray]] = MappingProxyType(
    {"saturation": scaled_saturation, "contrast": scaled_contrast}
)
"""By name; each takes an image and a scale, 1 for the image itself."""
