"""The participants of a study, and who is excluded and why, as plain JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TypedDict

from truehue.annotation.assignment.endings import is_late
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.report import PersonResult
from truehue.annotation.screening import screening_of
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Ending
from truehue.core.studies import Decision, Event, EventKind, ParticipantRecord
from truehue.tabs.sources.studies import (
    AgentSigns,
    StudySource,
    TooFast,
    agent_json,
    too_fast_json,
)
from truehue.tabs.studies.results_numbers import plain

RULE_FIELDS = (
    (
        "least_attention",
        "Min. attention",
        "Share of attention checks passed. Participants below it are excluded.",
    ),
    (
        "least_consistency",
        "Min. consistency",
        "Share of repeated trials with the same answer. With few repeats it is imprecise.",
    ),
    (
        "most_fast",
        "Max. fast answers",
        "Share of answers under 400 ms. Participants above it are excluded.",
    ),
    (
        "most_one_side",
        "Max. at one position",
        "Share of answers at the most chosen position. Participants above it are excluded.",
    ),
    ("least_answered", "Min. answered", "Share of their trials answered."),
    (
        "least_training",
        "Min. training correct",
        "Share of correct training trials in the last round.",
    ),
    ("least_plates", "Min. plates read", "Share of color-vision plates read correctly."),
    (
        "screen",
        "Exclude screens that hide differences",
        "Excludes participants who could not tell the darkest or the lightest patches apart.",
    ),
)
"""Name, label and help of each bound of the rule of exclusion."""


class RuleField(TypedDict):
    """A bound of the rule of exclusion."""

    name: str
    label: str
    help: str
    kind: str
    value: float | bool | None
    default: float | bool | None


class DecisionJson(TypedDict):
    """What a researcher decided of a participant."""

    excluded: bool
    reason: str
    by: str
    at: str


class PersonJson(TypedDict):
    """A participant with what was seen of them; ``quality`` has the fields of Quality."""

    id: str
    number: int
    label: str
    enrolled_at: str
    last_at: str
    stage: str
    finished: bool
    language: str
    plan_version: int
    quality: dict[str, Any]
    screening: dict[str, Any] | None
    excluded: bool
    reasons: list[str]
    decision: DecisionJson | None
    too_fast: TooFast | None
    agent: AgentSigns | None
    comments: int


class ExclusionReason(TypedDict):
    """How many participants are excluded for a reason."""

    words: str
    participants: int


class ExcludedJson(TypedDict):
    """How many participants results are without, and why."""

    participants: int
    by_decision: int
    by_rule: int
    reasons: list[ExclusionReason]


OF_COLORINGS = frozenset(("least_answered", "least_plates", "screen"))
"""What can be seen of people who color: there are no checks, repeats, sides or training."""


def rule_fields(rule: ExclusionRule, kind: Kind) -> list[RuleField]:
    """The bounds of the rule for a form: those that say anything of a study of that kind."""
    default = ExclusionRule()
    return [
        {
            "name": name,
            "label": label,
            "help": text,
            "kind": "yes" if name == "screen" else "share",
            "value": getattr(rule, name),
            "default": getattr(default, name),
        }
        for name, label, text in RULE_FIELDS
        if (kind is not Kind.COLORINGS or name in OF_COLORINGS)
        and (kind is not Kind.QUESTIONS or name != "least_training")
    ]


def decision_json(decision: Decision | None) -> DecisionJson | None:
    """What a researcher decided."""
    if decision is None:
        return None
    return {
        "excluded": decision.excluded,
        "reason": decision.reason,
        "by": decision.author,
        "at": decision.at.isoformat(),
    }


def person_json(
    result: PersonResult,
    participant: ParticipantRecord,
    events: Sequence[Event],
    source: StudySource,
) -> PersonJson:
    """One participant with what was seen of them."""
    kinds = Counter(event.kind for event in events)
    stage = "answering" if kinds[EventKind.ANSWER] else "enrolled"
    if result.ending:
        stage = "finished" if result.ending is Ending.COMPLETED else result.ending.value
    elif is_late(source.plan, participant.enrolled_at, datetime.now(UTC)):
        stage = Ending.TIMED_OUT.value
    signs = [event.at for event in events if event.at is not None]
    return {
        "id": participant.id,
        "number": result.number,
        "label": label(result.number),
        "enrolled_at": participant.enrolled_at.isoformat(),
        "last_at": max([participant.enrolled_at, *signs]).isoformat(),
        "stage": stage,
        "finished": result.ending is Ending.COMPLETED,
        "language": participant.language,
        "plan_version": participant.plan_version,
        "quality": {
            name: plain(value) if isinstance(value, float) else value
            for name, value in asdict(result.quality).items()
        },
        "screening": screening_of(source.plan, participant.number, events),
        "excluded": bool(result.excluded),
        "reasons": list(result.excluded),
        "decision": decision_json(source.decisions.get(participant.id)),
        "too_fast": too_fast_json(participant, events),
        "agent": agent_json(
            source.plan, participant, events, source.strokes.get(participant.id, ())
        ),
        "comments": kinds[EventKind.COMMENT],
    }


def label(participant_number: int) -> str:
    """What people call a participant: numbers for people begin at 1."""
    return f"Participant {participant_number + 1}"


def excluded_json(people: Sequence[PersonResult]) -> ExcludedJson:
    """How many are excluded, and how often for which reason."""
    out = [person.excluded for person in people if person.excluded]
    decided = sum(reasons[0].startswith("a decision: ") for reasons in out)
    kinds: Counter[str] = Counter()
    for reasons in out:
        kinds.update({_kind_of(reason) for reason in reasons})
    return {
        "participants": len(out),
        "by_decision": decided,
        "by_rule": len(out) - decided,
        "reasons": [{"words": text, "participants": n} for text, n in kinds.most_common()],
    }


def _kind_of(reason: str) -> str:
    """A reason without its numbers, so that equal ones can be counted."""
    if reason.startswith("a decision: "):
        return "a researcher's decision"
    text = reason.partition("% ")[2] or reason
    return text.partition(", ")[0]
