"""How many votes: against the binomial law and Student's t, and against the analysis itself."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from truehue.annotation.judgments.answers import Vote
from truehue.annotation.judgments.rates import win_rates
from truehue.annotation.planning import Design, RatingDesign, people_needed, power_of

pytestmark = pytest.mark.slow

ALIKE = Design(0.55, 36, 20, 150, person_sd=0.0, case_sd=0.0)


def t_test_power() -> Any:
    """The t test of statsmodels, whose import takes seconds."""
    from statsmodels.stats.power import TTestPower

    return TTestPower()


def analytic(effect: float, people: int) -> float:
    """The power of a one-sided t test at 2.5%, by statsmodels."""
    return float(t_test_power().power(effect, people, 0.025, alternative="larger"))


def test_without_a_difference_one_study_in_forty_finds_one() -> None:
    for spread in (0.0, 0.5):
        design = Design(0.5, 36, 75, 150, person_sd=spread, case_sd=0.0)
        assert power_of(design, 1, simulations=600).power == pytest.approx(0.025, abs=0.02)
    even = RatingDesign(0.0, 20, 60, 90, case_sd=0.0)
    assert power_of(even, 1, simulations=2_000).power == pytest.approx(0.025, abs=0.012)


@pytest.mark.parametrize("tie_share", [0.0, 0.3])
def test_with_equal_people_and_cases_it_is_the_power_of_a_t_test(tie_share: float) -> None:
    """A vote is 1, ½ or 0; a person's score is the mean of twenty."""
    share = ALIKE.win_share
    mean = (1 - tie_share) * share + tie_share / 2
    second = (1 - tie_share) * share + tie_share / 4
    sd = ((second - mean**2) / ALIKE.votes_a_person) ** 0.5
    power = power_of(replace(ALIKE, tie_share=tie_share), 2, simulations=1_500)
    assert (power.votes, power.simulations) == (720, 1_500)
    assert power.low - 0.02 < analytic((mean - 0.5) / sd, 36) < power.high + 0.02


def test_ratings_have_the_power_of_a_t_test() -> None:
    design = RatingDesign(0.4, 24, 30, 60, rating_sd=2.0, person_sd=0.5, case_sd=0.0)
    sd = (0.5**2 + 2 * 2.0**2 / 15) ** 0.5
    power = power_of(design, 3, simulations=2_000)
    assert power.votes == 24 * 30, "every rating is a vote, of whichever model"
    assert power.low - 0.01 < analytic(0.4 / sd, 24) < power.high + 0.01


def test_more_votes_find_more_and_people_who_differ_find_less() -> None:
    few = power_of(Design(0.56, 12, 20, 100), 3).power
    counted = power_of(Design(0.56, 60, 20, 100), 3).power
    differing = power_of(Design(0.56, 60, 20, 100, person_sd=1.5), 3).power
    assert few < counted
    assert differing < counted


@pytest.mark.slow
def test_the_analysis_finds_as_often_as_planning_says() -> None:
    """The same studies by the intervals of the results, which resample participants."""
    design = Design(0.58, 18, 12, 60, tie_share=0.2, case_sd=0.0)
    rng = np.random.default_rng(4)
    result = 0
    for repetition, scores in enumerate(design.scores(250, rng)):
        votes = []
        for person, score in enumerate(scores):
            halves = round(score * 24)
            winners = ["a"] * (halves // 2) + [""] * (halves % 2)
            winners += ["b"] * (12 - len(winners))
            votes += [Vote(f"p{person}", "c", "a", "b", winner) for winner in winners]
        result += win_rates(votes, repetition, 400)[0].low > 0.5
    power = power_of(design, 5, simulations=4_000).power
    assert result / 250 == pytest.approx(power, abs=0.09)


@pytest.mark.parametrize("wanted", [0.8, 0.95])
def test_people_needed_are_those_of_a_t_test(wanted: float) -> None:
    rated = RatingDesign(0.4, 2, 30, 60, rating_sd=2.0, person_sd=0.5, case_sd=0.0)
    sd = (0.5**2 + 2 * 2.0**2 / 15) ** 0.5
    paired_sd = (0.55 * 0.45 / 20) ** 0.5
    for design, effect in ((rated, 0.4 / sd), (ALIKE, 0.05 / paired_sd)):
        expected = t_test_power().solve_power(
            effect, power=wanted, alpha=0.025, alternative="larger"
        )
        began = time.process_time()
        needed = people_needed(design, wanted, 7)
        assert time.process_time() - began < 4, "a page waits for it"
        assert needed.participants is not None
        assert needed.low is not None
        assert needed.high is not None
        assert needed.low <= needed.participants <= needed.high
        assert needed.participants == pytest.approx(expected, rel=0.15, abs=1.5)
        assert needed.low - 4 <= expected <= needed.high + 4
        assert needed.votes == needed.participants * design.votes_a_person
        assert [size for size, _ in needed.curve] == sorted(size for size, _ in needed.curve)
    assert people_needed(ALIKE, wanted, 7) == people_needed(ALIKE, wanted, 7)


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.nightly) for n in (2, 3))])
def test_a_power_that_levels_off_is_not_read_from_where_it_is_level(seed: int) -> None:
    """Three cases that differ much: about a hundred people have 80%, and no number has 95%."""
    design = Design(0.6, 2, 25, 3, case_sd=0.7)
    began = time.process_time()
    needed = people_needed(design, 0.8, seed)
    assert time.process_time() - began < 6, "a page waits for it"
    if needed.participants is not None:
        again = power_of(replace(design, participants=needed.participants), 9, 2_000)
        assert again.power == pytest.approx(0.8, abs=0.04)
        assert needed.low is not None
        assert needed.high is not None
        assert needed.curve[0][0] <= needed.participants <= needed.curve[-1][0]
        assert needed.high < 4 * needed.low
    assert people_needed(design, 0.95, seed).participants is None


def test_what_more_people_cannot_find_is_not_found() -> None:
    nothing = people_needed(Design(0.5, 2, 10, 100), 0.8, 1)
    assert nothing.participants is None
    assert nothing.votes is None
    assert max(power.power for _, power in nothing.curve) < 0.5


@pytest.mark.parametrize(
    ("made", "fields"),
    [
        (Design, {"win_share": 0.4}),
        (Design, {"win_share": 0.6, "tie_share": 1.0}),
        (Design, {"win_share": 0.6, "participants": 1}),
        (Design, {"win_share": 0.6, "person_sd": -1.0}),
        (RatingDesign, {"difference": -1.0}),
        (RatingDesign, {"difference": 1.0, "rating_sd": -1.0}),
        (RatingDesign, {"difference": 1.0, "votes_a_person": 1}),
    ],
)
def test_what_is_no_design_is_refused(made: Any, fields: dict[str, float]) -> None:
    values = {"participants": 10, "votes_a_person": 10, "cases": 10}
    with pytest.raises(ValueError, match=r"\w"):
        made(**{**values, **fields})
