"""A study as a whole: read for an export, and stored again from one, all of it or nothing."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import duckdb

from core.studies import MarkKind, State
from core.study_copy import (
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
from storage.database.connection import Database, aware
from storage.studies.event_rows import COLUMNS as EVENT_COLUMNS
from storage.studies.event_rows import record as event_record
from storage.studies.rows import json_text, naive_utc, one, require_study
from storage.studies.trials import COLUMNS as TRIAL_COLUMNS
from storage.studies.trials import trial_record

_MARK = "study_id, number, participant_id, position, kind, value, reason, author, created_at"
_PERSON = "participant_id, number, invitation_id, plan_version, language, external, enrolled_at"


def read_copy(database: Database, study_id: str) -> StudyCopy:
    """Everything of a study as of one moment, but authors, tokens and keys.

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
        tuple(PlanVersion(json.loads(plan), aware(at)) for plan, at in plans),
        tuple(StateChange(State(state), reason, aware(at)) for state, reason, at in states),
        tuple(RuleChange(json.loads(rule), aware(at)) for rule, at in rules),
        tuple(
            LinkCopy(label, personal, aware(at), None if end is None else aware(end))
            for _, label, personal, at, end in links
        ),
        _people(cursor, study_id, {link[0]: place for place, link in enumerate(links)}),
        tuple(Erasure(number, aware(at)) for number, at in erasures),
    )


def _people(
    cursor: duckdb.DuckDBPyConnection, study_id: str, links: dict[str, int]
) -> tuple[ParticipantCopy, ...]:
    mine = (
        "SEMI JOIN (SELECT participant_id FROM study_participants WHERE study_id = ?) "
        "USING (participant_id)"
    )
    people = cursor.execute(
        f"SELECT {_PERSON} FROM study_participants WHERE study_id = ? ORDER BY number", [study_id]
    ).fetchall()
    trials = _by_person(
        cursor.execute(
            f"SELECT {TRIAL_COLUMNS} FROM study_trials {mine} ORDER BY participant_id, position",
            [study_id],
        ).fetchall(),
        0,
    )
    events = _by_person(
        cursor.execute(
            f"SELECT {EVENT_COLUMNS} FROM study_events {mine} ORDER BY participant_id, number",
            [study_id],
        ).fetchall(),
        1,
    )
    decisions = _by_person(
        cursor.execute(
            f"SELECT participant_id, excluded, reason, created_at FROM study_decisions {mine} "
            "ORDER BY participant_id, number",
            [study_id],
        ).fetchall(),
        0,
    )
    marks, authors = _marks(cursor, study_id)
    return tuple(
        ParticipantCopy(
            number,
            links[link],
            version,
            language,
            json.loads(external),
            aware(enrolled_at),
            tuple(trial_record(row) for row in trials.get(person, ())),
            tuple(event_record(row) for row in events.get(person, ())),
            tuple(
                DecisionCopy(excluded, reason, aware(at))
                for _, excluded, reason, at in decisions.get(person, ())
            ),
            tuple(
                MarkCopy(count, position, MarkKind(kind), value, reason, authors[author], aware(at))
                for _, count, _, position, kind, value, reason, author, at in marks.get(person, ())
            ),
        )
        for person, number, link, version, language, external, enrolled_at in people
    )


def _marks(
    cursor: duckdb.DuckDBPyConnection, study_id: str
) -> tuple[dict[str, list[tuple[Any, ...]]], dict[str, int]]:
    """The marks on each participant's colorings, and numbers for those who set them, in the order
    in which they first did."""
    rows = cursor.execute(
        f"SELECT {_MARK} FROM coloring_marks WHERE study_id = ? ORDER BY number", [study_id]
    ).fetchall()
    authors: dict[str, int] = {}
    for row in rows:
        authors.setdefault(row[7], len(authors))
    return _by_person(rows, 2), authors


def _by_person(rows: Iterable[tuple[Any, ...]], column: int) -> dict[str, list[tuple[Any, ...]]]:
    by_person: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_person.setdefault(row[column], []).append(row)
    return by_person


def store_copy(database: Database, copy: StudyCopy, author: str, reason: str) -> str:
    """Store a copy as a study of its own, closed for that ``reason``; returns its id.

    Ids are new, so that the study may be here already. Nobody can come in by its links. All rows
    are of ``author``, who brought them. The copy is checked: what it says of itself holds.
    """
    study_id = secrets.token_hex(16)
    with database.transaction() as cursor:
        now = database.now()
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
                    str(one.plan["title"]).strip(),
                    json_text(one.plan, "plan"),
                    author,
                    naive_utc(one.at),
                )
                for version, one in enumerate(copy.plans, 1)
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
                (study_id, number, state, author, why, at)
                for number, (state, why, at) in enumerate(states)
            ],
        )
        _insert(
            cursor,
            "study_rules",
            ("study_id", "number", "rule", "author", "created_at"),
            [
                (study_id, number, json_text(one.rule, "rule"), author, naive_utc(one.at))
                for number, one in enumerate(copy.rules)
            ],
        )
        links = _links(cursor, study_id, copy.links, author, now)
        for person in copy.participants:
            _person(cursor, study_id, links[person.link], person, author)
        _insert(
            cursor,
            "study_erasures",
            ("study_id", "participant_number", "author", "created_at"),
            [(study_id, one.number, author, naive_utc(one.at)) for one in copy.erasures],
        )
    return study_id


def _links(
    cursor: duckdb.DuckDBPyConnection,
    study_id: str,
    links: Sequence[LinkCopy],
    author: str,
    now: datetime,
) -> list[str]:
    """Stores the links, revoked; their ids in their order."""
    ids = [secrets.token_hex(16) for _ in links]
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
    return ids


def _person(
    cursor: duckdb.DuckDBPyConnection,
    study_id: str,
    link_id: str,
    person: ParticipantCopy,
    author: str,
) -> None:
    participant_id = secrets.token_hex(16)
    _insert(
        cursor,
        "study_participants",
        (*_PERSON.split(", "), "study_id", "key_hash"),
        [
            (
                participant_id,
                person.number,
                link_id,
                person.plan_version,
                person.language,
                json_text(person.external, "external"),
                naive_utc(person.enrolled_at),
                study_id,
                secrets.token_hex(32),
            )
        ],
    )
    _insert(
        cursor,
        "study_trials",
        TRIAL_COLUMNS.split(", "),
        [
            (
                participant_id,
                trial.position,
                trial.stimulus_id,
                list(trial.order),
                trial.purpose.value,
                trial.propensity,
                trial.original,
                trial.expected,
                naive_utc(trial.assigned_at),
            )
            for trial in person.trials
        ],
    )
    _insert(
        cursor,
        "study_events",
        EVENT_COLUMNS.split(", "),
        [
            (
                _event_id(study_id, event.id),
                participant_id,
                event.number,
                event.kind.value,
                event.position,
                json_text(event.body, "body"),
                event.client_ms,
                naive_utc(event.at) if event.at else None,
            )
            for event in person.events
        ],
    )
    _insert(
        cursor,
        "study_decisions",
        ("participant_id", "number", "excluded", "reason", "author", "created_at"),
        [
            (participant_id, number, one.excluded, one.reason, author, naive_utc(one.at))
            for number, one in enumerate(person.decisions)
        ],
    )
    _insert(
        cursor,
        "coloring_marks",
        _MARK.split(", "),
        [
            (
                study_id,
                one.number,
                participant_id,
                one.position,
                one.kind.value,
                one.value,
                one.reason,
                imported_author(study_id, one.author),
                naive_utc(one.at),
            )
            for one in person.marks
        ],
    )


def imported_author(study_id: str, number: int) -> str:
    """Who set a mark in a study that was imported: nobody here, and the same for all of theirs."""
    return f"imported {study_id[:12]} {number}"


def _event_id(study_id: str, event_id: str) -> str:
    """Another id in each study: the same event may be in the study that was exported."""
    return hashlib.sha256(f"{study_id} {event_id}".encode()).hexdigest()[:32]


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
