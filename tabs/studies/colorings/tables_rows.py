"""The rows of a coloring study's tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from truehue.annotation.quality.result import Level
from truehue.annotation.quality.reviews import Votes
from truehue.core.color.uw71 import uw71
from truehue.core.records import LayerRecord
from truehue.core.studies import ColoringMark, MarkKind
from truehue.tabs.studies.colorings.facts import Facts
from truehue.tabs.studies.colorings.submitted import (
    TRAINING,
    SubmittedColoring,
    counted_reviews,
    decisions,
    reviewers_of,
)
from truehue.tabs.studies.tables_rows import ExportData

Json = dict[str, Any]
Actions = Callable[
    [str, Collection[int], Mapping[int, int]], Mapping[int, Sequence[Mapping[str, Any]]]
]
"""What a participant did at some positions before an event of each, in order, by position."""


@dataclass(frozen=True)
class ColoringExport:
    """What an export of colorings is made of, beside the study: ``layers`` by answer, ``actions``
    read when they are written, for they are most of it."""

    facts: Facts
    layers: Mapping[str, LayerRecord]
    actions: Actions


def colorings(data: ExportData) -> Iterator[Json]:
    """Colorings by participant and position."""
    export = _export(data)
    facts = export.facts
    decided = decisions(facts.marks, facts.given)
    for one in facts.given:
        coloring = facts.colorings.get(one.key)
        votes = facts.evidence.votes.get(one.key)
        kept = {level: facts.kept[level].get(one.key) for level in Level}
        final = kept[facts.level]
        mark = decided.get(one.key)
        layer = export.layers.get(one.answer.id)
        yield {
            **_place(one),
            "words": one.case.words,
            "group": one.case.group or None,
            "purpose": one.purpose,
            "original": one.original,
            "sketch": one.case.sketch,
            "file": file_of(one),
            "at": one.at.isoformat(),
            "response_ms": one.number("response_ms"),
            "active_ms": one.number("active_ms"),
            "actions": one.answer.body.get("actions"),
            "revisions": one.revisions,
            "checksum": one.answer.body.get("checksum"),
            "matches": layer.matches if layer else None,
            "colored": layer.colored if layer else None,
            "background": facts.background.get(one.key),
            "background_part": _part(one),
            "problem": facts.problems.get(one.key),
            "flagged": None if one.purpose == TRAINING else one.case.id in facts.flagged,
            **_votes(votes),
            "mark": mark.value if mark else None,
            "mark_reason": (mark.reason or None) if mark else None,
            "kept_majority": _kept(kept[Level.MAJORITY]),
            "kept_marks": _kept(kept[Level.MARKS]),
            "reasons": "; ".join(final.reasons) or None if final else None,
            "weights": _json(coloring.weights.tolist()) if coloring else None,
        }


def actions(data: ExportData) -> Iterator[Json]:
    """Actions by participant, position and order: of all colorings that stand, up to their end."""
    export = _export(data)
    for participant, own in groupby(export.facts.given, key=lambda one: one.participant.id):
        given = {one.trial.position: one for one in own}
        # As they are drawn: what the page says that it sent decides nothing.
        ends = {position: one.answer.number for position, one in given.items()}
        for position, log in export.actions(participant, given.keys(), ends).items():
            one = given[position]
            for number, body in enumerate(log):
                yield {
                    "participant": one.participant.number + 1,
                    "position": position,
                    "number": number,
                    "do": body.get("do"),
                    **{name: body.get(name) for name in ("color", "x", "y", "closing")},
                    **{name: body.get(name) for name in ("diameter", "within")},
                    "points": _json(body["points"]) if "points" in body else None,
                }


def reviews(data: ExportData) -> Iterator[Json]:
    """Experts' answers in the order in which they came."""
    facts = _export(data).facts
    numbers = reviewers_of(facts.marks)
    counting = {mark.number for _, mark in counted_reviews(facts.marks, facts.given)}
    by_place = {(one.participant.id, one.trial.position): one for one in facts.given}
    for mark in facts.marks:
        one = by_place.get((mark.participant_id, mark.position))
        if mark.kind is not MarkKind.REVIEW or one is None:
            continue
        yield {
            "number": mark.number,
            "reviewer": numbers[mark.author],
            **_place(one),
            "consistent": _answer(mark),
            "at": mark.at.isoformat(),
            "counts": mark.number in counting,
        }


def concepts(data: ExportData) -> Iterator[Json]:
    """Concepts in the order of the plan, before quality control and after."""
    facts = _export(data).facts
    flagged = facts.flagged
    sure = {one.case_id: one for one in facts.worth}
    tables = {
        level: {row.case_id: row for row in rows}
        for level, rows in ((Level.ALL, facts.before), (facts.level, facts.after))
    }
    for stimulus in facts.source.plan.main_stimuli:
        case = facts.source.plan.case_by_id[stimulus.case_id]
        for level, rows in tables.items():
            one = rows[case.id]
            final = level is facts.level
            yield {
                "case": case.id,
                "words": case.words,
                "level": level.value,
                "colorings": one.colorings,
                "pairs": one.pairs,
                "emd_lab": one.emd_lab,
                "flagged": case.id in flagged,
                "width_lab": sure[case.id].width_lab if final else None,
                "narrowing_lab": sure[case.id].narrowing_lab if final else None,
            }


def distributions(data: ExportData) -> Iterator[Json]:
    """P_H by level, concept in the order of the plan, and bin."""
    facts = _export(data).facts
    for level in Level:
        groups = facts.kept_colorings(level)
        for case_id, weights in facts.distributions(level).items():
            words = facts.source.plan.case_by_id[case_id].words
            for place, share in enumerate(weights):
                if share > 0:
                    yield {
                        "case": case_id,
                        "words": words,
                        "level": level.value,
                        "colorings": len(groups[case_id]),
                        "bin": place,
                        "hex": uw71()[place].hex,
                        "share": float(share),
                    }


def file_of(given: SubmittedColoring) -> str:
    """Where the colors of a coloring lie in all.zip."""
    return f"colorings/participant-{given.participant.number + 1}-{given.trial.position}.png"


def _export(data: ExportData) -> ColoringExport:
    assert isinstance(data.colorings, ColoringExport)
    return data.colorings


def _place(one: SubmittedColoring) -> Json:
    return {
        "participant": one.participant.number + 1,
        "position": one.trial.position,
        "case": one.case.id,
    }


def _part(one: SubmittedColoring) -> bool | None:
    """Whether the background was said to be part of the concept; None where nobody was asked."""
    said = one.answer.body.get("background")
    return said.get("part") is True if isinstance(said, Mapping) and said.get("asked") else None


def _votes(votes: Votes | None) -> Json:
    if votes is None:
        return {"yes": None, "no": None, "outcome": None}
    return {"yes": votes.yes, "no": votes.no, "outcome": votes.outcome.value}


def _answer(mark: ColoringMark) -> bool | None:
    return mark.value == "consistent" if mark.value else None


def _kept(kept: Any) -> bool | None:
    return None if kept is None else bool(kept.kept)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
