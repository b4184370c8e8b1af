"""What color some pixels have, when nobody has asked for one: a palette and two single colors.

The *lit* color is that of the best-lit part of the largest material
(:mod:`truehue.core.color.shading`), which comes nearest to what the object is made of. The *mean*
is the plain mean in CIELAB, shade and highlight included; it is what the rule ``paper-centred``
compares. The palette pools exact pixels in 8 x 8 x 8 cells of sRGB, takes the largest 20 and merges
colors that are at most 7 ΔE00 apart, as ColorConceptBench does for a group of pictures (appendix
C.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color import dominant, statistics
from truehue.core.color.dominant import DominantColor
from truehue.core.color.shading import lit_color
from truehue.core.color.spaces import srgb1_to_lab
from truehue.core.concepts.palette import Palette
from truehue.core.concepts.profile import CELLS
from truehue.core.images.pixels import MaskedColors

MOST_COLORS = 20
MERGED_DELTA_E00 = 7.0
LEAST_SHARE = 0.005
"""A smaller part of the palette is excluded: a few pixels of an edge are no color of the object."""

Lab = tuple[float, float, float]


@dataclass(frozen=True)
class ColorDescription:
    """The colors of some pixels.

    ``lit_lab`` and ``mean_lab``: CIELAB, D65 and 2 degrees. ``lit_share``, 0 to 1, is the share of
    all pixels that are in the lit part. ``palette`` is heaviest first; ``palette_share``, 0 to 1,
    is the share of all pixels that it stands for.
    """

    lit_lab: Lab
    lit_share: float
    mean_lab: Lab
    palette: Palette
    palette_share: float
    pixel_count: int


def describe_colors(colors: MaskedColors, lit: DominantColor | None = None) -> ColorDescription:
    """The description of ``colors``; ``lit`` is their lit color at the usual level
    where it is known already.

    Raises NoPixels when there are none.
    """
    lit = lit or dominant.lit(lit_color(colors.srgb8, colors.lab, colors.counts))
    mean = statistics.mean(colors.lab, colors.counts)
    palette, share = palette_of(colors.srgb24, colors.counts)
    return ColorDescription(
        lit_lab=lit.lab,
        lit_share=lit.used_count / colors.pixel_count,
        mean_lab=_triple(mean),
        palette=palette,
        palette_share=share,
        pixel_count=colors.pixel_count,
    )


def palette_of(srgb24: np.ndarray, counts: np.ndarray) -> tuple[Palette, float]:
    """The palette of distinct colors uint32 ``(U,)``, packed 0xRRGGBB, with ``counts`` ``(U,)``
    pixels, and the share of all pixels, 0 to 1, that it stands for."""
    cell = ((srgb24 >> 15) & 0x1C0 | (srgb24 >> 10) & 0x38 | (srgb24 >> 5) & 0x7).astype(np.int64)
    held = np.bincount(cell, weights=counts, minlength=CELLS**3)
    largest = np.argsort(-held, kind="stable")[:MOST_COLORS]
    largest = largest[held[largest] > 0]
    sums = np.stack(
        [
            np.bincount(cell, weights=counts * ((srgb24 >> shift) & 255), minlength=CELLS**3)
            for shift in (16, 8, 0)
        ],
        axis=-1,
    )
    lab = srgb1_to_lab(sums[largest] / held[largest, None] / 255.0)
    weights = held[largest] / held[largest].sum()
    merged, _ = Palette(lab, weights).merged(MERGED_DELTA_E00)
    in_palette = merged.weights >= LEAST_SHARE
    total_weight = float(merged.weights[in_palette].sum())
    share = total_weight * float(held[largest].sum() / held.sum())
    return Palette(merged.lab[in_palette], merged.weights[in_palette] / total_weight), share


def _triple(lab: np.ndarray) -> Lab:
    return float(lab[0]), float(lab[1]), float(lab[2])
