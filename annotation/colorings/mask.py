"""Which pixels of a coloring count, and what they say of the concept's colors.

ColorConceptBench, appendix B.3: people color what belongs to the concept and leave the rest. So the
uncolored paper is no color of the concept, and white that was chosen is one.
"""

from __future__ import annotations

import numpy as np

from truehue.core.concepts.profile import profile_of
from truehue.core.concepts.records import ColorProfile
from truehue.core.errors import MaskError
from truehue.core.sketches.records import INK
from truehue.core.sketches.regions import RegionMaps

LEAST_BACKGROUND = 0.1
"""Of the surround: a coloring with less color there only went over its lines."""


def concept_mask(layer: np.ndarray, ink: np.ndarray) -> np.ndarray:
    """Colored pixels that no ink covers: bool ``(H, W)``.

    ``layer`` is uint8 ``(H, W, 4)`` as :func:`truehue.annotation.colorings.layer.paint` makes it,
    ``ink`` uint8 ``(H, W)``. Raises MaskError when they are of different sizes.
    """
    if layer.shape != (*ink.shape, 4):
        raise MaskError(
            f"The layer is {layer.shape[1]} × {layer.shape[0]} pixels, but the sketch is "
            f"{ink.shape[1]} × {ink.shape[0]}. Color that sketch."
        )
    return (layer[..., 3] == 255) & (ink >= INK)


def background_share(layer: np.ndarray, maps: RegionMaps, closing: int) -> float:
    """Which share of the surround has a color, 0 to 1: of the regions that touch the border under
    that closing. 0 where there are none."""
    surround = maps.surround(closing)[maps.labels[closing]]
    return float((layer[..., 3][surround] > 0).mean()) if surround.any() else 0.0


def profile(layer: np.ndarray, ink: np.ndarray) -> ColorProfile:
    """What a coloring says of its concept's colors, by the same steps as for a model's picture:
    pixels of the sample that lie on a boundary of two colors are their mean.

    Raises as :func:`concept_mask`, and NoPixels when fewer than two pixels are colored.
    """
    return profile_of(np.ascontiguousarray(layer[..., :3]), concept_mask(layer, ink))
