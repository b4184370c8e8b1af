"""How many votes and people a study needs, by simulation, in about a second."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from annotation.planning.power import SIMULATIONS, Design, Power, power_of
from core.errors import BadInput
from tabs.page.actor import Actor, asks
from tabs.page.context import Context
from tabs.page.requests import PageRequest, Whole
from tabs.studies.form import Seed

MOST_WORK = 24_000_000
"""Votes and resampled people of all simulations of one answer: about two seconds."""
RESAMPLED = 200
LEAST_SIMULATIONS, OF_A_CURVE = 60, 200
PEOPLE = (4, 6, 8, 10, 12, 16, 20, 25, 30, 36, 45, 60, 75, 90, 120, 150, 200, 300, 400)


class Difference(PageRequest):
    """What is expected: ``win_share`` of the votes that are no tie are for the better model."""

    win_share: float = Field(default=0.6, gt=0.5, le=0.99, title="The better model's share")
    tie_share: float = Field(default=0.0, ge=0, le=0.95, title="The share of ties")
    votes_a_person: Whole = Field(
        default=25, ge=1, le=2_000, title="Votes of a person on this pair"
    )
    cases: Whole = Field(default=50, ge=1, le=20_000, title="The number of cases")
    person_sd: float = Field(default=0.5, ge=0, le=3, title="How much people differ")
    case_sd: float = Field(default=0.5, ge=0, le=3, title="How much cases differ")
    seed: Seed = 1


class PowerRequest(Difference):
    """A study of a known size."""

    participants: Whole = Field(default=36, ge=2, le=2_000, title="The number of people")


class VotesRequest(Difference):
    """A study that is to find the difference with that ``power``."""

    power: Annotated[float, Field(ge=0.5, le=0.99, title="The power")] = 0.8


@asks("study")
def power(context: Context, actor: Actor, request: PowerRequest) -> dict[str, Any]:
    """How often a study would find a difference that is there."""
    result = _power(request, request.participants, SIMULATIONS)
    return {
        **_bounds(result),
        "simulations": result.simulations,
        "votes": result.votes,
        "words": f"Of {result.simulations} simulated studies with {request.participants} people "
        f"and {result.votes:,} votes on the pair, {result.power:.0%} found the better model "
        f"(95% interval {result.low:.0%} to {result.high:.0%}).",
    }


@asks("study")
def votes_needed(context: Context, actor: Actor, request: VotesRequest) -> dict[str, Any]:
    """The least number of people, and so of votes, that finds a difference often enough."""
    curve: list[dict[str, Any]] = []
    needed: Power | None = None
    people = 0
    most = MOST_WORK
    for participants in PEOPLE:
        cost = _work(request, participants)
        simulations = min(OF_A_CURVE, most // cost)
        if simulations < LEAST_SIMULATIONS:
            break
        result = _power(request, participants, simulations)
        most -= simulations * cost
        curve.append(
            {
                "participants": participants,
                "votes": result.votes,
                **_bounds(result),
            }
        )
        if needed is None and result.power >= request.power:
            needed, people = result, participants
        if result.power >= max(request.power, 0.98) and len(curve) > 2:
            break
    if not curve:
        raise BadInput("That is too much to simulate. Ask for fewer votes a person.")
    return {
        "participants": people or None,
        "votes": needed.votes if needed else None,
        "power": request.power,
        "curve": curve,
        "words": f"{people} people with {request.votes_a_person} votes each on the pair find it in "
        f"{needed.power:.0%} of simulated studies."
        if needed
        else f"Up to {curve[-1]['participants']} people do not find it in {request.power:.0%} of "
        "simulated studies. Where cases differ much, more cases help more than more people.",
    }


def _bounds(result: Power) -> dict[str, float]:
    return {
        "power": result.power,
        "low": round(result.low, 4),
        "high": round(result.high, 4),
    }


def _work(request: Difference, participants: int) -> int:
    """What one simulation costs."""
    return participants * (request.votes_a_person + RESAMPLED)


def _power(request: Difference, participants: int, simulations: int) -> Power:
    affordable = min(simulations, MOST_WORK // _work(request, participants))
    if affordable < LEAST_SIMULATIONS:
        raise BadInput(
            f"{participants:,} people with {request.votes_a_person:,} votes each are too much to "
            "simulate. Ask for fewer votes a person."
        )
    design = Design(
        request.win_share,
        participants,
        request.votes_a_person,
        request.cases,
        request.tie_share,
        request.person_sd,
        request.case_sd,
    )
    return power_of(design, request.seed, affordable)
