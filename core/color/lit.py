"""The color that an object shows where its light shows it best.

A camera sees ``shade × albedo + highlight`` in linear light: shading scales the albedo and a
highlight adds the light's own white (Shafer, "Using Color to Separate Reflection Components",
Color Res. Appl. 10 (1985) 210-218). The chromatic part of that sum, the color minus its mean over
the channels, is free of any white, so its size follows the shade alone, under a highlight too. The
pixels where it is large are the well-lit ones. Their color over their shade, in the middle of many,
is the color's direction, which neither highlights nor light from the object's own hollows turn
while they touch less than half; the shade that is reached near the top is its size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.color import statistics
from core.color.materials import Materials, materials
from core.color.spaces import SRGB8_TO_LINEAR1, luminance1
from core.errors import NoPixels

LIT_PERCENTS = (90.0, 97.0)
"""The best-lit pixels, by shade from the darkest: above most shadows, below sparkle and noise."""
LIT_SHARE = 0.6
"""From this share of the best-lit shade on, a pixel counts as lit."""
# A mean color whose chromatic part is smaller than this share of its largest channel is too near
# neutral for that part to tell the shade; the sum of the channels does.
_CHROMATIC_SHARE = 0.12
_LEAST_SHADE = 1e-9


@dataclass(frozen=True)
class LitColor:
    """The lit color of the largest material among some pixels.

    ``linear1`` float64 ``(3,)``, 0 to 1: linear sRGB of the lit part. ``contrast``, 0 to 1:
    luminance of the material's darkest tenth over that of its brightest twentieth; 1 is even light.
    ``used`` int64 ``(U,)``: how many pixels of each color are in the lit part; ``material_px`` and
    ``materials`` are the largest material's pixels and all materials; ``pixel_count`` all pixels.
    """

    linear1: np.ndarray
    contrast: float
    used: np.ndarray
    material_px: int
    materials: Materials
    pixel_count: int


def lit_color(srgb8: np.ndarray, lab: np.ndarray, counts: np.ndarray) -> LitColor:
    """The lit color of the distinct colors ``srgb8`` uint8 ``(U, 3)`` with their ``lab``.

    ``counts`` int64 ``(U,)`` pixels each. Raises NoPixels when there are none.
    """
    if not counts.size:
        raise NoPixels("No pixel to find a color of. Mark the object first.")
    found = materials(lab, counts)
    main = np.flatnonzero(found.label == 0)
    linear1, weights = SRGB8_TO_LINEAR1.take(srgb8.take(main, axis=0)), counts.take(main)
    shade = _shade(linear1, weights)
    level, high = _best_lit(shade, weights)
    if level <= 0.0:  # nearly all pixels lean away from the mean's hue: no shade to tell by it
        shade = _sum(linear1)
        level, high = _best_lit(shade, weights)
    lit = np.flatnonzero((shade >= LIT_SHARE * level) & (shade <= high))
    # A black object has no shade to divide by: then all is as it is.
    over = np.maximum(shade[lit], _LEAST_SHADE)
    color = [
        level * statistics.percentiles(linear1[lit, channel] / over, weights[lit], [50.0])[0]
        for channel in range(3)
    ]
    dark, light = luminance1(
        np.array(statistics.percentiles(lab[main, 0], weights, [10.0, 95.0]))
    ).tolist()
    used = np.zeros(counts.shape, dtype=np.int64)
    used[main[lit]] = weights[lit]
    return LitColor(
        linear1=np.clip(color, 0.0, 1.0),
        contrast=dark / light if light > 0.0 else 1.0,
        used=used,
        material_px=int(weights.sum()),
        materials=found,
        pixel_count=int(counts.sum()),
    )


def _best_lit(shade: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """The shade of the best-lit pixels, and the most that still counts as lit."""
    low, high = statistics.percentiles(shade, counts, list(LIT_PERCENTS))
    best = (shade >= low) & (shade <= high)
    if not best.any():  # of a dozen pixels none need lie between: all from the lower one on
        best, high = shade >= low, float(shade.max())
    (level,) = statistics.percentiles(shade[best], counts[best], [50.0])
    return level, high


def _shade(linear1: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """What grows with the light on each color ``(U, 3)`` and, if it can, not with its highlight."""
    mean = statistics.mean(linear1, counts)
    chromatic = mean - mean.mean()
    size = float(np.sqrt((chromatic * chromatic).sum()))
    if size > _CHROMATIC_SHARE * float(mean.max()):
        return np.asarray(linear1 @ (chromatic / size))
    return _sum(linear1)


def _sum(linear1: np.ndarray) -> np.ndarray:
    return np.asarray(linear1.sum(axis=1))
