"""All colorings of a study as a list, and each as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from truehue.annotation.colorings.mask import LEAST_BACKGROUND
from truehue.annotation.quality.result import Level
from truehue.annotation.quality.reviews import Votes
from truehue.core.color.spaces import hex_of
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.matching import normal
from truehue.core.files import png_of
from truehue.core.sketches.images import layer_png
from truehue.core.studies import ColoringMark, EventKind, MarkKind
from truehue.tabs.page.actor import asks
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.current import CurrentColorings, standing_of
from truehue.tabs.studies.colorings.facts import Facts, known, state_json
from truehue.tabs.studies.colorings.layers import layer_of, picture_of
from truehue.tabs.studies.colorings.submitted import (
    TRAINING,
    SubmittedColoring,
    is_of,
    label_of,
    latest,
    one_of,
)
from truehue.tabs.studies.results import StudyReference
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


@asks("study")
def colorings(context: Context, actor: Actor, request: ListColorings) -> dict[str, Any]:
    """The colorings of a study that stand, practice and second ones too, by concept and person.

    What quality control says of them may be of a moment ago (``status``, ``stale``).
    """
    standing = standing_of(context, request.study)
    facts, computed = known(context, request.study)
    layers = context.storage.coloring_layers.of_study(standing.study_id)
    marks = {kind: latest(standing.marks, kind) for kind in MarkKind}
    comments = comments_of(standing) if may_personal(actor, standing.source.study) else {}
    order = {case.id: place for place, case in enumerate(standing.plan.cases)}
    rows = [
        {
            **row_json(standing.study_id, one, facts),
            "marks": _marks(one, marks),
            "comments": comments.get((one.participant.id, one.trial.position), []),
            "matches": layers[one.answer.id].matches if one.answer.id in layers else None,
        }
        for one in sorted(standing.given, key=lambda one: (order[one.case.id], one.key))
        if _asked(one, request)
    ]
    return {**state_json(computed), "colorings": rows, "total": len(standing.given)}


@asks("study")
def picture(context: Context, actor: Actor, request: ColoringImageRequest) -> bytes:
    """A coloring as PNG: with its lines, as it was seen, or the colors alone, as they are stored.

    Raises NotStored where none stands.
    """
    standing = standing_of(context, request.study)
    one = one_of(standing.given, request.participant, request.position)
    if request.layer:
        return layer_png(layer_of(context, one))
    return png(picture_of(context, one))


def png(srgb8: np.ndarray) -> bytes:
    """uint8 ``(H, W, 3)`` as PNG."""
    return png_of(srgb8)


def row_json(study_id: str, given: SubmittedColoring, facts: Facts | None) -> dict[str, Any]:
    """One coloring: what it is of, by whom, what was said of it and what becomes of it."""
    participant, position = given.participant.id, given.trial.position
    base = f"/api/studies/{study_id}/colorings/{participant}/{position}"
    return {
        "case": given.case.id,
        "words": given.case.words,
        "group": given.case.group,
        "sketch": given.case.sketch,
        **label_of(given),
        "position": position,
        "purpose": given.purpose,
        "original": given.original,
        "at": given.at.isoformat(),
        "seconds": _seconds(given.number("active_ms")),
        "response_seconds": _seconds(given.number("response_ms")),
        "actions": given.number("actions"),
        "revisions": given.revisions,
        # A coloring that was changed is another picture under another address.
        "picture": f"{base}.png?of={given.answer.id[:12]}",
        "layer": f"{base}.png?layer=1&of={given.answer.id[:12]}",
        "background": background_json(given, facts),
        **_quality(given, facts),
    }


def background_json(given: SubmittedColoring, facts: Facts | None) -> dict[str, Any] | None:
    """What a coloring has on the surround: its colored ``share``, how often it was ``asked`` about
    and ``undone``, and whether it was said to be ``part`` of the concept. None where next to none
    is colored, or may be."""
    share = facts.background.get(given.key, 0.0) if facts else 0.0
    if facts is None or share < LEAST_BACKGROUND:
        return None
    if not facts.source.plan.watches_background(given.case):
        return None
    said = given.answer.body.get("background")
    said = said if isinstance(said, Mapping) else {}
    return {
        "share": round(share, 4),
        "asked": said.get("asked", 0),
        "undone": said.get("undone", 0),
        "part": said.get("part") is True,
    }


def comments_of(standing: CurrentColorings) -> Mapping[tuple[str, int], list[str]]:
    """What people wrote of single sketches, by their id and the position, in its order. They are
    personal data: for those of :func:`truehue.tabs.studies.rights.may_personal`."""
    comments: dict[tuple[str, int], list[str]] = {}
    for person, events in standing.source.events.items():
        for event in events:
            # Anonymous exports, and so what is imported of them, have no text.
            text = event.body.get("text") if event.kind is EventKind.COMMENT else None
            if text and event.position is not None:
                comments.setdefault((person, event.position), []).append(str(text))
    return comments


def votes_json(votes: Votes | None) -> dict[str, Any] | None:
    """The votes of experts on one coloring."""
    return None if votes is None else {"yes": votes.yes, "no": votes.no, "outcome": votes.outcome}


def colors_json(weights: np.ndarray, most: int = SHOWN_COLORS) -> list[dict[str, Any]]:
    """The fullest bins of a distribution ``(71,)``, at most so many, the fullest first."""
    order = np.argsort(-weights, kind="stable")[:most]
    return [
        {
            "bin": int(place),
            "name": uw71()[place].name,
            "hex": hex_of(uw71()[place].srgb8),
            "share": round(float(weights[place]), 4),
        }
        for place in order
        if weights[place] > 0
    ]


def _quality(given: SubmittedColoring, facts: Facts | None) -> dict[str, Any]:
    coloring = facts.colorings.get(given.key) if facts else None
    if facts is None or given.purpose == TRAINING or coloring is None:
        problem = facts.problems.get(given.key, "") if facts else ""
        return {
            "colors": [],
            "flagged": False,
            "kept": None,
            "reasons": [problem] if problem else [],
            "votes": None,
            "problem": problem,
        }
    kept = facts.kept[facts.level].get(given.key)
    return {
        "colors": colors_json(coloring.weights),
        "flagged": given.case.id in facts.flagged,
        "kept": None if kept is None else kept.kept,
        "reasons": list(kept.reasons) if kept else [],
        "majority": _kept_at(facts, Level.MAJORITY, given),
        "votes": votes_json(facts.evidence.votes.get(given.key)),
        "problem": "",
    }


def _kept_at(facts: Facts, level: Level, given: SubmittedColoring) -> bool | None:
    kept = facts.kept[level].get(given.key)
    return None if kept is None else kept.kept


def _marks(
    given: SubmittedColoring, marks: Mapping[MarkKind, Mapping[tuple[str, int], ColoringMark]]
) -> dict[str, Any]:
    """What researchers said of it last; ``earlier`` where it was of an earlier version, which
    decides nothing."""
    marks_json: dict[str, Any] = {}
    for kind in (MarkKind.KEEP, MarkKind.RECOLOR, MarkKind.PRACTICE):
        mark = marks[kind].get((given.participant.id, given.trial.position))
        marks_json[kind.value] = (
            {
                "value": mark.value,
                "reason": mark.reason,
                "at": mark.at.isoformat(),
                "earlier": not is_of(mark, given),
            }
            if mark is not None and mark.value
            else None
        )
    return marks_json


def _asked(given: SubmittedColoring, request: ListColorings) -> bool:
    return (
        request.case in ("", given.case.id)
        and (not request.words or normal(request.words) == normal(given.case.words))
        and request.participant in ("", given.participant.id)
    )


def _seconds(ms: float | None) -> float | None:
    return None if ms is None else round(ms / 1_000, 1)
