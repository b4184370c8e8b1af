"""All colorings of a study as a list, and each as an image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

import numpy as np
from pydantic import Field

from truehue.annotation.colorings import MIN_BACKGROUND
from truehue.annotation.quality.control import Level, Votes
from truehue.core.color.spaces import hex_of
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.matching import normal
from truehue.core.files import png_of
from truehue.core.sketches.images import layer_png
from truehue.core.studies import ColoringMark, EventKind, MarkKind
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.facts import (
    CurrentColorings,
    Facts,
    current_colorings_of,
    known,
)
from truehue.tabs.studies.colorings.layers import image_of, layer_of
from truehue.tabs.studies.colorings.submitted import (
    TRAINING,
    ColoringAuthor,
    SubmittedColoring,
    counted_reviews,
    is_of,
    label_of,
    latest,
    latest_reviews,
    reviewer_names,
    sent_back,
    single_of,
)
from truehue.tabs.studies.results import ComputationState, StudyReference, state_json
from truehue.tabs.studies.rights import may_personal

SHOWN_COLORS = 8
PICTURE, LAYER = "picture", "layer"


class ListColorings(StudyReference):
    """``case`` or ``words`` ask for one concept, ``participant`` for one person (an id)."""

    case: Annotated[str, Field(max_length=400)] = ""
    words: Annotated[str, Field(max_length=400)] = ""
    participant: Annotated[str, Field(max_length=64)] = ""


class ColoringReference(StudyReference):
    """Names a coloring of a study: whose, and of which trial."""

    participant: Annotated[str, Field(min_length=1, max_length=64)]
    position: Annotated[Whole, Field(ge=0)]


class ColoringImageRequest(ColoringReference):
    """``layer`` asks for the colors alone."""

    layer: bool = False


class BackgroundJson(TypedDict):
    """What a coloring has on the background: its share, how often the page asked about it and it
    was undone, and whether it is part of the concept."""

    share: float
    asked: int
    undone: int
    part: bool


class BinShare(TypedDict):
    """A bin of UW-71 and its share."""

    bin: int
    name: str
    hex: str
    share: float


class VotesJson(TypedDict):
    """The votes of experts on a coloring."""

    yes: int
    no: int
    outcome: str


class ColoringQuality(TypedDict):
    """What quality control says of a coloring; ``majority`` where it was measured."""

    colors: list[BinShare]
    flagged: bool
    kept: bool | None
    reasons: list[str]
    majority: NotRequired[bool | None]
    votes: VotesJson | None
    problem: str


class SubmittedJson(ColoringAuthor, ColoringQuality):
    """A coloring of a study; ``picture`` and ``layer`` are addresses."""

    case: str
    words: str
    group: str
    sketch: str
    position: int
    purpose: str
    original: int | None
    at: str
    seconds: float | None
    response_seconds: float | None
    actions: float | None
    revisions: int
    picture: str
    layer: str
    background: BackgroundJson | None


class MarkJson(TypedDict):
    """What a researcher said of a coloring last; ``earlier`` where it was of an earlier version."""

    value: str
    reason: str
    at: str
    earlier: bool


class ColoringReviewJson(TypedDict):
    """What an expert, by ``name``, answered of a coloring: ``consistent`` or ``inconsistent``;
    ``counts`` where it was not sent back since."""

    name: str
    value: str
    comment: str
    counts: bool


class ListedColoring(SubmittedJson):
    """A coloring in the list; ``matches`` says that its layer has the checksum that was sent,
    ``sent_back`` with which note it waits for experts again."""

    marks: dict[str, MarkJson | None]
    comments: list[str]
    reviews: list[ColoringReviewJson]
    sent_back: str | None
    matches: bool | None


class ColoringsView(ComputationState):
    """The colorings that were asked for, of so many."""

    colorings: list[ListedColoring]
    total: int


@requires("study")
def colorings(context: Context, actor: Actor, request: ListColorings) -> ColoringsView:
    """The current colorings of a study, practice and repeated ones included, by concept and person.

    What quality control says of them may be of a moment ago (``status``, ``stale``).
    """
    current = current_colorings_of(context, request.study)
    facts, computed = known(context, request.study)
    layers = context.storage.coloring_layers.of_study(current.study_id)
    marks = {kind: latest(current.marks, kind) for kind in MarkKind}
    reviews = reviews_json(context, current)
    back = {key: mark.reason for key, mark in sent_back(current.marks).items()}
    comments = comments_of(current) if may_personal(actor, current.source.study) else {}
    order = {case.id: index for index, case in enumerate(current.plan.cases)}
    rows: list[ListedColoring] = [
        {
            **row_json(current.study_id, coloring, facts),
            "marks": _marks(coloring, marks),
            "comments": comments.get((coloring.participant.id, coloring.trial.position), []),
            "reviews": reviews.get((coloring.participant.id, coloring.trial.position), []),
            "sent_back": back.get((coloring.participant.id, coloring.trial.position)),
            "matches": layers[coloring.answer.id].matches if coloring.answer.id in layers else None,
        }
        for coloring in sorted(
            current.given, key=lambda coloring: (order[coloring.case.id], coloring.key)
        )
        if _is_requested(coloring, request)
    ]
    return {**state_json(computed), "colorings": rows, "total": len(current.given)}


@requires("study")
def coloring_png(context: Context, actor: Actor, request: ColoringImageRequest) -> bytes:
    """A coloring as PNG: with its lines, as it was seen, or the colors alone, as they are stored.

    Raises NotStored where none stands.
    """
    current = current_colorings_of(context, request.study)
    coloring = single_of(current.given, request.participant, request.position)
    if request.layer:
        return layer_png(layer_of(context, coloring))
    return png(image_of(context, coloring))


def png(srgb8: np.ndarray) -> bytes:
    """uint8 ``(H, W, 3)`` as PNG."""
    return png_of(srgb8)


def row_json(study_id: str, coloring: SubmittedColoring, facts: Facts | None) -> SubmittedJson:
    """One coloring: what it is of, by whom, what was said of it and what becomes of it."""
    participant, position = coloring.participant.id, coloring.trial.position
    base = f"/api/studies/{study_id}/colorings/{participant}/{position}"
    return {
        "case": coloring.case.id,
        "words": coloring.case.words,
        "group": coloring.case.group,
        "sketch": coloring.case.sketch,
        **label_of(coloring),
        "position": position,
        "purpose": coloring.purpose,
        "original": coloring.original,
        "at": coloring.at.isoformat(),
        "seconds": _seconds(coloring.number("active_ms")),
        "response_seconds": _seconds(coloring.number("response_ms")),
        "actions": coloring.number("actions"),
        "revisions": coloring.revisions,
        # A coloring that was changed is another picture under another address.
        "picture": f"{base}.png?of={coloring.answer.id[:12]}",
        "layer": f"{base}.png?layer=1&of={coloring.answer.id[:12]}",
        "background": background_json(coloring, facts),
        **_quality(coloring, facts),
    }


def background_json(coloring: SubmittedColoring, facts: Facts | None) -> BackgroundJson | None:
    """What a coloring has on the surround: its colored ``share``, how often it was ``asked`` about
    and ``undone``, and whether it was said to be ``part`` of the concept. None where next to none
    is colored, or may be."""
    share = facts.background.get(coloring.key, 0.0) if facts else 0.0
    if facts is None or share < MIN_BACKGROUND:
        return None
    if not facts.source.plan.watches_background(coloring.case):
        return None
    said = coloring.answer.body.get("background")
    said = said if isinstance(said, Mapping) else {}
    return {
        "share": round(share, 4),
        "asked": said.get("asked", 0),
        "undone": said.get("undone", 0),
        "part": said.get("part") is True,
    }


def comments_of(current_colorings: CurrentColorings) -> Mapping[tuple[str, int], list[str]]:
    """What people wrote of single sketches, by their id and the position, in its order. They are
    personal data: for those of :func:`truehue.tabs.studies.rights.may_personal`."""
    comments: dict[tuple[str, int], list[str]] = {}
    for person, events in current_colorings.source.events.items():
        for event in events:
            # Anonymous exports, and so what is imported of them, have no text.
            text = event.body.get("text") if event.kind is EventKind.COMMENT else None
            if text and event.position is not None:
                comments.setdefault((person, event.position), []).append(str(text))
    return comments


def reviews_json(
    context: Context, current_colorings: CurrentColorings
) -> dict[tuple[str, int], list[ColoringReviewJson]]:
    """What experts answered of colorings as they stand, by the participant's id and position."""
    marks, given = current_colorings.marks, current_colorings.given
    names = reviewer_names(context, marks)
    counting = {mark.number for _, mark in counted_reviews(marks, given)}
    reviews: dict[tuple[str, int], list[ColoringReviewJson]] = {}
    for _, mark in latest_reviews(marks, given):
        reviews.setdefault((mark.participant_id, mark.position), []).append(
            {
                "name": names[mark.author],
                "value": mark.value,
                "comment": mark.reason,
                "counts": mark.number in counting,
            }
        )
    return reviews


def votes_json(votes: Votes | None) -> VotesJson | None:
    """The votes of experts on one coloring."""
    return None if votes is None else {"yes": votes.yes, "no": votes.no, "outcome": votes.outcome}


def colors_json(weights: np.ndarray, limit: int = SHOWN_COLORS) -> list[BinShare]:
    """The fullest bins of a distribution ``(71,)``, at most so many, the fullest first."""
    order = np.argsort(-weights, kind="stable")[:limit]
    return [
        {
            "bin": int(index),
            "name": uw71()[index].name,
            "hex": hex_of(uw71()[index].srgb8),
            "share": round(float(weights[index]), 4),
        }
        for index in order
        if weights[index] > 0
    ]


def _quality(submitted_coloring: SubmittedColoring, facts: Facts | None) -> ColoringQuality:
    coloring = facts.colorings.get(submitted_coloring.key) if facts else None
    if facts is None or submitted_coloring.purpose == TRAINING or coloring is None:
        problem = facts.problems.get(submitted_coloring.key, "") if facts else ""
        return {
            "colors": [],
            "flagged": False,
            "kept": None,
            "reasons": [problem] if problem else [],
            "votes": None,
            "problem": problem,
        }
    coloring_status = facts.kept[facts.level].get(submitted_coloring.key)
    return {
        "colors": colors_json(coloring.weights),
        "flagged": submitted_coloring.case.id in facts.flagged,
        "kept": None if coloring_status is None else coloring_status.kept,
        "reasons": list(coloring_status.reasons) if coloring_status else [],
        "majority": _saved_at(facts, Level.MAJORITY, submitted_coloring),
        "votes": votes_json(facts.evidence.votes.get(submitted_coloring.key)),
        "problem": "",
    }


def _saved_at(facts: Facts, level: Level, coloring: SubmittedColoring) -> bool | None:
    coloring_status = facts.kept[level].get(coloring.key)
    return None if coloring_status is None else coloring_status.kept


def _marks(
    coloring: SubmittedColoring, marks: Mapping[MarkKind, Mapping[tuple[str, int], ColoringMark]]
) -> dict[str, MarkJson | None]:
    """What researchers said of it last; ``earlier`` where it was of an earlier version, which
    decides nothing."""
    marks_json: dict[str, MarkJson | None] = {}
    for kind in (MarkKind.KEEP, MarkKind.RECOLOR, MarkKind.PRACTICE):
        mark = marks[kind].get((coloring.participant.id, coloring.trial.position))
        marks_json[kind.value] = (
            {
                "value": mark.value,
                "reason": mark.reason,
                "at": mark.at.isoformat(),
                "earlier": not is_of(mark, coloring),
            }
            if mark is not None and mark.value
            else None
        )
    return marks_json


def _is_requested(coloring: SubmittedColoring, request: ListColorings) -> bool:
    return (
        request.case in ("", coloring.case.id)
        and (not request.words or normal(request.words) == normal(coloring.case.words))
        and request.participant in ("", coloring.participant.id)
    )


def _seconds(ms: float | None) -> float | None:
    return None if ms is None else round(ms / 1_000, 1)
