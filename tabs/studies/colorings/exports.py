"""Exports of colorings: table rows, sketches for a later import, and images."""

from __future__ import annotations

import json
import math
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from typing import Any

import numpy as np
from PIL import Image

from truehue.annotation.quality.control import Level, Votes, pair_agreements
from truehue.core.color.uw71 import uw71
from truehue.core.errors import BadInput, StorageError
from truehue.core.files import png_of
from truehue.core.records import LayerRecord, SketchRecord
from truehue.core.sketches.records import LONGEST_SIDE, Sketch, SketchWarning, sketch_id
from truehue.core.studies import ColoringMark, MarkKind
from truehue.core.study_copy import StudyCopy
from truehue.tabs.page.context import Context
from truehue.tabs.studies.colorings.facts import ColoringSnapshot, Facts, known_of
from truehue.tabs.studies.colorings.layers import layer_of
from truehue.tabs.studies.colorings.submitted import (
    SENT,
    TRAINING,
    SubmittedColoring,
    counted_reviews,
    decisions,
    reviewers_of,
)
from truehue.tabs.studies.copies import SketchDocument
from truehue.tabs.studies.results import NotReady
from truehue.tabs.studies.tables_rows import ExportData

Json = dict[str, Any]
Actions = Callable[
    [str, Collection[int], Mapping[int, int]], Mapping[int, Sequence[Mapping[str, Any]]]
]
"""What a participant did at some positions before an event of each, in order, by position."""
WAIT_S = 600.0
MAX_SKETCH_BYTES = 16 * 2**20
_OURS = re.compile(r"sketches/[0-9a-f]{32}\.png|colorings/participant-\d{1,9}-\d{1,6}\.png")


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
            **_position_json(submitted_coloring),
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
    for mark, coloring in _marked(facts):
        if mark.kind is not MarkKind.REVIEW:
            continue
        yield {
            "number": mark.number,
            "reviewer": numbers[mark.author],
            **_position_json(coloring),
            "consistent": _answer(mark),
            "at": mark.at.isoformat(),
            "counts": mark.number in counting,
        }


def review_comments(data: ExportData) -> Iterator[Json]:
    """Experts' comments, and the notes of what was sent back, in the order in which they came."""
    facts = _export(data).facts
    numbers = reviewers_of(facts.marks)
    for mark, coloring in _marked(facts):
        commented = mark.kind is MarkKind.REVIEW and bool(mark.reason)
        if not commented and mark.kind is not MarkKind.SENT_BACK:
            continue
        sent = "sent-back" if mark.value == SENT else "withdrawn"
        yield {
            "number": mark.number,
            "kind": "comment" if commented else sent,
            "reviewer": numbers[mark.author] if commented else None,
            **_position_json(coloring),
            "text": mark.reason or None,
            "at": mark.at.isoformat(),
        }


def review_agreement(data: ExportData) -> Iterator[Json]:
    """The agreement of every two experts with a coloring in common."""
    for pair in pair_agreements(_export(data).facts.reviews):
        yield {
            "first": int(pair.first),
            "second": int(pair.second),
            "colorings": pair.colorings,
            "equal": pair.equal,
            "kappa": None if math.isnan(pair.kappa) else pair.kappa,
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


def _marked(facts: Facts) -> Iterator[tuple[ColoringMark, SubmittedColoring]]:
    """All marks on colorings that stand, with their colorings, in the order of the marks."""
    by_trial = {
        (coloring.participant.id, coloring.trial.position): coloring for coloring in facts.given
    }
    for mark in facts.marks:
        if (coloring := by_trial.get((mark.participant_id, mark.position))) is not None:
            yield mark, coloring


def _position_json(coloring: SubmittedColoring) -> Json:
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


def sketches_named(copy: StudyCopy) -> list[str]:
    """The ids of all sketches that a study's plans name, each once."""
    named = [
        case.get("sketch", "")
        for plan in copy.plans
        for case in plan.plan.get("cases", ())
        if isinstance(case, Mapping)
    ]
    return sorted({str(name) for name in named if name})


def sketch_records(context: Context, copy: StudyCopy) -> list[SketchRecord]:
    """The stored sketches of a study."""
    records = context.storage.sketches.by_ids(sketches_named(copy))
    return [records[name] for name in sorted(records)]


def coloring_export(
    context: Context, moment: ColoringSnapshot, wait_s: float = WAIT_S
) -> ColoringExport:
    """What the tables of a study of colorings are made of. Raises NotReady while it is still
    computed after ``wait_s`` seconds."""
    facts, computed = known_of(context, moment, wait_s)
    if facts is None or computed.progress:
        raise NotReady("The colorings are still being measured. Try again in a moment.")
    return ColoringExport(
        facts,
        context.storage.coloring_layers.of_study(moment.source.study.id),
        context.storage.study_events.actions,
    )


def write_images(
    context: Context,
    archive: zipfile.ZipFile,
    sketches: Sequence[SketchRecord],
    export: ColoringExport,
) -> None:
    """Adds the ink of every sketch and the colors of every coloring that stands; what cannot be
    drawn is left out, and the table says why."""
    for record in sketches:
        content = png_of(context.storage.sketches.ink(record.id))
        archive.writestr(f"sketches/{record.id}.png", content, zipfile.ZIP_STORED)
    for coloring in export.facts.given:
        path = context.storage.coloring_layers.path(coloring.answer.id)
        try:
            if not path.is_file():
                layer_of(context, coloring)
            archive.write(path, file_of(coloring), zipfile.ZIP_STORED)
        except (OSError, StorageError):
            continue


def is_ours(name: str) -> bool:
    """Whether a file of an archive is a sketch or a coloring as an export names them."""
    return _OURS.fullmatch(name) is not None


def read_sketches(
    archive: zipfile.ZipFile, named: Sequence[SketchDocument], shown: str
) -> Iterator[tuple[Sketch, SketchDocument]]:
    """The sketches of an archive, one by one. Pictures of colorings are not read: they are drawn
    again of the log. Raises BadInput for a sketch that is missing, or another one than it says."""
    files = set(archive.namelist())
    for sketch_document in named:
        name = f"sketches/{sketch_document.id}.png"
        if name not in files:
            raise BadInput(
                f"{shown} lacks the sketch {sketch_document.id}. Import all.zip as it was exported."
            )
        ink = _ink(archive, name, shown)
        if sketch_id(ink) != sketch_document.id:
            raise BadInput(f"{name} in {shown} is not the sketch that it is named after.")
        warnings = tuple(SketchWarning(each.code, each.words) for each in sketch_document.warnings)
        yield Sketch(sketch_document.id, ink, warnings, sketch_document.closing), sketch_document


def _ink(archive: zipfile.ZipFile, name: str, shown: str) -> np.ndarray:
    with archive.open(name) as file:
        content = file.read(MAX_SKETCH_BYTES + 1)
    if len(content) > MAX_SKETCH_BYTES:
        raise BadInput(f"{name} in {shown} is too large for a sketch.")
    try:
        with Image.open(BytesIO(content), formats=["PNG"]) as stored:
            if stored.mode != "L" or max(stored.size) > LONGEST_SIDE:
                raise BadInput(f"{name} in {shown} is no sketch: it has other pixels.")
            ink = np.array(stored, dtype=np.uint8)
    except BadInput:
        raise
    except Exception as error:  # whatever a damaged picture raises
        raise BadInput(f"{name} in {shown} is not a readable image.") from error
    ink.flags.writeable = False
    return ink
