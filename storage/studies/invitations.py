"""Links into studies. Of a link's token only the SHA-256 is stored."""

from __future__ import annotations

import secrets
from typing import Any

from truehue.core.studies import InvitationRecord
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import not_stored, require_study

_COLUMNS = "invitation_id, study_id, label, personal, created_at, revoked_at, author"


class Invitations:
    """The stored links. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changes = 0
        """How often a link was revoked since the start."""

    def add(
        self, study_id: str, token_hash: str, label: str, personal: bool, author: str
    ) -> InvitationRecord:
        """Store a link whose token has this SHA-256, 64 hexadecimal characters.

        Raises :class:`NotStored` where there is no such study.
        """
        invitation_id = secrets.token_hex(16)
        with self._database.transaction() as cursor:
            require_study(cursor, study_id)
            now = self._database.now()
            cursor.execute(
                "INSERT INTO study_invitations "
                "(invitation_id, study_id, token_hash, label, personal, author, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                [invitation_id, study_id, token_hash, label, personal, author, now],
            )
        return self.get(invitation_id)

    def get(self, invitation_id: str) -> InvitationRecord:
        """The link of that id. Raises :class:`NotStored`."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM study_invitations WHERE invitation_id = ?", [invitation_id]
        )
        if not rows:
            raise not_stored("link", invitation_id)
        return _record(rows[0])

    def by_token(self, token_hash: str) -> InvitationRecord | None:
        """The link whose token has this SHA-256, also one that was revoked; None for no link."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM study_invitations WHERE token_hash = ?", [token_hash]
        )
        return _record(rows[0]) if rows else None

    def of(self, study_id: str) -> list[InvitationRecord]:
        """The links of a study in the order of making, with those that were revoked."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM study_invitations WHERE study_id = ? "
            "ORDER BY created_at, invitation_id",
            [study_id],
        )
        return [_record(row) for row in rows]

    def revoke(self, invitation_id: str, author: str) -> InvitationRecord:
        """Store that the link lets nobody in any more; one that was revoked stays as it was.

        Raises :class:`NotStored`.
        """
        with self._database.transaction() as cursor:
            cursor.execute(
                "UPDATE study_invitations SET revoked_at = ?, revoked_by = ? "
                "WHERE invitation_id = ? AND revoked_at IS NULL",
                [self._database.now(), author, invitation_id],
            )
        self.changes += 1
        return self.get(invitation_id)


def _record(row: tuple[Any, ...]) -> InvitationRecord:
    invitation_id, study_id, label, personal, created_at, revoked_at, author = row
    return InvitationRecord(
        id=invitation_id,
        study_id=study_id,
        label=label,
        personal=personal,
        created_at=aware(created_at),
        revoked_at=None if revoked_at is None else aware(revoked_at),
        author=author,
    )
