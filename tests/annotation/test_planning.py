"""How many votes: against the binomial law, where participants and cases do not differ."""

from __future__ import annotations

import pytest
from scipy.stats import norm

from annotation.planning.power import Design, power_of


def test_without_a_difference_one_study_in_forty_finds_one() -> None:
    for spread in (0.0, 0.5):
        design = Design(0.5, 36, 75, 150, person_sd=spread, case_sd=0.0)
        assert power_of(design, 1, simulations=600).power == pytest.approx(0.025, abs=0.02)


def test_with_equal_people_and_cases_it_is_the_power_of_a_binomial_test() -> None:
    share, votes = 0.55, 36 * 20
    error = (share * (1 - share) / votes) ** 0.5
    expected = float(norm.cdf((share - 0.5) / error - norm.ppf(0.975)))
    design = Design(share, 36, 20, 150, person_sd=0.0, case_sd=0.0)
    power = power_of(design, 2, simulations=600)
    assert (power.votes, power.simulations) == (votes, 600)
    assert power.low - 0.04 < expected < power.high + 0.04


def test_more_votes_find_more_and_people_who_differ_find_less() -> None:
    few = power_of(Design(0.56, 12, 20, 100), 3).power
    many = power_of(Design(0.56, 60, 20, 100), 3).power
    differing = power_of(Design(0.56, 60, 20, 100, person_sd=1.5), 3).power
    assert few < many
    assert differing < many


@pytest.mark.parametrize(
    "fields",
    [{"win_share": 0.4}, {"tie_share": 1.0}, {"participants": 1}, {"person_sd": -1.0}],
)
def test_what_is_no_design_is_refused(fields: dict[str, float]) -> None:
    given = {"win_share": 0.6, "participants": 10, "votes_a_person": 10, "cases": 10}
    with pytest.raises(ValueError, match=r"\w"):
        Design(**{**given, **fields})  # type: ignore[arg-type]
