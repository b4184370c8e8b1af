"""Which pixels of a coloring count, and what they say of the concept's colors.

ColorConceptBench, appendix B.3: people color what belongs to the concept and leave the rest. So the
uncolored paper is no color of the concept, and white that was chosen is one.
"""

from __future__ import annotations

import numpy as np

from core.concepts.profile import profile_of
from core.concepts.records import ColorProfile
from core.errors import MaskError
from core.sketches.records import INK


def concept_mask(layer: np.ndarray, ink: np.ndarray) -> np.ndarray:
    """Colored pixels that no ink covers: bool ``(H, W)``.

    ``layer`` is uint8 ``(H, W, 4)`` as :func:`annotation.colorings.layer.paint` makes it, ``ink``
    uint8 ``(H, W)``. Raises MaskError when they are of different sizes.
    """
    if layer.shape != (*ink.shape, 4):
        raise MaskError(
            f"The layer is {layer.shape[1]} × {layer.shape[0]} pixels, but the sketch is "
            f"{ink.shape[1]} × {ink.shape[0]}. Color that sketch."
        )
    return (layer[..., 3] == 255) & (ink >= INK)


def profile(layer: np.ndarray, ink: np.ndarray) -> ColorProfile:
    """What a coloring says of its concept's colors, by the same steps as for a model's picture:
    pixels of the sample that lie on a boundary of two colors are their mean.

    Raises as :func:`concept_mask`, and NoPixels when fewer than two pixels are colored.
    """
    return profile_of(np.ascontiguousarray(layer[..., :3]), concept_mask(layer, ink))
