"""Participants of a study that is brought in: laid aside one by one, stored with it all at once."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from truehue.core.errors import DataFolderError
from truehue.core.files import why_of
from truehue.core.study_copy import ParticipantCopy
from truehue.storage.studies.event_rows import COLUMNS as EVENT_COLUMNS
from truehue.storage.studies.rows import json_text, naive_utc
from truehue.storage.studies.trials import COLUMNS as TRIAL_COLUMNS

if TYPE_CHECKING:
    from pyarrow import parquet

PERSON_COLUMNS = (
    "participant_id, number, invitation_id, plan_version, language, external, enrolled_at"
)
MARK_COLUMNS = "participant_id, position, kind, value, reason, author, number, created_at"
ROWS_AT_ONCE = 5_000
"""Rows of a table that wait in memory before they are laid aside."""
_TABLES = {
    "study_participants": f"{PERSON_COLUMNS}, study_id, key_hash",
    "study_trials": TRIAL_COLUMNS,
    "study_events": EVENT_COLUMNS,
    "study_decisions": "participant_id, number, excluded, reason, author, created_at",
    "coloring_marks": f"{MARK_COLUMNS}, study_id",
}
_INTEGERS = ("number", "plan_version", "position", "original", "expected")
_TIMES = ("created_at", "enrolled_at", "assigned_at")


class Staging:
    """A place beside the database for the rows of one study, in files of a temporary folder: the
    database is written to once, and others wait for that alone. For one thread; ``close`` leaves
    nothing behind.

    Raises :class:`DataFolderError` where the disk takes no more.
    """

    def __init__(self, study_id: str, author: str, link_ids: Sequence[str]) -> None:
        self._study_id, self._author, self._link_ids = study_id, author, tuple(link_ids)
        self._folder = TemporaryDirectory(prefix="truehue-study-")
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        self._writers: dict[str, parquet.ParquetWriter] = {}

    def close(self) -> None:
        """Delete what was laid aside."""
        for writer in self._writers.values():
            with suppress(OSError):
                writer.close()
        self._folder.cleanup()

    def add(self, person: ParticipantCopy) -> None:
        """Lay aside a participant with all that they did. Ids are new, so that the same study may
        be here already; keys are of nobody."""
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

    def store(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Bring all that was laid aside into the open transaction."""
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
            "excluded": pa.bool_(),
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
                f"The study could not be laid aside in {self._folder.name}: {why_of(error)}. "
                "Nothing of it was stored. Make room, then import it again."
            ) from error

    def _path(self, table: str) -> Path:
        return Path(self._folder.name) / f"{table}.parquet"


def imported_author(study_id: str, number: int) -> str:
    """Who set a mark in a study that was imported: nobody here, and the same for all of theirs."""
    return f"imported {study_id[:12]} {number}"


def _event_id(study_id: str, event_id: str) -> str:
    """Another id in each study: the same event may be in the study that was exported."""
    return hashlib.sha256(f"{study_id} {event_id}".encode()).hexdigest()[:32]
