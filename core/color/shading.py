"""The color that an object shows where its light shows it best, and the materials of its pixels.

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

Which materials an object's pixels belong to, told apart by what light and shadow cannot change.

Within one evenly lit material linear light is ``shade × albedo``, so the ratios of the channels
stay and only their common size moves. In CIELAB that is the point ``(a*, b*) / (L* + 16)``: both
are differences and multiples of the same cube roots. One material is one hill of pixels in that
plane, and two hills with a valley between them are two materials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color import statistics
from truehue.core.color.spaces import SRGB8_TO_LINEAR1, luminance1
from truehue.core.errors import NoPixels

_BIN = 4.0
_HALF = 160.0
_BINS = int(2 * _HALF / _BIN)
# L* + 16 of the lightness that all pixels are brought to: distances are then those of a*b* there.
_COMMON = 73.0
# A hill is a material of its own when the valley before it is less than half as high as it is.
VALLEY_SHARE = 0.5
# Below this share of the highest hill there is too little to tell hills from scatter.
_FLOOR_SHARE = 1e-3
# Rounding to 8 bits scatters the direction of dark pixels; from this luminance on they count whole.
_SURE_LUMINANCE1 = 0.02
_MIN_WEIGHT = 0.05
# Neutral pixels lie on one spot however light they are. A shadow keeps more of the light than this.
SHADOW_RATIO = 1.0 / 16.0


@dataclass(frozen=True)
class Materials:
    """The materials of some colors.

    ``label`` int64 ``(U,)``: the number of each color's material, the largest is 0; -1 for scatter
    that belongs to none. ``shares`` float64 ``(M,)``: share of the pixels of each, descending.
    """

    label: np.ndarray
    shares: np.ndarray

    @property
    def lead_percent(self) -> float:
        """The largest material among the two largest, 50 to 100; 100 where there is but one."""
        two = float(self.shares[:2].sum())
        return max(100.0 * float(self.shares[0]) / two, 50.0)  # of a tie, half by rounding


def remove_shading(lab: np.ndarray) -> np.ndarray:
    """CIELAB ``(..., 3)`` to float64 ``(..., 2)``: a* and b* as they were at L* = 57, in any
    shade."""
    lab = np.asarray(lab, dtype=np.float64)
    return np.asarray(lab[..., 1:] * (_COMMON / (lab[..., 0] + 16.0))[..., None])


def materials(lab: np.ndarray, counts: np.ndarray) -> Materials:
    """The materials of the colors ``lab`` ``(U, 3)``, each standing for ``counts`` ``(U,)`` pixels.

    Two materials of the same hue and saturation cannot be told from light and shadow, unless one
    is darker than a shadow could be; then they come as one.
    """
    bright = luminance1(lab[:, 0])
    weight = counts * np.clip(bright / _SURE_LUMINANCE1, _MIN_WEIGHT, 1.0)
    indices = np.clip(((remove_shading(lab).T + _HALF) / _BIN).astype(np.int64), 0, _BINS - 1)
    cell = indices[0] * _BINS + indices[1]
    hill = _hills(np.bincount(cell, weights=weight, minlength=_BINS * _BINS)).take(cell)
    pixels = np.bincount(hill + 1, weights=counts)
    largest = int(np.argmax(pixels[1:]))
    dark = _dark_part(np.flatnonzero(hill == largest), bright, counts)
    if dark.size:
        hill[dark] = pixels.size - 1
        pixels = np.append(pixels, counts.take(dark).sum())
        pixels[largest + 1] -= pixels[-1]
    order = np.argsort(-pixels[1:], kind="stable")
    order = order[pixels[1:][order] > 0]
    number = np.full(pixels.size, -1, dtype=np.int64)
    number[order + 1] = np.arange(order.size)
    return Materials(number.take(hill + 1), pixels[1:][order] / counts.sum())


def _hills(mass: np.ndarray) -> np.ndarray:
    """The number of the hill of each cell of the plane, -1 where there is too little.

    Cells are taken from the highest down; one that touches several hills joins the highest, and
    swallows the others where the valley is shallow.
    """
    import cv2

    kernel = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
    height = cv2.sepFilter2D(
        mass.reshape(_BINS, _BINS), -1, kernel, kernel, borderType=cv2.BORDER_CONSTANT
    ).ravel()
    seen = np.flatnonzero(height > height.max() * _FLOOR_SHARE)
    seen = seen[np.argsort(-height[seen], kind="stable")]
    # A border of one cell around the plane, so that every cell has eight neighbors.
    across = _BINS + 2
    neighbors = (-across - 1, -across, 1 - across, -1, 1, across - 1, across, across + 1)
    hill = [-1] * (across * across)
    joined: list[int] = []
    peak: list[float] = []

    def top(number: int) -> int:
        while joined[number] != number:
            number = joined[number]
        return number

    bordered = (seen // _BINS + 1) * across + seen % _BINS + 1
    for cell, high in zip(bordered.tolist(), height[seen].tolist(), strict=True):
        around = {top(hill[cell + step]) for step in neighbors if hill[cell + step] >= 0}
        if not around:
            hill[cell] = len(joined)
            joined.append(len(joined))
            peak.append(high)
            continue
        highest = max(around, key=peak.__getitem__) if len(around) > 1 else next(iter(around))
        hill[cell] = highest
        for number in around - {highest}:
            if high > VALLEY_SHARE * peak[number]:
                joined[number] = highest
    hills = np.full(height.size, -1, dtype=np.int64)
    hills[seen] = [top(hill[cell]) for cell in bordered.tolist()]
    return hills


def _dark_part(inside: np.ndarray, bright: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Those of the colors ``inside`` that are darker than a shadow on the light ones of them; none
    where they may be one material. int64 ``(N,)``, positions in ``bright`` and ``counts``."""
    bright = np.maximum(bright.take(inside), 2.0**-12)
    if bright.min() > SHADOW_RATIO * bright.max():
        return inside[:0]
    octave = np.log2(bright)
    pixels = counts.take(inside).astype(np.float64)
    dark = octave <= _otsu(octave, pixels)
    low, high = (
        (some_pixels * octave).sum() / some_pixels.sum()
        for some_pixels in (pixels * dark, pixels * ~dark)
    )
    return inside[:0] if low - high > np.log2(SHADOW_RATIO) else inside[dark]


_OTSU_BINS = 64


def _otsu(values: np.ndarray, counts: np.ndarray) -> float:
    """The border between two groups with the largest variance between them, on :data:`_OTSU_BINS`.

    Otsu, IEEE Trans. Syst. Man Cybern. 9 (1979) 62-66. The values are not all alike, so the first
    and the last bin hold some.
    """
    edges = np.linspace(values.min(), values.max(), _OTSU_BINS + 1)
    bins = statistics.bin_indices(values, _OTSU_BINS)
    weight = np.bincount(bins, weights=counts, minlength=_OTSU_BINS)
    middle = (edges[:-1] + edges[1:]) / 2
    below = np.cumsum(weight)[:-1]
    total, whole = float(weight.sum()), float((weight * middle).sum())
    sum_below = np.cumsum(weight * middle)[:-1]
    spread = (whole * below / total - sum_below) ** 2 / (below * (total - below))
    return float(edges[1:-1][int(spread.argmax())])


LIT_PERCENTILES = (70.0, 85.0, 93.5)
"""Shade at which full light may lie, of the material's pixels from the darkest on: where a camera
was metered on the frame, less of an object lies below full exposure than above it."""
USUAL = 1
"""Place of the percentile that is told where no color is asked for."""
MAX_PERCENTILE = 97.0
"""Above are sparkle and noise."""
LIT_SHARE = 0.6
"""From this share of the level's shade on, a pixel counts as lit."""
CLIPPED8 = 254
"""From this value on a channel is at its end; rounding and mild compression keep it here."""
MAX_OVER = 4.0
"""Two stops: a color that needs more light than this to clip as a pixel did is not that pixel's."""
AGREES_SHARE = 0.7
"""A clipped pixel's other channels have at least this share of what the color predicts there."""
MAX_CLIPPED_SHARE = 0.8
"""With more than this clipped, what is left is edges and crumbs: then all pixels are taken as they
are, and a flat red of 255 is a red of 255."""
# A mean color whose chromatic part is smaller than this share of its largest channel is too near
# neutral for that part to tell the shade; the sum of the channels does.
_CHROMATIC_SHARE = 0.12
_MIN_SHADE = 1e-9
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
    if over_px > MAX_CLIPPED_SHARE * main_px:
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
    by_size = np.full(order.size + 1, -1, dtype=np.int64)
    by_size[order + 1] = np.arange(order.size)
    label = by_size.take(label + 1)
    return Materials(label, pixels[order] / counts.sum()), label == 0


def _rows(colors: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Those rows of ``(U, 3)``, picked channel by channel."""
    return colors.T.take(positions, axis=1).T


def _pixels(counts: np.ndarray, among: np.ndarray) -> int:
    return int((counts * among).sum())


def can_clip_to(color1: np.ndarray, seen1: np.ndarray) -> np.ndarray:
    """Whether more light on ``color1`` ``(3,)`` gives the clipped colors ``seen1`` ``(U, 3)``.

    Both linear sRGB; bool ``(U,)``. The light that brings all their clipped channels to the end
    must be at most :data:`MAX_OVER` times what brings the color's largest one there, and leave
    the others no darker than it makes them (a highlight may make them lighter).
    """
    color1 = color1 / max(float(color1.max()), _MIN_SHADE)
    at_end = seen1 >= SRGB8_TO_LINEAR1[CLIPPED8]
    light = np.where(at_end, 1.0 / np.maximum(color1, _MIN_SHADE), 0.0).max(axis=1)
    least1 = AGREES_SHARE * light[:, None] * color1 - _ROUNDING1
    return np.asarray((light <= MAX_OVER) & (at_end | (seen1 >= least1)).all(axis=1))


def _levels(
    linear1: np.ndarray, counts: np.ndarray, over_px: int
) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Percentile, color ``(3,)`` and the lit colors' places for each level.

    ``over_px`` pixels more are brighter than all of these.
    """
    seen_px = int(counts.sum())
    # The percentiles of all, among those that are seen.
    raw_percents = [p * (seen_px + over_px) / seen_px for p in (*LIT_PERCENTILES, MAX_PERCENTILE)]
    limit = max(_LAST_UNCLIPPED_PERCENTILE, MAX_PERCENTILE)
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
    # A black object has no shade to divide by: then all is as it is.
    per_shade = [channel1 / np.maximum(shade, _MIN_SHADE) for channel1 in linear1.T]
    lit_levels = []
    for percentile, level in zip(LIT_PERCENTILES, levels, strict=True):
        lit = np.flatnonzero((shade >= LIT_SHARE * level) & (shade <= high))
        if not lit.size:  # of a dozen pixels none need lie between
            lit = np.flatnonzero(shade >= level)
        lit_counts = counts.take(lit)
        color = [
            level * statistics.percentiles(ratio.take(lit), lit_counts, [50.0])[0]
            for ratio in per_shade
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
