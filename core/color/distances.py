"""Distances between two distributions over the UW-71 bins.

ColorConceptBench, section 4.3, equations 1 to 5: PCC, EMD, ED, DCA, Delta Hue; beside them total
variation and the Jensen-Shannon divergence. Every function takes float64 ``(71,)`` distributions as
:func:`checked` returns them.

The transport problem between the bins is solved by :mod:`truehue.core.color.transport`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from truehue.core.color.transport import transport
from truehue.core.color.uw71 import COUNT, distances71, uw58, uw71
from truehue.core.errors import BadInput

SUM_TOLERANCE = 1e-6
"""A distribution may miss the sum of 1 by so much, as files with six decimals do."""

TIE = 1e-12
"""Shares that are nearer are equally full: the order of a sum moves a mean by some 1e-16, and must
not choose the dominant bin."""

_MIN_MASS = 1e-14
"""Less than this is the rounding of two equal shares, and no move."""


class NotADistribution(BadInput):
    """Numbers that are no distribution over the 71 bins.

    ``length`` is how many there were; where it is 58, :func:`truehue.core.color.uw71.from_58` can
    take them. ``total`` is their sum, None where some of them are no numbers from 0 on; where it is
    positive, dividing by it makes a distribution.
    """

    def __init__(self, message: str, length: int, total: float | None = None) -> None:
        super().__init__(message)
        self.length, self.total = length, total


@dataclass(frozen=True)
class Comparison:
    """Two distributions ``p`` and ``q`` compared.

    ``pcc`` is None where one of them is the same in every bin. ``emd_lab`` in CIELAB units,
    ``entropy_difference`` in nats, ``total_variation`` 0 to 1, ``jensen_shannon`` in nats, 0 to
    ln 2 (the divergence, not its root). ``dominant`` are the indices of the fullest bins, of equals
    the first; ``tied`` how many bins are the fullest, each. ``delta_hue_deg`` is None where a
    dominant bin is neutral, which has no hue; ``delta_hue_literal_deg`` is equation 5 as written,
    where the hue angle of a neutral is that of atan2(0, 0), 0 degrees.
    """

    pcc: float | None
    emd_lab: float
    entropy_difference: float
    dominant: tuple[int, int]
    tied: tuple[int, int]
    delta_hue_deg: float | None
    delta_hue_literal_deg: float
    total_variation: float
    jensen_shannon: float

    @property
    def dominant_equal(self) -> bool:
        """Whether both have the same dominant bin: what DCA counts."""
        return self.dominant[0] == self.dominant[1]


@dataclass(frozen=True)
class Move:
    """A part of the earth mover's flow: ``mass`` (0 to 1) from bin ``source`` to bin ``target``,
    over ``distance_lab``."""

    source: int
    target: int
    mass: float
    distance_lab: float

    @property
    def cost(self) -> float:
        """Its contribution to the EMD."""
        return self.mass * self.distance_lab


def checked(weights: ArrayLike, name: str = "The distribution") -> np.ndarray:
    """float64 ``(71,)`` with sum 1. ``name`` begins the messages.

    Raises NotADistribution for another length, for what is negative or no number, and for a sum
    that misses 1 by more than :data:`SUM_TOLERANCE`; nothing is repaired silently.
    """
    try:
        values = np.asarray(weights, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError) as error:
        raise NotADistribution(f"{name} is not a list of {COUNT} numbers.", 0) from error
    if values.size != COUNT:
        offer = (
            " These may be the 58 bins of UW-58: say so, and they are put to their places, with 0 "
            "in the 13 bins of L* = 88."
            if values.size == len(uw58())
            else ""
        )
        raise NotADistribution(
            f"{name} has {values.size} numbers; UW-71 has {COUNT} bins.{offer}", values.size
        )
    if not np.isfinite(values).all():
        index = int(np.flatnonzero(~np.isfinite(values))[0])
        raise NotADistribution(
            f"{name} has {values[index]} in bin {index}: a share is a number from 0 to 1.", COUNT
        )
    if (values < 0).any():
        index = int(np.argmin(values))
        raise NotADistribution(
            f"{name} has {values[index]:.6g} in bin {index}: a share cannot be negative.", COUNT
        )
    total = float(values.sum())
    if abs(total - 1.0) > SUM_TOLERANCE:
        rest = (
            ""
            if total == 0
            else (
                " Divide them by their sum, or import them as ratings, which are normalized and "
                "called so."
            )
        )
        raise NotADistribution(f"{name} sums to {total:.9g} instead of 1.{rest}", COUNT, total)
    return values / total


def compare(p: np.ndarray, q: np.ndarray) -> Comparison:
    """All distances of two distributions."""
    of_p, of_q = fullest_bins(p), fullest_bins(q)
    top_p, top_q = int(of_p[0]), int(of_q[0])
    hue_p, hue_q = uw71()[top_p].hue_deg, uw71()[top_q].hue_deg
    literal = _angle(hue_p or 0.0, hue_q or 0.0)
    return Comparison(
        pcc=pcc(p, q),
        emd_lab=emd(p, q),
        entropy_difference=entropy_difference(p, q),
        dominant=(top_p, top_q),
        tied=(of_p.size, of_q.size),
        delta_hue_deg=None if hue_p is None or hue_q is None else literal,
        delta_hue_literal_deg=literal,
        total_variation=total_variation(p, q),
        jensen_shannon=jensen_shannon(p, q),
    )


def pcc(p: np.ndarray, q: np.ndarray) -> float | None:
    """Pearson's correlation over the bins (equation 1), -1 to 1; None where one is constant."""
    dp, dq = p - p.mean(), q - q.mean()
    size = float(np.sqrt((dp * dp).sum() * (dq * dq).sum()))
    # The rounding of 71 equal shares is no variance.
    if size <= 1e-24 or np.ptp(p) < 1e-15 or np.ptp(q) < 1e-15:
        return None
    return float(np.clip((dp * dq).sum() / size, -1.0, 1.0))


def emd(p: np.ndarray, q: np.ndarray) -> float:
    """Earth mover's distance in CIELAB units (equation 2), exact.

    The mass that both have in a bin stays there: the ground distance is a metric, so some optimal
    flow leaves it (moving it and something else in its place is no shorter than moving that all the
    way). What is left is a transport problem between the bins that have some.
    """
    supply, demand, mass = _residuals(p, q)
    return transport(supply, demand)[1] * mass if mass > 0.0 else 0.0


def emd_flow(p: np.ndarray, q: np.ndarray) -> tuple[Move, ...]:
    """An optimal flow from ``p`` to ``q``, costliest moves first; costs sum to :func:`emd`.

    Mass that stays in its bin is no move, nor is what rounding makes of equal shares. An optimal
    flow need not be the only one.
    """
    supply, demand, mass = _residuals(p, q)
    if mass == 0.0:
        return ()
    flow, distance = transport(supply, demand)[0] * mass, distances71()
    moves = [
        Move(int(source), int(target), float(flow[source, target]), float(distance[source, target]))
        for source, target in zip(*np.nonzero(flow > _MIN_MASS), strict=True)
    ]
    return tuple(sorted(moves, key=lambda move: (-move.cost, move.source, move.target)))


def entropy(p: np.ndarray) -> float:
    """Shannon's entropy in nats; bins without mass add nothing."""
    some = p[p > 0]
    return float(-(some * np.log(some)).sum())


def entropy_difference(p: np.ndarray, q: np.ndarray) -> float:
    """ED (equation 3), natural logarithm: nats."""
    return abs(entropy(p) - entropy(q))


def fullest_bins(p: np.ndarray) -> np.ndarray:
    """The fullest bins, int64 ``(T,)``, ascending; within :data:`TIE` they are equal."""
    return np.flatnonzero(p >= p.max() - TIE)


def dominant(p: np.ndarray) -> int:
    """The fullest bin; of equals the first (equation 4)."""
    return int(fullest_bins(p)[0])


def total_variation(p: np.ndarray, q: np.ndarray) -> float:
    """Half the sum of absolute differences, 0 to 1: the mass that would have to move."""
    return float(0.5 * np.abs(p - q).sum())


def jensen_shannon(p: np.ndarray, q: np.ndarray) -> float:
    """Jensen-Shannon divergence in nats, 0 to ln 2 (Lin 1991, IEEE Trans. Inf. Theory 37, 145)."""
    return max(0.0, entropy((p + q) / 2.0) - (entropy(p) + entropy(q)) / 2.0)


def _angle(first: float, second: float) -> float:
    """The shortest angle between two hues, 0 to 180 degrees (equation 5)."""
    apart = abs(first - second)
    return min(apart, 360.0 - apart)


def _residuals(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """What has to leave each bin and what has to arrive there, both ``(71,)`` with sum 1, as shares
    of the third, the mass that has to move; where that is 0, the others mean nothing."""
    apart = p - q
    supply = np.maximum(apart, 0.0)
    demand = supply - apart
    mass, arriving = float(supply.sum()), float(demand.sum())
    if mass <= 0.0 or arriving <= 0.0:  # equal, or equal up to rounding
        return supply, demand, 0.0
    supply /= mass
    demand /= arriving
    return supply, demand, mass
