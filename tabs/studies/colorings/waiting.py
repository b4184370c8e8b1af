"""Who waits for a review of their practice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TypedDict

from truehue.annotation.assignment.endings import rounds
from truehue.annotation.assignment.practice import PracticeStage, practice_state
from truehue.annotation.judgments.answers import AnswerKind, answers_of
from truehue.core.studies import ColoringMark, Event, EventKind, ParticipantRecord, Purpose
from truehue.tabs.studies.colorings.facts import CurrentColorings


class SkippedSketch(TypedDict):
    """A sketch that was left, and why."""

    position: int
    words: str
    reason: str
    sketch: str


class WaitingPractice(TypedDict):
    """A participant whose practice nobody has looked at yet, who waits ``since`` then."""

    participant: str
    number: int
    label: str
    since: str
    round: int
    positions: list[int]
    skipped: list[SkippedSketch]


def practice_waiting(current_colorings: CurrentColorings) -> list[WaitingPractice]:
    """Whose practice is through and was not looked at, whoever was to look: the newest round by
    each who did not withdraw, with the sketches in it that were left for a reason."""
    plan = current_colorings.plan
    if not plan.practice.case_ids:
        return []
    marks: dict[str, list[ColoringMark]] = {}
    for mark in current_colorings.marks:
        marks.setdefault(mark.participant_id, []).append(mark)
    rows: list[WaitingPractice] = []
    for person in current_colorings.source.participants:
        trials = current_colorings.source.trials.get(person.id, ())
        events = current_colorings.source.events.get(person.id, ())
        if any(trial.purpose is Purpose.MAIN for trial in trials):
            continue
        if any(event.kind is EventKind.WITHDRAWAL for event in events):
            continue
        answers = answers_of(
            plan, [trial for trial in trials if trial.stimulus_id in plan.by_id], events
        )
        state = practice_state(plan, trials, answers, marks.get(person.id, ()))
        if state.stage is not PracticeStage.WAITING:
            continue
        values = rounds(plan, trials)
        positions = [trial.position for trial in values[-1]]
        rows.append(
            {
                "participant": person.id,
                "number": person.number,
                "label": f"Participant {person.number + 1}",
                "since": _answered_at(person, events, positions).isoformat(),
                "round": len(values),
                "positions": positions,
                "skipped": [
                    {
                        "position": trial.position,
                        "words": plan.case_by_id[plan.by_id[trial.stimulus_id].case_id].words,
                        "reason": answers[trial.position].reason,
                        "sketch": plan.case_by_id[plan.by_id[trial.stimulus_id].case_id].sketch,
                    }
                    for trial in values[-1]
                    if answers[trial.position].kind is AnswerKind.SKIP
                ],
            }
        )
    return rows


def _answered_at(
    person: ParticipantRecord, events: Sequence[Event], positions: Collection[int]
) -> datetime:
    """When the last of these trials was answered."""
    times = [
        event.at
        for event in events
        if event.kind is EventKind.ANSWER and event.position in positions and event.at is not None
    ]
    return max(times, default=person.enrolled_at)
