"""Who and what results leave out, by time, as the assignment wants to know it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from truehue.annotation.assignment.ledger import Excludes, Exclusions
from truehue.annotation.judgments.answers import Answer
from truehue.annotation.participants.quality import ExclusionRule, quality_of, reasons
from truehue.annotation.participants.screening import screening_of
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import ColoringMark, Event, LogEntry, LogKind, MarkKind, Trial

_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)
_KEPT = {"kept": True, "discarded": False}


def exclusions_of(
    plan: StudyPlan,
    log: Iterable[LogEntry],
    marks: Iterable[ColoringMark] = (),
    numbers: Mapping[str, int] | None = None,
) -> Exclusions:
    """The exclusions of a study. ``log`` is all that happened to it, ``marks`` are those on its
    colorings, and ``numbers`` the participants' numbers by their ids."""
    rules: list[tuple[datetime, Excludes]] = [(_ALWAYS, excluded_by(plan, ExclusionRule()))]
    decisions: dict[int, list[tuple[datetime, bool]]] = defaultdict(list)
    marked: dict[int, list[tuple[datetime, int, bool | None]]] = defaultdict(list)
    for entry in log:
        if entry.kind is LogKind.RULE:
            rules.append((entry.at, excluded_by(plan, rule_of(entry.body["rule"]))))
        elif entry.kind is LogKind.DECISION:
            number = entry.body["participant_number"]
            decisions[number].append((entry.at, bool(entry.body["excluded"])))
    known = numbers or {}
    for mark in marks:
        if mark.kind is MarkKind.KEEP and mark.participant_id in known:
            row = mark.at, mark.position, _KEPT.get(mark.value)
            marked[known[mark.participant_id]].append(row)
    return Exclusions(tuple(rules), dict(decisions), dict(marked))


def excluded_by(plan: StudyPlan, rule: ExclusionRule) -> Excludes:
    """Whether a rule excludes a participant of that plan."""

    def excludes(
        number: int,
        trials: Sequence[Trial],
        answers: Mapping[int, Answer],
        screening: Sequence[Event],
    ) -> bool:
        read = screening_of(plan, number, screening) or {}
        return bool(reasons(quality_of(plan, trials, answers, read), rule))

    return excludes


def rule_of(stored: Mapping[str, Any] | None) -> ExclusionRule:
    """The rule of exclusion as it is stored, the default one where none is."""
    if stored is None:
        return ExclusionRule()
    names = {field.name for field in fields(ExclusionRule)}
    return ExclusionRule(**{name: value for name, value in stored.items() if name in names})
