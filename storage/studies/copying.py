"""A whole study: read for an export, and stored from one, completely or not at all."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from truehue.core.errors import DataFolderError
from truehue.core.files import file_problem
from truehue.core.studies import MarkKind, State, StoredTrial
from truehue.core.study_copy import (
    CopyRecord,
    DecisionCopy,
    Erasure,
    EventCopy,
    LinkCopy,
    MarkCopy,
    ParticipantCopy,
    PlanVersion,
    RuleChange,
    StateChange,
    StudyCopy,
    TrialCopy,
)
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.events import COLUMNS as EVENT_COLUMNS
from truehue.storage.studies.events import record as event_record
from truehue.storage.studies.participants import TRIAL_COLUMNS, trial_record
from truehue.storage.studies.rows import (
    MARK_COLUMNS,
    json_text,
    naive_utc,
    require_study,
    single_row,
)

if TYPE_CHECKING:
    from pyarrow import parquet

PERSON_COLUMNS = (
    "participant_id, number, invitation_id, plan_version, language, external, enrolled_at"
)
_Record = TypeVar("_Record", bound=CopyRecord)
ROWS_AT_ONCE = 5_000
"""Rows of a table that wait in memory before they are laid aside."""
_TABLES = {
    "studies": "study_id, created_by, created_at",
    "study_plans": "study_id, version, title, plan, author, created_at",
    "study_states": "study_id, number, state, author, reason, created_at",
    "study_rules": "study_id, number, rule, author, created_at",
    "study_invitations": "invitation_id, study_id, token_hash, label, personal, author, "
    "created_at, revoked_by, revoked_at",
    "study_participants": f"{PERSON_COLUMNS}, study_id, key_hash",
    "study_trials": TRIAL_COLUMNS,
    "study_events": EVENT_COLUMNS,
    "study_decisions": "participant_id, number, excluded, reason, author, created_at",
    "coloring_marks": f"{MARK_COLUMNS}, study_id",
    "study_erasures": "study_id, participant_number, author, created_at",
}
_INTEGERS = (
    "number",
    "version",
    "plan_version",
    "position",
    "original",
    "expected",
    "participant_number",
)
_TIMES = ("created_at", "enrolled_at", "assigned_at", "revoked_at")
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
    (created_at,) = single_row(
        cursor, "SELECT created_at FROM studies WHERE study_id = ?", [study_id]
    )
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
    return StudyCopy.model_construct(
        created_at=aware(created_at),
        plans=[_made(PlanVersion, json.loads(plan), aware(time)) for plan, time in plans],
        states=[
            _made(StateChange, State(state), reason, aware(time)) for state, reason, time in states
        ],
        rules=[_made(RuleChange, json.loads(rule), aware(time)) for rule, time in rules],
        links=[
            _made(LinkCopy, label, personal, aware(time), None if end is None else aware(end))
            for _, label, personal, time, end in links
        ],
        erasures=[_made(Erasure, number, aware(time)) for number, time in erasures],
    )


def _made(kind: type[_Record], *values: Any) -> _Record:
    """A record of these values in the order of its fields, which the database has checked."""
    return kind.model_construct(**dict(zip(kind.model_fields, values, strict=True)))


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
        yield _made(
            ParticipantCopy,
            number,
            links[link],
            version,
            language,
            json.loads(external),
            aware(enrolled_at),
            [_trial(trial_record(row)) for row in trials.get(person, ())],
            [
                EventCopy.model_construct(**vars(event_record(row)))
                for row in events.pop(person, ())
            ],
            [
                _made(DecisionCopy, excluded, reason, aware(time))
                for _, excluded, reason, time in decisions.get(person, ())
            ],
            tuple(
                _made(
                    MarkCopy,
                    count,
                    position,
                    MarkKind(kind),
                    value,
                    reason,
                    authors[author],
                    aware(time),
                )
                for _, position, kind, value, reason, author, count, time in marks.get(person, ())
            ),
        )


def _trial(trial: StoredTrial) -> TrialCopy:
    return TrialCopy.model_construct(**{**vars(trial), "order": list(trial.order)})


def _by_person(rows: Iterable[tuple[Any, ...]], column: int) -> dict[str, list[tuple[Any, ...]]]:
    by_person: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_person.setdefault(row[column], []).append(row)
    return by_person


class IncomingStudy:
    """A study of a copy that is brought in: participants are laid aside one by one by ``add``, and
    ``store`` stores the whole, or nothing. A context manager that leaves nothing behind; for one
    thread. Ids are new, so that the study may be here already; keys and links let nobody in. All
    rows are of ``author``, who brought them. What is added is checked: it fits the copy.

    Rows wait in files of a temporary folder: the database is written to once, and others wait for
    that alone. Raises :class:`DataFolderError` where the disk takes no more.
    """

    def __init__(self, database: Database, copy: StudyCopy, author: str) -> None:
        self._database, self._copy, self._author = database, copy, author
        self._study_id = secrets.token_hex(16)
        self._link_ids = [secrets.token_hex(16) for _ in copy.links]
        self._folder = TemporaryDirectory(prefix="truehue-study-")
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        self._writers: dict[str, parquet.ParquetWriter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers.values():
            with suppress(OSError):
                writer.close()
        self._folder.cleanup()

    def add(self, person: ParticipantCopy) -> None:
        """Lay aside a participant with all that they did."""
        participant_id = secrets.token_hex(16)
        self._put(
            "study_participants",
            (
                participant_id,
                person.number,
                self._link_ids[person.link],
                person.plan_version,
                person.language,
                json_text(person.external, "external"),
                naive_utc(person.enrolled_at),
                self._study_id,
                secrets.token_hex(32),
            ),
        )
        for trial in person.trials:
            self._put(
                "study_trials",
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
                ),
            )
        for event in person.events:
            self._put(
                "study_events",
                (
                    _event_id(self._study_id, event.id),
                    participant_id,
                    event.number,
                    event.kind.value,
                    event.position,
                    json_text(event.body, "body"),
                    event.client_ms,
                    naive_utc(event.at) if event.at else None,
                ),
            )
        for number, decision in enumerate(person.decisions):
            self._put(
                "study_decisions",
                (
                    participant_id,
                    number,
                    decision.excluded,
                    decision.reason,
                    self._author,
                    naive_utc(decision.at),
                ),
            )
        for mark in person.marks:
            self._put(
                "coloring_marks",
                (
                    participant_id,
                    mark.position,
                    mark.kind.value,
                    mark.value,
                    mark.reason,
                    imported_author(self._study_id, mark.author),
                    mark.number,
                    naive_utc(mark.at),
                    self._study_id,
                ),
            )

    def store(self, reason: str) -> str:
        """Store it, closed for that ``reason``; returns its id."""
        with self._database.transaction() as cursor:
            self._put_study(reason, self._database.now())
            for table, columns in _TABLES.items():
                self._flush(table)
                writer = self._writers.pop(table, None)
                if writer is None:
                    continue
                writer.close()
                chosen = columns.replace("body", "body::JSON")
                cursor.execute(
                    f"INSERT INTO {table} ({columns}) SELECT {chosen} FROM read_parquet(?)",
                    [str(self._path(table))],
                )
        return self._study_id

    def _put_study(self, reason: str, now: datetime) -> None:
        copy, author, study_id = self._copy, self._author, self._study_id
        self._put("studies", (study_id, author, naive_utc(copy.created_at)))
        for version, plan in enumerate(copy.plans, 1):
            title, text = str(plan.plan["title"]).strip(), json_text(plan.plan, "plan")
            self._put("study_plans", (study_id, version, title, text, author, naive_utc(plan.at)))
        for number, change in enumerate(copy.states):
            state, time = change.state.value, naive_utc(change.at)
            self._put("study_states", (study_id, number, state, author, change.reason, time))
        closed = State.CLOSED.value
        self._put("study_states", (study_id, len(copy.states), closed, author, reason, now))
        for number, rule in enumerate(copy.rules):
            text = json_text(rule.rule, "rule")
            self._put("study_rules", (study_id, number, text, author, naive_utc(rule.at)))
        for link_id, link in zip(self._link_ids, copy.links, strict=True):
            self._put(
                "study_invitations",
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
                ),
            )
        for erasure in copy.erasures:
            self._put("study_erasures", (study_id, erasure.number, author, naive_utc(erasure.at)))

    def _put(self, table: str, row: tuple[Any, ...]) -> None:
        self._rows[table].append(row)
        if len(self._rows[table]) >= ROWS_AT_ONCE:
            self._flush(table)

    def _flush(self, table: str) -> None:
        rows = self._rows[table]
        if not rows:
            return
        import pyarrow as pa
        from pyarrow import parquet

        types = {
            **dict.fromkeys(_INTEGERS, pa.int32()),
            **dict.fromkeys(_TIMES, pa.timestamp("us")),
            **dict.fromkeys(("excluded", "personal"), pa.bool_()),
            "models": pa.list_(pa.string()),
            "propensity": pa.float64(),
            "client_ms": pa.int64(),
        }
        names = _TABLES[table].split(", ")
        schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
        columns = [
            pa.array(values, schema.field(name).type)
            for name, values in zip(names, zip(*rows, strict=True), strict=True)
        ]
        rows.clear()
        try:
            if table not in self._writers:
                self._writers[table] = parquet.ParquetWriter(self._path(table), schema)
            self._writers[table].write_batch(pa.record_batch(columns, schema=schema))
        except OSError as error:
            raise DataFolderError(
                f"The study could not be laid aside in {self._folder.name}: {file_problem(error)}. "
                "Nothing of it was stored. Make room, then import it again."
            ) from error

    def _path(self, table: str) -> Path:
        return Path(self._folder.name) / f"{table}.parquet"


def imported_author(study_id: str, number: int) -> str:
    """The author of a mark in an imported study: no local user, and the same for all its marks."""
    return f"imported {study_id[:12]} {number}"


def _event_id(study_id: str, event_id: str) -> str:
    """Another id in each study: the same event may be in the study that was exported."""
    return hashlib.sha256(f"{study_id} {event_id}".encode()).hexdigest()[:32]
