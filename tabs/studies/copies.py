"""A study as JSON, for exports that are read again, and back: strict, in words, nothing guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from truehue.core.errors import BadInput
from truehue.core.records import SketchRecord
from truehue.core.studies import (
    MARK_VALUES,
    Event,
    EventKind,
    MarkKind,
    Purpose,
    State,
    StoredTrial,
)
from truehue.core.study_copy import (
    DecisionCopy,
    Erasure,
    LinkCopy,
    MarkCopy,
    ParticipantCopy,
    PlanVersion,
    RuleChange,
    StateChange,
    StudyCopy,
)
from truehue.tabs.studies.rights import anonymous_plan
from truehue.tabs.studies.tables_rows import body_of

FORMAT = "truehue study"
FORMAT_VERSION, WITH_COLORINGS = 1, 2
"""Of the export: 2 where a study has sketches or marks, which 1 does not know."""
MOST_EVENTS = 1_000_000
"""Of one participant: 50 sketches with the most actions that a coloring may have."""
TO_PARTICIPANTS = (MarkKind.PRACTICE, MarkKind.RECOLOR)
"""Marks whose reason is written to one participant, and is no part of an anonymous export."""
_MOST_ERRORS = 100
Json = dict[str, Any]


@dataclass
class Counts:
    """How many participants a study has, and how many events."""

    participants: int = 0
    events: int = 0


def study_document(
    copy: StudyCopy, counts: Counts, *, personal: bool, sketches: Sequence[SketchRecord] = ()
) -> Json:
    """``study.json``: all but the participants, with how many they are. ``sketches`` are those that
    people color."""
    more = {"sketches": [_sketch(sketch, personal) for sketch in sketches]} if sketches else {}
    return {
        "format": FORMAT,
        "format_version": WITH_COLORINGS if sketches else FORMAT_VERSION,
        "personal": personal,
        "created_at": copy.created_at.isoformat(),
        "plans": [
            {
                "plan": dict(plan.plan) if personal else anonymous_plan(plan.plan),
                "at": plan.at.isoformat(),
            }
            for plan in copy.plans
        ],
        "states": [
            {
                "state": state.state,
                "reason": state.reason if personal else "",
                "at": state.at.isoformat(),
            }
            for state in copy.states
        ],
        "rules": [{"rule": dict(rule.rule), "at": rule.at.isoformat()} for rule in copy.rules],
        "links": [
            {
                "label": link.label if personal else "",
                "personal": link.personal,
                "created_at": link.created_at.isoformat(),
                "revoked_at": link.revoked_at.isoformat() if link.revoked_at else None,
            }
            for link in copy.links
        ],
        "erasures": [
            {"number": erasure.number, "at": erasure.at.isoformat()} for erasure in copy.erasures
        ],
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
        line = {
            "number": person.number,
            "link": person.link,
            "plan_version": person.plan_version,
            "language": person.language,
            "external": dict(person.external) if personal else {},
            "enrolled_at": person.enrolled_at.isoformat(),
            "trials": [
                {
                    "position": trial.position,
                    "stimulus_id": trial.stimulus_id,
                    "order": list(trial.order),
                    "purpose": trial.purpose,
                    "propensity": trial.propensity,
                    "original": trial.original,
                    "expected": trial.expected,
                    "assigned_at": trial.assigned_at.isoformat(),
                }
                for trial in person.trials
            ],
            "events": [
                {
                    "id": event.id,
                    "kind": event.kind,
                    "position": event.position,
                    "body": body_of(event, personal),
                    "client_ms": event.client_ms,
                    "number": event.number,
                    "at": event.at.isoformat() if event.at else None,
                }
                for event in person.events
            ],
            "decisions": [
                {"excluded": each.excluded, "reason": each.reason, "at": each.at.isoformat()}
                for each in person.decisions
            ],
        }
        if person.marks:
            line["marks"] = [
                {
                    **asdict(mark),
                    "kind": mark.kind.value,
                    "reason": mark.reason if personal or mark.kind not in TO_PARTICIPANTS else "",
                    "at": mark.at.isoformat(),
                }
                for mark in person.marks
            ]
        yield json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def _zoned(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise ValueError("a time needs its zone")
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError("no such time is in any calendar") from None


Time = Annotated[datetime, AfterValidator(_zoned)]
Text = Annotated[str, Field(max_length=2_000)]
Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Count = Annotated[int, Field(strict=True, ge=0, lt=2**31)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


_Read = TypeVar("_Read", bound=_Strict)


class _Plan(_Strict):
    plan: Json
    at: Time


class _State(_Strict):
    state: State
    reason: Text
    at: Time


class _Rule(_Strict):
    rule: Json
    at: Time


class _Link(_Strict):
    label: Text
    personal: bool
    created_at: Time
    revoked_at: Time | None


class _Erasure(_Strict):
    number: Count
    at: Time


class _Warning(_Strict):
    code: Annotated[str, Field(max_length=100)]
    words: Text


class SketchDocument(_Strict):
    """A sketch as ``study.json`` names it."""

    id: Id
    words: Text
    source: Annotated[str, Field(min_length=1, max_length=100)]
    note: Text
    warnings: Annotated[tuple[_Warning, ...], Field(max_length=100)]
    closing: Annotated[int, Field(strict=True, ge=0, le=3)]


class _Document(_Strict):
    format: str
    format_version: int
    personal: bool
    created_at: Time
    plans: Annotated[list[_Plan], Field(min_length=1, max_length=10_000, fail_fast=True)]
    states: Annotated[list[_State], Field(min_length=1, max_length=10_000, fail_fast=True)]
    rules: Annotated[list[_Rule], Field(max_length=10_000, fail_fast=True)]
    links: Annotated[list[_Link], Field(max_length=100_000, fail_fast=True)]
    erasures: Annotated[list[_Erasure], Field(max_length=100_000, fail_fast=True)]
    participants: Count
    events: Count
    exported_at: Time
    exported_with: dict[str, str]
    people_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    sketches: Annotated[tuple[SketchDocument, ...], Field(max_length=10_000, fail_fast=True)] = ()


DOCUMENT_FIELDS = frozenset(_Document.model_fields)


class _Trial(_Strict):
    position: Count
    stimulus_id: Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$")]
    order: Annotated[list[Text], Field(max_length=4)]
    purpose: Purpose
    propensity: Annotated[float, Field(ge=0, le=1)]
    original: Count | None
    expected: Count | None
    assigned_at: Time


class _Event(_Strict):
    id: Id
    kind: EventKind
    position: Count | None
    body: Json
    client_ms: Annotated[int, Field(strict=True, ge=0, lt=2**63)]
    number: Count
    at: Time


class _Decision(_Strict):
    excluded: bool
    reason: Text
    at: Time


class _Mark(_Strict):
    number: Count
    position: Count
    kind: MarkKind
    value: Annotated[str, Field(max_length=40)]
    reason: Text
    author: Count
    at: Time

    @model_validator(mode="after")
    def _said(self) -> Self:
        if self.value not in MARK_VALUES[self.kind]:
            raise ValueError(f"a mark of {self.kind} cannot be {self.value!r}")
        return self


class _Person(_Strict):
    number: Count
    link: Count
    plan_version: Annotated[int, Field(strict=True, ge=1, lt=2**31)]
    language: Annotated[str, Field(max_length=40)]
    external: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=200)]]
    enrolled_at: Time
    trials: Annotated[list[_Trial], Field(max_length=20_000, fail_fast=True)]
    events: Annotated[list[_Event], Field(max_length=MOST_EVENTS, fail_fast=True)]
    decisions: Annotated[list[_Decision], Field(max_length=1_000, fail_fast=True)]
    marks: Annotated[tuple[_Mark, ...], Field(max_length=100_000, fail_fast=True)] = ()


class Document:
    """What ``study.json`` says: everything but the participants, and how many they are."""

    def __init__(self, content: Any) -> None:
        """Raises BadInput for what is no study of this version."""
        if not isinstance(content, Mapping) or content.get("format") != FORMAT:
            raise BadInput("study.json is not that of a TrueHue study.")
        if content.get("format_version") not in (FORMAT_VERSION, WITH_COLORINGS):
            raise BadInput(
                f"This export has version {content.get('format_version')!r:.20}; this TrueHue "
                f"reads {FORMAT_VERSION} and {WITH_COLORINGS}. Update TrueHue, or export the study "
                "with this version."
            )
        self._read = _model(_Document, content, "study.json")
        self.people_sha256 = self._read.people_sha256
        self.participants, self.events = self._read.participants, self._read.events
        self.sketches = self._read.sketches

    def copy(self) -> StudyCopy:
        """The study."""
        read = self._read
        return StudyCopy(
            read.created_at,
            tuple(PlanVersion(plan.plan, plan.at) for plan in read.plans),
            tuple(StateChange(state.state, state.reason, state.at) for state in read.states),
            tuple(RuleChange(rule.rule, rule.at) for rule in read.rules),
            tuple(
                LinkCopy(link.label, link.personal, link.created_at, link.revoked_at)
                for link in read.links
            ),
            tuple(Erasure(erasure.number, erasure.at) for erasure in read.erasures),
        )


def person_of(content: Any, line: int) -> ParticipantCopy:
    """A participant as a line of ``people.jsonl`` has them. Raises BadInput, naming the line."""
    read = _model(_Person, content, f"line {line} of people.jsonl")
    return ParticipantCopy(
        read.number,
        read.link,
        read.plan_version,
        read.language,
        read.external,
        read.enrolled_at,
        tuple(
            StoredTrial(
                position=trial.position,
                stimulus_id=trial.stimulus_id,
                order=tuple(trial.order),
                purpose=trial.purpose,
                propensity=trial.propensity,
                original=trial.original,
                expected=trial.expected,
                assigned_at=trial.assigned_at,
            )
            for trial in read.trials
        ),
        tuple(
            Event(
                event.id,
                event.kind,
                event.position,
                event.body,
                event.client_ms,
                event.number,
                event.at,
            )
            for event in read.events
        ),
        tuple(
            DecisionCopy(decision.excluded, decision.reason, decision.at)
            for decision in read.decisions
        ),
        tuple(
            MarkCopy(
                mark.number, mark.position, mark.kind, mark.value, mark.reason, mark.author, mark.at
            )
            for mark in read.marks
        ),
    )


def _model(kind: type[_Read], content: Any, location: str) -> _Read:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        if error.error_count() > _MOST_ERRORS:  # each takes a kilobyte to describe
            raise BadInput(
                f"{location} cannot be read: it has {error.error_count():,} errors."
            ) from None
        first = error.errors()[0]
        index = ".".join(str(part) for part in first["loc"]) or "it"
        raise BadInput(f"{location} cannot be read: {index[:120]}: {first['msg']}.") from None
