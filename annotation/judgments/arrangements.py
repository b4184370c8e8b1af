"""Side bias by how places lay on the screen: left of right is not above below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from truehue.annotation.judgments.answers import answers_of, votes_of
from truehue.annotation.judgments.rates import SideBias, side_bias
from truehue.annotation.judgments.votes import Vote
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Event, Trial

PLACES: Mapping[str, tuple[str, str]] = {"row": ("left", "right"), "column": ("top", "bottom")}
"""What the two places of a pair are, by how they lay."""
_OF_PAGE: Mapping[str, str] = {"below": "row", "beside": "row", "rows": "column"}
"""How places lie by what the page calls it, which tells also where the buttons are: below each
picture, at its outer side, or at the right of pictures that lie one above the other."""


def arrangement_of(event: Event) -> str:
    """How the places lay when that answer was given, a name of :data:`PLACES`; empty where it does
    not say."""
    display = event.body.get("display")
    value = display.get("arrangement") if isinstance(display, Mapping) else None
    return _OF_PAGE.get(value, "") if isinstance(value, str) else ""


def side_biases(
    plan: StudyPlan, people: Iterable[tuple[str, Sequence[Trial], Sequence[Event]]]
) -> dict[str, SideBias]:
    """The side bias of a study of pairs by arrangement, in which ``left`` counts the first place:
    the upper one in a column. ``people`` are participants' ids, trials and events; an arrangement
    that no answer tells is left out."""
    votes: dict[str, list[Vote]] = {}
    for participant, trials, events in people:
        answers = answers_of(plan, trials, events)
        arrangements = {event.id: arrangement_of(event) for event in events}
        for arrangement in PLACES:
            of_arrangement = {
                position: answer
                for position, answer in answers.items()
                if arrangements[answer.event_id] == arrangement
            }
            votes.setdefault(arrangement, []).extend(
                votes_of(plan, participant, trials, of_arrangement)
            )
    return {name: side_bias(vote, plan.seed) for name, vote in votes.items() if vote}
