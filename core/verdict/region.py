"""The a*b* plane of a verdict, for drawing: what passes, what is in view, where the axis runs."""

from __future__ import annotations

import numpy as np

from truehue.core.color.difference import delta_chroma, delta_e00, hue_difference_deg
from truehue.core.verdict.rules import LightMatch, Thresholds

# As far as a rule without a limit on ΔChroma is looked at; 5 ΔE00 of the most vivid colors.
_MOST_CHROMA = 40.0


def acceptance_outline(
    candidate_lab: tuple[float, float, float], thresholds: Thresholds, directions: int = 72
) -> np.ndarray:
    """Closed outline float64 ``(directions + 1, 2)`` of (a*, b*) that pass on one candidate.

    At the candidate's own lightness, where the region is largest; all metrics that have a
    threshold must pass.
    """
    center = np.array(candidate_lab, dtype=np.float64)
    angle = np.linspace(0.0, 2.0 * np.pi, directions + 1)
    maximum = thresholds.delta_chroma if thresholds.delta_chroma is not None else _MOST_CHROMA
    radius = np.linspace(0.0, maximum, 126)[1:]
    points = np.empty((angle.size, radius.size, 3))
    points[..., 0] = center[0]
    points[..., 1] = center[1] + np.cos(angle)[:, None] * radius
    points[..., 2] = center[2] + np.sin(angle)[:, None] * radius
    passes = np.ones(points.shape[:-1], dtype=bool)
    for value, limit in (
        (delta_e00, thresholds.delta_e00),
        (delta_chroma, maximum + 1e-9),
        (hue_difference_deg, thresholds.hue_deg),
    ):
        if limit is not None:
            passes &= value(points, center) < limit
    # The last radius before the first that fails.
    reach = np.where(passes.all(axis=1), radius.size, passes.argmin(axis=1))
    length = np.concatenate(([0.0], radius))[reach]
    return center[1:] + length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def space_left(light: LightMatch, thresholds: Thresholds) -> Thresholds | None:
    """The distance in ΔE00 that a misfit still allows in this light; None where there is none."""
    if thresholds.misfit is None or light.cost >= thresholds.misfit:
        return None
    room = float(np.sqrt(thresholds.misfit**2 - light.cost**2))
    return Thresholds(delta_chroma=None, delta_e00=room, hue_deg=None)


def square_around(points: np.ndarray, least_half: float = 12.0) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner ``(2,)`` of a square with room around ``points`` ``(N, 2)``."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = max(float((high - low).max()) * 0.55, least_half)
    middle = (low + high) / 2.0
    return middle - half, middle + half


def line_across(
    through: np.ndarray, axis: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Both ends ``(2, 2)`` of the line along ``axis`` through a point inside, cut at the square."""
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.stack([(low - through) / axis, (high - through) / axis])
    reach = np.array([np.nanmax(steps.min(axis=0)), np.nanmin(steps.max(axis=0))])
    return through + np.outer(reach, axis)
