"""One participant in memory: their trials, the answers that stand, and what they may send next."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from annotation.assignment.training import right, rounds
from annotation.judgments.answers import Answer, read_answer
from annotation.participants.screening import (
    Patch,
    PlateChoice,
    patches_for,
    plates_for,
    scored,
)
from annotation.studies.plan import StudyPlan
from core.errors import BadInput
from core.studies import Event, EventKind, ParticipantRecord, Purpose, Trial
from tabs.participants.refusals import Refusal


class Stage(StrEnum):
    """Where somebody stands, as their page shows it."""

    CONSENT = "consent"
    SCREENING = "screening"
    TRIALS = "trials"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"


@dataclass(eq=False)
class Seat:
    """``trials`` are by position; ``answers`` those that stand, the last given one last; ``ids`` of
    all stored events; ``sign_at`` the last sign of them. ``turn``: what one participant sends is
    taken one after the other."""

    person: ParticipantRecord
    plan: StudyPlan
    trials: list[Trial] = field(default_factory=list)
    answers: dict[int, Answer] = field(default_factory=dict)
    revisions: dict[int, int] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    sign_at: datetime = field(init=False)
    consented: bool = False
    screened: bool = False
    finished: bool = False
    withdrawn: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    def __post_init__(self) -> None:
        self.sign_at = self.person.enrolled_at

    @cached_property
    def plates(self) -> tuple[PlateChoice, ...]:
        """The plates with digits that they are shown."""
        wanted = self.plan.screening.plates
        return plates_for(self.plan.seed, self.person.number) if wanted else ()

    @cached_property
    def patches(self) -> tuple[Patch, ...]:
        """The patches that they look for."""
        wanted = self.plan.screening.patches
        return patches_for(self.plan.seed, self.person.number) if wanted else ()

    @property
    def done(self) -> bool:
        """Finished or withdrawn."""
        return self.finished or self.withdrawn

    @property
    def stage(self) -> Stage:
        """What their page shows next. Nobody is held up by the screening: answers are taken."""
        if self.withdrawn:
            return Stage.WITHDRAWN
        if self.finished:
            return Stage.FINISHED
        if not self.consented:
            return Stage.CONSENT
        screening = self.plan.screening.plates or self.plan.screening.patches
        return Stage.SCREENING if screening and not self.screened else Stage.TRIALS

    @property
    def main(self) -> list[Trial]:
        """Their main trials."""
        return [trial for trial in self.trials if trial.purpose is Purpose.MAIN]

    @property
    def open_positions(self) -> list[int]:
        """The positions without an answer."""
        return [trial.position for trial in self.trials if trial.position not in self.answers]

    def draft(self) -> Seat:
        """A copy on which what was sent can be tried."""
        copy = replace(
            self,
            answers=dict(self.answers),
            revisions=dict(self.revisions),
            ids=set(self.ids),
        )
        copy.sign_at = self.sign_at
        return copy

    def trial(self, position: int) -> Trial:
        """The trial of a position. Raises Refusal for one that was not given to them."""
        if not 0 <= position < len(self.trials):
            raise Refusal(
                f"There is no trial {position} here. Load the page again.",
                "unknown",
                400,
                "position",
            )
        return self.trials[position]

    def checked(self, event: Event) -> Event:
        """The event as it is to be stored. Raises Refusal where it does not fit what was done."""
        if self.withdrawn or (self.finished and event.kind is not EventKind.COMMENT):
            end = "stopped taking part" if self.withdrawn else "finished"
            raise Refusal(f"You {end}: nothing more is taken.", "done")
        if not self.consented:
            raise Refusal("Nothing is taken before the consent.", "consent")
        if event.position is not None:
            self.trial(event.position)
        match event.kind:
            case EventKind.ANSWER:
                self._check_answer(event)
            case EventKind.UNDO:
                self._check_undo(event)
            case EventKind.SCREENING:
                if self.screened:
                    raise Refusal("The screening was answered before.", "answered")
                return self._scored(event)
            case EventKind.FINISH:
                if left := len(self.open_positions):
                    raise Refusal(
                        f"{left} of {len(self.trials)} trials have no answer yet: answer them, "
                        "then finish.",
                        "early",
                    )
            case _:
                pass
        return event

    def take(self, event: Event) -> bool:
        """Takes in a stored event; False for one that was taken before."""
        if event.id in self.ids:
            return False
        self.ids.add(event.id)
        if event.at is not None:
            self.sign_at = max(self.sign_at, event.at)
        match event.kind:
            case EventKind.CONSENT:
                self.consented = True
            case EventKind.SCREENING:
                self.screened = True
            case EventKind.FINISH:
                self.finished = True
            case EventKind.WITHDRAWAL:
                self.withdrawn = True
            case EventKind.ANSWER if event.position is not None:
                answer = read_answer(self.plan, self.trial(event.position), event)
                count = self.revisions.get(event.position, 0)
                self.answers.pop(event.position, None)
                self.answers[event.position] = replace(answer, revisions=count)
            case EventKind.UNDO if event.position is not None:
                if self.answers.pop(event.position, None) is not None:
                    self.revisions[event.position] = self.revisions.get(event.position, 0) + 1
            case _:
                pass
        return True

    def feedback(self, positions: Iterable[int | None]) -> dict[int, str]:
        """For the training trials among these that have an answer, whether it is right."""
        return {
            position: "right" if right(self.trials[position], self.answers) else "wrong"
            for position in positions
            if position is not None
            and position in self.answers
            and self.trials[position].purpose is Purpose.TRAINING
        }

    def training(self) -> dict[str, Any] | None:
        """How the training stands, None where the study has none."""
        if not self.plan.training.keys:
            return None
        given = rounds(self.plan, self.trials)
        last: Sequence[Trial] = given[-1] if given else ()
        count = sum(right(trial, self.answers) for trial in last)
        return {
            "attempt": len(given),
            "attempts": self.plan.training.attempts,
            "trials": len(self.plan.training.keys),
            "answered": sum(trial.position in self.answers for trial in last),
            "right": count,
            "needed": self.plan.training.needed,
            "passed": bool(given) and count >= self.plan.training.needed,
        }

    def _check_answer(self, event: Event) -> None:
        assert event.position is not None
        if event.position in self.answers:
            raise Refusal(
                f"Trial {event.position} has an answer. Take it back first.", "answered", 409
            )
        try:
            read_answer(self.plan, self.trial(event.position), event)
        except Refusal:
            raise
        except BadInput as error:
            raise Refusal(str(error), "bad", 400, error.field) from None

    def _check_undo(self, event: Event) -> None:
        assert event.position is not None
        if event.position not in self.answers:
            raise Refusal(f"Trial {event.position} has no answer to take back.", "unanswered")
        if self.trial(event.position).purpose is Purpose.TRAINING:
            raise Refusal("Answers of the training cannot be taken back.", "training")

    def _scored(self, event: Event) -> Event:
        """The screening with what it says of eyes and screen; the answers stay beside it."""
        answers = {name: event.body.get(name) for name in ("plates", "dark", "light")}
        body = {**event.body, **scored(event.body, self.plates, self.patches), "answers": answers}
        body.pop("plates", None)
        return replace(event, body=body)
