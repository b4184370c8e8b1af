"""The saturation sweep: the saturation of real photographs that a metric prefers.

Figure 1 A.2 of the paper scales the saturation of photographs and shows each metric's score beside
that at scale 1. A metric of fidelity has its maximum there; one that likes vivid images has it
above. The paper names no color space and no scales: HSV S and 0.4 to 2.0 are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.errors import BadInput

SCALES = (0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)

Measure = Callable[[np.ndarray], float]
"""One image, uint8 ``(H, W, 3)`` sRGB, to its score."""


def scaled_saturation(srgb8: np.ndarray, scale: float) -> np.ndarray:
    """The image with HSV S of every pixel times ``scale``, at most 1; H and V stay.

    ``srgb8`` and result uint8 ``(H, W, 3)``. In HSV each channel is V - (V - c) S'/S, rounded to
    the nearest level; a scale of 1 gives the same bytes. Raises BadInput for a scale below 0 and
    for what is no image.
    """
    if not scale >= 0 or not np.isfinite(scale):
        raise BadInput(f"A scale of saturation is 0 or more, not {scale}.")
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    pixels = srgb8.astype(np.float64)
    value, least = pixels.max(axis=2, keepdims=True), pixels.min(axis=2, keepdims=True)
    chroma = value - least
    # S' / S = min(scale, 1 / S), and 1 / S is V / (V - min).
    full = np.divide(value, chroma, out=np.ones_like(value), where=chroma > 0)
    changed = value - (value - pixels) * np.minimum(scale, full)
    out: np.ndarray = np.rint(changed).astype(np.uint8)
    return out


@dataclass(frozen=True)
class Curve:
    """A metric over saturation. ``means`` are over the photographs that were scored at every
    scale, ``unscored`` the others. ``peak`` is the scale with the best mean; ``peaks_at`` says of
    how many photographs each scale is the best (the lowest of several equal ones)."""

    scales: tuple[float, ...]
    means: tuple[float, ...]
    peak: float
    peaks_at: tuple[int, ...]
    photographs: int
    unscored: int

    @property
    def relative(self) -> tuple[float, ...]:
        """Means less that at scale 1, over the largest such difference: the paper's axis. Zeros
        where the metric does not change."""
        base = self.means[self.scales.index(1.0)]
        differences = [mean - base for mean in self.means]
        largest = max(map(abs, differences))
        return tuple(difference / largest if largest else 0.0 for difference in differences)


def sweep_rows(
    photographs: Sequence[np.ndarray], measure: Measure, scales: Sequence[float] = SCALES
) -> Iterator[list[float]]:
    """The scores of one photograph after the other, uint8 sRGB ``(H, W, 3)``, one a scale of its
    saturation; NaN where a score is none."""
    for photograph in photographs:
        yield [float(measure(scaled_saturation(photograph, scale))) for scale in scales]


def curve_of(
    rows: Sequence[Sequence[float]],
    scales: Sequence[float] = SCALES,
    higher_is_better: bool = True,
) -> Curve:
    """The curve of a metric from its rows. Raises BadInput where no photograph was scored at every
    scale, and for scales without 1."""
    if 1.0 not in scales:
        raise BadInput("The scales of a sweep must hold 1, the photograph itself.")
    table = np.asarray(rows, dtype=np.float64).reshape(-1, len(scales))
    scored = table[np.isfinite(table).all(axis=1)]
    if not len(scored):
        raise BadInput("No photograph has a score at every saturation, so there is no curve.")
    means = scored.mean(axis=0)
    sign = 1 if higher_is_better else -1
    best = (sign * scored).argmax(axis=1)
    return Curve(
        tuple(float(scale) for scale in scales),
        tuple(map(float, means)),
        float(scales[int((sign * means).argmax())]),
        tuple(int((best == index).sum()) for index in range(len(scales))),
        len(scored),
        len(table) - len(scored),
    )
