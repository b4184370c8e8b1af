"""Small pictures of concepts, for tests: blobs of a few colors, shaded and noisy."""

from __future__ import annotations

import numpy as np

from truehue.core.concepts.profile import profile_of
from truehue.core.concepts.records import ColorProfile

BANANA = ((228, 205, 72), (201, 168, 44), (120, 92, 40))
LEAF = ((66, 120, 52), (40, 84, 38), (150, 170, 90))
PLUM = ((96, 40, 92), (62, 24, 66), (150, 80, 120))
SNOW = ((236, 240, 246), (205, 214, 228), (160, 172, 190))


def picture(colors: tuple[tuple[int, int, int], ...], seed: int) -> ColorProfile:
    """The profile of a disk of 40 pixels, patched with the colors, the first one the most."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.6, 0.25, 0.15])[: len(colors)]
    patches = rng.choice(len(colors), (10, 10), p=shares / shares.sum())
    srgb = np.array(colors, dtype=float)[patches].repeat(4, axis=0).repeat(4, axis=1)
    y, x = np.mgrid[:40, :40] - 19.5
    srgb *= rng.uniform(0.9, 1.1) - 0.004 * np.hypot(y, x - 6)[..., None]
    srgb += rng.normal(scale=7.0, size=srgb.shape)
    return profile_of(np.clip(srgb, 0, 255).astype(np.uint8), np.hypot(y, x) < 19.5)


def several(*kinds: tuple[tuple[tuple[int, int, int], ...], int]) -> list[ColorProfile]:
    """So many pictures of each kind, no two the same."""
    return [
        picture(colors, 100 * index + number)
        for index, (colors, count) in enumerate(kinds)
        for number in range(count)
    ]
