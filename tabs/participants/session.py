"""One participant in memory: their trials, valid answers, and allowed next events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence, Set
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import TypedDict

from truehue.annotation.assignment.endings import (
    failed_checks,
    is_complete,
    is_late,
    passes_screening,
    right,
    rounds,
    withdrawal_of,
)
from truehue.annotation.assignment.ledger import given_at, sign_of
from truehue.annotation.assignment.practice import PracticeStage, PracticeState, practice_state
from truehue.annotation.judgments.answers import Answer, AnswerKind, read_answer
from truehue.annotation.participants import BEFORE_TRIALS, too_fast
from truehue.annotation.screening import Patch, PlateChoice, patches_for, plates_for, scored
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import MAX_TRIALS, Ending, StudyPlan
from truehue.annotation.studies.survey import SurveyPart, read_survey
from truehue.core.errors import BadInput
from truehue.core.studies import ColoringMark, Event, EventKind, ParticipantRecord, Purpose, Trial
from truehue.storage.studies.events import cost_of
from truehue.tabs.participants.canvas import (
    MAX_BYTES,
    Canvases,
    check_action,
    check_coloring,
    check_reopening,
    check_space,
)
from truehue.tabs.participants.reading import Refusal, without_input

EVENTS_A_TRIAL, EVENTS_BESIDE = 20, 500
"""One participant stores at most so many events a trial, and so many beside these."""
ENOUGH = "You have reached the limit for one person. You can still finish or stop."


class Stage(StrEnum):
    """Where somebody stands, as their page shows it."""

    CONSENT = "consent"
    SURVEY = "survey"
    SCREENING = "screening"
    TRIALS = "trials"
    FINISHED = "finished"
    WITHDRAWN = Ending.WITHDRAWN
    SCREENED_OUT = Ending.SCREENED_OUT
    FAILED_CHECKS = Ending.FAILED_CHECKS
    TIMED_OUT = Ending.TIMED_OUT


class TrainingState(TypedDict):
    """How the training stands: its attempts, and the answers of the last one."""

    attempt: int
    attempts: int
    trials: int
    answered: int
    right: int
    needed: int
    passed: bool


@dataclass(eq=False)
class ParticipantSession:
    """``trials`` are by position; ``answers`` those that stand, the last given one last; ``ids`` of
    all stored events, of a draft those ``before`` it and its own; ``marks`` on their colorings;
    ``surveyed`` are the parts of the survey that they answered; ``sign_at`` the last sign of them;
    ``started_at`` when they had done all that comes before the trials; ``finished_with`` as many
    trials; ``ended``: how their participation ended before that, time aside; ``too_fast``: they had
    given their answers sooner than anybody can when they gave the last one, which a ``preview`` may.
    ``turn``: what one participant sends is taken one after the other."""

    person: ParticipantRecord
    plan: StudyPlan
    trials: list[Trial] = field(default_factory=list)
    answers: dict[int, Answer] = field(default_factory=dict)
    revisions: dict[int, int] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    before: Set[str] = frozenset()
    canvases: Canvases = field(default_factory=Canvases)
    max_bytes: int = MAX_BYTES
    marks: list[ColoringMark] = field(default_factory=list)
    sign_at: datetime = field(init=False)
    started_at: datetime = field(init=False)
    consented: bool = False
    screened: bool = False
    surveyed: Set[SurveyPart] = frozenset()
    finished_with: int = -1
    ended: Ending | None = None
    preview: bool = False
    too_fast: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    def __post_init__(self) -> None:
        self.sign_at = self.started_at = self.person.enrolled_at

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
    def finished(self) -> bool:
        """Whether they finished, and were given nothing since: a second coloring may be asked for
        of somebody who was through."""
        return 0 <= len(self.trials) <= self.finished_with

    @property
    def done(self) -> bool:
        """Whether their participation has ended, time aside."""
        return self.finished or self.ended is not None

    @property
    def has_answered(self) -> bool:
        """Whether they have answered something, also if they took it back."""
        return bool(self.answers or self.revisions)

    @property
    def through(self) -> bool:
        """Whether every trial that they get has an answer: they have finished, also without having
        pressed Finish."""
        if self.ended:
            return False
        return self.finished or is_complete(self.plan, self.trials, self.answers)

    def is_late(self, now: datetime, kind: EventKind | None = None) -> bool:
        """Whether their time is over, and not everything has an answer; or would have none after an
        event of this ``kind``."""
        if self.done or not is_late(self.plan, self.person.enrolled_at, now):
            return False
        return kind is EventKind.UNDO or not self.through

    def stage(self, now: datetime) -> Stage:
        """What their page shows next. A screening without pass marks, and questions that need no
        answer, hold nobody up: answers are taken."""
        if self.ended:
            return Stage(self.ended)
        if self.finished:
            return Stage.FINISHED
        if self.is_late(now):
            return Stage.TIMED_OUT
        if not self.consented:
            return Stage.CONSENT
        if self.plan.survey.before and SurveyPart.BEFORE not in self.surveyed:
            return Stage.SURVEY
        screening = self.plan.screening.plates or self.plan.screening.patches
        return Stage.SCREENING if screening and not self.screened else Stage.TRIALS

    @property
    def open_positions(self) -> list[int]:
        """The positions without an answer."""
        return [trial.position for trial in self.trials if trial.position not in self.answers]

    def draft(self) -> ParticipantSession:
        """A copy on which what was sent can be tried."""
        draft = copy(self)
        draft.answers, draft.revisions = self.answers.copy(), self.revisions.copy()
        draft.ids, draft.before = set(), self.ids  # a painter has thousands: they are not copied
        draft.canvases = self.canvases.draft()
        return draft

    def lacks(self, part: SurveyPart) -> bool:
        """Whether questions about them that need an answer have none."""
        return self.plan.survey.is_required(part) and part not in self.surveyed

    @property
    def has_started(self) -> bool:
        """Whether they were given what counts, or will not be."""
        return self.done or any(trial.purpose is Purpose.MAIN for trial in self.trials)

    @property
    def waits(self) -> bool:
        """Whether their practice waits until somebody looks at it."""
        return not self.done and self.practice.stage is PracticeStage.WAITING

    def seen_at(self, trials: Iterable[Trial]) -> None:
        """They came for these sketches, which is a sign of them."""
        if self.plan.kind is Kind.COLORINGS:
            times = (given_at(trial) for trial in trials)
            self.sign_at = max([self.sign_at, *(time for time in times if time)])

    def frees_position(self, event: Event) -> bool:
        """Whether an event may leave trials to somebody else, or take that back."""
        if event.kind is EventKind.SCREENING:
            return True
        if event.kind is EventKind.ANSWER and event.position is not None:
            checks = self.plan.missed_checks_limit is not None or self.plan.training.required
            if checks and self.trial(event.position).purpose is not Purpose.MAIN:
                return True
        if self.plan.kind is not Kind.COLORINGS:
            return False
        if event.kind is EventKind.ANSWER:
            return event.body.get("kind") == AnswerKind.SKIP
        return event.kind is EventKind.UNDO

    def knows(self, event_id: str) -> bool:
        """Whether an event of theirs has this id."""
        return event_id in self.ids or event_id in self.before

    def trial(self, position: int) -> Trial:
        """The trial of a position. Raises Refusal for one that was not given to them."""
        if not 0 <= position < len(self.trials):
            raise Refusal(
                f"There is no trial {position}. Reload the page.",
                "no trial",
                400,
                "position",
            )
        return self.trials[position]

    def checked(self, event: Event) -> Event:
        """The event as it is to be stored. Raises Refusal where it does not fit what was done."""
        if not self.plan.record_input:
            event = replace(event, body=without_input(event.body))
        if self.ended or (self.finished and event.kind is not EventKind.COMMENT):
            raise Refusal("The study has ended for you: no more answers are accepted.", "done")
        if not self.consented:
            raise Refusal("No answers are accepted before consent.", "consent")
        answers = (EventKind.ANSWER, EventKind.ACTION, EventKind.FINISH)
        if self.plan.screening.has_pass_mark and not self.screened and event.kind in answers:
            raise Refusal("The screening comes first. Reload the page.", "screening")
        if event.kind in answers and self.lacks(SurveyPart.BEFORE):
            raise Refusal("The questions about you come first. Reload the page.", "survey")
        if event.kind is not EventKind.WITHDRAWAL:
            check_space(self.canvases, self.max_bytes, event.kind is EventKind.ACTION)
        if event.position is not None:
            self.trial(event.position)
        limit = EVENTS_BESIDE + EVENTS_A_TRIAL * len(self.trials)
        count = len(self.ids) + len(self.before) - self.canvases.actions
        # Actions are counted by the trial, and of a survey there are two at most.
        free = (EventKind.ACTION, EventKind.SURVEY, EventKind.FINISH, EventKind.WITHDRAWAL)
        if count >= limit and event.kind not in free:
            raise Refusal(ENOUGH, "too many", 429)
        match event.kind:
            case EventKind.ACTION:
                self._check_open(event)
                check_action(self.plan, self.canvases, event)
            case EventKind.ANSWER:
                self._check_answer(event)
            case EventKind.UNDO:
                self._check_undo(event)
            case EventKind.SCREENING:
                if self.screened:
                    raise Refusal("The screening was answered before.", "answered")
                return self._scored(event)
            case EventKind.SURVEY:
                return self._read_survey(event)
            case EventKind.FINISH:
                if left := len(self.open_positions):
                    raise Refusal(
                        f"{left} of {len(self.trials)} trials have no answer yet: answer them, "
                        "then finish.",
                        "early",
                    )
                if self.practice.stage is PracticeStage.WAITING:
                    raise Refusal("Your practice is reviewed first. Come back later.", "early")
                if self.lacks(SurveyPart.AFTER):
                    raise Refusal("The last questions come first. Reload the page.", "survey")
                if self.plan.kind is Kind.COLORINGS:
                    return replace(event, body={**event.body, "trials": len(self.trials)})
            case _:
                pass
        return event

    def take(self, event: Event) -> bool:
        """Takes in a stored event; False for one that was taken before."""
        if self.knows(event.id):
            return False
        self.ids.add(event.id)
        self.canvases.cost += cost_of(event)
        if event.at is not None:
            self.sign_at = max(self.sign_at, sign_of(event, event.at))
            if event.kind in BEFORE_TRIALS and not self.answers:
                self.started_at = event.at
        match event.kind:
            case EventKind.ACTION:
                self.canvases.take(event)
            case EventKind.CONSENT:
                self.consented = True
            case EventKind.SCREENING:
                self.screened = True
                if not passes_screening(self.plan, self.person.number, event):
                    self.ended = Ending.SCREENED_OUT
            case EventKind.SURVEY:
                self.surveyed |= {SurveyPart(event.body["part"])}
            case EventKind.FINISH:
                # Of before there were second colorings: nothing was given after the end.
                count = event.body.get("trials")
                self.finished_with = count if isinstance(count, int) else MAX_TRIALS * 10
            case EventKind.WITHDRAWAL:
                self.ended = withdrawal_of(event)
            case EventKind.ANSWER if event.position is not None:
                answer = read_answer(self.plan, self.trial(event.position), event)
                count = self.revisions.get(event.position, 0)
                self.answers.pop(event.position, None)
                self.answers[event.position] = replace(answer, revisions=count)
                if self.trial(event.position).purpose is not Purpose.MAIN and failed_checks(
                    self.plan, self.trials, self.answers
                ):
                    self.ended = Ending.FAILED_CHECKS
                if event.at is not None and not self.preview:
                    self.too_fast = too_fast(self.started_at, event.at, len(self.answers))
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
            and self.trials[position].expected is not None
        }

    def training(self) -> TrainingState | None:
        """How the training stands, None where the study has none."""
        if not self.plan.training.keys:
            return None
        trials = rounds(self.plan, self.trials)
        last: Sequence[Trial] = trials[-1] if trials else ()
        count = sum(right(trial, self.answers) for trial in last)
        return {
            "attempt": len(trials),
            "attempts": self.plan.training.attempts,
            "trials": len(self.plan.training.keys),
            "answered": sum(trial.position in self.answers for trial in last),
            "right": count,
            "needed": self.plan.training.needed,
            "passed": bool(trials) and count >= self.plan.training.needed,
        }

    @property
    def practice(self) -> PracticeState:
        """How the practice stands; accepted where there is none."""
        return practice_state(self.plan, self.trials, self.answers, self.marks)

    def _read_survey(self, event: Event) -> Event:
        try:
            body = read_survey(self.plan.survey, event.body)
        except BadInput as error:
            raise Refusal(str(error), "bad", 400, error.field) from None
        if SurveyPart(body["part"]) in self.surveyed:
            raise Refusal("These questions were answered before.", "answered")
        return replace(event, body=body)

    def _check_open(self, event: Event) -> None:
        assert event.position is not None
        if event.position in self.answers:
            raise Refusal(f"Trial {event.position} has an answer. Undo it first.", "answered", 409)

    def _check_answer(self, event: Event) -> None:
        assert event.position is not None
        self._check_open(event)
        try:
            answer = read_answer(self.plan, self.trial(event.position), event)
        except BadInput as error:
            raise Refusal(str(error), "bad", 400, error.field) from None
        check_coloring(answer, self.canvases)

    def _check_undo(self, event: Event) -> None:
        assert event.position is not None
        if event.position not in self.answers:
            raise Refusal(f"Trial {event.position} has no answer to undo.", "unanswered")
        if self.plan.kind is Kind.COLORINGS:
            check_reopening(self.plan, self.trials, self.marks, event.position)
        elif self.trial(event.position).purpose is Purpose.TRAINING:
            raise Refusal("Training answers cannot be undone.", "training")

    def _scored(self, event: Event) -> Event:
        """The screening with what it says of eyes and screen; the answers stay beside it."""
        answers = {name: event.body.get(name) for name in ("plates", "dark", "light")}
        body = {**event.body, **scored(event.body, self.plates, self.patches), "answers": answers}
        body.pop("plates", None)
        return replace(event, body=body)
