"""Public pages of results: which study has one, and under which token."""

from __future__ import annotations

from typing import Any

import duckdb

from truehue.core.errors import NotStored
from truehue.core.studies import PublicationRecord
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import require_study, single_row


class Publications:
    """The stored public pages. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changes = 0
        """How often a page was published, changed or withdrawn since the start."""

    def publish(self, study_id: str, token: str, images: bool, author: str) -> PublicationRecord:
        """Store that the study's results are public under ``token``. A study that is published
        already keeps its token, and only ``images`` changes. Raises :class:`NotStored`."""
        with self._database.transaction() as cursor:
            require_study(cursor, study_id)
            updated = cursor.execute(
                "UPDATE study_publications SET images = ? "
                "WHERE study_id = ? AND revoked_at IS NULL RETURNING number",
                [images, study_id],
            ).fetchall()
            if not updated:
                self._insert(cursor, study_id, token, images, author)
        self.changes += 1
        record = self.of(study_id)
        if record is None:
            raise NotStored("The page was withdrawn in the meantime. Publish it again.")
        return record

    def _insert(
        self,
        cursor: duckdb.DuckDBPyConnection,
        study_id: str,
        token: str,
        images: bool,
        author: str,
    ) -> None:
        (number,) = single_row(
            cursor,
            "SELECT coalesce(max(number) + 1, 0) FROM study_publications WHERE study_id = ?",
            [study_id],
        )
        cursor.execute(
            "INSERT INTO study_publications (study_id, number, token, images, author, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [study_id, number, token, images, author, self._database.now()],
        )

    def revoke(self, study_id: str, author: str) -> None:
        """Store that the token of the study's page leads nowhere any more; nothing where there is
        no page."""
        with self._database.transaction() as cursor:
            cursor.execute(
                "UPDATE study_publications SET revoked_at = ?, revoked_by = ? "
                "WHERE study_id = ? AND revoked_at IS NULL",
                [self._database.now(), author, study_id],
            )
        self.changes += 1

    def of(self, study_id: str) -> PublicationRecord | None:
        """The public page of a study; None where it has none."""
        records = self._read("study_id = ?", [study_id])
        return records[0] if records else None

    def all(self) -> list[PublicationRecord]:
        """Every public page."""
        return self._read("true", [])

    def _read(self, condition: str, values: list[Any]) -> list[PublicationRecord]:
        rows = self._database.rows(
            "SELECT study_id, token, images, created_at, author FROM study_publications "
            f"WHERE {condition} AND revoked_at IS NULL ORDER BY created_at",
            values,
        )
        return [
            PublicationRecord(study_id, token, images, aware(created_at), author)
            for study_id, token, images, created_at, author in rows
        ]
