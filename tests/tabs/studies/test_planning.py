"""How many votes: the simulation behind the two questions of the form."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from tabs.page.actor import OWNER
from tabs.page.context import Context
from tabs.page.requests import read_as
from tabs.studies.planning import PowerRequest, VotesRequest, power, votes_needed

PLAIN = {"win_share": 0.65, "votes_a_person": 10, "cases": 50, "person_sd": 0.2, "case_sd": 0.2}


def test_more_people_find_a_difference_more_often(context: Context) -> None:
    few, many = (
        power(context, OWNER, read_as(PowerRequest, {**PLAIN, "participants": people}))
        for people in (5, 40)
    )
    assert few["power"] < many["power"]
    assert many["low"] <= many["power"] <= many["high"]
    assert many["votes"] == 400
    again = power(context, OWNER, read_as(PowerRequest, {**PLAIN, "participants": 40}))
    assert again == many


def test_the_least_number_of_people_has_the_power(context: Context) -> None:
    told = votes_needed(context, OWNER, read_as(VotesRequest, {**PLAIN, "power": 0.8}))
    by_people = {point["participants"]: point["power"] for point in told["curve"]}
    assert by_people[told["participants"]] >= 0.8
    assert all(power < 0.8 for people, power in by_people.items() if people < told["participants"])
    assert told["votes"] == 10 * told["participants"]


def test_what_cannot_be_found_says_so_and_what_is_too_much_is_refused(context: Context) -> None:
    weak = {**PLAIN, "win_share": 0.505, "votes_a_person": 400}
    told = votes_needed(context, OWNER, read_as(VotesRequest, weak))
    assert told["participants"] is None
    assert told["words"].startswith("Up to ")
    much = {**PLAIN, "participants": 2_000, "votes_a_person": 2_000}
    with pytest.raises(BadInput, match="too much to simulate"):
        power(context, OWNER, read_as(PowerRequest, much))
    with pytest.raises(BadInput, match="better model's share"):
        read_as(PowerRequest, {"win_share": 0.5})
