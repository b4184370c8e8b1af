"""Statistics and densities of weighted values, exactly as if every pixel were listed.

``counts`` are whole numbers of pixels. No function sorts all values: it finds an order statistic in
a histogram and resolves it inside one bin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color.spaces import lab_to_srgb8

_BINS = 4096


def bin_indices(values: np.ndarray, count: int = _BINS) -> np.ndarray:
    """Monotone bin indices int64 ``(U,)``, 0 to ``count - 1``, of values in any unit, ``(U,)``."""
    low, high = float(values.min()), float(values.max())
    scale = count / (high - low) if high > low else np.inf
    if not np.isfinite(scale):  # one value, or a range too small to divide
        return np.zeros(values.shape, dtype=np.int64)
    index = ((values - low) * scale).astype(np.int64)
    return np.minimum(index, count - 1, out=index)


def _settle(
    values: np.ndarray, counts: np.ndarray, bins: np.ndarray, per_bin: np.ndarray, rank: int
) -> tuple[float, float]:
    """The values at 0-based ``rank`` and at the next of the expanded, sorted list.

    At the last rank both are that one.
    """
    bin_index, next_bin = np.searchsorted(per_bin, [rank, rank + 1], side="right").tolist()
    inside = np.flatnonzero(bins == bin_index)
    if rank + 1 < per_bin[-1] and next_bin != bin_index:
        # The next is the smallest of its bin.
        follows = float(values[bins == next_bin].min())
    else:
        follows = np.inf
    inside = inside[np.argsort(values[inside], kind="stable")]
    before = int(per_bin[bin_index - 1]) if bin_index else 0
    until = np.cumsum(counts[inside])
    index, after = np.searchsorted(until, [rank - before, rank - before + 1], "right").tolist()
    value = float(values[inside[index]])
    if follows == np.inf:
        follows = float(values[inside[min(after, inside.size - 1)]])
    return value, follows


def percentiles(values: np.ndarray, counts: np.ndarray, percents: list[float]) -> list[float]:
    """Percentiles (0 to 100) of ``values``, float64 ``(U,)``, each repeated ``counts`` times, int64
    ``(U,)``; in the unit of the values.

    Linear interpolation between order statistics, as ``numpy.percentile`` of the repeated values.
    """
    bins = bin_indices(values)
    per_bin = np.cumsum(np.bincount(bins, weights=counts, minlength=_BINS)).astype(np.int64)
    last = int(per_bin[-1]) - 1
    results = []
    for percent in percents:
        position = percent / 100.0 * last
        below = int(np.floor(position))
        low, high = _settle(values, counts, bins, per_bin, below)
        results.append(low + (high - low) * (position - below))
    return results


def smallest(values: np.ndarray, counts: np.ndarray, keep: int) -> np.ndarray:
    """How many pixels of each value are among the ``keep`` smallest; int64 ``(U,)``.

    Sums to ``keep``; the value on the border may be taken in part. Equal values are taken in the
    order in which they stand.
    """
    bins = bin_indices(values)
    per_bin = np.cumsum(np.bincount(bins, weights=counts, minlength=_BINS)).astype(np.int64)
    border = int(np.searchsorted(per_bin, keep, side="left"))
    used = counts * (bins < border)
    remainder = keep - (int(per_bin[border - 1]) if border else 0)
    inside = np.flatnonzero(bins == border)
    inside = inside[np.argsort(values[inside], kind="stable")]
    before = np.cumsum(counts[inside]) - counts[inside]
    used[inside] = np.clip(remainder - before, 0, counts[inside])
    return used


def mean(lab: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mean float64 ``(C,)`` of ``lab`` ``(U, C)``, each row counted ``counts`` times.

    Summed pairwise by numpy, not by BLAS: the same number whatever the threads do.
    """
    weights = counts.astype(np.float64)
    total = weights.sum()
    return np.array([(weights * column).sum() for column in lab.T]) / total


@dataclass(frozen=True)
class ChromaticityDensity:
    """Pixels counted in square cells of the a*b* plane.

    ``counts`` int64 ``(B, A)`` with row 0 at the lowest b*; cell ``[j, i]`` spans
    ``a_min + i * step`` and ``b_min + j * step`` by ``step``. ``rgba8`` uint8 ``(B, A, 4)``: the
    mean color of the cell's pixels, opaque; transparent where there are none.
    """

    a_min: float
    b_min: float
    step: float
    counts: np.ndarray
    rgba8: np.ndarray


def chromaticity_density(
    lab: np.ndarray, counts: np.ndarray, span: float, cells: int = 40
) -> ChromaticityDensity:
    """Counts the CIELAB colors ``lab``, float64 ``(U, 3)``, each ``counts`` times, int64 ``(U,)``,
    in cells of which a plot of ``span`` units a side has ``cells``; a cell is never smaller than
    0.5."""
    ab = lab[:, 1:]
    # Steps of 0.5 at the least: below that the plot would show 8-bit rounding.
    step = max(span / cells, 0.5)
    a_min, b_min = (float(np.floor(value / step) * step) for value in ab.min(axis=0))
    i = ((ab[:, 0] - a_min) / step).astype(np.int64)
    j = ((ab[:, 1] - b_min) / step).astype(np.int64)
    width, height = int(i.max()) + 1, int(j.max()) + 1
    cell = j * width + i
    size = width * height
    total = np.bincount(cell, weights=counts, minlength=size)
    filled = total > 0
    means = np.stack(
        [np.bincount(cell, weights=counts * lab[:, c], minlength=size) for c in range(3)], axis=-1
    )
    rgba8 = np.zeros((size, 4), dtype=np.uint8)
    rgba8[filled, :3] = lab_to_srgb8(means[filled] / total[filled, None])
    rgba8[filled, 3] = 255
    return ChromaticityDensity(
        a_min,
        b_min,
        step,
        total.astype(np.int64).reshape(height, width),
        rgba8.reshape(height, width, 4),
    )


def density_image(density: ChromaticityDensity, side: int = 10) -> np.ndarray:
    """The cells as squares of their own color, uint8 ``(B * side, A * side, 4)``: the area of each
    is in proportion to its pixels, and at least 6 x 6 of ``side`` x ``side``. Row 0 is the lowest
    b*. Size tells the number, so that no color has to fade for it."""
    height, width = density.counts.shape
    share = density.counts / density.counts.max()
    reach = np.clip(np.rint(side * np.sqrt(share)), 6, side)
    start = np.floor((side - reach) / 2.0)
    indices = np.arange(side)
    inside = (indices >= start[..., None]) & (indices < (start + reach)[..., None])
    square = inside[:, :, :, None] & inside[:, :, None, :]
    image = np.zeros((height, side, width, side, 4), dtype=np.uint8)
    image[...] = density.rgba8[:, None, :, None, :]
    image[~square.transpose(0, 2, 1, 3)] = 0
    return image.reshape(height * side, width * side, 4)


def lightness_histogram(lab: np.ndarray, counts: np.ndarray, bins: int = 50) -> np.ndarray:
    """Pixels int64 ``(bins,)`` in equal bins of L* from 0 to 100, of the CIELAB colors ``lab``,
    float64 ``(U, 3)``, each ``counts`` times, int64 ``(U,)``."""
    index = np.clip((lab[:, 0] * (bins / 100.0)).astype(np.int64), 0, bins - 1)
    return np.bincount(index, weights=counts, minlength=bins).astype(np.int64)
