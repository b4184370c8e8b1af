"""Votes that a study needs, before it starts: simulated designs, power, number of people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from truehue.annotation.judgments.resampling import LEVEL

SIMULATIONS = 400
_AT_ONCE = 1_000_000
"""Votes that are simulated at a time: some ten megabytes each array."""
_Z = 1.959963984540054
MAX_PEOPLE = 2_000
_FIRST = 40
"""Simulations of each size while the right one is looked for."""
_PARTS = (0.55, 0.7, 0.85, 1.0, 1.2, 1.45, 1.8)
"""Sizes about the right one, as parts of it, of which the power is simulated at last."""
_MAX_WINDOWS = 5
"""How often sizes are simulated, about another number where the right one is not among them."""
_SLOPE_Z = 3.0
"""Standard errors by which power has to rise with people, so that a number can be given at all."""
_BUDGET = 40_000_000
"""Draws at most, about a second."""


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

    null: ClassVar[float] = 0.5
    """The mean score where there is no difference."""

    def __post_init__(self) -> None:
        if not 0.5 <= self.win_share < 1 or not 0 <= self.tie_share < 1:
            raise ValueError("Shares are from 0.5 to 1 for the better model, 0 to 1 for ties.")
        _check(self.participants, self.votes_a_person, self.cases)
        if self.person_sd < 0 or self.case_sd < 0:
            raise ValueError("A standard deviation is 0 or more.")

    def scores(self, simulations: int, rng: np.random.Generator) -> np.ndarray:
        """float ``(simulations, participants)``: the share of each person's votes that were for the
        better model, ties half."""
        person = rng.normal(0, self.person_sd, (simulations, self.participants, 1))
        case = rng.normal(0, self.case_sd, (simulations, self.cases))
        case = case[:, _assigned_cases(self, self.votes_a_person)]
        share = 1 / (1 + np.exp(-(self._mean_logit + person + case)))
        random = rng.random(share.shape)
        if not self.tie_share:
            return np.asarray((random < share).mean(axis=2))
        # One draw for both: below the share of ties it is one, the rest is stretched to 0 to 1.
        won = random - self.tie_share < share * (1 - self.tie_share)
        return np.asarray(np.where(random < self.tie_share, 0.5, won).mean(axis=2))

    @property
    def draws_per_person(self) -> int:
        """What one person costs to simulate."""
        return self.votes_a_person

    @property
    def _mean_logit(self) -> float:
        """The logit at which people and cases, who differ, have ``win_share`` as their mean.

        By Gauss–Hermite quadrature and bisection: a mean of logistic curves is flatter than one.
        """
        nodes, mass = np.polynomial.hermite_e.hermegauss(41)
        sd = float(np.hypot(self.person_sd, self.case_sd))
        low, high = 0.0, 20.0 + 10 * sd
        for _ in range(60):
            middle = (low + high) / 2
            share = float((mass / (1 + np.exp(-(middle + sd * nodes)))).sum() / mass.sum())
            low, high = (middle, high) if share < self.win_share else (low, middle)
        return (low + high) / 2


@dataclass(frozen=True)
class RatingDesign:
    """A study in which everybody rates images of two models, as many of the one as of the other.

    ``difference`` is the expected difference of the two means, in points of the scale, 0 or more.
    ``votes_a_person`` are the ratings of a person, half of them of each model. ``rating_sd`` is how
    far ratings of one person lie from each other, ``person_sd`` how much people differ in what they
    make of the difference, ``case_sd`` how much it differs from case to case; all in points. Ends
    and steps of the scale are not simulated: near an end of the scale a study finds less. Raises
    ValueError for what is no study, one rating a person too.
    """

    difference: float
    participants: int
    votes_a_person: int
    cases: int
    rating_sd: float = 2.0
    person_sd: float = 0.5
    case_sd: float = 1.0

    null: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.difference <= 10:
            raise ValueError("A difference is from 0 to 10 points.")
        _check(self.participants, self.votes_a_person // 2, self.cases)
        if min(self.rating_sd, self.person_sd, self.case_sd) < 0:
            raise ValueError("A standard deviation is 0 or more.")

    @property
    def draws_per_person(self) -> int:
        """What one person costs to simulate: the cases are looked up, which is quick."""
        return 2 + self.images_a_model // 8

    @property
    def images_a_model(self) -> int:
        """Images of each model that a person rates; of an odd number one rating has no other."""
        return self.votes_a_person // 2

    def scores(self, simulations: int, rng: np.random.Generator) -> np.ndarray:
        """float ``(simulations, participants)``: how much better each person rated the better
        model, in points."""
        person = rng.normal(0, self.person_sd, (simulations, self.participants))
        case = rng.normal(0, self.case_sd, (simulations, self.cases))
        case = case[:, _assigned_cases(self, self.images_a_model)].mean(axis=2)
        # The mean of as many differences of two ratings, drawn at once.
        noise_sd = self.rating_sd * np.sqrt(2 / self.images_a_model)
        noise = rng.normal(0, noise_sd, (simulations, self.participants))
        return np.asarray(self.difference + person + case + noise)


AnyDesign = Design | RatingDesign


def _check(participants: int, votes_a_person: int, cases: int) -> None:
    if participants < 2 or votes_a_person < 1 or cases < 1:
        raise ValueError(
            "A study needs two participants, one vote of each (ratings: two), and one case."
        )


def _assigned_cases(design: AnyDesign, cases_a_person: int) -> np.ndarray:
    """int ``(participants, cases_a_person)``: the cases that each person is asked about, one after
    another as a balanced assignment goes through them."""
    total = design.participants * cases_a_person
    return (np.arange(total) % design.cases).reshape(design.participants, -1)


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


@dataclass(frozen=True)
class SampleSize:
    """``participants`` find the difference with the ``wanted`` power, and as many as ``low`` to
    ``high`` with what chance did in the simulations (95%); all None where :data:`MAX_PEOPLE` do
    not, or more than can be simulated. ``votes`` are theirs. ``curve`` are simulated sizes with
    their power, by rising size.
    """

    wanted: float
    participants: int | None
    low: int | None
    high: int | None
    votes: int | None
    curve: tuple[tuple[int, Power], ...]


def people_needed(design: AnyDesign, wanted: float, seed: int) -> SampleSize:
    """The least number of participants with that power, 0.5 to 0.99.

    ``design`` says everything but the number of participants. Sizes are doubled until one has the
    power, sizes around that are simulated more often, and Φ(a + b√n), which is the power of a mean
    of n people, is fitted to their shares (probit regression); the interval is the delta method's.
    Where cases differ much, power levels off, and chance may find it at once at a size that is far
    too large: a number outside of the simulated sizes, or from a power that does not clearly rise
    there, is not taken, but looked for elsewhere, and none is given where it is not found.
    """
    if not 0.5 <= wanted <= 0.99:
        raise ValueError("A power is asked for between 0.5 and 0.99.")
    budget = _BUDGET // design.draws_per_person
    tried, center = _first_with(design, wanted, seed, budget // 2)
    curves = dict(tried)
    for window in range(_MAX_WINDOWS):
        if center is None or center > MAX_PEOPLE:
            break
        sizes = sorted({max(2, round(center * part)) for part in _PARTS})
        curve = _curve(design, tuple(sizes), seed + 1 + 10 * window, budget // (4 if window else 2))
        crossing = _crossing(curve, wanted)
        if crossing is not None:
            number, low, high = crossing
            if sizes[0] <= number <= sizes[-1]:
                votes = number * design.votes_a_person
                return SampleSize(wanted, number, low, high, votes, curve)
            center = min(max(number, center // 4), center * 4)
        else:  # about as much power everywhere: the size sought is not here
            enough = float(np.mean([power.power for _, power in curve])) >= wanted
            center = center // 2 if enough else center * 2
        center = max(3, center)
        curves |= dict(curve)
    return SampleSize(wanted, None, None, None, None, tuple(sorted(curves.items())))


def _first_with(
    design: AnyDesign, wanted: float, seed: int, budget: int
) -> tuple[tuple[tuple[int, Power], ...], int | None]:
    """Sizes that were tried, and about how many people have that power: between the last size
    without and the first with, None where there is none."""
    tried: list[tuple[int, Power]] = []
    people = 4
    while people <= MAX_PEOPLE and people * _FIRST <= budget:
        power = power_of(replace(design, participants=people), seed, _FIRST)
        tried.append((people, power))
        if power.power >= wanted:
            return tuple(tried), max(3, round(people / 2**0.5))
        budget -= people * _FIRST
        people *= 2
    return tuple(tried), None


def _curve(
    design: AnyDesign, sizes: tuple[int, ...], seed: int, budget: int
) -> tuple[tuple[int, Power], ...]:
    """The power of each size, with as many simulations as the budget of participants allows."""
    simulations = int(np.clip(budget // sum(sizes), 40, 1_000))
    return tuple(
        (size, power_of(replace(design, participants=size), seed + i, simulations))
        for i, size in enumerate(sizes)
    )


def _crossing(curve: tuple[tuple[int, Power], ...], wanted: float) -> tuple[int, int, int] | None:
    """Where the fitted power is the wanted one, with its 95% interval, in people; None where the
    power does not clearly rise."""
    from scipy.stats import norm

    root = np.sqrt([size for size, _ in curve])
    number = np.array([power.simulations for _, power in curve], dtype=np.float64)
    share = np.array([power.power for _, power in curve])
    # Half a study more of either outcome, so that no share is 0 or 1.
    share = (share * number + 0.5) / (number + 1)
    design = np.column_stack([np.ones_like(root), root])
    beta = np.linalg.lstsq(design, norm.ppf(share), rcond=None)[0]
    information = np.eye(2)
    for _ in range(25):
        eta = design @ beta
        fitted, density = np.clip(norm.cdf(eta), 1e-9, 1 - 1e-9), norm.pdf(eta)
        weight = number * density**2 / (fitted * (1 - fitted)) + 1e-9
        information = (design * weight[:, None]).T @ design
        working = eta + (share - fitted) / np.maximum(density, 1e-9)
        beta = np.linalg.solve(information, (design * weight[:, None]).T @ working)
    if not beta[1] > _SLOPE_Z * np.sqrt(np.linalg.inv(information)[1, 1]):
        return None
    index = (norm.ppf(wanted) - beta[0]) / beta[1]
    gradient = np.array([1.0, index]) / beta[1]
    error = float(np.sqrt(gradient @ np.linalg.inv(information) @ gradient))
    bounds = [min(float(max(index + z * error, 0.0)) ** 2, 1e9) for z in (0.0, -1.96, 1.96)]
    number_, low, high = (max(2, int(np.ceil(value - 1e-9))) for value in bounds)
    return number_, low, high
