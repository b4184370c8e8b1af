"""Requests of one participant: checked, stored, answered; further trials; the end of a study."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NotRequired, TypedDict

import anyio

from truehue.annotation.assignment.assign import assign_further, is_due
from truehue.annotation.assignment.endings import rounds
from truehue.annotation.assignment.practice import ACCEPTED, AGAIN, AUTOMATIC, PracticeStage
from truehue.annotation.colorings import MIN_BACKGROUND, background_share, paint, read_action
from truehue.annotation.judgments.answers import AnswerKind
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import language_of
from truehue.annotation.studies.plan import Review
from truehue.core.errors import BadInput, NotStored, TrueHueError
from truehue.core.studies import Event, EventKind, MarkKind, Trial
from truehue.tabs.participants.layers import FinishedColoring
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.reading import Refusal, id_of, read_event
from truehue.tabs.participants.session import ParticipantSession
from truehue.tabs.participants.view import AnyTrial, ParticipantJson, participant_json, trials_json

log = logging.getLogger("truehue")

MIN_SHARE = 0.005
"""Of a sketch's pixels that have to have a color: what is named may be small in a wide drawing."""


def _regions(action: Mapping[str, Any]) -> int:
    """How many regions or strokes an action colors or clears."""
    return len(action["points"]) // 2 if action["do"] == "fill_regions" else 1


async def review_practice(live_study: LiveStudy, session: ParticipantSession) -> None:
    """Marks a practice that waits to be looked at automatically; in a preview that is any. The
    caller has the seat's turn. What cannot be drawn waits for somebody to look."""
    automatic = session.plan.practice.review is Review.AUTOMATIC or live_study.book.preview
    if not automatic or session.practice.stage is not PracticeStage.WAITING:
        return
    last = rounds(session.plan, session.trials)[-1]
    try:
        reason = await anyio.to_thread.run_sync(_missing, live_study, session, last)
    except TrueHueError as error:
        log.warning("A practice could not be looked at: %s", error)
        return
    mark = await anyio.to_thread.run_sync(
        live_study.book.mark,
        session.person.id,
        last[-1].position,
        MarkKind.PRACTICE,
        AGAIN if reason else ACCEPTED,
        reason,
        AUTOMATIC,
    )
    session.marks = [*session.marks, mark]


def _missing(live_study: LiveStudy, session: ParticipantSession, round_: list[Trial]) -> str:
    """What a round lacks, in words for the participant; empty where it is good enough."""
    positions = [trial.position for trial in round_]
    logs = live_study.book.actions(session.person.id, positions)
    texts = language_of(session.plan.language).practice
    for trial in round_:
        if session.answers[trial.position].kind is not AnswerKind.COLORING:
            continue
        case = session.plan.case_by_id[session.plan.by_id[trial.stimulus_id].case_id]
        if sum(map(_regions, logs[trial.position])) < 2:
            return texts["one_action"].format(words=case.words)
        maps = live_study.drawing.maps(case.sketch)
        layer = paint([read_action(action) for action in logs[trial.position]], maps)
        closing = live_study.sketches[case.sketch].closing
        requested = session.plan.ask_background and session.plan.watches_background(case)
        slip = requested and not session.answers[trial.position].background_part
        if slip and background_share(layer, maps, closing) >= MIN_BACKGROUND:
            return texts["background"].format(words=case.words)
        if (layer[..., 3] > 0).mean() < MIN_SHARE:
            return texts["uncolored"].format(words=case.words)
    return ""


ALWAYS_TAKEN = (EventKind.WITHDRAWAL, EventKind.COMMENT)
STUDY_FULL = (
    "This study has reached its storage limit. Finish this sketch as it is, and tell the "
    "researcher."
)
MAX_REFRESHES = 3
"""Another study may change all the time, which nobody's turn waits for."""
LATE = "The time for this study is over: no more answers are accepted."
GONE = "This session is no longer valid. Open the link again."


@dataclass
class Posted:
    """What became of what was sent, entry by entry."""

    stored: list[str] = field(default_factory=list)
    refused: list[tuple[str, Refusal]] = field(default_factory=list)
    positions: list[int | None] = field(default_factory=list)

    @property
    def status(self) -> int:
        """Of HTTP: 200 where anything was taken, else that of the first refusal."""
        return 200 if self.stored or not self.refused else self.refused[0][1].status


class RefusedEvent(TypedDict):
    """An event that was refused, and why."""

    id: str
    error: str
    code: str


class PostedEvents(TypedDict):
    """What became of events, and what changed; ``error`` is of the first where all are refused."""

    stored: list[str]
    refused: list[RefusedEvent]
    trials: Sequence[AnyTrial]
    feedback: dict[int, str]
    participant: ParticipantJson
    error: NotRequired[str]
    code: NotRequired[str]


async def post(
    live_study: LiveStudy, session: ParticipantSession, entries: Sequence[Any]
) -> tuple[int, PostedEvents]:
    """Takes events in their order; returns the status and the answer once they are on the disk."""
    async with session.turn:
        first_new = len(session.trials)
        posted = await _posted(live_study, session, entries)
        await extend(live_study, session)
        fresh = session.trials[first_new:]
        answer: PostedEvents = {
            "stored": posted.stored,
            "refused": [
                {"id": event_id, "error": str(refusal), "code": refusal.code}
                for event_id, refusal in posted.refused
            ],
            "trials": [] if session.done else trials_json(live_study, session.plan, fresh),
            "feedback": session.feedback(posted.positions),
            "participant": participant_json(live_study, session),
        }
        waits = bool(posted.stored) and session.waits
    if waits:
        live_study.on_practice()
    await close_if_due(live_study)
    if posted.status != 200:
        answer["error"] = str(posted.refused[0][1])
        answer["code"] = posted.refused[0][1].code
    return posted.status, answer


async def store(
    live_study: LiveStudy, session: ParticipantSession, events: Sequence[Event]
) -> None:
    """Stores events of a seat and takes them in; the caller has its turn."""
    if not events:
        return
    if live_study.decides(session, events):
        async with live_study.assigning:
            await _store(live_study, session, events)
    else:
        await _store(live_study, session, events)


async def extend(live_study: LiveStudy, session: ParticipantSession) -> None:
    """Gives a seat the trials that are due, written down before they are told; the caller has its
    turn."""
    if not session.consented or not live_study.gives_trials(session) or session.ended:
        return
    if session.is_late(live_study.now()):
        return
    # Of somebody who is through a second coloring may be asked.
    if session.finished and session.plan.kind is not Kind.COLORINGS:
        return
    await review_practice(live_study, session)
    if not _due(session):
        return
    async with live_study.assigning:
        now = await time_of_choice(live_study)
        state = live_study.ledger.standing(now)
        trials = await anyio.to_thread.run_sync(
            assign_further,
            session.plan,
            session.person.number,
            session.trials,
            dict(session.answers),
            state,
            list(session.marks),
        )
        if trials:
            stored = await anyio.to_thread.run_sync(
                live_study.book.extend, session.person.id, trials, now
            )
            live_study.extend(session, stored)


async def time_of_choice(live_study: LiveStudy) -> datetime:
    """The time, once everything is known that somebody else changed before it, such as an erasure
    while this waited for its turn. The caller has the turn to assign."""
    now = live_study.now()
    for _ in range(MAX_REFRESHES):
        if not live_study.stale:
            break
        await refresh(live_study)
        now = live_study.now()
    return now


async def close_if_due(live_study: LiveStudy) -> None:
    """Closes a study that has all it wants; who is in may finish."""
    if not live_study.reason_to_close:
        return
    async with live_study.assigning:
        # Another answer may have closed it meanwhile.
        if not (reason := live_study.reason_to_close):
            return
        await anyio.to_thread.run_sync(live_study.book.close, reason)
        await refresh(live_study)


async def refresh(live_study: LiveStudy) -> None:
    """Reads what somebody else changed of the study."""
    known = set(live_study.seats)
    changes = await anyio.to_thread.run_sync(live_study.read_changes)
    live_study.apply(changes, known & set(live_study.seats))


async def _posted(
    live_study: LiveStudy, session: ParticipantSession, entries: Sequence[Any]
) -> Posted:
    posted = Posted()
    waiting: list[Event] = []
    draft = session.draft()
    for entry in entries:
        try:
            event = read_event(entry)
            if draft.knows(event.id):  # sent again, or twice at once
                posted.positions.append(event.position)
                if event.id not in posted.stored and event.id in session.ids:
                    posted.stored.append(event.id)
                continue
            # Who wants to stop, or to say something, may at any time.
            if not live_study.takes_answers(session) and event.kind not in ALWAYS_TAKEN:
                raise Refusal("This study is closed and takes no more answers.", "closed")
            if draft.is_late(live_study.now(), event.kind) and event.kind not in ALWAYS_TAKEN:
                raise Refusal(LATE, "late")
            if event.kind is EventKind.ACTION and live_study.cost > live_study.most_cost:
                raise Refusal(STUDY_FULL, "too much", 413)
            if event.kind is EventKind.FINISH:
                await _flush(live_study, session, waiting, posted)
                draft = await _ready_to_finish(live_study, session)
            event = draft.checked(event)
        except Refusal as refusal:
            posted.refused.append((id_of(entry), refusal))
            continue
        draft.take(event)
        waiting.append(event)
    await _flush(live_study, session, waiting, posted)
    return posted


async def _flush(
    live_study: LiveStudy, session: ParticipantSession, waiting: list[Event], posted: Posted
) -> None:
    """Stores what waits; nothing waits any more."""
    events = list(waiting)
    waiting.clear()
    try:
        await store(live_study, session, events)
    except NotStored:
        raise Refusal(GONE, "unknown", 401) from None
    except BadInput as error:
        refusal = Refusal(str(error), "bad", 400, error.field)
        posted.refused += [(event.id, refusal) for event in events]
    else:
        posted.stored += [event.id for event in events]
        posted.positions += [event.position for event in events]


async def _ready_to_finish(
    live_study: LiveStudy, session: ParticipantSession
) -> ParticipantSession:
    """The seat as it is once all that is due was given. Raises Refusal where that has to wait."""
    await extend(live_study, session)
    if _due(session) and not session.open_positions and not live_study.gives_trials(session):
        raise Refusal("The study is paused, and there is more to answer. Come back later.", "early")
    return session.draft()


async def _store(
    live_study: LiveStudy, session: ParticipantSession, events: Sequence[Event]
) -> None:
    future = live_study.book.submit(session.person.id, events)
    for event in await asyncio.wrap_future(future):
        before = session.answers.get(-1 if event.position is None else event.position)
        live_study.take(session, event)
        if live_study.book.preview:
            continue
        if event.kind is EventKind.ANSWER:
            _draw(live_study, session, event)
        elif event.kind is EventKind.UNDO and before and before.kind is AnswerKind.COLORING:
            live_study.drawing.drop(before.event_id)


def _draw(live_study: LiveStudy, session: ParticipantSession, event: Event) -> None:
    """Has the layer of a coloring drawn, once there is time for it."""
    answer = session.answers.get(-1 if event.position is None else event.position)
    if answer is None or answer.kind is not AnswerKind.COLORING or answer.event_id != event.id:
        return
    stimulus = session.plan.by_id[session.trials[answer.position].stimulus_id]
    sketch_id = session.plan.case_by_id[stimulus.case_id].sketch
    live_study.drawing.later(FinishedColoring(session.person.id, sketch_id, event))


def _due(session: ParticipantSession) -> bool:
    """Whether it is time to ask for further trials; there may be none."""
    return is_due(session.plan, session.trials, session.answers, session.marks)
