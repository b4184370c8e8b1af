"""A study as JSON, for exports and their import: strict, with clear messages, nothing guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from truehue.core.errors import BadInput
from truehue.core.records import SketchRecord
from truehue.core.studies import MarkKind
from truehue.core.study_copy import (
    CopyRecord,
    Count,
    Id,
    ParticipantCopy,
    StudyCopy,
    Text,
    Time,
)
from truehue.tabs.studies.rights import EXPERTS, anonymous_plan
from truehue.tabs.studies.tables_rows import body_of

FORMAT = "truehue study"
FORMAT_VERSION, WITH_COLORINGS = 1, 2
"""Of the export: 2 where a study has sketches or marks, which 1 does not know."""
TO_PARTICIPANTS = (MarkKind.PRACTICE, MarkKind.RECOLOR)
"""Marks whose reason is written to one participant, and is no part of an anonymous export."""
_MAX_ERRORS = 100
Json = dict[str, Any]
_Read = TypeVar("_Read", bound=CopyRecord)


@dataclass
class Counts:
    """How many participants a study has, and how many events."""

    participants: int = 0
    events: int = 0


class _Warning(CopyRecord):
    code: Annotated[str, Field(max_length=100)]
    words: Text


class SketchDocument(CopyRecord):
    """A sketch as ``study.json`` names it."""

    id: Id
    words: Text
    source: Annotated[str, Field(min_length=1, max_length=100)]
    note: Text
    warnings: Annotated[tuple[_Warning, ...], Field(max_length=100)]
    closing: Annotated[int, Field(strict=True, ge=0, le=3)]


class StudyDocument(StudyCopy):
    """``study.json``: everything but the participants, and how many they are."""

    format: str
    format_version: int
    personal: bool
    participants: Count
    events: Count
    exported_at: Time
    exported_with: dict[str, str]
    people_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    sketches: Annotated[tuple[SketchDocument, ...], Field(max_length=10_000, fail_fast=True)] = ()


DOCUMENT_FIELDS = frozenset(StudyDocument.model_fields)


def study_document(
    copy: StudyCopy, counts: Counts, *, personal: bool, sketches: Sequence[SketchRecord] = ()
) -> Json:
    """``study.json``: all but the participants, with how many they are. ``sketches`` are those that
    people color."""
    content = copy.model_dump(mode="json")
    for change in content["rules"]:
        change["rule"].pop(EXPERTS, None)
    if not personal:
        for version in content["plans"]:
            version["plan"] = anonymous_plan(version["plan"])
        for state in content["states"]:
            state["reason"] = ""
        for link in content["links"]:
            link["label"] = ""
    more = {"sketches": [_sketch(sketch, personal) for sketch in sketches]} if sketches else {}
    return {
        "format": FORMAT,
        "format_version": WITH_COLORINGS if sketches else FORMAT_VERSION,
        "personal": personal,
        **content,
        "participants": counts.participants,
        "events": counts.events,
        **more,
    }


def _sketch(record: SketchRecord, personal: bool) -> Json:
    """What is known of a sketch; its ink is a file beside, and its maker is nobody's business. A
    note may name a file, and a file somebody."""
    return {
        "id": record.id,
        "words": record.words,
        "source": record.source,
        "note": record.note if personal else "",
        "warnings": [{"code": code, "words": text} for code, text in record.warnings],
        "closing": record.closing,
    }


def people_lines(
    people: Iterable[ParticipantCopy], counts: Counts, *, personal: bool
) -> Iterator[str]:
    """``people.jsonl``: a participant a line, with trials, events and decisions; ``counts`` has
    them then."""
    for person in people:
        counts.participants += 1
        counts.events += len(person.events)
        line = person.model_dump(mode="json", exclude=None if person.marks else {"marks"})
        if not personal:
            line["external"] = {}
            for event in line["events"]:
                event["body"] = body_of(event["body"], personal)
            for mark in line.get("marks", ()):
                if mark["kind"] in TO_PARTICIPANTS:
                    mark["reason"] = ""
        yield json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def document_of(content: Any) -> StudyDocument:
    """What ``study.json`` says. Raises BadInput for what is no study of this version."""
    if not isinstance(content, Mapping) or content.get("format") != FORMAT:
        raise BadInput("study.json is not that of a TrueHue study.")
    if content.get("format_version") not in (FORMAT_VERSION, WITH_COLORINGS):
        raise BadInput(
            f"This export has version {content.get('format_version')!r:.20}; this TrueHue "
            f"reads {FORMAT_VERSION} and {WITH_COLORINGS}. Update TrueHue, or export the study "
            "with this version."
        )
    return _model(StudyDocument, content, "study.json")


def person_of(content: Any, line: int) -> ParticipantCopy:
    """A participant as a line of ``people.jsonl`` has them. Raises BadInput, naming the line."""
    return _model(ParticipantCopy, content, f"line {line} of people.jsonl")


def _model(kind: type[_Read], content: Any, location: str) -> _Read:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        if error.error_count() > _MAX_ERRORS:  # each takes a kilobyte to describe
            raise BadInput(
                f"{location} cannot be read: it has {error.error_count():,} errors."
            ) from None
        first = error.errors()[0]
        index = ".".join(str(part) for part in first["loc"]) or "it"
        raise BadInput(f"{location} cannot be read: {index[:120]}: {first['msg']}.") from None
