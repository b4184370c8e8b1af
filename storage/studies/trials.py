"""Trials as rows: what was shown is written down before it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import duckdb

from truehue.core.errors import BadInput
from truehue.core.studies import Purpose, StoredTrial, Trial
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import one

COLUMNS = (
    "participant_id, position, stimulus_id, models, purpose, propensity, original, expected, "
    "assigned_at"
)


def append_trials(
    cursor: duckdb.DuckDBPyConnection,
    participant_id: str,
    trials: Sequence[Trial],
    time: datetime,
) -> tuple[StoredTrial, ...]:
    """Store further trials in the open transaction; ``at`` is UTC without a zone.

    Raises :class:`BadInput` where their positions do not continue those that are stored.
    """
    (first,) = one(
        cursor,
        "SELECT coalesce(max(position) + 1, 0) FROM study_trials WHERE participant_id = ?",
        [participant_id],
    )
    positions = [trial.position for trial in trials]
    if positions != list(range(first, first + len(trials))):
        raise BadInput(
            f"The next trial of this participant is number {first}, and each after it one more, "
            f"but these are {positions[:5]}. Look at the stored trials again.",
            "position",
        )
    if trials:
        cursor.execute(
            f"INSERT INTO study_trials ({COLUMNS}) SELECT ?, unnest(?::INTEGER[]), "
            "unnest(?::VARCHAR[]), unnest(?::VARCHAR[][]), unnest(?::VARCHAR[]), "
            "unnest(?::DOUBLE[]), unnest(?::INTEGER[]), unnest(?::INTEGER[]), ?",
            [
                participant_id,
                positions,
                [trial.stimulus_id for trial in trials],
                [list(trial.order) for trial in trials],
                [trial.purpose.value for trial in trials],
                [trial.propensity for trial in trials],
                [trial.original for trial in trials],
                [trial.expected for trial in trials],
                time,
            ],
        )
    return tuple(_stored(trial, time) for trial in trials)


def trials_of(database: Database, participant_id: str) -> tuple[StoredTrial, ...]:
    """The trials of one participant by position."""
    rows = database.rows(
        f"SELECT {COLUMNS} FROM study_trials WHERE participant_id = ? ORDER BY position",
        [participant_id],
    )
    return tuple(trial_record(row) for row in rows)


def trials_of_study(database: Database, study_id: str) -> dict[str, tuple[StoredTrial, ...]]:
    """The trials of all participants, who come by number, each one's by position."""
    with database.cursor() as cursor:
        people = cursor.execute(
            "SELECT participant_id FROM study_participants WHERE study_id = ? ORDER BY number",
            [study_id],
        ).fetchall()
        rows = cursor.execute(
            f"SELECT {COLUMNS} FROM study_trials SEMI JOIN "
            "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
            "USING (participant_id) ORDER BY participant_id, position",
            [study_id],
        ).fetchall()
    by_person: dict[str, list[StoredTrial]] = {str(person): [] for (person,) in people}
    for row in rows:
        # One who came in between the two questions is left to the next time.
        if row[0] in by_person:
            by_person[row[0]].append(trial_record(row))
    return {person: tuple(trials) for person, trials in by_person.items()}


def _stored(trial: Trial, time: datetime) -> StoredTrial:
    return StoredTrial(
        position=trial.position,
        stimulus_id=trial.stimulus_id,
        order=tuple(trial.order),
        purpose=trial.purpose,
        propensity=trial.propensity,
        original=trial.original,
        expected=trial.expected,
        assigned_at=aware(time),
    )


def trial_record(row: tuple[Any, ...]) -> StoredTrial:
    """The trial of a row of :data:`COLUMNS`."""
    _, position, stimulus_id, models, purpose, propensity, original, expected, assigned_at = row
    return StoredTrial(
        position=position,
        stimulus_id=stimulus_id,
        order=tuple(models),
        purpose=Purpose(purpose),
        propensity=propensity,
        original=original,
        expected=expected,
        assigned_at=aware(assigned_at),
    )
