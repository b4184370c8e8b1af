"""What one participant sends: checked, stored, answered; further trials; the end of a study."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from truehue.annotation.assignment.further import further, is_due
from truehue.annotation.judgments.answers import AnswerKind
from truehue.annotation.studies.cases import Kind
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import Event, EventKind
from truehue.tabs.participants.layers import FinishedColoring
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.practice import look_at_practice
from truehue.tabs.participants.reading import id_of, read_event
from truehue.tabs.participants.refusals import Refusal
from truehue.tabs.participants.session import ParticipantSession
from truehue.tabs.participants.view import Json, participant_json, trials_json

ALWAYS_TAKEN = (EventKind.WITHDRAWAL, EventKind.COMMENT)
STUDY_FULL = (
    "This study has reached its storage limit. Finish this sketch as it is, and tell the "
    "researcher."
)
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


async def post(
    desk: LiveStudy, seat: ParticipantSession, entries: Sequence[Any]
) -> tuple[int, Json]:
    """Takes events in their order; returns the status and the answer once they are on the disk."""
    async with seat.turn:
        first_new = len(seat.trials)
        posted = await _posted(desk, seat, entries)
        await extend(desk, seat)
        fresh = seat.trials[first_new:]
        answer: Json = {
            "stored": posted.stored,
            "refused": [
                {"id": event_id, "error": str(refusal), "code": refusal.code}
                for event_id, refusal in posted.refused
            ],
            "trials": [] if seat.done else trials_json(desk, seat.plan, fresh),
            "feedback": seat.feedback(posted.positions),
            "participant": participant_json(seat),
        }
    await close_if_due(desk)
    if posted.status != 200:
        answer |= {"error": str(posted.refused[0][1]), "code": posted.refused[0][1].code}
    return posted.status, answer


async def store(desk: LiveStudy, seat: ParticipantSession, events: Sequence[Event]) -> None:
    """Stores events of a seat and takes them in; the caller has its turn."""
    if not events:
        return
    if desk.decides(seat, events):
        async with desk.assigning:
            await _store(desk, seat, events)
    else:
        await _store(desk, seat, events)


async def extend(desk: LiveStudy, seat: ParticipantSession) -> None:
    """Gives a seat the trials that are due, written down before they are told; the caller has its
    turn."""
    if not seat.consented or not desk.gives_trials(seat) or seat.withdrawn:
        return
    # Of somebody who is through a second coloring may be asked.
    if seat.finished and seat.plan.kind is not Kind.COLORINGS:
        return
    await look_at_practice(desk, seat)
    if not _due(seat):
        return
    async with desk.assigning:
        now = desk.now()
        standing = desk.ledger.standing(now)
        trials = await anyio.to_thread.run_sync(
            further,
            seat.plan,
            seat.person.number,
            seat.trials,
            dict(seat.answers),
            standing,
            list(seat.marks),
        )
        if trials:
            stored = await anyio.to_thread.run_sync(desk.book.extend, seat.person.id, trials, now)
            desk.extend(seat, stored)


async def close_if_due(desk: LiveStudy) -> None:
    """Closes a study that has all it wants; who is in may finish."""
    if not desk.reason_to_close:
        return
    async with desk.assigning:
        # Another answer may have closed it meanwhile.
        if not (reason := desk.reason_to_close):
            return
        await anyio.to_thread.run_sync(desk.book.close, reason)
        await refresh(desk)


async def refresh(desk: LiveStudy) -> None:
    """Reads what somebody else changed of the study."""
    known = set(desk.seats)
    changes = await anyio.to_thread.run_sync(desk.read_changes)
    desk.apply(changes, known & set(desk.seats))


async def _posted(desk: LiveStudy, seat: ParticipantSession, entries: Sequence[Any]) -> Posted:
    posted = Posted()
    waiting: list[Event] = []
    draft = seat.draft()
    for entry in entries:
        try:
            event = read_event(entry)
            if draft.knows(event.id):  # sent again, or twice at once
                posted.positions.append(event.position)
                if event.id not in posted.stored and event.id in seat.ids:
                    posted.stored.append(event.id)
                continue
            # Who wants to stop, or to say something, may at any time.
            if not desk.takes_answers(seat) and event.kind not in ALWAYS_TAKEN:
                raise Refusal("This study is closed and takes no more answers.", "closed")
            if event.kind is EventKind.ACTION and desk.cost > desk.most_cost:
                raise Refusal(STUDY_FULL, "too much", 413)
            if event.kind is EventKind.FINISH:
                await _flush(desk, seat, waiting, posted)
                draft = await _ready_to_finish(desk, seat)
            event = draft.checked(event)
        except Refusal as refusal:
            posted.refused.append((id_of(entry), refusal))
            continue
        draft.take(event)
        waiting.append(event)
    await _flush(desk, seat, waiting, posted)
    return posted


async def _flush(
    desk: LiveStudy, seat: ParticipantSession, waiting: list[Event], posted: Posted
) -> None:
    """Stores what waits; nothing waits any more."""
    events = list(waiting)
    waiting.clear()
    try:
        await store(desk, seat, events)
    except NotStored:
        raise Refusal(GONE, "unknown", 401) from None
    except BadInput as error:
        refusal = Refusal(str(error), "bad", 400, error.field)
        posted.refused += [(event.id, refusal) for event in events]
    else:
        posted.stored += [event.id for event in events]
        posted.positions += [event.position for event in events]


async def _ready_to_finish(desk: LiveStudy, seat: ParticipantSession) -> ParticipantSession:
    """The seat as it is once all that is due was given. Raises Refusal where that has to wait."""
    await extend(desk, seat)
    if _due(seat) and not seat.open_positions and not desk.gives_trials(seat):
        raise Refusal("The study is paused, and there is more to answer. Come back later.", "early")
    return seat.draft()


async def _store(desk: LiveStudy, seat: ParticipantSession, events: Sequence[Event]) -> None:
    future = desk.book.submit(seat.person.id, events)
    for event in await asyncio.wrap_future(future):
        before = seat.answers.get(-1 if event.position is None else event.position)
        desk.take(seat, event)
        if desk.book.preview:
            continue
        if event.kind is EventKind.ANSWER:
            _draw(desk, seat, event)
        elif event.kind is EventKind.UNDO and before and before.kind is AnswerKind.COLORING:
            desk.drawing.drop(before.event_id)


def _draw(desk: LiveStudy, seat: ParticipantSession, event: Event) -> None:
    """Has the layer of a coloring drawn, once there is time for it."""
    answer = seat.answers.get(-1 if event.position is None else event.position)
    if answer is None or answer.kind is not AnswerKind.COLORING or answer.event_id != event.id:
        return
    stimulus = seat.plan.by_id[seat.trials[answer.position].stimulus_id]
    sketch_id = seat.plan.case_by_id[stimulus.case_id].sketch
    desk.drawing.later(FinishedColoring(seat.person.id, sketch_id, event))


def _due(seat: ParticipantSession) -> bool:
    """Whether it is time to ask for further trials; there may be none."""
    return is_due(seat.plan, seat.trials, seat.answers, seat.marks)
