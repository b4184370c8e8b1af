"""The people and votes that a study needs, by simulation, in about a second."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from pydantic import Field

from truehue.annotation.planning import (
    MAX_PEOPLE,
    SIMULATIONS,
    AnyDesign,
    Design,
    Power,
    RatingDesign,
    people_needed,
    power_of,
)
from truehue.core.errors import BadInput
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.form import Seed

MAX_DRAWS = 40_000_000
"""Draws of one answer, over all its simulations: about a second."""
MIN_SIMULATIONS = 60
_SD = {"pairs": (0.5, 0.5), "ratings": (0.5, 1.0)}
"""How much people and cases differ where nobody says: in logits, or in points."""


class Difference(PageRequest):
    """What is expected of two models. For ``pairs``: ``win_share`` of the votes that are no tie are
    for the better one. For ``ratings``: the means lie ``difference`` points apart, and ratings of
    one person ``rating_sd`` from each other; ``votes_a_person`` are on both models together."""

    kind: Literal["pairs", "ratings"] = "pairs"
    win_share: float = Field(default=0.6, gt=0.5, le=0.99, title="The better model's share")
    tie_share: float = Field(default=0.0, ge=0, le=0.95, title="The share of ties")
    difference: float = Field(default=0.5, gt=0, le=10, title="The difference in points")
    rating_sd: float = Field(default=2.0, ge=0, le=5, title="How far ratings lie from each other")
    votes_a_person: Whole = Field(default=25, ge=1, le=2_000, title="Votes per person")
    cases: Whole = Field(default=50, ge=1, le=20_000, title="The number of cases")
    person_sd: float | None = Field(default=None, ge=0, le=5, title="How much people differ")
    case_sd: float | None = Field(default=None, ge=0, le=5, title="How much cases differ")
    seed: Seed = 1

    def design(self, participants: int) -> AnyDesign:
        """A study of this difference with so many people."""
        person_sd, case_sd = (
            default if values is None else values
            for values, default in zip((self.person_sd, self.case_sd), _SD[self.kind], strict=True)
        )
        size = (participants, self.votes_a_person, self.cases)
        if self.kind == "ratings":
            if self.votes_a_person < 2:
                raise BadInput(
                    "A person who rates one image compares no models. Ask for two or more "
                    "ratings per person.",
                    "votes_a_person",
                )
            return RatingDesign(self.difference, *size, self.rating_sd, person_sd, case_sd)
        return Design(self.win_share, *size, self.tie_share, person_sd, case_sd)


class PowerRequest(Difference):
    """A study of a known size."""

    participants: Whole = Field(default=36, ge=2, le=MAX_PEOPLE, title="The number of people")


class VotesRequest(Difference):
    """A study that is to find the difference with that ``power``."""

    power: Annotated[float, Field(ge=0.5, le=0.99, title="The power")] = 0.8


class PowerBounds(TypedDict):
    """How often a difference is found, 0 to 1, with the 95% interval of the simulation."""

    power: float
    low: float
    high: float


class PowerView(PowerBounds):
    """The power of a study of a known size."""

    simulations: int
    votes: int
    words: str


class PowerPoint(PowerBounds):
    """The power with so many people."""

    participants: int
    votes: int


class VotesNeeded(TypedDict):
    """The people and votes that find the difference; None where no size that was tried does."""

    participants: int | None
    low: int | None
    high: int | None
    votes: int | None
    power: float
    curve: list[PowerPoint]
    words: str


@requires("study")
def power(context: Context, actor: Actor, request: PowerRequest) -> PowerView:
    """The power of a study: how often it would find a difference that exists."""
    design = request.design(request.participants)
    simulations = min(SIMULATIONS, MAX_DRAWS // (design.draws_per_person * request.participants))
    if simulations < MIN_SIMULATIONS:
        raise BadInput(
            f"{request.participants:,} people with {request.votes_a_person:,} votes each are "
            "too many to simulate. Ask for fewer votes per person.",
            "votes_a_person",
        )
    result = power_of(design, request.seed, simulations)
    return {
        **_bounds(result),
        "simulations": result.simulations,
        "votes": result.votes,
        "words": f"Of {result.simulations} simulated studies with {request.participants} people "
        f"and {result.votes:,} votes on the two models, {result.power:.0%} found the better one "
        f"(95% interval {result.low:.0%} to {result.high:.0%}).",
    }


@requires("study")
def votes_needed(context: Context, actor: Actor, request: VotesRequest) -> VotesNeeded:
    """The smallest number of people, and so of votes, with enough power."""
    needed = people_needed(request.design(2), request.power, request.seed)
    if needed.participants is None:
        limit = needed.curve[-1][0] if needed.curve else 0
        top = max((power.power for _, power in needed.curve), default=0.0)
        text = (
            f"Up to {limit:,} people do not detect it in {request.power:.0%} of simulated studies"
            f"{' for sure: the power levels off near it' if top >= request.power else ''}. "
            "Where cases differ much, more cases help more than more people."
        )
    else:
        text = (
            f"{needed.participants:,} people with {request.votes_a_person:,} votes each on the two "
            f"models find it in {request.power:.0%} of studies (by chance of the simulation "
            f"{needed.low:,} to {needed.high:,} people)."
        )
    return {
        "participants": needed.participants,
        "low": needed.low,
        "high": needed.high,
        "votes": needed.votes,
        "power": request.power,
        "curve": [
            {"participants": people, "votes": result.votes, **_bounds(result)}
            for people, result in needed.curve
        ],
        "words": text,
    }


def _bounds(result: Power) -> PowerBounds:
    return {
        "power": result.power,
        "low": round(result.low, 4),
        "high": round(result.high, 4),
    }
