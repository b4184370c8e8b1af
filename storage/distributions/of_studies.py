"""Sets of distributions that were made of a study: whose answers they hold, and their end."""

from __future__ import annotations

from collections.abc import Collection

import duckdb

from truehue.storage.distributions.views import NEWEST
from truehue.storage.makers import CONCEPT_SET, forget_makers

_OF_SET = ("distribution_rows", "set_views", "distribution_sets", "study_sets")


def note_people(
    cursor: duckdb.DuckDBPyConnection, set_id: str, study_id: str, numbers: Collection[int]
) -> None:
    """Store that a set holds what these participants of a study answered, by their numbers."""
    cursor.executemany(
        "INSERT INTO study_sets (set_id, study_id, participant_number) VALUES (?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [[set_id, study_id, number] for number in sorted(set(numbers))],
    )


def delete_with(cursor: duckdb.DuckDBPyConnection, study_id: str, number: int) -> tuple[str, ...]:
    """Delete the sets of a study that hold what a participant of that number answered, in the
    transaction that erases them; returns what the sets were called."""
    rows = cursor.execute(
        f"SELECT set_id, coalesce(name, '') FROM study_sets LEFT JOIN ({NEWEST}) USING (set_id) "
        "WHERE study_id = ? AND participant_number = ? ORDER BY ALL",
        [study_id, number],
    ).fetchall()
    for set_id, _ in rows:
        for table in _OF_SET:
            cursor.execute(f"DELETE FROM {table} WHERE set_id = ?", [set_id])
        forget_makers(cursor, CONCEPT_SET, set_id)
    return tuple(str(name) for _, name in rows)
