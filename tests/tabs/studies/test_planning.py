"""How many votes: the simulation behind the two questions of the form."""

from __future__ import annotations

from typing import Any

import pytest

from truehue.core.errors import BadInput
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.planning import PowerRequest, VotesRequest, power, votes_needed

PAIRS = {"win_share": 0.65, "votes_a_person": 10, "cases": 50, "person_sd": 0.2, "case_sd": 0.2}
RATINGS = {"kind": "ratings", "difference": 1.0, "votes_a_person": 10, "cases": 30}


@pytest.mark.parametrize("expected", [PAIRS, RATINGS])
def test_more_people_find_a_difference_more_often(
    context: Context, expected: dict[str, Any]
) -> None:
    few, counted = (
        power(context, OWNER, read_as(PowerRequest, {**expected, "participants": people}))
        for people in (4, 40)
    )
    assert few["power"] < counted["power"]
    assert counted["low"] <= counted["power"] <= counted["high"]
    assert counted["votes"] == 400
    again = power(context, OWNER, read_as(PowerRequest, {**expected, "participants": 40}))
    assert again == counted


@pytest.mark.parametrize("expected", [PAIRS, RATINGS])
def test_as_many_people_as_are_needed_have_the_power(
    context: Context, expected: dict[str, Any]
) -> None:
    message = votes_needed(context, OWNER, read_as(VotesRequest, {**expected, "power": 0.8}))
    assert message["low"] <= message["participants"] <= message["high"]
    assert message["votes"] == 10 * message["participants"]
    people = {**expected, "participants": message["participants"]}
    assert power(context, OWNER, read_as(PowerRequest, people))["power"] == pytest.approx(
        0.8, abs=0.1
    )


def test_what_cannot_be_found_says_so_and_what_is_too_much_is_refused(context: Context) -> None:
    weak = {**PAIRS, "win_share": 0.505, "votes_a_person": 400}
    message = votes_needed(context, OWNER, read_as(VotesRequest, weak))
    assert message["participants"] is None
    assert message["words"].startswith("Up to ")
    much = {**PAIRS, "participants": 2_000, "votes_a_person": 2_000}
    with pytest.raises(BadInput, match="too many to simulate"):
        power(context, OWNER, read_as(PowerRequest, much))
    with pytest.raises(BadInput, match="compares no models"):
        votes_needed(context, OWNER, read_as(VotesRequest, {**RATINGS, "votes_a_person": 1}))
    with pytest.raises(BadInput, match="better model's share"):
        read_as(PowerRequest, {"win_share": 0.5})
