"""A study as a whole: read for an export, and stored again from one, all of it or nothing. Its
participants come one by one: with every action of theirs all together are gigabytes."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Self

import duckdb

from truehue.core.studies import MarkKind, State
from truehue.core.study_copy import (
    DecisionCopy,
    Erasure,
    LinkCopy,
    MarkCopy,
    ParticipantCopy,
    PlanVersion,
    RuleChange,
    StateChange,
    StudyCopy,
)
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.event_rows import COLUMNS as EVENT_COLUMNS
from truehue.storage.studies.event_rows import record as event_record
from truehue.storage.studies.rows import json_text, naive_utc, one, require_study
from truehue.storage.studies.staging import MARK_COLUMNS, PERSON_COLUMNS, Staging
from truehue.storage.studies.trials import COLUMNS as TRIAL_COLUMNS
from truehue.storage.studies.trials import trial_record

EVENTS_AT_ONCE = 5_000
"""Events that are read together, but for those of one participant, which are read whole."""


def read_copy(database: Database, study_id: str) -> StudyCopy:
    """Everything of a study but its participants, and no authors, tokens and keys.

    Raises :class:`NotStored`.
    """
    with database.snapshot(), database.cursor() as cursor:
        return _read(cursor, study_id)


def _read(cursor: duckdb.DuckDBPyConnection, study_id: str) -> StudyCopy:
    def rows(sql: str) -> list[tuple[Any, ...]]:
        return cursor.execute(sql, [study_id]).fetchall()

    require_study(cursor, study_id)
    (created_at,) = one(cursor, "SELECT created_at FROM studies WHERE study_id = ?", [study_id])
    plans = rows("SELECT plan, created_at FROM study_plans WHERE study_id = ? ORDER BY version")
    states = rows(
        "SELECT state, reason, created_at FROM study_states WHERE study_id = ? ORDER BY number"
    )
    rules = rows("SELECT rule, created_at FROM study_rules WHERE study_id = ? ORDER BY number")
    links = rows(
        "SELECT invitation_id, label, personal, created_at, revoked_at FROM study_invitations "
        "WHERE study_id = ? ORDER BY created_at, invitation_id"
    )
    erasures = rows(
        "SELECT participant_number, created_at FROM study_erasures WHERE study_id = ? ORDER BY 1"
    )
    return StudyCopy(
        aware(created_at),
        tuple(PlanVersion(json.loads(plan), aware(index)) for plan, index in plans),
        tuple(StateChange(State(state), reason, aware(index)) for state, reason, index in states),
        tuple(RuleChange(json.loads(rule), aware(index)) for rule, index in rules),
        tuple(
            LinkCopy(label, personal, aware(index), None if end is None else aware(end))
            for _, label, personal, index, end in links
        ),
        tuple(Erasure(number, aware(index)) for number, index in erasures),
    )


def read_people(database: Database, study_id: str) -> Iterator[ParticipantCopy]:
    """The participants of a study by number, some at a time. All are of one moment where a
    snapshot is open meanwhile; raises as :func:`read_copy`."""
    with database.cursor() as cursor:
        require_study(cursor, study_id)
        links = cursor.execute(
            "SELECT invitation_id FROM study_invitations WHERE study_id = ? "
            "ORDER BY created_at, invitation_id",
            [study_id],
        ).fetchall()
        positions = {link_id: index for index, (link_id,) in enumerate(links)}
        authors = cursor.execute(
            "SELECT author FROM coloring_marks WHERE study_id = ? "
            "GROUP BY author ORDER BY min(number)",
            [study_id],
        ).fetchall()
        numbers = {author: number for number, (author,) in enumerate(authors)}
        people = cursor.execute(
            f"SELECT {PERSON_COLUMNS}, coalesce(events, 0) FROM study_participants LEFT JOIN "
            "(SELECT participant_id, count(*) AS events FROM study_events GROUP BY participant_id) "
            "USING (participant_id) WHERE study_id = ? ORDER BY number",
            [study_id],
        ).fetchall()
    for some in _shared(people):
        yield from _people(database, some, positions, numbers)


def _shared(people: Sequence[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Those whose events are read together: by their last column, no more than so many."""
    some: list[tuple[Any, ...]] = []
    events = 0
    for person in people:
        if some and events + person[-1] > EVENTS_AT_ONCE:
            yield some
            some, events = [], 0
        some.append(person)
        events += person[-1] + 1
    if some:
        yield some


def _people(
    database: Database,
    people: Sequence[tuple[Any, ...]],
    links: Mapping[str, int],
    authors: Mapping[str, int],
) -> Iterator[ParticipantCopy]:
    ids = [person[0] for person in people]

    def them(sql: str, column: int = 0) -> dict[str, list[tuple[Any, ...]]]:
        return _by_person(database.rows(sql.format("SELECT unnest(?::VARCHAR[])"), [ids]), column)

    trials = them(
        f"SELECT {TRIAL_COLUMNS} FROM study_trials WHERE participant_id IN ({{}}) "
        "ORDER BY participant_id, position"
    )
    events = them(
        f"SELECT {EVENT_COLUMNS} FROM study_events WHERE participant_id IN ({{}}) "
        "ORDER BY participant_id, number",
        1,
    )
    decisions = them(
        "SELECT participant_id, excluded, reason, created_at FROM study_decisions "
        "WHERE participant_id IN ({}) ORDER BY participant_id, number"
    )
    marks = them(
        f"SELECT {MARK_COLUMNS} FROM coloring_marks WHERE participant_id IN ({{}}) ORDER BY number"
    )
    for person, number, link, version, language, external, enrolled_at, _ in people:
        yield ParticipantCopy(
            number,
            links[link],
            version,
            language,
            json.loads(external),
            aware(enrolled_at),
            tuple(trial_record(row) for row in trials.get(person, ())),
            tuple(event_record(row) for row in events.pop(person, ())),
            tuple(
                DecisionCopy(excluded, reason, aware(index))
                for _, excluded, reason, index in decisions.get(person, ())
            ),
            tuple(
                MarkCopy(
                    count, position, MarkKind(kind), value, reason, authors[author], aware(index)
                )
                for _, position, kind, value, reason, author, count, index in marks.get(person, ())
            ),
        )


def _by_person(rows: Iterable[tuple[Any, ...]], column: int) -> dict[str, list[tuple[Any, ...]]]:
    by_person: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_person.setdefault(row[column], []).append(row)
    return by_person


class IncomingStudy:
    """A study of a copy that is brought in: participants are laid aside one by one by ``add``, and
    ``store`` stores the whole, or nothing. A context manager that leaves nothing behind; for one
    thread. Ids are new, so that the study may be here already. Nobody can come in by its links.
    All rows are of ``author``, who brought them. What is added is checked: it fits the copy.
    """

    def __init__(self, database: Database, copy: StudyCopy, author: str) -> None:
        self._database, self._copy, self._author = database, copy, author
        self._study_id = secrets.token_hex(16)
        self._link_ids = [secrets.token_hex(16) for _ in copy.links]
        self._staging = Staging(self._study_id, author, self._link_ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._staging.close()

    def add(self, person: ParticipantCopy) -> None:
        """Lay aside a participant; raises as :class:`Staging`."""
        self._staging.add(person)

    def store(self, reason: str) -> str:
        """Store it, closed for that ``reason``; returns its id."""
        with self._database.transaction() as cursor:
            self._store(cursor, reason)
        return self._study_id

    def _store(self, cursor: duckdb.DuckDBPyConnection, reason: str) -> None:
        copy, author, study_id = self._copy, self._author, self._study_id
        now = self._database.now()
        _insert(
            cursor,
            "studies",
            ("study_id", "created_by", "created_at"),
            [(study_id, author, naive_utc(copy.created_at))],
        )
        _insert(
            cursor,
            "study_plans",
            ("study_id", "version", "title", "plan", "author", "created_at"),
            [
                (
                    study_id,
                    version,
                    str(plan.plan["title"]).strip(),
                    json_text(plan.plan, "plan"),
                    author,
                    naive_utc(plan.at),
                )
                for version, plan in enumerate(copy.plans, 1)
            ],
        )
        states = [
            (change.state.value, change.reason, naive_utc(change.at)) for change in copy.states
        ]
        states.append((State.CLOSED.value, reason, now))
        _insert(
            cursor,
            "study_states",
            ("study_id", "number", "state", "author", "reason", "created_at"),
            [
                (study_id, number, state, author, why, time)
                for number, (state, why, time) in enumerate(states)
            ],
        )
        _insert(
            cursor,
            "study_rules",
            ("study_id", "number", "rule", "author", "created_at"),
            [
                (study_id, number, json_text(rule.rule, "rule"), author, naive_utc(rule.at))
                for number, rule in enumerate(copy.rules)
            ],
        )
        _insert_links(cursor, study_id, self._link_ids, copy.links, author, now)
        self._staging.store(cursor)
        _insert(
            cursor,
            "study_erasures",
            ("study_id", "participant_number", "author", "created_at"),
            [
                (study_id, erasure.number, author, naive_utc(erasure.at))
                for erasure in copy.erasures
            ],
        )


def _insert_links(
    cursor: duckdb.DuckDBPyConnection,
    study_id: str,
    ids: Sequence[str],
    links: Sequence[LinkCopy],
    author: str,
    now: datetime,
) -> None:
    """Stores the links under these ids, revoked."""
    _insert(
        cursor,
        "study_invitations",
        (
            "invitation_id",
            "study_id",
            "token_hash",
            "label",
            "personal",
            "author",
            "created_at",
            "revoked_by",
            "revoked_at",
        ),
        [
            (
                link_id,
                study_id,
                secrets.token_hex(32),  # of no token that anybody has
                link.label,
                link.personal,
                author,
                naive_utc(link.created_at),
                author,
                now if link.revoked_at is None else naive_utc(link.revoked_at),
            )
            for link_id, link in zip(ids, links, strict=True)
        ],
    )


_KINDS = {
    "version": "INTEGER",
    "number": "INTEGER",
    "personal": "BOOLEAN",
    "excluded": "BOOLEAN",
    "plan_version": "INTEGER",
    "position": "INTEGER",
    "models": "VARCHAR[]",
    "propensity": "DOUBLE",
    "original": "INTEGER",
    "expected": "INTEGER",
    "client_ms": "BIGINT",
    "participant_number": "INTEGER",
    **dict.fromkeys(("created_at", "enrolled_at", "assigned_at", "revoked_at"), "TIMESTAMP"),
}


def _insert(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
) -> None:
    """Rows into a table of ours, column by column: thousands of events take one statement."""
    if not rows:
        return
    lists = ", ".join(f"unnest(?::{_KINDS.get(name, 'VARCHAR')}[])" for name in columns)
    cursor.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {lists}",
        [list(values) for values in zip(*rows, strict=True)],
    )
