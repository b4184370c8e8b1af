"""Experts' blind reviews of colorings: a queue of their own, one coloring after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, TypedDict

from pydantic import Field

from truehue.annotation.assignment.reviewers import assign_reviewers, random_key
from truehue.annotation.quality.consensus import Key
from truehue.annotation.studies.cases import Kind
from truehue.core.color.spaces import hex_of
from truehue.core.color.uw71 import uw71
from truehue.core.errors import BadInput, NotAllowed, NotStored
from truehue.core.studies import ColoringMark, MarkKind, State
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, single_of
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.studies.colorings.facts import (
    CurrentColorings,
    Facts,
    current_colorings_of,
    known_without_marks,
)
from truehue.tabs.studies.colorings.layers import image_of
from truehue.tabs.studies.colorings.listing import png
from truehue.tabs.studies.colorings.rule import ALL
from truehue.tabs.studies.colorings.submitted import (
    TRAINING,
    SubmittedColoring,
    counted_reviews,
    is_of,
    latest_reviews,
    sent_back,
)
from truehue.tabs.studies.live import current
from truehue.tabs.studies.results import ComputationState, StudyReference, state_json
from truehue.tabs.studies.results_people import MAX_REASON

YES, NO, BACK = "yes", "no", "back"
_VALUES = {YES: "consistent", NO: "inconsistent", BACK: ""}
TEXTS = {value: name for name, value in _VALUES.items() if value}
"""What an expert said, by the value of the mark."""
Reviewers = Mapping[Key, Collection[str] | None]
"""The ids of those who review each coloring; None for anybody."""
Item = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", title="The coloring")]
NOT_YOURS = "The colorings of this study are assigned to other experts."


class ReviewItemReference(StudyReference):
    """Names a coloring as this expert knows it."""

    item: Item


class PostReview(ReviewItemReference):
    """An expert's answer: ``yes`` where the coloring is consistent with its concept, ``no`` where
    it is not, ``back`` to take an answer back; ``comment`` is for the researcher."""

    value: Annotated[str, single_of("answer", _VALUES)]
    comment: Annotated[str, Field(max_length=MAX_REASON, title="The comment")] = ""


class OpenReview(TypedDict):
    """A study whose colorings are reviewed, and how many are left for the expert; of these so many
    were ``sent_back``."""

    id: str
    title: str
    done: int
    left: int
    sent_back: int


class OpenReviews(TypedDict):
    """The studies with reviews, and what the user may do."""

    studies: list[OpenReview]
    may_review: bool
    may_see_studies: bool


class NamedColor(TypedDict):
    """A color by hex and name."""

    hex: str
    name: str


class ReturnedReview(TypedDict):
    """What the expert said of a coloring that was sent back, and why it was."""

    value: str
    note: str


class ReviewItem(TypedDict):
    """A coloring to review; ``histogram`` is over ``bins``. ``comment`` is what the expert wrote of
    it before, ``returned`` where it was sent back."""

    id: str
    words: str
    picture: str
    histogram: list[float] | None
    bins: list[NamedColor]
    comment: str
    returned: ReturnedReview | None


class ReviewedItem(TypedDict):
    """A coloring that the expert reviewed."""

    id: str
    words: str
    value: str
    picture: str


class ReviewQueue(TypedDict):
    """The next coloring to review, and the last one that was; ``upcoming`` is the image after the
    next."""

    title: str
    item: ReviewItem | None
    upcoming: str | None
    previous: ReviewedItem | None
    done: int
    left: int
    sent_back: int
    reviewers: int
    scope: str


class ReviewView(ComputationState, ReviewQueue):
    """The queue, and whether the colorings are still being measured."""


@requires("see-reviews")
def reviews_open(context: Context, actor: Actor, request: EmptyRequest) -> OpenReviews:
    """The studies whose colorings are reviewed, each with how many are left for the user; none
    where the user may not review. The answer also says whether the user may review, and see
    studies."""
    may_review = allowed(actor, "review")
    rows: list[OpenReview] = []
    for record in context.storage.studies.all() if may_review else ():
        if current(context, record).kind is not Kind.COLORINGS or record.state is State.DRAFT:
            continue
        current_colorings = current_colorings_of(context, record.id)
        if not _is_reviewer(current_colorings, actor):
            continue
        facts, _ = known_without_marks(context, record.id)
        queue, own = queue_of(current_colorings, actor.id, facts), _own(current_colorings, actor)
        if queue or own:
            rows.append(
                {
                    "id": record.id,
                    "title": record.title,
                    "done": len(own),
                    "left": len(queue),
                    "sent_back": returned_count(current_colorings, queue),
                }
            )
    return {
        "studies": rows,
        "may_review": may_review,
        "may_see_studies": allowed(actor, "study"),
    }


@requires("review")
def next_review(context: Context, actor: Actor, request: StudyReference) -> ReviewView:
    """The next coloring for this expert to review, in an order of their own."""
    current_colorings = _reviewed_by(context, actor, request.study)
    facts, computed = known_without_marks(context, request.study)
    return {**state_json(computed), **_view(current_colorings, actor, facts)}


@requires("review")
def review_image(context: Context, actor: Actor, request: ReviewItemReference) -> bytes:
    """The coloring of an item as PNG, with its lines. Raises NotStored."""
    current_colorings = _reviewed_by(context, actor, request.study)
    return png(image_of(context, _item(current_colorings, actor, request.item)))


@requires("review")
def post_review(context: Context, actor: Actor, request: PostReview) -> ReviewView:
    """Stores an expert's answer; the one before stays in the log. Answers with the next item."""
    current_colorings = _reviewed_by(context, actor, request.study)
    item = _item(current_colorings, actor, request.item)
    if item.purpose == TRAINING:
        raise BadInput("Practice is not reviewed here.", "item")
    context.storage.coloring_marks.add(
        current_colorings.study_id,
        item.participant.id,
        item.trial.position,
        MarkKind.REVIEW,
        _VALUES[request.value],
        request.comment,
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


def queue_of(
    current_colorings: CurrentColorings,
    reviewer: str,
    facts: Facts | None,
    reviewers: Reviewers | None = None,
) -> list[SubmittedColoring]:
    """What is left for an expert: colorings that are theirs and that they have not reviewed, what
    was sent back first; else in an order drawn for them, which further colorings do not change.
    ``reviewers`` are those of each coloring, where they are known already."""
    if facts is None:
        return []
    back = sent_back(current_colorings.marks)
    counted = counted_reviews(current_colorings.marks, current_colorings.given)
    done = {coloring.key for coloring, mark in counted if mark.author == reviewer}
    of_each = reviewers_of_each(current_colorings, facts) if reviewers is None else reviewers

    def is_theirs(coloring: SubmittedColoring) -> bool:
        ids = of_each.get(coloring.key, ())
        return ids is None or reviewer in ids

    waiting = [
        coloring
        for coloring in current_colorings.given
        if coloring.key not in done and is_theirs(coloring)
    ]
    seed = current_colorings.plan.seed
    return sorted(
        waiting,
        key=lambda coloring: (
            _trial(coloring) not in back,
            random_key(seed, reviewer, coloring.key),
        ),
    )


def reviewers_of_each(current_colorings: CurrentColorings, facts: Facts) -> Reviewers:
    """Who reviews each coloring that is to be reviewed: the experts that were named, balanced in
    the order of submission. Where none was, those who did; None for anybody, as long as there are
    fewer than wanted."""
    back = sent_back(current_colorings.marks)
    colorings = sorted(
        (
            coloring
            for coloring in current_colorings.given
            if _is_reviewed(coloring, current_colorings, facts, back)
        ),
        key=lambda coloring: (coloring.at, coloring.key),
    )
    reviewed = _reviewed(current_colorings)
    overlap = current_colorings.rule.reviewers
    if current_colorings.experts:
        # Who is named no more cannot answer again: others do in their place.
        for coloring in colorings:
            if _trial(coloring) in back:
                again = reviewed.get(coloring.key, set()) & set(current_colorings.experts)
                reviewed[coloring.key] = again
        keys = [coloring.key for coloring in colorings]
        seed = current_colorings.plan.seed
        return {**assign_reviewers(keys, current_colorings.experts, overlap, reviewed, seed)}
    reviewers: dict[Key, Collection[str] | None] = {}
    for coloring in colorings:
        before = reviewed.get(coloring.key, set())
        # What was sent back goes to those alone who reviewed it.
        anybody = len(before) < overlap and _trial(coloring) not in back
        reviewers[coloring.key] = None if anybody else before
    return reviewers


def returned_count(current_colorings: CurrentColorings, queue: Sequence[SubmittedColoring]) -> int:
    """How many of a queue were sent back."""
    back = sent_back(current_colorings.marks)
    return sum(_trial(coloring) in back for coloring in queue)


def _is_reviewed(
    coloring: SubmittedColoring,
    current_colorings: CurrentColorings,
    facts: Facts,
    back: Mapping[tuple[str, int], ColoringMark],
) -> bool:
    """Whether a coloring is in the scope of the review, or was sent back."""
    in_scope = (
        current_colorings.rule.scope == ALL
        or coloring.case.id in facts.flagged
        or _trial(coloring) in back
    )
    return (
        in_scope
        and coloring.purpose != TRAINING
        and coloring.key in facts.colorings
        and coloring.key[0] not in facts.evidence.people_out
    )


def _reviewed(current_colorings: CurrentColorings) -> dict[Key, set[str]]:
    """Who reviewed each coloring as it stands, also where it was sent back since."""
    marks, given = current_colorings.marks, current_colorings.given
    back = sent_back(marks)
    before = [
        mark
        for mark in marks
        if (sent := back.get((mark.participant_id, mark.position))) and mark.number < sent.number
    ]
    reviewed: dict[Key, set[str]] = {}
    for coloring, mark in (*latest_reviews(marks, given), *latest_reviews(before, given)):
        reviewed.setdefault(coloring.key, set()).add(mark.author)
    return reviewed


def _is_reviewer(current_colorings: CurrentColorings, actor: Actor) -> bool:
    return not current_colorings.experts or actor.id in current_colorings.experts


def _reviewed_by(context: Context, actor: Actor, study_id: str) -> CurrentColorings:
    """The colorings of a study that the actor reviews. Raises NotAllowed where others do."""
    current_colorings = current_colorings_of(context, study_id)
    if not _is_reviewer(current_colorings, actor):
        raise NotAllowed(NOT_YOURS)
    return current_colorings


def _trial(coloring: SubmittedColoring) -> tuple[str, int]:
    return coloring.participant.id, coloring.trial.position


def _view(current_colorings: CurrentColorings, actor: Actor, facts: Facts | None) -> ReviewQueue:
    queue, own = queue_of(current_colorings, actor.id, facts), _own(current_colorings, actor)
    return {
        "title": current_colorings.source.study.title,
        "item": _item_json(current_colorings, actor, queue[0], facts) if queue else None,
        "upcoming": _image_address(current_colorings, actor, queue[1]) if len(queue) > 1 else None,
        "previous": own[-1] if own else None,
        "done": len(own),
        "left": len(queue),
        "sent_back": returned_count(current_colorings, queue),
        "reviewers": current_colorings.rule.reviewers,
        "scope": current_colorings.rule.scope,
    }


def _image_address(
    current_colorings: CurrentColorings, actor: Actor, coloring: SubmittedColoring
) -> str:
    """The address of the image of a coloring, for one expert."""
    name = item_id(current_colorings, actor.id, coloring)
    return f"/api/studies/{current_colorings.study_id}/review/{name}.png"


def _item_json(
    current_colorings: CurrentColorings,
    actor: Actor,
    submitted_coloring: SubmittedColoring,
    facts: Facts | None,
) -> ReviewItem:
    name = item_id(current_colorings, actor.id, submitted_coloring)
    coloring = facts.colorings.get(submitted_coloring.key) if facts else None
    weights = None if coloring is None else [round(float(w), 5) for w in coloring.weights]
    answers = _answers(current_colorings, actor, submitted_coloring)
    sent = sent_back(current_colorings.marks).get(_trial(submitted_coloring))
    before = [mark for mark in answers if sent is not None and mark.number < sent.number]
    return {
        "id": name,
        "words": submitted_coloring.case.words,
        "picture": _image_address(current_colorings, actor, submitted_coloring),
        "histogram": weights,
        "bins": [{"hex": hex_of(bin.srgb8), "name": bin.name} for bin in uw71()],
        "comment": answers[-1].reason if answers else "",
        "returned": {"value": TEXTS[before[-1].value], "note": sent.reason}
        if sent is not None and before
        else None,
    }


def _answers(
    current_colorings: CurrentColorings, actor: Actor, coloring: SubmittedColoring
) -> list[ColoringMark]:
    """All that an expert answered of a coloring as it stands; what takes back is no answer."""
    return [
        mark
        for mark in current_colorings.marks
        if mark.kind is MarkKind.REVIEW
        and mark.author == actor.id
        and (mark.participant_id, mark.position) == _trial(coloring)
        and is_of(mark, coloring)
        and mark.value
    ]


def _own(current_colorings: CurrentColorings, actor: Actor) -> list[ReviewedItem]:
    """What this expert said so far, the last at the end."""
    mine = [
        (mark.number, coloring, mark.value)
        for coloring, mark in counted_reviews(current_colorings.marks, current_colorings.given)
        if mark.author == actor.id
    ]
    return [
        {
            "id": item_id(current_colorings, actor.id, coloring),
            "words": coloring.case.words,
            "value": TEXTS[value],
            "picture": _image_address(current_colorings, actor, coloring),
        }
        for _, coloring, value in sorted(mine, key=lambda entry: entry[0])
    ]


def _item(current_colorings: CurrentColorings, actor: Actor, name: str) -> SubmittedColoring:
    colorings: Sequence[SubmittedColoring] = current_colorings.given
    for coloring in colorings:
        if coloring.purpose != TRAINING and item_id(current_colorings, actor.id, coloring) == name:
            return coloring
    raise NotStored("This coloring was changed in the meantime. Continue with the next one.")
