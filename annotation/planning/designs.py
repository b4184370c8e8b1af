"""Studies as they are planned: what differs, how much, and how often people are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


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
        case = case[:, _asked(self, self.votes_a_person)]
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
        case = case[:, _asked(self, self.images_a_model)].mean(axis=2)
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


def _asked(design: AnyDesign, cases_a_person: int) -> np.ndarray:
    """int ``(participants, cases_a_person)``: the cases that each person is asked about, one after
    another as a balanced assignment goes through them."""
    total = design.participants * cases_a_person
    return (np.arange(total) % design.cases).reshape(design.participants, -1)
