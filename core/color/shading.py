"""The color that an object shows where its light shows it best.

A camera sees ``shade × albedo + highlight`` in linear light: shading scales the albedo and a
highlight adds the light's own white (Shafer, "Using Color to Separate Reflection Components",
Color Res. Appl. 10 (1985) 210-218). The chromatic part of that sum, the color minus its mean over
the channels, is free of any white, so its size follows the shade alone, under a highlight too. The
pixels where it is large are the well-lit ones. Their color over their shade, in the middle of many,
is the color's direction, which neither highlights nor light from the object's own hollows turn
while they touch less than half; the shade that is reached near the top is its size.

Where a channel is at its end the camera stopped counting: the pixel says "at least this bright" and
nothing of the hue. Such pixels take no part in the direction, and count as the best-lit ones of the
material whose color can have clipped to theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color import statistics
from truehue.core.color.materials import Materials, materials
from truehue.core.color.spaces import SRGB8_TO_LINEAR1
from truehue.core.errors import NoPixels

LIT_PERCENTILES = (70.0, 85.0, 93.5)
"""Shade at which full light may lie, of the material's pixels from the darkest on: where a camera
was metered on the frame, less of an object lies below full exposure than above it."""
USUAL = 1
"""Place of the percentile that is told where no color is asked for."""
MOST_PERCENTILE = 97.0
"""Above are sparkle and noise."""
LIT_SHARE = 0.6
"""From this share of the level's shade on, a pixel counts as lit."""
CLIPPED8 = 254
"""From this value on a channel is at its end; rounding and mild compression keep it here."""
MOST_OVER = 4.0
"""Two stops: a color that needs more light than this to clip as a pixel did is not that pixel's."""
AGREES_SHARE = 0.7
"""A clipped pixel's other channels have at least this share of what the color predicts there."""
MOST_CLIPPED_SHARE = 0.8
"""With more than this clipped, what is left is edges and crumbs: then all pixels are taken as they
are, and a flat red of 255 is a red of 255."""
# A mean color whose chromatic part is smaller than this share of its largest channel is too near
# neutral for that part to tell the shade; the sum of the channels does.
_CHROMATIC_SHARE = 0.12
_LEAST_SHADE = 1e-9
# From the highest level to the lowest, the chromatic part falls as the sum does where both are
# shade; where it falls to less than this share of that, it is none.
_STEADY_SHARE = 0.25
# A step of 8 bits in the middle of the scale.
_ROUNDING1 = 0.004
# Of the unclipped pixels, where so many are clipped that the level lies among those.
_LAST_UNCLIPPED_PERCENTILE = 99.0
_MATERIALS_THAT_CLIP = 3


@dataclass(frozen=True)
class LitPart:
    """The part of a material up to a level of shade.

    ``percentile`` of :data:`LIT_PERCENTILES`; ``linear1`` float64 ``(3,)``, 0 to 1: its linear
    sRGB at that level; ``places`` int64 ``(N,)``, ascending: the colors that it was found from,
    among all of them, for whose pixels ``counts`` int64 ``(U,)`` stands.
    """

    percentile: float
    linear1: np.ndarray
    places: np.ndarray
    counts: np.ndarray

    @property
    def used(self) -> np.ndarray:
        """int64 ``(U,)``: how many pixels of each color it was found from."""
        used = np.zeros(self.counts.shape, dtype=np.int64)
        used[self.places] = self.counts[self.places]
        return used


@dataclass(frozen=True)
class LitColor:
    """The lit colors of the largest material among some pixels.

    ``parts`` are those of :data:`LIT_PERCENTILES`. ``clipped_share``, 0 to 1, is the share of the
    material whose light a channel could not hold; ``material_px`` and ``materials`` are the largest
    material's pixels and all materials; ``pixel_count`` all pixels.
    """

    parts: tuple[LitPart, ...]
    clipped_share: float
    material_px: int
    materials: Materials
    pixel_count: int


def lit_color(srgb8: np.ndarray, lab: np.ndarray, counts: np.ndarray) -> LitColor:
    """The lit colors of the distinct colors ``srgb8`` uint8 ``(U, 3)`` with their ``lab``.

    ``counts`` int64 ``(U,)`` pixels each. Raises NoPixels when there are none.
    """
    if not counts.size:
        raise NoPixels("No pixel to find a color of. Mark the object first.")
    # One channel after the other lies in memory: numpy is slow along an axis of three.
    linear1 = SRGB8_TO_LINEAR1.take(np.ascontiguousarray(srgb8.T)).T
    at_end = srgb8.T >= CLIPPED8
    clipped = at_end[0] | at_end[1] | at_end[2]
    material_set, main = _materials(linear1, lab, counts, clipped)
    over_px, main_px = _pixels(counts, main & clipped), _pixels(counts, main)
    if over_px > MOST_CLIPPED_SHARE * main_px:
        clipped = np.zeros_like(clipped)
        material_set, main = _materials(linear1, lab, counts, clipped)
        over_px, main_px = 0, _pixels(counts, main)
    seen = np.flatnonzero(main & ~clipped)
    parts = tuple(
        LitPart(percentile, color, seen.take(lit), counts)
        for percentile, color, lit in _levels(_rows(linear1, seen), counts.take(seen), over_px)
    )
    return LitColor(
        parts=parts,
        clipped_share=over_px / main_px,
        material_px=main_px,
        materials=material_set,
        pixel_count=int(counts.sum()),
    )


def _materials(
    linear1: np.ndarray, lab: np.ndarray, counts: np.ndarray, clipped: np.ndarray
) -> tuple[Materials, np.ndarray]:
    """The materials, told apart on what is not clipped, and whether each color is the largest's.

    Clipped colors go to the largest material that can have clipped to them; those that none can
    are one more material.
    """
    unassigned = np.flatnonzero(clipped)
    if not unassigned.size:
        material_set = materials(lab, counts)
        return material_set, material_set.label == 0
    open_ = np.flatnonzero(~clipped)
    label = np.full(counts.shape, -1, dtype=np.int64)
    number = 0
    if open_.size:
        material_set = materials(_rows(lab, open_), counts.take(open_))
        label[open_] = material_set.label
        number = material_set.shares.size
    for material in range(min(number, _MATERIALS_THAT_CLIP)):
        if not unassigned.size:
            break
        members = np.flatnonzero(label == material)
        mean1 = statistics.mean(_rows(linear1, members), counts.take(members))
        can = can_clip_to(mean1, _rows(linear1, unassigned))
        label[unassigned[can]] = material
        unassigned = unassigned[~can]
    if unassigned.size:
        # By themselves these are colors as all others.
        rest = materials(_rows(lab, unassigned), counts.take(unassigned))
        label[unassigned] = np.where(rest.label < 0, -1, rest.label + number)
    pixels = np.bincount(label + 1, weights=counts)[1:]
    order = np.argsort(-pixels, kind="stable")
    indices = np.empty(order.size, dtype=np.int64)
    indices[order] = np.arange(order.size)
    label = np.where(label < 0, -1, indices[label])
    return Materials(label, pixels[order] / counts.sum()), label == 0


def _rows(colors: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Those rows of ``(U, 3)``, picked channel by channel."""
    return colors.T.take(positions, axis=1).T


def _pixels(counts: np.ndarray, among: np.ndarray) -> int:
    return int(counts.sum(where=among))


def can_clip_to(color1: np.ndarray, seen1: np.ndarray) -> np.ndarray:
    """Whether more light on ``color1`` ``(3,)`` gives the clipped colors ``seen1`` ``(U, 3)``.

    Both linear sRGB; bool ``(U,)``. The light that brings all their clipped channels to the end
    must be at most :data:`MOST_OVER` times what brings the color's largest one there, and leave
    the others no darker than it makes them (a highlight may make them lighter).
    """
    color1 = color1 / max(float(color1.max()), _LEAST_SHADE)
    at_end = seen1 >= SRGB8_TO_LINEAR1[CLIPPED8]
    light = np.where(at_end, 1.0 / np.maximum(color1, _LEAST_SHADE), 0.0).max(axis=1)
    least1 = AGREES_SHARE * light[:, None] * color1 - _ROUNDING1
    return np.asarray((light <= MOST_OVER) & (at_end | (seen1 >= least1)).all(axis=1))


def _levels(
    linear1: np.ndarray, counts: np.ndarray, over_px: int
) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Percentile, color ``(3,)`` and the lit colors' places for each level.

    ``over_px`` pixels more are brighter than all of these.
    """
    seen_px = int(counts.sum())
    # The percentiles of all, among those that are seen.
    raw_percents = [p * (seen_px + over_px) / seen_px for p in (*LIT_PERCENTILES, MOST_PERCENTILE)]
    limit = max(_LAST_UNCLIPPED_PERCENTILE, MOST_PERCENTILE)
    percents = [min(percent, limit) for percent in raw_percents]
    shade = _shade(linear1, counts)
    *levels, high = statistics.percentiles(shade, counts, percents)
    if levels[0] < _STEADY_SHARE * levels[-1] or levels[-1] <= 0.0:
        # Shadow, or pixels that lean away from the mean's hue, as under a cool sky beside a warm
        # lamp: their sum tells which, for a shadow takes as much of it.
        sums = _sum(linear1)
        *sum_levels, sum_high = statistics.percentiles(sums, counts, percents)
        if levels[0] * sum_levels[-1] <= _STEADY_SHARE * sum_levels[0] * levels[-1]:
            shade, levels, high = sums, sum_levels, sum_high
    lit_levels = []
    for percentile, level in zip(LIT_PERCENTILES, levels, strict=True):
        lit = np.flatnonzero((shade >= LIT_SHARE * level) & (shade <= high))
        if not lit.size:  # of a dozen pixels none need lie between
            lit = np.flatnonzero(shade >= level)
        # A black object has no shade to divide by: then all is as it is.
        over, lit_counts = np.maximum(shade.take(lit), _LEAST_SHADE), counts.take(lit)
        color = [
            level * statistics.percentiles(channel1.take(lit) / over, lit_counts, [50.0])[0]
            for channel1 in linear1.T
        ]
        lit_levels.append((percentile, np.clip(color, 0.0, 1.0), lit))
    return lit_levels


def _shade(linear1: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """What grows with the light on each color ``(U, 3)`` and, if it can, not with its highlight."""
    mean = statistics.mean(linear1, counts)
    chromatic = mean - mean.mean()
    size = float(np.sqrt((chromatic * chromatic).sum()))
    if size > _CHROMATIC_SHARE * float(mean.max()):
        return np.asarray(linear1 @ (chromatic / size))
    return _sum(linear1)


def _sum(linear1: np.ndarray) -> np.ndarray:
    red, green, blue = linear1.T
    return np.asarray(red + green + blue)
