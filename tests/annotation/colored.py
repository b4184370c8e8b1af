"""Colorings by simulated people: layers drawn from known distributions of colors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from truehue.annotation.quality.consensus import Coloring, own_weights
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.profile import profile_of
from truehue.core.concepts.records import ColorProfile

SIDE = 64
Shares = Mapping[int, float]
"""Shares of bins of UW-71, by index."""


def layer_of(shares: Shares, rng: np.random.Generator) -> np.ndarray:
    """A layer uint8 ``(64, 64, 4)`` whose left half is colored, with so many pixels of each bin's
    color, in random places; nothing is colored at the right."""
    pixels = SIDE * SIDE // 2
    counts = np.rint(np.cumsum([0.0, *shares.values()]) * pixels).astype(int)
    colors = np.zeros((pixels, 3), dtype=np.uint8)
    for position, index in enumerate(shares):
        colors[counts[position] : counts[position + 1]] = uw71()[index].srgb8
    layer = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)
    layer[:, : SIDE // 2, :3] = rng.permutation(colors).reshape(SIDE, SIDE // 2, 3)
    layer[:, : SIDE // 2, 3] = 255
    return layer


def measured(layer: np.ndarray) -> ColorProfile:
    """The profile of what is colored in a layer."""
    return profile_of(layer[..., :3], layer[..., 3] == 255)


def colorings_of(
    case_id: str, people: Sequence[Shares], seed: int = 0, first_person: int = 0
) -> list[Coloring]:
    """A first coloring of a case by each person, at position 0."""
    rng = np.random.default_rng(seed)
    profiles = [measured(layer_of(shares, rng)) for shares in people]
    return [
        Coloring(f"{first_person + number:06d}", 0, case_id, profile, weights)
        for number, (profile, weights) in enumerate(
            zip(profiles, own_weights(profiles), strict=True)
        )
    ]
