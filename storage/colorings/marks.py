"""What reviewers and researchers say of the colorings of a study: added, never changed."""

from __future__ import annotations

from typing import Any

from truehue.core.errors import BadInput
from truehue.core.studies import MARK_VALUES, ColoringMark, MarkKind
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import not_stored, one

COLUMNS = "participant_id, position, kind, value, reason, author, number, created_at"


class ColoringMarks:
    """The stored marks. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changes = 0
        """How often a mark was added since the start: who keeps them in memory looks again."""

    def add(
        self,
        study_id: str,
        participant_id: str,
        position: int,
        kind: MarkKind | str,
        value: str,
        reason: str = "",
        author: str = "",
    ) -> ColoringMark:
        """Store a mark on a trial. ``author`` is the id of the actor.

        Raises :class:`BadInput` for a kind or value that there is not, and :class:`NotStored` where
        that participant of the study has no such trial.
        """
        if kind not in set(MarkKind) or value not in MARK_VALUES[MarkKind(kind)]:
            raise BadInput(f"{str(kind)[:40]} cannot be {str(value)[:40]!r}.", "value")
        with self._database.transaction() as cursor:
            known = cursor.execute(
                "SELECT 1 FROM study_participants JOIN study_trials USING (participant_id) "
                "WHERE study_id = ? AND participant_id = ? AND position = ?",
                [study_id, participant_id, position],
            )
            if not known.fetchall():
                raise not_stored(f"trial {position} of the participant", participant_id)
            (number,) = one(
                cursor,
                "SELECT coalesce(max(number) + 1, 0) FROM coloring_marks WHERE study_id = ?",
                [study_id],
            )
            now = self._database.now()
            row = (
                participant_id,
                position,
                MarkKind(kind).value,
                value,
                canonical.text(reason, "reason"),
                canonical.text(author, "author"),
                number,
                now,
            )
            cursor.execute(
                f"INSERT INTO coloring_marks ({COLUMNS}, study_id) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*row, study_id],
            )
        self.changes += 1
        return mark_record(row)

    def of_study(self, study_id: str) -> list[ColoringMark]:
        """The marks of a study in the order of adding."""
        rows = self._database.rows(
            f"SELECT {COLUMNS} FROM coloring_marks WHERE study_id = ? ORDER BY number", [study_id]
        )
        return [mark_record(row) for row in rows]


def mark_record(row: tuple[Any, ...]) -> ColoringMark:
    """The mark of a row of :data:`COLUMNS`."""
    participant_id, position, kind, value, reason, author, number, created_at = row
    return ColoringMark(
        participant_id, position, MarkKind(kind), value, reason, author, number, aware(created_at)
    )
