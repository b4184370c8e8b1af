"""How often a study would find a difference that is there, by simulating it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.judgments.resampling import LEVEL, tail, weights

SIMULATIONS = 400
_REPLICATES = 200


@dataclass(frozen=True)
class Design:
    """A study of one pair of models.

    ``win_share`` is the expected share of votes for the better model among those that are no tie,
    0.5 to 1; ``tie_share`` is that of ties, 0 to 1. ``person_sd`` and ``case_sd`` are how much
    participants and cases differ, as standard deviations in logits: 0 is not at all, 0.5 moves a
    share of 0.6 to between 0.48 and 0.71 for two of three of them.
    """

    win_share: float
    participants: int
    votes_a_person: int
    cases: int
    tie_share: float = 0.0
    person_sd: float = 0.5
    case_sd: float = 0.5

    def __post_init__(self) -> None:
        if not 0.5 <= self.win_share < 1 or not 0 <= self.tie_share < 1:
            raise ValueError("Shares are from 0.5 to 1 for the better model, 0 to 1 for ties.")
        if self.participants < 2 or self.votes_a_person < 1 or self.cases < 1:
            raise ValueError("A study needs two participants, one vote of each, and one case.")
        if self.person_sd < 0 or self.case_sd < 0:
            raise ValueError("A standard deviation is 0 or more.")


@dataclass(frozen=True)
class Power:
    """``power`` is the share of ``simulations`` in which the interval of the win rate excluded a
    half on the right side, with the bounds of its 95% interval (E. B. Wilson, 1927)."""

    power: float
    low: float
    high: float
    simulations: int
    votes: int


def power_of(
    design: Design, seed: int, simulations: int = SIMULATIONS, level: float = LEVEL
) -> Power:
    """Simulates the study and analyses it as :mod:`annotation.judgments.rates` does: the win rate,
    ties half, with an expanded percentile interval over resampled participants."""
    rng = np.random.default_rng(seed)
    mean = _mean_logit(design)
    outside = tail(design.participants, level)
    hits = 0
    for _ in range(simulations):
        for_better, total = _simulated(design, mean, rng)
        drawn = weights(design.participants, _REPLICATES, rng)
        low = np.quantile((drawn @ for_better) / (drawn @ total), outside)
        hits += int(low > 0.5)
    share = hits / simulations
    z = 1.959963984540054
    center = (share + z * z / (2 * simulations)) / (1 + z * z / simulations)
    half = (
        z
        / (1 + z * z / simulations)
        * np.sqrt(share * (1 - share) / simulations + z * z / (4 * simulations**2))
    )
    votes = design.participants * design.votes_a_person
    return Power(share, float(center - half), float(center + half), simulations, votes)


def _simulated(
    design: Design, mean: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Votes for the better model, ties half, and all votes, float ``(participants,)`` each."""
    person = rng.normal(0, design.person_sd, design.participants)
    case = rng.normal(0, design.case_sd, design.cases)
    shape = (design.participants, design.votes_a_person)
    cases = rng.integers(design.cases, size=shape)
    share = 1 / (1 + np.exp(-(mean + person[:, None] + case[cases])))
    tied = rng.random(shape) < design.tie_share
    won = rng.random(shape) < share
    return np.where(tied, 0.5, won).sum(axis=1), np.full(design.participants, float(shape[1]))


def _mean_logit(design: Design) -> float:
    """The logit at which shares of people and cases, who differ, have ``win_share`` as their mean.

    By Gauss–Hermite quadrature and bisection: a mean of logistic curves is flatter than one.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(41)
    sd = float(np.hypot(design.person_sd, design.case_sd))
    low, high = 0.0, 20.0 + 10 * sd
    for _ in range(60):
        middle = (low + high) / 2
        share = float((mass / (1 + np.exp(-(middle + sd * nodes)))).sum() / mass.sum())
        low, high = (middle, high) if share < design.win_share else (low, middle)
    return (low + high) / 2
