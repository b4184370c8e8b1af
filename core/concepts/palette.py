"""Palettes: a few colors with weights, and the merging of those that look alike.

Colors at most so far apart are one color: ColorConceptBench, appendix C.3, which does
not say in which order colors are merged nor what becomes of them. Ours: the closest pair first, of
all that are left, until none is close enough; a merged color is the weighted mean in CIELAB. Of
pairs that are equally close, the one whose first and then second color come first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.errors import BadInput


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

    def merged(self, most_delta_e00: float) -> tuple[Palette, tuple[tuple[int, ...], ...]]:
        """The palette with colors at most so far apart merged, heaviest first; of each color, which
        ones of this palette are in it. Colors of equal weight stay in their order."""
        lab, weights, into = merge(self.lab[None], self.weights[None], most_delta_e00)
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
    lab: np.ndarray, weights: np.ndarray, most_delta_e00: float
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
        going = apart[in_part, i, k] <= most_delta_e00
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
