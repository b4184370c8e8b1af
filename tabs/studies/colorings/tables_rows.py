"""The rows of a coloring study's tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from truehue.annotation.quality.control import Level, Votes
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
    for submitted_coloring in facts.given:
        coloring = facts.colorings.get(submitted_coloring.key)
        votes = facts.evidence.votes.get(submitted_coloring.key)
        coloring_status = {level: facts.kept[level].get(submitted_coloring.key) for level in Level}
        final = coloring_status[facts.level]
        mark = decided.get(submitted_coloring.key)
        layer = export.layers.get(submitted_coloring.answer.id)
        yield {
            **_place(submitted_coloring),
            "words": submitted_coloring.case.words,
            "group": submitted_coloring.case.group or None,
            "purpose": submitted_coloring.purpose,
            "original": submitted_coloring.original,
            "sketch": submitted_coloring.case.sketch,
            "file": file_of(submitted_coloring),
            "at": submitted_coloring.at.isoformat(),
            "response_ms": submitted_coloring.number("response_ms"),
            "active_ms": submitted_coloring.number("active_ms"),
            "actions": submitted_coloring.answer.body.get("actions"),
            "revisions": submitted_coloring.revisions,
            "checksum": submitted_coloring.answer.body.get("checksum"),
            "matches": layer.matches if layer else None,
            "colored": layer.colored if layer else None,
            "background": facts.background.get(submitted_coloring.key),
            "background_part": _part(submitted_coloring),
            "problem": facts.problems.get(submitted_coloring.key),
            "flagged": None
            if submitted_coloring.purpose == TRAINING
            else submitted_coloring.case.id in facts.flagged,
            **_votes(votes),
            "mark": mark.value if mark else None,
            "mark_reason": (mark.reason or None) if mark else None,
            "kept_majority": _saved(coloring_status[Level.MAJORITY]),
            "kept_marks": _saved(coloring_status[Level.MARKS]),
            "reasons": "; ".join(final.reasons) or None if final else None,
            "weights": _json(coloring.weights.tolist()) if coloring else None,
        }


def actions(data: ExportData) -> Iterator[Json]:
    """Actions by participant, position and order: of all colorings that stand, up to their end."""
    export = _export(data)
    for participant, own in groupby(
        export.facts.given, key=lambda coloring: coloring.participant.id
    ):
        submitted_colorings = {coloring.trial.position: coloring for coloring in own}
        # As they are drawn: what the page says that it sent decides nothing.
        ends = {
            position: coloring.answer.number for position, coloring in submitted_colorings.items()
        }
        for position, log in export.actions(participant, submitted_colorings.keys(), ends).items():
            submitted_coloring = submitted_colorings[position]
            for number, body in enumerate(log):
                yield {
                    "participant": submitted_coloring.participant.number + 1,
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
    by_place = {
        (submitted_coloring.participant.id, submitted_coloring.trial.position): submitted_coloring
        for submitted_coloring in facts.given
    }
    for mark in facts.marks:
        coloring = by_place.get((mark.participant_id, mark.position))
        if mark.kind is not MarkKind.REVIEW or coloring is None:
            continue
        yield {
            "number": mark.number,
            "reviewer": numbers[mark.author],
            **_place(coloring),
            "consistent": _answer(mark),
            "at": mark.at.isoformat(),
            "counts": mark.number in counting,
        }


def concepts(data: ExportData) -> Iterator[Json]:
    """Concepts in the order of the plan, before quality control and after."""
    facts = _export(data).facts
    flagged = facts.flagged
    sure = {concept_uncertainty.case_id: concept_uncertainty for concept_uncertainty in facts.worth}
    tables = {
        level: {row.case_id: row for row in rows}
        for level, rows in ((Level.ALL, facts.before), (facts.level, facts.after))
    }
    for stimulus in facts.source.plan.main_stimuli:
        case = facts.source.plan.case_by_id[stimulus.case_id]
        for level, rows in tables.items():
            consensus = rows[case.id]
            final = level is facts.level
            yield {
                "case": case.id,
                "words": case.words,
                "level": level.value,
                "colorings": consensus.colorings,
                "pairs": consensus.pairs,
                "emd_lab": consensus.emd_lab,
                "flagged": case.id in flagged,
                "width_lab": sure[case.id].width_lab if final else None,
                "narrowing_lab": sure[case.id].narrowing_lab if final else None,
            }


def distributions(data: ExportData) -> Iterator[Json]:
    """P_H by level, concept in the order of the plan, and bin."""
    facts = _export(data).facts
    for level in Level:
        groups = facts.saved_colorings(level)
        for case_id, weights in facts.distributions(level).items():
            text = facts.source.plan.case_by_id[case_id].words
            for index, share in enumerate(weights):
                if share > 0:
                    yield {
                        "case": case_id,
                        "words": text,
                        "level": level.value,
                        "colorings": len(groups[case_id]),
                        "bin": index,
                        "hex": uw71()[index].hex,
                        "share": float(share),
                    }


def file_of(coloring: SubmittedColoring) -> str:
    """Where the colors of a coloring lie in all.zip."""
    return f"colorings/participant-{coloring.participant.number + 1}-{coloring.trial.position}.png"


def _export(data: ExportData) -> ColoringExport:
    assert isinstance(data.colorings, ColoringExport)
    return data.colorings


def _place(coloring: SubmittedColoring) -> Json:
    return {
        "participant": coloring.participant.number + 1,
        "position": coloring.trial.position,
        "case": coloring.case.id,
    }


def _part(coloring: SubmittedColoring) -> bool | None:
    """Whether the background was said to be part of the concept; None where nobody was asked."""
    said = coloring.answer.body.get("background")
    return said.get("part") is True if isinstance(said, Mapping) and said.get("asked") else None


def _votes(votes: Votes | None) -> Json:
    if votes is None:
        return {"yes": None, "no": None, "outcome": None}
    return {"yes": votes.yes, "no": votes.no, "outcome": votes.outcome.value}


def _answer(mark: ColoringMark) -> bool | None:
    return mark.value == "consistent" if mark.value else None


def _saved(saved: Any) -> bool | None:
    return None if saved is None else bool(saved.kept)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
