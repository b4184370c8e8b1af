"""Participants' votes and other answers: added, never changed, and acknowledged once they are on
the disk.

A transaction waits for the disk. Batches that arrive during that wait share the next transaction
(group commit). A transaction takes as much processor time as fifty events in it. So on a fast disk
with many participants, a transaction begins at least ``PACE_S`` after the one before. A participant
who is alone never waits for that.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import duckdb
import orjson

from truehue.core.errors import BadInput, StorageError
from truehue.core.studies import Event, EventKind
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import json_text, not_stored

KEPT_PARTICIPANTS, KEPT_IDS = 500, 2_000_000
"""Participants whose ids of events are kept in memory, those who sent last, and how many ids."""
COLUMNS = "event_id, participant_id, number, kind, position, body, client_ms, created_at"
_ID = re.compile(r"[0-9a-f]{32}")
_INTEGER, _BIGINT = 2**31, 2**63
_KINDS = frozenset(EventKind)
log = logging.getLogger("truehue")

MAX_EVENTS = 2000
"""Events in one transaction; what waits beyond that goes into the next."""
PACE_S = 0.025
"""From the begin of a transaction that several shared to that of the next, at least."""
# Where a batch of several could be what was refused, each half is tried alone.
_OF_ONE_BATCH = (duckdb.DataError, duckdb.IntegrityError, duckdb.ProgrammingError)
OVERHEAD = 400
"""Bytes that an event costs besides its body: its row, its index, its id in memory."""
_PLAIN_ACTION, _NUMBER = 75, 4
_CODE = """
    CASE body->>'do'
        WHEN 'clear' THEN 'x' WHEN 'undo' THEN 'u' WHEN 'redo' THEN 'r'
        WHEN 'pick' THEN 'p'
        ELSE CASE WHEN body->>'color' IS NULL THEN 'e' ELSE 'c' END
    END
"""
_ROWS = """
    CASE WHEN ups IS NULL OR body->>'do' <> 'stroke' THEN 0 ELSE
        len(ups) * ((body->>'diameter')::INTEGER + 2) + coalesce(list_sum(list_transform(
            range(1, len(ups)), lambda i: abs(ups[i] - ups[i + 1]))), 0)
    END
"""
_OF_STUDY = (
    "SEMI JOIN (SELECT participant_id FROM study_participants WHERE study_id = ?) "
    "USING (participant_id)"
)


@dataclass(frozen=True)
class Batch:
    """What one participant sent at once, checked, with the answer that they wait for.

    ``events`` holds each id once; ``ids`` as they were sent.
    """

    participant_id: str
    ids: tuple[str, ...]
    events: tuple[Event, ...]
    bodies: tuple[str, ...]
    answer: Future[tuple[Event, ...]] = field(default_factory=Future)

    @classmethod
    def of(cls, participant_id: str, events: Sequence[Event]) -> Batch:
        """Check what was sent. Raises :class:`BadInput` for what cannot be stored."""
        once: dict[str, Event] = {}
        bodies = []
        for event in events:
            if event.id in once:
                continue
            text, body = _checked(event)
            bodies.append(text)
            once[event.id] = replace(event, kind=EventKind(event.kind), body=body)
        ids = tuple(event.id for event in events)
        return cls(participant_id, ids, tuple(once.values()), tuple(bodies))


Answer = tuple[Event, ...] | StorageError
"""The events of a batch as they are stored, or why they are not."""


class EventRows:
    """The rows of ``study_events``, for the one thread that writes them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # The numbers of a participant's events by id, so that no event needs a look at the table;
        # who sent last is last.
        self._numbers: OrderedDict[str, dict[str, int]] = OrderedDict()
        self._erasures = database.erasures

    def store(self, group: Sequence[Batch]) -> list[Answer]:
        """Store what is new of a group in one transaction, and answer batch by batch.

        Raises what the transaction raised; nothing was stored then.
        """
        people = list(dict.fromkeys(batch.participant_id for batch in group))
        try:
            with self._database.transaction() as cursor:
                present = self._present(cursor, people)
                rows: list[tuple[str, Event, str]] = []
                now = aware(self._database.now())
                for batch in group:
                    if batch.participant_id in present:
                        rows += self._new_of(cursor, batch, now)
                fresh = {event.id: event for _, event, _ in rows}
                answers: list[Answer] = [
                    self._answer(cursor, batch, fresh)
                    if batch.participant_id in present
                    else not_stored("participant", batch.participant_id)
                    for batch in group
                ]
                _insert(cursor, rows)
        except BaseException:
            for person in people:  # what was counted on was not stored
                self._numbers.pop(person, None)
            raise
        ids = sum(map(len, self._numbers.values()))
        while len(self._numbers) > KEPT_PARTICIPANTS or (ids > KEPT_IDS and len(self._numbers) > 1):
            ids -= len(self._numbers.popitem(last=False)[1])
        return answers

    def _present(self, cursor: duckdb.DuckDBPyConnection, people: Sequence[str]) -> set[str]:
        """Those of ``people`` who are participants: one may have been erased a moment ago. Who was
        there before is not asked for again until somebody was erased; writers take turns."""
        if self._erasures != self._database.erasures:
            self._erasures = self._database.erasures
            self._numbers.clear()
        new = [person for person in people if person not in self._numbers]
        return set(people) - set(new) | (_present(cursor, new) if new else set())

    def reason(self, batch: Batch, error: BaseException) -> BaseException:
        """What to tell of a batch that was refused alone: that an id is of somebody else, where
        that is it."""
        if not isinstance(error.__cause__, duckdb.IntegrityError):
            return error
        try:
            rows = self._database.rows(
                "SELECT event_id FROM study_events WHERE participant_id <> ? "
                "AND event_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY event_id LIMIT 1",
                [batch.participant_id, list(batch.ids)],
            )
        except StorageError:
            return error
        if not rows:
            return error
        return BadInput(
            f"The event {rows[0][0]} is of another participant: make a new id for each event.",
            "id",
        )

    def _new_of(
        self, cursor: duckdb.DuckDBPyConnection, batch: Batch, now: datetime
    ) -> list[tuple[str, Event, str]]:
        """Number the events of a batch that are not stored; each with its participant and body."""
        person = batch.participant_id
        numbers = self._numbers.get(person)
        if numbers is None:
            numbers = self._numbers[person] = _numbers(cursor, person)
        self._numbers.move_to_end(person)
        rows = []
        for event, body in zip(batch.events, batch.bodies, strict=True):
            if event.id not in numbers:
                # Nothing is ever taken out of a participant's events: their count is the next.
                number = numbers[event.id] = len(numbers)
                rows.append((person, replace(event, number=number, at=now), body))
        return rows

    def _answer(
        self, cursor: duckdb.DuckDBPyConnection, batch: Batch, fresh: dict[str, Event]
    ) -> tuple[Event, ...]:
        """The events of a batch as they are stored, or will be with this transaction."""
        stored = fresh
        if old := [event_id for event_id in batch.ids if event_id not in fresh]:
            question = f"SELECT {COLUMNS} FROM study_events WHERE event_id IN (SELECT unnest(?))"
            earlier = [record(row) for row in cursor.execute(question, [old]).fetchall()]
            stored = fresh | {event.id: event for event in earlier}
        return tuple(stored[event_id] for event_id in batch.ids)


def record(row: Iterable[Any]) -> Event:
    """The event of a row of :data:`COLUMNS`."""
    event_id, _, number, kind, position, body, client_ms, created_at = row
    return Event(
        id=event_id,
        kind=EventKind(kind),
        position=position,
        body=json.loads(body),
        client_ms=client_ms,
        number=number,
        at=aware(created_at),
    )


def _checked(event: Event) -> tuple[str, Mapping[str, Any]]:
    """The body of an event as JSON text, and as it will be read from that. Raises
    :class:`BadInput` for what cannot be stored."""
    if not isinstance(event.id, str) or not _ID.fullmatch(event.id):
        raise BadInput(
            f"{str(event.id)[:80]!r} is no id of an event: give 32 hexadecimal characters.", "id"
        )
    if event.kind not in _KINDS:
        raise BadInput(f"{str(event.kind)[:80]!r} is no kind of event.", "kind")
    if event.position is not None and not _whole(event.position, _INTEGER):
        raise BadInput("The position of an event is the number of its trial, from 0.", "position")
    if not _whole(event.client_ms, _BIGINT):
        raise BadInput("client_ms is a whole number of milliseconds since 1970.", "client_ms")
    return _written(event.body)


def _written(body: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    # Five times as fast, and not as strict: what comes back as another value is left to the other.
    if isinstance(body, dict):
        with suppress(TypeError, ValueError):
            data = orjson.dumps(body)
            if (read := orjson.loads(data)) == body:
                return data.decode(), read
    text = json_text(body, "body")
    return text, json.loads(text)


def _whole(number: object, end: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < end


def _present(cursor: duckdb.DuckDBPyConnection, people: Sequence[str]) -> set[str]:
    """Those of ``people`` who are participants."""
    rows = cursor.execute(
        "SELECT participant_id FROM study_participants "
        "WHERE participant_id IN (SELECT unnest(?::VARCHAR[]))",
        [list(people)],
    ).fetchall()
    return {str(person) for (person,) in rows}


def _numbers(cursor: duckdb.DuckDBPyConnection, person: str) -> dict[str, int]:
    """The ids of a participant's events with their numbers."""
    rows = cursor.execute(
        "SELECT event_id, number FROM study_events WHERE participant_id = ? ORDER BY number",
        [person],
    ).fetchall()
    return {str(event_id): int(number) for event_id, number in rows}


def _insert(cursor: duckdb.DuckDBPyConnection, rows: Sequence[tuple[str, Event, str]]) -> None:
    if not rows:
        return
    events = [event for _, event, _ in rows]
    cursor.execute(
        f"INSERT INTO study_events ({COLUMNS}) SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), "
        "unnest(?::INTEGER[]), unnest(?::VARCHAR[]), unnest(?::INTEGER[]), "
        "unnest(?::VARCHAR[])::JSON, unnest(?::BIGINT[]), unnest(?::TIMESTAMP[])",
        [
            [event.id for event in events],
            [person for person, _, _ in rows],
            [event.number for event in events],
            [event.kind.value for event in events],
            [event.position for event in events],
            [body for _, _, body in rows],
            [event.client_ms for event in events],
            [event.at.replace(tzinfo=None) if event.at else None for event in events],
        ],
    )


class GroupCommit:
    """The one thread that writes events. It starts with the first batch."""

    def __init__(self, database: Database) -> None:
        self._rows = EventRows(database)
        self._waiting: deque[Batch] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, participant_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        """Let a batch wait for the next transaction; see :meth:`StudyEvents.submit`."""
        batch = Batch.of(participant_id, events)
        # From here on nobody can take it back: somebody who hangs up has voted all the same.
        batch.answer.set_running_or_notify_cancel()
        with self._changed:
            if self._closed:
                raise StorageError(
                    "The data folder has been closed: nothing is stored any more. "
                    "Start TrueHue again and send it once more."
                )
            self._waiting.append(batch)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write_all, name="study events", daemon=True
                )
                self._thread.start()
            self._changed.notify()
        return batch.answer

    def close(self) -> None:
        """Store what waits, and take nothing any more; closing twice is fine."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _write_all(self) -> None:
        while group := self._next_group():
            begun_s = time.monotonic()
            self._store(group)
            if len(group) > 1 and not self._closed:
                self._rest(max(0.0, begun_s + PACE_S - time.monotonic()))

    def _rest(self, seconds: float) -> None:
        time.sleep(seconds)

    def _next_group(self) -> list[Batch]:
        """All that waits, once something does; empty at the end."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            group: list[Batch] = []
            events = 0
            while self._waiting and (
                not group or events + len(self._waiting[0].events) <= MAX_EVENTS
            ):
                group.append(self._waiting.popleft())
                events += len(group[-1].events)
            return group

    def _store(self, group: list[Batch]) -> None:
        """Store a group and answer each batch of it."""
        try:
            answers = self._rows.store(group)
        except BaseException as error:
            if len(group) > 1 and isinstance(error.__cause__, _OF_ONE_BATCH):
                middle = len(group) // 2
                self._store(group[:middle])
                self._store(group[middle:])
                return
            if not isinstance(error, StorageError):
                log.exception("Events could not be stored.")
            for batch in group:
                batch.answer.set_exception(self._rows.reason(batch, error))
            return
        for batch, answer in zip(group, answers, strict=True):
            if isinstance(answer, Exception):
                batch.answer.set_exception(answer)
            else:
                batch.answer.set_result(answer)


@dataclass(frozen=True)
class ActionTrace:
    """What was done on the canvas of one trial: a byte an action (``c`` a color, ``e`` erased,
    ``x`` cleared, ``u`` undone, ``r`` redone), the ids of their events, in order, and
    how many rows its strokes have (:func:`truehue.annotation.colorings.rows_of`)."""

    position: int
    codes: bytes
    ids: tuple[str, ...]
    rows: int


def cost_of(event: Event) -> int:
    """About how many bytes an event takes, as :meth:`StudyEvents.costs` counts them; actions are many, and not
    written out for that."""
    if event.kind is EventKind.ACTION:
        return OVERHEAD + _PLAIN_ACTION + _NUMBER * len(event.body.get("points", ()))
    return OVERHEAD + len(json.dumps(event.body, ensure_ascii=False).encode())


class StudyEvents:
    """The stored events. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = GroupCommit(database)

    def submit(self, participant_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        """Store events together with all that waits; the answer is there once they are on the disk.

        It holds the events as they are stored, with ``number`` and ``at`` of their storing, in the
        order given. An event whose id this participant sent before is answered as it was stored
        then. All are stored or none; others' are not touched by that. What was submitted is stored
        also where nobody waits for the answer any more.

        Raises :class:`BadInput` at once for an event that cannot be stored, and
        :class:`StorageError` after the end. The answer raises :class:`BadInput` for an id of
        another participant, :class:`NotStored` for a participant who is not there (any more), and
        :class:`StorageError` where nothing can be stored.
        """
        return self._commits.submit(participant_id, events)

    def append(self, participant_id: str, events: Sequence[Event]) -> tuple[Event, ...]:
        """Store events, and return when they are on the disk; as :meth:`submit`."""
        return self.submit(participant_id, events).result()

    def of(self, participant_id: str) -> tuple[Event, ...]:
        """The events of one participant in the order of storing."""
        rows = self._database.rows(
            f"SELECT {COLUMNS} FROM study_events WHERE participant_id = ? ORDER BY number",
            [participant_id],
        )
        return tuple(record(row) for row in rows)

    def of_study(
        self, study_id: str, without: EventKind | None = None
    ) -> dict[str, tuple[Event, ...]]:
        """The events of each participant of a study, who come by number, in the order of storing;
        those who did nothing yet are there too. ``without`` leaves out one kind: of a study of
        colorings nearly all are actions."""
        with self._database.cursor() as cursor:
            people = cursor.execute(
                "SELECT participant_id FROM study_participants WHERE study_id = ? ORDER BY number",
                [study_id],
            ).fetchall()
            rows = cursor.execute(
                f"SELECT {COLUMNS} FROM study_events SEMI JOIN "
                "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
                "USING (participant_id) WHERE ?::VARCHAR IS NULL OR kind <> ? "
                "ORDER BY participant_id, number",
                [study_id, without, without],
            ).fetchall()
        by_person: dict[str, list[Event]] = {str(person): [] for (person,) in people}
        for row in rows:
            person = row[1]
            # One who came in between the two questions is left to the next time.
            if person in by_person:
                by_person[person].append(record(row))
        return {person: tuple(events) for person, events in by_person.items()}

    def count(
        self, study_id: str, kind: EventKind | None = None, without: EventKind | None = None
    ) -> int:
        """How many events a study has, of one kind or of all, or of all but one (``without``)."""
        ((count,),) = self._database.rows(
            "SELECT count(*) FROM study_events SEMI JOIN "
            "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
            "USING (participant_id) WHERE (?::VARCHAR IS NULL OR kind = ?) "
            "AND (?::VARCHAR IS NULL OR kind <> ?)",
            [study_id, kind, kind, without, without],
        )
        return int(count)

    def close(self) -> None:
        """Store what waits, and take nothing any more; closing twice is fine."""
        self._commits.close()

    def actions(
        self,
        participant_id: str,
        positions: Collection[int],
        before: int | Mapping[int, int] | None = None,
    ) -> dict[int, list[Mapping[str, Any]]]:
        """What one participant did on the canvas of these trials, in order; all are there. ``before``
        is the number of an event, or one for each position: only what was stored before it."""
        by_position: dict[int, list[Mapping[str, Any]]] = {position: [] for position in positions}
        if not by_position:
            return by_position
        ends = before if isinstance(before, Mapping) else {}
        last = max(ends.values(), default=None) if isinstance(before, Mapping) else before
        rows = self._database.rows(
            "SELECT position, number, body FROM study_events WHERE participant_id = ? AND kind = ? "
            "AND position IN (SELECT unnest(?::INTEGER[])) AND (?::INTEGER IS NULL OR number < ?) "
            "ORDER BY number",
            [participant_id, EventKind.ACTION.value, sorted(by_position), last, last],
        )
        for position, number, body in rows:
            if number < ends.get(position, number + 1):
                by_position[position].append(json.loads(body))
        return by_position

    def traces(self, study_id: str) -> dict[str, tuple[ActionTrace, ...]]:
        """The traces of each participant of a study who did anything on a canvas, by position."""
        rows = self._database.rows(
            f"SELECT participant_id, position, string_agg({_CODE}, '' ORDER BY number), "
            f"list(event_id ORDER BY number), sum({_ROWS}) FROM (SELECT *, "
            "TRY_CAST(body->'points' AS INTEGER[])[2:-:2] AS ups FROM study_events "
            f"WHERE kind = ? AND position IS NOT NULL) {_OF_STUDY} "
            "GROUP BY participant_id, position ORDER BY participant_id, position",
            [EventKind.ACTION.value, study_id],
        )
        by_person: dict[str, list[ActionTrace]] = {}
        for person, position, codes, ids, painted in rows:
            trace = ActionTrace(position, codes.encode(), tuple(ids), int(painted))
            by_person.setdefault(person, []).append(trace)
        return {person: tuple(own) for person, own in by_person.items()}

    def signs(self, study_id: str) -> dict[str, list[datetime]]:
        """The time of each participant's first action of every minute."""
        rows = self._database.rows(
            f"SELECT participant_id, min(created_at) FROM study_events {_OF_STUDY} WHERE kind = ? "
            "GROUP BY participant_id, date_trunc('minute', created_at) ORDER BY 1, 2",
            [study_id, EventKind.ACTION.value],
        )
        by_person: dict[str, list[datetime]] = {}
        for person, index in rows:
            by_person.setdefault(person, []).append(aware(index))
        return by_person

    def strokes(
        self, study_id: str, min_points: int, max_points: int, limit: int
    ) -> dict[str, list[list[int]]]:
        """The first ``limit`` strokes of each participant of a study that have so many points: x and
        y of each, one after the other."""
        rows = self._database.rows(
            "SELECT participant_id, TRY_CAST(body->'points' AS INTEGER[]) AS points "
            f"FROM study_events {_OF_STUDY} WHERE kind = ? AND body->>'do' = 'stroke' "
            "AND json_array_length(body->'points') BETWEEN ? AND ? "
            "QUALIFY row_number() OVER (PARTITION BY participant_id ORDER BY number) <= ? "
            "ORDER BY participant_id, number",
            [study_id, EventKind.ACTION.value, 2 * min_points, 2 * max_points, limit],
        )
        by_person: dict[str, list[list[int]]] = {}
        for person, points in rows:
            by_person.setdefault(person, []).append(points)
        return by_person

    def costs(self, study_id: str) -> dict[str, int]:
        """About how many bytes the events of each participant take."""
        rows = self._database.rows(
            f"SELECT participant_id, sum(strlen(body::VARCHAR)) + {OVERHEAD} * count(*) "
            f"FROM study_events {_OF_STUDY} GROUP BY participant_id",
            [study_id],
        )
        return {person: int(size) for person, size in rows}
