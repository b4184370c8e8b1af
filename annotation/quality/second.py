"""Whether somebody who colored a concept twice did so consistently.

ColorConceptBench, Appendix B.4: who was asked to color again is kept where both colorings have
consistent patterns, even where they differ from everybody else's; else they color again until two
agree. The paper gives no limit for "consistent"; ours is :func:`threshold_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from truehue.annotation.quality.colorings import Coloring
from truehue.core.color.distances import emd

QUANTILE = 0.5
"""Two colorings of one person are consistent where they are no farther apart than this share of
pairs of different people."""
LEAST_LAB = 10.0
"""CIELAB units that never count as inconsistent: else, where people agree closely, a step from one
bin to the next (25 units) of a few pixels would."""
LEAST_PAIRS = 3
"""Pairs of a concept, of three people, from which its own distribution is taken."""


@dataclass(frozen=True)
class Threshold:
    """``lab`` is the EMD up to which two colorings of one person are consistent, ``pairs`` are
    what it is of: EMDs between different people, ``(P,)``. ``why`` says it in words."""

    lab: float
    pairs: np.ndarray
    why: str


@dataclass(frozen=True)
class SecondCheck:
    """A coloring against the one before it by the same person.

    ``farther`` is the share, 0 to 1, of pairs of different people that are at least as far apart,
    None without a pair. ``consistent`` is decided by ``threshold_lab`` alone.
    """

    first: Coloring
    second: Coloring
    emd_lab: float
    threshold_lab: float
    farther: float | None
    consistent: bool
    why: str


@dataclass(frozen=True)
class Stability:
    """What a series of colorings by one person gives: ``checks`` of each against the one before,
    and ``stable``, the earlier of the first two in a row that are consistent. A single coloring is
    taken as it is. None where no two agree: another one has to decide."""

    checks: tuple[SecondCheck, ...]
    stable: Coloring | None


def threshold_of(own: np.ndarray, pooled: np.ndarray, quantile: float = QUANTILE) -> Threshold:
    """The limit for a concept: the ``quantile`` of the EMDs between different people's colorings of
    it (``own`` ``(P,)``); of all concepts together (``pooled``) where fewer than
    :data:`LEAST_PAIRS` are known; at least :data:`LEAST_LAB`."""
    pairs, whose = own, "of this concept"
    if len(own) < LEAST_PAIRS:
        pairs, whose = pooled, "of all concepts, for too few people colored this one"
    if not len(pairs):
        return Threshold(
            LEAST_LAB, pairs, f"No two people to compare with: the limit is {LEAST_LAB:g}."
        )
    value = float(np.quantile(pairs, quantile))
    text = (
        f"{100 * quantile:.0f}% of the {len(pairs)} pairs of different people {whose} are at most "
        f"{value:.1f} apart"
    )
    if value < LEAST_LAB:
        return Threshold(LEAST_LAB, pairs, f"{text}; the limit is never below {LEAST_LAB:g}.")
    return Threshold(value, pairs, f"{text}: that is the limit.")


def stability(series: Sequence[Coloring], threshold: Threshold) -> Stability:
    """Whether a person's colorings of one concept, in their order, agree with each other."""
    checks = tuple(_check(first, second, threshold) for first, second in pairwise(series))
    if not checks:
        return Stability((), series[0] if series else None)
    stable = next((check.first for check in checks if check.consistent), None)
    return Stability(checks, stable)


def _check(first: Coloring, second: Coloring, threshold: Threshold) -> SecondCheck:
    apart = emd(first.weights, second.weights)
    farther = float((threshold.pairs >= apart).mean()) if len(threshold.pairs) else None
    return SecondCheck(
        first, second, apart, threshold.lab, farther, apart <= threshold.lab, threshold.why
    )
