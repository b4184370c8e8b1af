"""Which materials an object's pixels belong to, told apart by what light and shadow cannot change.

Within one evenly lit material linear light is ``shade × albedo``, so the ratios of the channels
stay and only their common size moves. In CIELAB that is the point ``(a*, b*) / (L* + 16)``: both
are differences and multiples of the same cube roots. One material is one hill of pixels in that
plane, and two hills with a valley between them are two materials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color.spaces import luminance1

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
_LEAST_WEIGHT = 0.05
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


def shadeless(lab: np.ndarray) -> np.ndarray:
    """``(..., 3)`` CIELAB to ``(..., 2)``: a* and b* as they were at L* = 57, in any shade."""
    lab = np.asarray(lab, dtype=np.float64)
    return np.asarray(lab[..., 1:] * (_COMMON / (lab[..., 0] + 16.0))[..., None])


def materials(lab: np.ndarray, counts: np.ndarray) -> Materials:
    """The materials of the colors ``lab`` ``(U, 3)``, each standing for ``counts`` ``(U,)`` pixels.

    Two materials of the same hue and saturation cannot be told from light and shadow, unless one
    is darker than a shadow could be; then they come as one.
    """
    bright = luminance1(lab[:, 0])
    weight = counts * np.clip(bright / _SURE_LUMINANCE1, _LEAST_WEIGHT, 1.0)
    indices = np.clip(((shadeless(lab).T + _HALF) / _BIN).astype(np.int64), 0, _BINS - 1)
    cell = indices[0] * _BINS + indices[1]
    hill = _hills(np.bincount(cell, weights=weight, minlength=_BINS * _BINS))[cell]
    hill = _split_dark(hill, bright, counts)
    pixels = np.bincount(hill + 1, weights=counts)
    order = np.argsort(-pixels[1:], kind="stable")
    order = order[pixels[1:][order] > 0]
    number = np.full(pixels.size, -1, dtype=np.int64)
    number[order + 1] = np.arange(order.size)
    return Materials(number[hill + 1], pixels[1:][order] / counts.sum())


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
    hill: dict[int, int] = {}
    joined: list[int] = []
    peak: list[float] = []

    def top(number: int) -> int:
        while joined[number] != number:
            number = joined[number]
        return number

    for cell in seen.tolist():
        row, column = divmod(cell, _BINS)
        around = {
            top(hill[other])
            for other in (
                (row + down) * _BINS + column + right
                for down in (-1, 0, 1)
                for right in (-1, 0, 1)
                if 0 <= column + right < _BINS
            )
            if other in hill
        }
        if not around:
            joined.append(len(joined))
            peak.append(float(height[cell]))
            hill[cell] = len(joined) - 1
            continue
        highest = max(around, key=lambda number: peak[number])
        hill[cell] = highest
        for number in around - {highest}:
            if height[cell] > VALLEY_SHARE * peak[number]:
                joined[number] = highest
    hills = np.full(height.size, -1, dtype=np.int64)
    for cell, number in hill.items():
        hills[cell] = top(number)
    return hills


def _split_dark(hill: np.ndarray, bright: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Parts the largest hill where its dark pixels are darker than a shadow on its light ones."""
    pixels = np.bincount(hill + 1, weights=counts)[1:]
    inside = np.flatnonzero(hill == int(np.argmax(pixels)))
    bright = np.maximum(bright.take(inside), 2.0**-12)
    if bright.min() > SHADOW_RATIO * bright.max():
        return hill
    octave = np.log2(bright)
    pixels_inside = counts.take(inside)
    border = _otsu(octave, pixels_inside)
    dark = octave <= border
    low = np.average(octave[dark], weights=pixels_inside[dark])
    high = np.average(octave[~dark], weights=pixels_inside[~dark])
    if low - high > np.log2(SHADOW_RATIO):
        return hill
    parts = hill.copy()
    parts[inside[dark]] = pixels.size
    return parts


def _otsu(values: np.ndarray, counts: np.ndarray) -> float:
    """The border between two groups with the largest variance between them, on 64 bins.

    Otsu, IEEE Trans. Syst. Man Cybern. 9 (1979) 62-66. The values are not all alike, so the first
    and the last bin hold some.
    """
    weight, edges = np.histogram(values, bins=64, weights=counts)
    middle = (edges[:-1] + edges[1:]) / 2
    below = np.cumsum(weight)[:-1]
    total, whole = float(weight.sum()), float((weight * middle).sum())
    sum_below = np.cumsum(weight * middle)[:-1]
    spread = (whole * below / total - sum_below) ** 2 / (below * (total - below))
    return float(edges[1:-1][int(spread.argmax())])
