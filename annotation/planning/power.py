"""How often a study would find a difference that is there, by simulating it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.resampling import LEVEL
from truehue.annotation.planning.designs import AnyDesign, Design, RatingDesign

__all__ = ["SIMULATIONS", "AnyDesign", "Design", "Power", "RatingDesign", "power_of"]

SIMULATIONS = 400
_AT_ONCE = 1_000_000
"""Votes that are simulated at a time: some ten megabytes each array."""
_Z = 1.959963984540054


@dataclass(frozen=True)
class Power:
    """``power`` is the share of ``simulations`` in which the interval of the win rate excluded a
    half on the right side (of the difference of ratings: excluded 0), with the bounds of its 95%
    interval (E. B. Wilson, 1927)."""

    power: float
    low: float
    high: float
    simulations: int
    votes: int


def power_of(
    design: AnyDesign, seed: int, simulations: int = SIMULATIONS, level: float = LEVEL
) -> Power:
    """Simulates the study and looks whether its interval leaves out what no difference would be.

    The interval is of Student's t over participants' means. Results have the expanded percentile
    interval of resampled participants (:mod:`truehue.annotation.judgments.rates`), which is made to
    be as wide and takes a hundred times as long.
    """
    from scipy.stats import t

    rng = np.random.default_rng(seed)
    hits = 0
    width = float(t.ppf((1 + level) / 2, design.participants - 1)) / np.sqrt(design.participants)
    votes = design.participants * design.votes_a_person
    remaining = simulations
    while remaining:
        part = min(remaining, max(1, _AT_ONCE // votes))
        scores = design.scores(part, rng)
        hits += int((scores.mean(axis=1) - width * scores.std(axis=1, ddof=1) > design.null).sum())
        remaining -= part
    share = hits / simulations
    center = (share + _Z * _Z / (2 * simulations)) / (1 + _Z * _Z / simulations)
    half = (
        _Z
        / (1 + _Z * _Z / simulations)
        * np.sqrt(share * (1 - share) / simulations + _Z * _Z / (4 * simulations**2))
    )
    return Power(share, float(center - half), float(center + half), simulations, votes)
