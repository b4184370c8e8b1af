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
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, single_of
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.studies.colorings.current import CurrentColorings, current_colorings_of
from truehue.tabs.studies.colorings.facts import Facts, known_without_marks, state_json
from truehue.tabs.studies.colorings.layers import image_of
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

    value: Annotated[str, single_of("answer", _VALUES)]


@requires("look")
def reviews_open(context: Context, actor: Actor, request: EmptyRequest) -> dict[str, Any]:
    """The studies with colorings that are reviewed, each with how many are left for who asks; none
    for who may not review. Whether they may, and whether they may see studies, stands with it: a
    page asks nothing that would be refused."""
    may_review, rows = allowed(actor, "review"), []
    for record in context.storage.studies.all() if may_review else ():
        if current(context, record).kind is not Kind.COLORINGS or record.state is State.DRAFT:
            continue
        current_colorings = current_colorings_of(context, record.id)
        facts, _ = known_without_marks(context, record.id)
        queue = _queue(current_colorings, actor, facts)
        if queue or _own(current_colorings, actor):
            rows.append(
                {
                    "id": record.id,
                    "title": record.title,
                    "done": len(_own(current_colorings, actor)),
                    "left": len(queue),
                }
            )
    return {
        "studies": rows,
        "may_review": may_review,
        "may_see_studies": allowed(actor, "study"),
    }


@requires("review")
def next_review(context: Context, actor: Actor, request: StudyReference) -> dict[str, Any]:
    """The next coloring for this expert to review, in an order of their own."""
    current_colorings = current_colorings_of(context, request.study)
    facts, computed = known_without_marks(context, request.study)
    return {**state_json(computed), **_view(current_colorings, actor, facts)}


@requires("review")
def review_image(context: Context, actor: Actor, request: ReviewItemReference) -> bytes:
    """The coloring of an item as PNG, with its lines. Raises NotStored."""
    return png(
        image_of(context, _item(current_colorings_of(context, request.study), actor, request.item))
    )


@requires("review")
def post_review(context: Context, actor: Actor, request: PostReview) -> dict[str, Any]:
    """Stores an expert's answer; the one before stays in the log. Answers with the next item."""
    current_colorings = current_colorings_of(context, request.study)
    item = _item(current_colorings, actor, request.item)
    if item.purpose == TRAINING:
        raise BadInput("Practice is not reviewed here.", "item")
    context.storage.coloring_marks.add(
        current_colorings.study_id,
        item.participant.id,
        item.trial.position,
        MarkKind.REVIEW,
        _VALUES[request.value],
        "",
        actor.id,
    )
    facts, computed = known_without_marks(context, request.study)
    return {
        **state_json(computed),
        **_view(current_colorings_of(context, request.study), actor, facts),
    }


def item_id(current_colorings: CurrentColorings, reviewer: str, coloring: SubmittedColoring) -> str:
    """What a coloring is called before one expert: made of an id that no expert is told, so that
    it says nothing of whose it is, and that two of a person have nothing in common."""
    text = f"{current_colorings.study_id}\x1f{reviewer}\x1f{coloring.answer.id}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _view(current_colorings: CurrentColorings, actor: Actor, facts: Facts | None) -> dict[str, Any]:
    queue, own = _queue(current_colorings, actor, facts), _own(current_colorings, actor)
    return {
        "item": _item_json(current_colorings, actor, queue[0], facts) if queue else None,
        "previous": own[-1] if own else None,
        "done": len(own),
        "left": len(queue),
        "reviewers": current_colorings.rule.reviewers,
        "scope": current_colorings.rule.scope,
    }


def _item_json(
    current_colorings: CurrentColorings,
    actor: Actor,
    submitted_coloring: SubmittedColoring,
    facts: Facts | None,
) -> dict[str, Any]:
    name = item_id(current_colorings, actor.id, submitted_coloring)
    coloring = facts.colorings.get(submitted_coloring.key) if facts else None
    weights = None if coloring is None else [round(float(w), 5) for w in coloring.weights]
    return {
        "id": name,
        "words": submitted_coloring.case.words,
        "picture": f"/api/studies/{current_colorings.study_id}/review/{name}.png",
        "histogram": weights,
        "bins": [{"hex": hex_of(bin.srgb8), "name": bin.name} for bin in uw71()],
    }


def _queue(
    current_colorings: CurrentColorings, actor: Actor, facts: Facts | None
) -> list[SubmittedColoring]:
    """What is left for this expert: colorings of the scope that they have not reviewed, and that
    fewer than the wanted number have; in an order drawn for them, which further colorings do not
    change."""
    if facts is None:
        return []
    flagged, out = facts.flagged, facts.evidence.people_out
    counted = counted_reviews(current_colorings.marks, current_colorings.given)
    reviews = Counter(coloring.key for coloring, _ in counted)
    seen = {coloring.key for coloring, mark in counted if mark.author == actor.id}
    waiting = [
        coloring
        for coloring in current_colorings.given
        if coloring.purpose != TRAINING
        and (current_colorings.rule.scope == ALL or coloring.case.id in flagged)
        and coloring.key in facts.colorings
        and coloring.key[0] not in out
        and coloring.key not in seen
        and reviews[coloring.key] < current_colorings.rule.reviewers
    ]
    return sorted(waiting, key=lambda coloring: _place(current_colorings, actor.id, coloring))


def _place(
    current_colorings: CurrentColorings, reviewer: str, coloring: SubmittedColoring
) -> bytes:
    """A number of chance that the seed, the expert and the coloring give again."""
    participant, position = coloring.key
    text = f"{current_colorings.plan.seed}\x1f{reviewer}\x1f{participant}\x1f{position}"
    return hashlib.sha256(text.encode()).digest()


def _own(current_colorings: CurrentColorings, actor: Actor) -> list[dict[str, Any]]:
    """What this expert said so far, the last at the end."""
    mine = [
        (mark.number, coloring, mark.value)
        for coloring, mark in counted_reviews(current_colorings.marks, current_colorings.given)
        if mark.author == actor.id
    ]
    texts = {value: name for name, value in _VALUES.items()}
    return [
        {
            "id": item_id(current_colorings, actor.id, coloring),
            "words": coloring.case.words,
            "value": texts[value],
            "picture": f"/api/studies/{current_colorings.study_id}/review/"
            f"{item_id(current_colorings, actor.id, coloring)}.png",
        }
        for _, coloring, value in sorted(mine, key=lambda entry: entry[0])
    ]


def _item(current_colorings: CurrentColorings, actor: Actor, name: str) -> SubmittedColoring:
    colorings: Sequence[SubmittedColoring] = current_colorings.given
    for coloring in colorings:
        if coloring.purpose != TRAINING and item_id(current_colorings, actor.id, coloring) == name:
            return coloring
    raise NotStored("This coloring was changed in the meantime. Continue with the next one.")
