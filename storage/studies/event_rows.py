"""Events as rows: what a batch is, what of it is new, and one transaction for several."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
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
