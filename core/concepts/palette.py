"""Palettes: a few colors with weights, and the merging of similar colors.

Colors within a given distance are merged: ColorConceptBench, appendix C.3, which states neither the
order of merging nor the merged color. Ours: merge the closest remaining pair until no pair is close
enough; a merged color is the weighted mean in CIELAB. Among equally close pairs, the one with the
lowest first and then second index is merged first.

The *lit* color is that of the best-lit part of the largest material
(:mod:`truehue.core.color.shading`), which comes nearest to what the object is made of. The *mean*
is the plain mean in CIELAB, shade and highlight included; it is what the rule ``paper-centred``
compares. The palette pools exact pixels in 8 x 8 x 8 cells of sRGB, takes the largest 20 and merges
colors that are at most 7 ΔE00 apart, as ColorConceptBench does for a group of images (appendix
C.3).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from truehue.core.color import dominant, statistics
from truehue.core.color.difference import delta_e00
from truehue.core.color.dominant import DominantColor
from truehue.core.color.shading import lit_color
from truehue.core.color.spaces import hex_of, lab_to_srgb8, srgb1_to_lab, triple
from truehue.core.concepts.profile import CELLS
from truehue.core.errors import BadInput
from truehue.core.images.pixels import MaskedColors


@dataclass(frozen=True)
class Palette:
    """Colors ``lab`` float64 ``(K, 3)``, CIELAB D65/2°, with ``weights`` ``(K,)``, sum 1."""

    lab: np.ndarray = field(repr=False)
    weights: np.ndarray

    def __post_init__(self) -> None:
        lab, weights = np.asarray(self.lab), np.asarray(self.weights)
        if lab.ndim != 2 or lab.shape[1] != 3 or weights.shape != lab.shape[:1]:
            raise BadInput(
                f"A palette is K colors of three numbers with K weights, not {lab.shape} with "
                f"{weights.shape}."
            )
        if not (np.isfinite(lab).all() and np.isfinite(weights).all()) or (weights <= 0).any():
            raise BadInput("The colors of a palette are numbers, and their weights above 0.")
        if not abs(float(weights.sum()) - 1.0) <= 1e-6:
            raise BadInput(
                f"The weights of a palette sum to 1, not {float(weights.sum()):.6g}. "
                "Divide them by their sum."
            )

    @property
    def hexes(self) -> tuple[str, ...]:
        """The colors as ``#RRGGBB``, outside of sRGB the nearest by channel."""
        return tuple(hex_of(color) for color in lab_to_srgb8(self.lab))

    def merged(self, max_delta_e00: float) -> tuple[Palette, tuple[tuple[int, ...], ...]]:
        """The palette with colors at most so far apart merged, heaviest first; of each color, which
        ones of this palette are in it. Colors of equal weight stay in their order."""
        lab, weights, into = merge(self.lab[None], self.weights[None], max_delta_e00)
        order = by_weight(weights)[0]
        positions = order[weights[0, order] > 0]
        parts = tuple(
            tuple(int(i) for i in np.flatnonzero(into[0] == index)) for index in positions
        )
        return Palette(lab[0, positions], weights[0, positions]), parts


def by_weight(weights: np.ndarray) -> np.ndarray:
    """Order of ``(G, K)`` weights in each row: the heaviest first, equal ones as they stand."""
    return np.argsort(-weights, axis=1, kind="stable")


def merge(
    lab: np.ndarray, weights: np.ndarray, max_delta_e00: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Many palettes at once, each merged for itself.

    ``lab`` ``(G, K, 3)`` and ``weights`` ``(G, K)``, where weight 0 means that there is no color.
    Returns both after merging, of the same shapes, and ``into`` int64 ``(G, K)``: the place where
    each color is now. A merged color stands where its first one stood, with all their weight; the
    others weigh 0.
    """
    lab, weights = np.array(lab, dtype=np.float64), np.array(weights, dtype=np.float64)
    palettes, size = weights.shape
    into = np.tile(np.arange(size), (palettes, 1))
    if size < 2:
        return lab, weights, into
    # Every pair stands once, the first color as the row: [:, i, k] with i < k, inf elsewhere.
    apart = np.full((palettes, size, size), np.inf)
    first, second = np.triu_indices(size, 1)
    apart[:, first, second] = np.where(
        (weights[:, first] > 0) & (weights[:, second] > 0),
        delta_e00(lab[:, first], lab[:, second]),
        np.inf,
    )
    open_ = np.arange(palettes)
    positions = np.arange(size)
    while True:
        closest = apart.reshape(open_.size, -1).argmin(axis=1)
        in_part, i, k = np.arange(open_.size), closest // size, closest % size
        going = apart[in_part, i, k] <= max_delta_e00
        if not going.any():
            return lab, weights, into
        if not going.all():
            open_, apart, i, k = open_[going], apart[going], i[going], k[going]
            in_part = np.arange(open_.size)
        weight_i, weight_k = weights[open_, i], weights[open_, k]
        both = weight_i + weight_k
        mean = weight_i[:, None] * lab[open_, i] + weight_k[:, None] * lab[open_, k]
        lab[open_, i] = mean / both[:, None]
        weights[open_, i], weights[open_, k] = both, 0.0
        into[open_] = np.where(into[open_] == k[:, None], i[:, None], into[open_])
        apart[in_part, k, :] = np.inf
        apart[in_part, :, k] = np.inf
        row = np.where(weights[open_] > 0, delta_e00(lab[open_, i][:, None], lab[open_]), np.inf)
        apart[in_part, i, :] = np.where(positions > i[:, None], row, np.inf)
        apart[in_part, :, i] = np.where(positions < i[:, None], row, np.inf)


MAX_COLORS = 20
MERGED_DELTA_E00 = 7.0
MIN_SHARE = 0.005
"""A smaller part of the palette is excluded: a few pixels of an edge are no color of the object."""

COLOR_VERSION = "1"
"""Of ``lit_lab``, by which a stored color is known."""

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
        mean_lab=triple(mean),
        palette=palette,
        palette_share=share,
        pixel_count=colors.pixel_count,
    )


def palette_of(srgb24: np.ndarray, counts: np.ndarray) -> tuple[Palette, float]:
    """The palette of distinct colors uint32 ``(U,)``, packed 0xRRGGBB, with ``counts`` ``(U,)``
    pixels, and the share of all pixels, 0 to 1, that it stands for."""
    cell = ((srgb24 >> 15) & 0x1C0 | (srgb24 >> 10) & 0x38 | (srgb24 >> 5) & 0x7).astype(np.int64)
    held = np.bincount(cell, weights=counts, minlength=CELLS**3)
    largest = np.argsort(-held, kind="stable")[:MAX_COLORS]
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
    in_palette = merged.weights >= MIN_SHARE
    total_weight = float(merged.weights[in_palette].sum())
    share = total_weight * float(held[largest].sum() / held.sum())
    return Palette(merged.lab[in_palette], merged.weights[in_palette] / total_weight), share
