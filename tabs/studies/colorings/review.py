"""Blind review: an expert sees a concept, a coloring and its colors, not whose it is."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from truehue.annotation.studies.cases import Kind
from truehue.core.color.spaces import hex_of
from truehue.core.color.uw71 import uw71
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import MarkKind, State
from truehue.tabs.page.actor import asks
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, one_of
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.studies.colorings.current import CurrentColorings, standing_of
from truehue.tabs.studies.colorings.facts import Facts, known_but_marks, state_json
from truehue.tabs.studies.colorings.layers import picture_of
from truehue.tabs.studies.colorings.listing import png
from truehue.tabs.studies.colorings.rule import ALL
from truehue.tabs.studies.colorings.submitted import TRAINING, SubmittedColoring, counted_reviews
from truehue.tabs.studies.live import current
from truehue.tabs.studies.results import StudyReference

YES, NO, BACK = "yes", "no", "back"
_VALUES = {YES: "consistent", NO: "inconsistent", BACK: ""}
Item = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", title="The coloring")]


class ReviewItemReference(StudyReference):
    """Names a coloring as this expert knows it."""

    item: Item


class PostReview(ReviewItemReference):
    """An expert's answer: ``yes`` where the coloring is consistent with its concept, ``no`` where
    it is not, ``back`` to take an answer back."""

    value: Annotated[str, one_of("answer", _VALUES)]


@asks("look")
def reviews_open(context: Context, actor: Actor, request: EmptyRequest) -> dict[str, Any]:
    """The studies with colorings that are reviewed, each with how many are left for who asks; none
    for who may not review. Whether they may, and whether they may see studies, stands with it: a
    page asks nothing that would be refused."""
    may_review, rows = allowed(actor, "review"), []
    for record in context.storage.studies.all() if may_review else ():
        if current(context, record).kind is not Kind.COLORINGS or record.state is State.DRAFT:
            continue
        standing = standing_of(context, record.id)
        facts, _ = known_but_marks(context, record.id)
        queue = _queue(standing, actor, facts)
        if queue or _own(standing, actor):
            rows.append(
                {
                    "id": record.id,
                    "title": record.title,
                    "done": len(_own(standing, actor)),
                    "left": len(queue),
                }
            )
    return {
        "studies": rows,
        "may_review": may_review,
        "may_see_studies": allowed(actor, "study"),
    }


@asks("review")
def next_review(context: Context, actor: Actor, request: StudyReference) -> dict[str, Any]:
    """The next coloring for this expert to review, in an order of their own."""
    standing = standing_of(context, request.study)
    facts, computed = known_but_marks(context, request.study)
    return {**state_json(computed), **_view(standing, actor, facts)}


@asks("review")
def review_picture(context: Context, actor: Actor, request: ReviewItemReference) -> bytes:
    """The coloring of an item as PNG, with its lines. Raises NotStored."""
    return png(picture_of(context, _item(standing_of(context, request.study), actor, request.item)))


@asks("review")
def post_review(context: Context, actor: Actor, request: PostReview) -> dict[str, Any]:
    """Stores an expert's answer; the one before stays in the log. Answers with the next item."""
    standing = standing_of(context, request.study)
    given = _item(standing, actor, request.item)
    if given.purpose == TRAINING:
        raise BadInput("Practice is not reviewed here.", "item")
    context.storage.coloring_marks.add(
        standing.study_id,
        given.participant.id,
        given.trial.position,
        MarkKind.REVIEW,
        _VALUES[request.value],
        "",
        actor.id,
    )
    facts, computed = known_but_marks(context, request.study)
    return {
        **state_json(computed),
        **_view(standing_of(context, request.study), actor, facts),
    }


def item_id(standing: CurrentColorings, reviewer: str, given: SubmittedColoring) -> str:
    """What a coloring is called before one expert: made of an id that no expert is told, so that
    it says nothing of whose it is, and that two of a person have nothing in common."""
    text = f"{standing.study_id}\x1f{reviewer}\x1f{given.answer.id}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _view(standing: CurrentColorings, actor: Actor, facts: Facts | None) -> dict[str, Any]:
    queue, own = _queue(standing, actor, facts), _own(standing, actor)
    return {
        "item": _item_json(standing, actor, queue[0], facts) if queue else None,
        "previous": own[-1] if own else None,
        "done": len(own),
        "left": len(queue),
        "reviewers": standing.rule.reviewers,
        "scope": standing.rule.scope,
    }


def _item_json(
    standing: CurrentColorings, actor: Actor, given: SubmittedColoring, facts: Facts | None
) -> dict[str, Any]:
    name = item_id(standing, actor.id, given)
    coloring = facts.colorings.get(given.key) if facts else None
    weights = None if coloring is None else [round(float(w), 5) for w in coloring.weights]
    return {
        "id": name,
        "words": given.case.words,
        "picture": f"/api/studies/{standing.study_id}/review/{name}.png",
        "histogram": weights,
        "bins": [{"hex": hex_of(one.srgb8), "name": one.name} for one in uw71()],
    }


def _queue(
    standing: CurrentColorings, actor: Actor, facts: Facts | None
) -> list[SubmittedColoring]:
    """What is left for this expert: colorings of the scope that they have not reviewed, and that
    fewer than the wanted number have; in an order drawn for them, which further colorings do not
    change."""
    if facts is None:
        return []
    flagged, out = facts.flagged, facts.evidence.people_out
    counted = counted_reviews(standing.marks, standing.given)
    reviews = Counter(one.key for one, _ in counted)
    seen = {one.key for one, mark in counted if mark.author == actor.id}
    waiting = [
        one
        for one in standing.given
        if one.purpose != TRAINING
        and (standing.rule.scope == ALL or one.case.id in flagged)
        and one.key in facts.colorings
        and one.key[0] not in out
        and one.key not in seen
        and reviews[one.key] < standing.rule.reviewers
    ]
    return sorted(waiting, key=lambda one: _place(standing, actor.id, one))


def _place(standing: CurrentColorings, reviewer: str, given: SubmittedColoring) -> bytes:
    """A number of chance that the seed, the expert and the coloring give again."""
    participant, position = given.key
    text = f"{standing.plan.seed}\x1f{reviewer}\x1f{participant}\x1f{position}"
    return hashlib.sha256(text.encode()).digest()


def _own(standing: CurrentColorings, actor: Actor) -> list[dict[str, Any]]:
    """What this expert said so far, the last at the end."""
    mine = [
        (mark.number, one, mark.value)
        for one, mark in counted_reviews(standing.marks, standing.given)
        if mark.author == actor.id
    ]
    words = {value: name for name, value in _VALUES.items()}
    return [
        {
            "id": item_id(standing, actor.id, one),
            "words": one.case.words,
            "value": words[value],
            "picture": f"/api/studies/{standing.study_id}/review/"
            f"{item_id(standing, actor.id, one)}.png",
        }
        for _, one, value in sorted(mine, key=lambda entry: entry[0])
    ]


def _item(standing: CurrentColorings, actor: Actor, name: str) -> SubmittedColoring:
    given: Sequence[SubmittedColoring] = standing.given
    for one in given:
        if one.purpose != TRAINING and item_id(standing, actor.id, one) == name:
            return one
    raise NotStored("This coloring was changed in the meantime. Continue with the next one.")
