"""Long jobs as rows: their start, progress and outcome."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from truehue.core.records import JobRecord
from truehue.storage.database.connection import Database, aware

KEPT = 500
"""Rows of work that has ended; older ones go."""
UNDER_WAY = ("waiting", "running")
_COLUMNS = (
    "job_id, kind, title, actor, status, done, total, words, result, problem, began_at, ended_at"
)


class Jobs:
    """The stored records of long work. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, record: JobRecord) -> None:
        """Store a record and replace the one with its id."""
        # No key: DuckDB checks one too eagerly where a row is replaced in one transaction.
        with self._database.transaction() as cursor:
            cursor.execute("DELETE FROM jobs WHERE job_id = ?", [record.job_id])
            cursor.execute(
                f"INSERT INTO jobs ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    record.job_id,
                    record.kind,
                    record.title,
                    record.actor,
                    record.status,
                    record.done,
                    record.total,
                    record.words,
                    json.dumps(dict(record.result)),
                    record.problem,
                    _naive_utc(record.began_at) or self._database.now(),
                    _naive_utc(record.ended_at),
                ],
            )

    def recent(self, limit: int = KEPT) -> list[JobRecord]:
        """The records that began last, newest first."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM jobs ORDER BY began_at DESC, job_id LIMIT ?", [limit]
        )
        return [_record(row) for row in rows]

    def interrupt(self, problem: str) -> int:
        """Say of what was under way that it was interrupted, and why; how many that were.

        For the start of the app, when nothing can be under way yet. The oldest rows go.
        """
        with self._database.transaction() as cursor:
            (row,) = cursor.execute(
                "SELECT count(*) FROM jobs WHERE status IN (SELECT unnest(?))", [list(UNDER_WAY)]
            ).fetchall()
            cursor.execute(
                "UPDATE jobs SET status = 'interrupted', problem = ?, ended_at = ? "
                "WHERE status IN (SELECT unnest(?))",
                [problem, self._database.now(), list(UNDER_WAY)],
            )
            cursor.execute(
                "DELETE FROM jobs WHERE job_id NOT IN "
                "(SELECT job_id FROM jobs ORDER BY began_at DESC, job_id LIMIT ?)",
                [KEPT],
            )
        return int(row[0])


def _naive_utc(time: datetime | None) -> datetime | None:
    return None if time is None else time.replace(tzinfo=None)


def _record(row: tuple[Any, ...]) -> JobRecord:
    fields = dict(zip(_COLUMNS.split(", "), row, strict=True))
    fields["result"] = json.loads(fields["result"])
    fields["began_at"] = aware(fields["began_at"])
    fields["ended_at"] = aware(fields["ended_at"]) if fields["ended_at"] else None
    return JobRecord(**fields)
