"""Annotations of colorings: practice, second colorings, decisions, and experts' blind reviews.

Every entry is added to a log and can be revoked by another one; the coloring never changes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, TypedDict

from pydantic import Field

from truehue.annotation.assignment.practice import (
    ACCEPTED,
    AGAIN,
    ASKED,
    recolors_open,
    recolors_submitted,
)
from truehue.annotation.judgments.answers import Answer, answers_of
from truehue.annotation.studies.cases import Kind
from truehue.core.color.spaces import hex_of
from truehue.core.color.uw71 import uw71
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import ColoringMark, MarkKind, Purpose, State, Trial
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, Whole, single_of
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.studies.colorings.facts import (
    KEPT,
    CurrentColorings,
    Facts,
    current_colorings_of,
    known,
    known_without_marks,
)
from truehue.tabs.studies.colorings.layers import image_of
from truehue.tabs.studies.colorings.listing import ColoringReference, SubmittedJson, png, row_json
from truehue.tabs.studies.colorings.quality import QualityView, quality
from truehue.tabs.studies.colorings.rule import (
    ALL,
    ColoringRule,
    SetColoringRule,
    coloring_rule,
    with_coloring_rule,
)
from truehue.tabs.studies.colorings.submitted import (
    MAIN,
    TRAINING,
    SubmittedColoring,
    counted_reviews,
)
from truehue.tabs.studies.colorings.submitted import single_of as coloring_of
from truehue.tabs.studies.live import current
from truehue.tabs.studies.results import ComputationState, StudyReference, state_json
from truehue.tabs.studies.results_people import MAX_REASON, ParticipantReference

WITHDRAWN = "withdrawn"
DISCARDED, TAKEN_BACK = "discarded", ""
_Reason = Annotated[str, Field(max_length=MAX_REASON, title="The reason")]
YES, NO, BACK = "yes", "no", "back"
_VALUES = {YES: "consistent", NO: "inconsistent", BACK: ""}
Item = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", title="The coloring")]


class PostPractice(ParticipantReference):
    """Whether a participant's practice is good enough to go on; ``reason`` is what they read where
    it is to be done again. ``position`` is a trial of the round, the newest where none is given."""

    value: Annotated[str, single_of("answer", (ACCEPTED, AGAIN))]
    reason: _Reason = ""
    position: Whole | None = None


class PostRecolor(ColoringReference):
    """Asks for a second coloring of the same sketch, or withdraws that."""

    value: Annotated[str, single_of("answer", (ASKED, WITHDRAWN))] = ASKED
    reason: _Reason = ""


class PostKeep(ColoringReference):
    """Keeps or discards a coloring whatever rules and experts say; empty takes it back."""

    value: Annotated[str, single_of("answer", (KEPT, DISCARDED))] = TAKEN_BACK
    reason: _Reason = ""


class PracticeAnswer(TypedDict):
    """Whether practice is good enough, and what is to change."""

    value: str
    reason: str


class AnsweredPractice(TypedDict):
    """The practice that was answered."""

    participant: str
    position: int
    practice: PracticeAnswer


class MarkedColoring(ComputationState):
    """A coloring after a researcher's decision."""

    coloring: SubmittedJson


@requires("study")
def post_practice(context: Context, actor: Actor, request: PostPractice) -> AnsweredPractice:
    """Accepts a participant's practice, or requests it again with a reason that they read."""
    current = current_colorings_of(context, request.study)
    trials = _practice(current, request.participant)
    position = trials[-1].position if request.position is None else request.position
    if position not in {trial.position for trial in trials}:
        raise NotStored("This participant has no practice sketch at that position.")
    if request.value == AGAIN and not request.reason:
        raise BadInput("Say what to change. The participant reads it.", "reason")
    _add(context, actor, current, (request.participant, position), MarkKind.PRACTICE, request)
    return {
        "participant": request.participant,
        "position": position,
        "practice": {"value": request.value, "reason": request.reason},
    }


@requires("study")
def post_recolor(context: Context, actor: Actor, request: PostRecolor) -> MarkedColoring:
    """Asks a participant to color the same sketch again, without showing the first coloring."""
    current = current_colorings_of(context, request.study)
    coloring = coloring_of(current.given, request.participant, request.position)
    if coloring.purpose == TRAINING:
        raise BadInput("Practice is colored again where it is not accepted.", "position")
    if coloring.purpose != MAIN:
        raise BadInput("Request a second coloring from the first coloring.", "position")
    position = request.participant, request.position
    if (position in open_recolors(current)) == (request.value == ASKED):
        raise BadInput(
            "Another coloring was already requested and is not submitted yet."
            if request.value == ASKED
            else "There is no open request: none was made, or the coloring was already submitted.",
            "value",
        )
    if request.value == WITHDRAWN and request.position in _handed_out(context, current, coloring):
        raise BadInput("The participant already has the sketch open.", "value")
    _add(context, actor, current, position, MarkKind.RECOLOR, request)
    return _row(context, request)


@requires("study")
def post_keep(context: Context, actor: Actor, request: PostKeep) -> MarkedColoring:
    """Includes or excludes one coloring; earlier decisions stay in the log."""
    current = current_colorings_of(context, request.study)
    coloring = coloring_of(current.given, request.participant, request.position)
    if coloring.purpose == TRAINING:
        raise BadInput("Practice is never in results.", "position")
    if request.value == DISCARDED and not request.reason:
        raise BadInput("Give a reason. It appears in results and exports.", "reason")
    position = request.participant, request.position
    _add(context, actor, current, position, MarkKind.KEEP, request)
    return _row(context, request)


@requires("study")
def set_coloring_rule(context: Context, actor: Actor, request: SetColoringRule) -> QualityView:
    """Sets the flags, the number of experts, and which colorings results include; earlier rules
    stay in the study's log, and no decision is changed permanently."""
    study = context.storage.studies.get(request.study)
    current_colorings_of(context, study.id)
    stored = context.storage.studies.rule(study.id)
    rule = ColoringRule(request.share, request.reviewers, request.scope, request.level)
    if rule != coloring_rule(stored):
        context.storage.studies.set_rule(study.id, with_coloring_rule(stored, rule), actor.id)
    return quality(context, actor, StudyReference(study=study.id))


def open_recolors(current_colorings: CurrentColorings) -> set[tuple[str, int]]:
    """Where another coloring was asked for that was not answered yet, by participant and position
    of the first coloring."""
    marks: dict[str, list[ColoringMark]] = {}
    for mark in current_colorings.marks:
        if mark.kind is MarkKind.RECOLOR:
            marks.setdefault(mark.participant_id, []).append(mark)
    open_keys: set[tuple[str, int]] = set()
    for participant, own in marks.items():
        trials = current_colorings.source.trials.get(participant, ())
        known, answers = _answered(current_colorings, participant, trials)
        open_keys |= {(participant, position) for position in recolors_open(known, answers, own)}
    return open_keys


def _handed_out(
    context: Context, current_colorings: CurrentColorings, coloring: SubmittedColoring
) -> frozenset[int]:
    """The first colorings of which that participant has a second one before them. What was given
    out since the last event is known by the trials alone."""
    participant = coloring.participant.id
    trials = context.storage.participants.trials(participant)
    return recolors_submitted(*_answered(current_colorings, participant, trials))


def _answered(
    current_colorings: CurrentColorings, participant: str, trials: Sequence[Trial]
) -> tuple[list[Trial], dict[int, Answer]]:
    known = [trial for trial in trials if trial.stimulus_id in current_colorings.plan.by_id]
    events = current_colorings.source.events.get(participant, ())
    return known, answers_of(current_colorings.plan, known, events)


def _add(
    context: Context,
    actor: Actor,
    current_colorings: CurrentColorings,
    position: tuple[str, int],
    kind: MarkKind,
    request: PostPractice | PostRecolor | PostKeep,
) -> None:
    context.storage.coloring_marks.add(
        current_colorings.study_id, *position, kind, request.value, request.reason, actor.id
    )


def _practice(current_colorings: CurrentColorings, participant_id: str) -> list[Trial]:
    trials = [
        trial
        for trial in current_colorings.source.trials.get(participant_id, ())
        if trial.purpose is Purpose.TRAINING
    ]
    if not trials:
        raise NotStored("There is no practice of such a participant in this study.")
    return trials


def _row(context: Context, request: ColoringReference) -> MarkedColoring:
    current = current_colorings_of(context, request.study)
    coloring: SubmittedColoring = coloring_of(current.given, request.participant, request.position)
    facts, computed = known(context, request.study)
    return {**state_json(computed), "coloring": row_json(current.study_id, coloring, facts)}


class ReviewItemReference(StudyReference):
    """Names a coloring as this expert knows it."""

    item: Item


class PostReview(ReviewItemReference):
    """An expert's answer: ``yes`` where the coloring is consistent with its concept, ``no`` where
    it is not, ``back`` to take an answer back."""

    value: Annotated[str, single_of("answer", _VALUES)]


class OpenReview(TypedDict):
    """A study whose colorings are reviewed, and how many are left for the expert."""

    id: str
    title: str
    done: int
    left: int


class OpenReviews(TypedDict):
    """The studies with reviews, and what the user may do."""

    studies: list[OpenReview]
    may_review: bool
    may_see_studies: bool


class NamedColor(TypedDict):
    """A color by hex and name."""

    hex: str
    name: str


class ReviewItem(TypedDict):
    """A coloring to review; ``histogram`` is over ``bins``."""

    id: str
    words: str
    picture: str
    histogram: list[float] | None
    bins: list[NamedColor]


class ReviewedItem(TypedDict):
    """A coloring that the expert reviewed."""

    id: str
    words: str
    value: str
    picture: str


class ReviewQueue(TypedDict):
    """The next coloring to review, and the last one that was."""

    item: ReviewItem | None
    previous: ReviewedItem | None
    done: int
    left: int
    reviewers: int
    scope: str


class ReviewView(ComputationState, ReviewQueue):
    """The queue, and whether the colorings are still being measured."""


@requires("look")
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
def next_review(context: Context, actor: Actor, request: StudyReference) -> ReviewView:
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
def post_review(context: Context, actor: Actor, request: PostReview) -> ReviewView:
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


def _view(current_colorings: CurrentColorings, actor: Actor, facts: Facts | None) -> ReviewQueue:
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
) -> ReviewItem:
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
    return sorted(waiting, key=lambda coloring: _random_key(current_colorings, actor.id, coloring))


def _random_key(
    current_colorings: CurrentColorings, reviewer: str, coloring: SubmittedColoring
) -> bytes:
    """A number of chance that the seed, the expert and the coloring give again."""
    participant, position = coloring.key
    text = f"{current_colorings.plan.seed}\x1f{reviewer}\x1f{participant}\x1f{position}"
    return hashlib.sha256(text.encode()).digest()


def _own(current_colorings: CurrentColorings, actor: Actor) -> list[ReviewedItem]:
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
