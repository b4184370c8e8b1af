"""One participant's actions on the canvases of their trials: one byte per action, and the check of the
next action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from truehue.annotation.assignment.endings import rounds
from truehue.annotation.assignment.practice import verdict_of
from truehue.annotation.colorings import (
    MAX_ACTIONS,
    MAX_ROWS,
    code_of,
    current_colors,
    rows_of,
)
from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import ColoringMark, Event, Purpose, Trial
from truehue.tabs.participants.reading import Refusal

MAX_BYTES = 48 * 2**20
"""What the events of one participant may take, about: 45 sketches of a painter who never fills."""
PREVIEW_BYTES = 2 * 2**20
"""The same in a preview, which lies in memory."""
RESERVE_BYTES = 2**20
"""Beyond that nothing is drawn any more, and answers are still taken, up to this."""


@dataclass
class Canvases:
    """``traces`` and the ``rows`` of all strokes by position; ``cost`` is about how many bytes all
    events take, ``actions`` how many of them are actions."""

    traces: dict[int, bytes] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)
    cost: int = 0
    actions: int = 0

    def draft(self) -> Canvases:
        """A copy on which what was sent can be tried."""
        return Canvases(self.traces.copy(), self.rows.copy(), self.cost, self.actions)

    def length(self, position: int) -> int:
        """How many actions a trial has."""
        return len(self.traces.get(position, b""))

    def take(self, event: Event) -> None:
        """Takes in an action."""
        assert event.position is not None
        before = self.traces.get(event.position, b"")
        self.traces[event.position] = before + code_of(event.body)
        self.rows[event.position] = self.rows.get(event.position, 0) + _rows(event.body)
        self.actions += 1

    def started_positions(self, positions: Iterable[int]) -> list[int]:
        """Those of the positions at which anything was done."""
        return [position for position in positions if self.length(position)]


def check_action(plan: StudyPlan, canvases: Canvases, event: Event) -> None:
    """Returns where an action on a trial without an answer may be taken. Raises Refusal."""
    if plan.kind is not Kind.COLORINGS:
        raise Refusal("Nothing is colored in this study.", "bad", 400, "kind")
    assert event.position is not None
    if canvases.length(event.position) >= MAX_ACTIONS:
        raise Refusal(
            f"A sketch takes at most {MAX_ACTIONS:,} actions: finish this one as it is.",
            "too many actions",
        )
    if event.body["do"] == "pick" and not plan.reference_image:
        raise Refusal("This study does not allow a reference image.", "bad", 400, "do")
    rows = _rows(event.body)
    if rows and canvases.rows.get(event.position, 0) + rows > MAX_ROWS:
        raise Refusal(
            "This sketch cannot store more brush strokes. Fill regions, or finish it as it is.",
            "too many strokes",
        )


def _rows(action: Mapping[str, Any]) -> int:
    stroke = action["do"] == "stroke"
    return rows_of(action["points"], action["diameter"]) if stroke else 0


def check_space(canvases: Canvases, limit: int, is_action: bool) -> None:
    """Returns where one more event may be stored; ``is_action``: it is an action. Raises Refusal."""
    if canvases.cost > limit + (0 if is_action else RESERVE_BYTES):
        raise Refusal(
            "You have reached the storage limit for one person. Finish this sketch as it is, "
            "and tell the researcher.",
            "too much",
            413,
        )


def check_coloring(answer: Answer, canvases: Canvases) -> None:
    """Returns where all that a coloring is made of was stored. Raises Refusal."""
    if answer.kind is not AnswerKind.COLORING:
        return
    stored = canvases.length(answer.position)
    if stored < answer.actions:
        raise Refusal(
            f"{stored} of the {answer.actions} actions of this coloring have arrived. Send "
            "the others first.",
            "incomplete",
        )
    if not current_colors(canvases.traces.get(answer.position, b"")):
        raise Refusal(
            "Nothing is colored yet. Color what the text names, then continue.", "no color"
        )


def check_reopening(
    plan: StudyPlan, trials: list[Trial], marks: Iterable[ColoringMark], position: int
) -> None:
    """Returns where a finished sketch may be colored on. Raises Refusal."""
    trial = trials[position]
    if any(item.original == position for item in trials):
        raise Refusal(
            "This sketch is colored a second time: the first coloring stays as it is.", "second"
        )
    if trial.purpose is not Purpose.TRAINING:
        return
    started = any(item.purpose is Purpose.MAIN for item in trials)
    last = rounds(plan, trials)[-1]
    if started or trial not in last or verdict_of(last, list(marks)) is not None:
        raise Refusal("This practice sketch was reviewed and can no longer change.", "training")
