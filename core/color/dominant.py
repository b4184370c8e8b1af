"""The dominant color of an object, as the paper defines it and as the released code computes it.

Source: GenColorBench (arXiv:2510.20586) section 3.4 and github.com/moatifbutt/gen-color-bench at
commit 802a3ba. Both follow the dominant hue of Witzel and Dewis (2022): the first principal
component of the chromaticities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color import statistics
from truehue.core.color.difference import HUE_GATE_CHROMA, delta_e00
from truehue.core.color.shading import LIT_PERCENTILES, USUAL, LitColor
from truehue.core.color.spaces import chroma, linear1_to_xyz1, xyz1_to_lab
from truehue.core.errors import NoPixels

ACHROMATIC_MEDIAN_CHROMA = 10.0
ACHROMATIC_KEPT_CHROMA = 15.0
ACHROMATIC_FEW = 10
"""Of near-neutral objects: so few pixels are not chosen from any further."""
GUIDED_SHARE = 0.10
GUIDED_AT_LEAST = 5


@dataclass(frozen=True)
class DominantColor:
    """A dominant color with how it came about.

    ``lab``: CIELAB D65/2 degree. ``axis``: unit vector (a, b) of the first component, pointing to
    the mean chromaticity, None where there is none. ``axis_share``: share of the variation along
    the axis, 0 to 1. ``pixel_count``: pixels given; ``used_count``: pixels in the mean. ``steps``:
    name and remaining pixels of each step that left pixels out. ``used``: int64 ``(U,)``, how many
    pixels of each given color are in the mean.
    """

    lab: tuple[float, float, float]
    method: str
    pixel_count: int
    used_count: int
    used: np.ndarray
    axis: tuple[float, float] | None = None
    axis_share: float | None = None
    achromatic: bool = False
    steps: tuple[tuple[str, int], ...] = ()

    @property
    def axis_hue_deg(self) -> float | None:
        """Hue angle of the axis, 0 to 360 degrees."""
        if self.axis is None:
            return None
        return float(np.degrees(np.arctan2(self.axis[1], self.axis[0])) % 360.0)


def _checked(lab: np.ndarray, counts: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    lab = np.asarray(lab, dtype=np.float64)
    if lab.ndim != 2 or lab.shape[1] != 3:
        raise ValueError(f"lab must be (N, 3), not {lab.shape}")
    if lab.shape[0] == 0:
        raise NoPixels("No pixel to find a dominant color of. Mark the object first.")
    if counts is None:
        counts = np.ones(lab.shape[0], dtype=np.int64)
    return lab, np.asarray(counts, dtype=np.int64)


def _moments(ab: np.ndarray, counts: np.ndarray, center: np.ndarray | None = None) -> np.ndarray:
    """Second moments ``(2, 2)`` of the chromaticities ``(U, 2)`` about ``center`` or about zero."""
    offset = ab if center is None else ab - center
    a, b = offset[:, 0], offset[:, 1]
    weights = counts.astype(np.float64)
    weighted_a = weights * a
    cross = (weighted_a * b).sum()
    second = np.array([[(weighted_a * a).sum(), cross], [cross, (weights * b * b).sum()]])
    return np.asarray(second / weights.sum())


def _axis(moments: np.ndarray, toward: np.ndarray) -> tuple[np.ndarray, np.ndarray, float] | None:
    """First and second unit vector and the first one's share of the variation; None without any.

    The sign is fixed so that the first points to ``toward``.
    """
    values, vectors = np.linalg.eigh(moments)
    total = float(values.sum())
    if not total > 1e-12:
        return None
    first, second = vectors[:, 1], vectors[:, 0]
    if first @ toward < 0:
        first = -first
    return first, second, float(values[1] / total)


def paper(
    lab: np.ndarray, counts: np.ndarray | None = None, *, centered: bool = False
) -> DominantColor:
    """The paper's rule: chromaticities projected on their first component, then means.

    ``lab`` float64 ``(N, 3)``, ``counts`` ``(N,)`` pixels of each (None: one each). Uncentered
    (default), the component goes through the neutral axis and so names a hue. Centered, the mean
    chromaticity is taken off before and added back after, without which the mean of the
    projections would be zero; the result is then the plain mean. Raises NoPixels.
    """
    lab, counts = _checked(lab, counts)
    mean = statistics.mean(lab, counts)
    principal_axis = _axis(_moments(lab[:, 1:], counts, mean[1:] if centered else None), mean[1:])
    ab = mean[1:]
    if principal_axis is not None and not centered:
        ab = (ab @ principal_axis[0]) * principal_axis[0]
    total = int(counts.sum())
    return DominantColor(
        lab=(float(mean[0]), float(ab[0]), float(ab[1])),
        method="paper-centred" if centered else "paper",
        pixel_count=total,
        used_count=total,
        used=counts,
        axis=None
        if principal_axis is None
        else (float(principal_axis[0][0]), float(principal_axis[0][1])),
        axis_share=None if principal_axis is None else principal_axis[2],
    )


@dataclass(frozen=True)
class Selection:
    """What the released rule keeps before the target color comes in; fields as in DominantColor."""

    used: np.ndarray
    achromatic: bool
    axis: tuple[float, float] | None
    axis_share: float | None
    steps: tuple[tuple[str, int], ...]


def select_released(lab: np.ndarray, counts: np.ndarray) -> Selection:
    """The part of the released rule that does not know the target color.

    Median chroma below 10: the pixels with chroma below 15, or all where those are 10 or fewer.
    Otherwise: pixels within 1.5
    interquartile ranges on the second component of the centered chromaticities; of those, chroma
    at or above their median. ``lab`` float64 ``(U, 3)`` CIELAB, ``counts`` int64 ``(U,)`` pixels.
    """
    chroma = np.sqrt(lab[:, 1] ** 2 + lab[:, 2] ** 2)
    (median,) = statistics.percentiles(chroma, counts, [50.0])
    mean_ab = statistics.mean(lab[:, 1:], counts)
    principal_axis = _axis(_moments(lab[:, 1:], counts, mean_ab), mean_ab)
    axis = (
        None
        if principal_axis is None
        else (float(principal_axis[0][0]), float(principal_axis[0][1]))
    )
    share = None if principal_axis is None else principal_axis[2]
    if median < ACHROMATIC_MEDIAN_CHROMA:
        used = counts * (chroma < ACHROMATIC_KEPT_CHROMA)
        used_count = int(used.sum())
        if used_count <= ACHROMATIC_FEW:
            return Selection(counts, True, axis, share, ())
        return Selection(used, True, axis, share, (("chroma below 15", used_count),))
    steps: list[tuple[str, int]] = []
    keep = np.ones(counts.shape, dtype=bool)
    if principal_axis is not None:
        second = principal_axis[1]
        across = (lab[:, 1] - mean_ab[0]) * second[0] + (lab[:, 2] - mean_ab[1]) * second[1]
        low, high = statistics.percentiles(across, counts, [25.0, 75.0])
        reach = 1.5 * (high - low)
        # Rounding must not throw out pixels of one color, whose range is zero.
        slack = 1e-9
        keep = (across >= low - reach - slack) & (across <= high + reach + slack)
        steps.append(("within 1.5 IQR across the axis", int((counts * keep).sum())))
    among = np.flatnonzero(keep)
    (middle,) = statistics.percentiles(chroma.take(among), counts.take(among), [50.0])
    keep &= chroma >= middle
    used = counts * keep
    steps.append(("chroma at or above the median", int(used.sum())))
    return Selection(used, False, axis, share, tuple(steps))


def released(
    lab: np.ndarray,
    counts: np.ndarray | None = None,
    *,
    target_lab: np.ndarray | None = None,
    selection: Selection | None = None,
) -> DominantColor:
    """The released code's rule; with ``target_lab`` ``(3,)`` it keeps the pixels nearest to it.

    The mean Lab of :func:`select_released`; with a target only of the tenth nearest to it by
    CIEDE2000 (at least 5, at most all), near neutral where more than 10 pixels are left.
    ``selection`` is that function's answer for the same pixels, if it is at hand. Raises NoPixels.
    """
    lab, counts = _checked(lab, counts)
    basis = selection or select_released(lab, counts)
    used, steps = basis.used, basis.steps
    few = basis.achromatic and int(used.sum()) <= ACHROMATIC_FEW
    if target_lab is not None and not few:
        guide_lab = np.asarray(target_lab, dtype=np.float64)
        used = nearest_share(lab, counts, used > 0, guide_lab)
        steps = (*steps, ("the tenth nearest to the target color", int(used.sum())))
    mean = statistics.mean(lab, used)
    return DominantColor(
        lab=(float(mean[0]), float(mean[1]), float(mean[2])),
        method="released" if target_lab is not None else "released-unguided",
        pixel_count=int(counts.sum()),
        used_count=int(used.sum()),
        used=used,
        axis=basis.axis,
        axis_share=basis.axis_share,
        achromatic=basis.achromatic,
        steps=steps,
    )


def lit(lit_color: LitColor, percentile: float = LIT_PERCENTILES[USUAL]) -> DominantColor:
    """The lit color of the largest material, as the rule ``truehue`` takes it
    (truehue.core.color.shading).

    ``percentile`` is one of its levels of shade: that of a verdict, or the usual one.
    """
    part = next(part for part in lit_color.parts if part.percentile == percentile)
    lab = xyz1_to_lab(linear1_to_xyz1(part.linear1))
    used = int(part.used.sum())
    steps: tuple[tuple[str, int], ...] = (("the lit part", used),)
    if lit_color.materials.shares.size > 1:
        steps = (("the largest material", lit_color.material_px), *steps)
    return DominantColor(
        lab=(float(lab[0]), float(lab[1]), float(lab[2])),
        method="truehue",
        pixel_count=int(lit_color.pixel_count),
        used_count=used,
        used=part.used,
        achromatic=bool(chroma(lab) < HUE_GATE_CHROMA),
        steps=steps,
    )


def nearest_share(
    lab: np.ndarray, counts: np.ndarray, keep: np.ndarray, target_lab: np.ndarray
) -> np.ndarray:
    """How many pixels of each color are among the tenth of the kept ones nearest to the target.

    ``lab`` ``(U, 3)``, ``counts`` and ``keep`` (bool) ``(U,)``, ``target_lab`` ``(3,)``; int64
    ``(U,)``. By CIEDE2000; at least 5 pixels, at most all.
    """
    among = np.flatnonzero(keep)
    counts_among = counts.take(among)
    available = int(counts_among.sum())
    quota = min(max(GUIDED_AT_LEAST, int(available * GUIDED_SHARE)), available)
    used = np.zeros(counts.shape, dtype=np.int64)
    distance = delta_e00(lab.T.take(among, axis=1).T, target_lab)
    used[among] = statistics.smallest(distance, counts_among, quota)
    return used
