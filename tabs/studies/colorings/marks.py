"""What researchers say of colorings: practice, second colorings, decisions, and what goes back to
experts.

Every entry is added to a log and can be revoked by another one; the coloring never changes.
"""

from __future__ import annotations

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
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import ColoringMark, MarkKind, Purpose, Trial
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import Whole, single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.facts import (
    KEPT,
    CurrentColorings,
    current_colorings_of,
    known,
)
from truehue.tabs.studies.colorings.listing import ColoringReference, SubmittedJson, row_json
from truehue.tabs.studies.colorings.quality import QualityView, quality
from truehue.tabs.studies.colorings.rule import (
    ColoringRule,
    SetColoringRule,
    coloring_rule,
    named_experts,
    require_enough,
    with_coloring_rule,
)
from truehue.tabs.studies.colorings.submitted import (
    MAIN,
    SENT,
    TRAINING,
    WITHDRAWN,
    SubmittedColoring,
    counted_reviews,
    sent_back,
)
from truehue.tabs.studies.colorings.submitted import single_of as coloring_of
from truehue.tabs.studies.live import StudyCache
from truehue.tabs.studies.results import ComputationState, StudyReference, state_json
from truehue.tabs.studies.results_people import MAX_REASON, ParticipantReference

DISCARDED, TAKEN_BACK = "discarded", ""
_Reason = Annotated[str, Field(max_length=MAX_REASON, title="The reason")]


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


class PostSentBack(ColoringReference):
    """Gives a coloring back to the experts who reviewed it, with a note that they read; or withdraws
    that, so that their answers count again."""

    value: Annotated[str, single_of("answer", (SENT, WITHDRAWN))] = SENT
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
def post_sent_back(context: Context, actor: Actor, request: PostSentBack) -> MarkedColoring:
    """Sends a coloring back to the experts who reviewed it. Their answers count no more until they
    review it again; all of them stay in the log."""
    current = current_colorings_of(context, request.study)
    coloring = coloring_of(current.given, request.participant, request.position)
    position = request.participant, request.position
    if request.value == SENT:
        counted = counted_reviews(current.marks, current.given)
        if coloring.key not in {reviewed.key for reviewed, _ in counted}:
            raise BadInput(
                "No expert has reviewed this coloring yet, or it was sent back.", "value"
            )
        if not request.reason:
            raise BadInput("Say what the experts should look at. They read it.", "reason")
    elif position not in sent_back(current.marks):
        raise BadInput("This coloring was not sent back.", "value")
    _add(context, actor, current, position, MarkKind.SENT_BACK, request)
    return _row(context, request)


@requires("study")
def set_coloring_rule(context: Context, actor: Actor, request: SetColoringRule) -> QualityView:
    """Sets the flags, the number of experts, and which colorings results include; earlier rules
    stay in the study's log, and no decision is changed permanently."""
    study = context.storage.studies.get(request.study)
    current_colorings_of(context, study.id)
    rule = ColoringRule(request.share, request.reviewers, request.scope, request.level)
    with context.service(StudyCache).changing:
        stored = context.storage.studies.rule(study.id)
        require_enough(named_experts(stored), request.reviewers)
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
    request: PostPractice | PostRecolor | PostKeep | PostSentBack,
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
