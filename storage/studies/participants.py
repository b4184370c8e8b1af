"""Participants of studies, their assignments, and decisions about them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol

import duckdb

from truehue.core.errors import AlreadyEnrolled, BadInput
from truehue.core.studies import (
    PERSONAL,
    Decision,
    Enrolment,
    EventKind,
    ParticipantRecord,
    Purpose,
    StoredTrial,
    Trial,
)
from truehue.storage.database.connection import Database, aware
from truehue.storage.distributions import delete_with
from truehue.storage.studies.rows import json_text, naive_utc, not_stored, single_row

TRIAL_COLUMNS = (
    "participant_id, position, stimulus_id, models, purpose, propensity, original, expected, "
    "assigned_at"
)
_COLUMNS = (
    "participant_id, study_id, number, invitation_id, plan_version, language, external, enrolled_at"
)

_OF_PERSON = (
    "coloring_layers",
    "coloring_marks",
    "study_events",
    "study_trials",
    "study_decisions",
    "study_participants",
)


def append_trials(
    cursor: duckdb.DuckDBPyConnection,
    participant_id: str,
    trials: Sequence[Trial],
    time: datetime,
) -> tuple[StoredTrial, ...]:
    """Store further trials in the open transaction; ``time`` is UTC without a zone.

    Raises :class:`BadInput` where their positions do not continue those that are stored.
    """
    (first,) = single_row(
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
            f"INSERT INTO study_trials ({TRIAL_COLUMNS}) SELECT ?, unnest(?::INTEGER[]), "
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
        f"SELECT {TRIAL_COLUMNS} FROM study_trials WHERE participant_id = ? ORDER BY position",
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
            f"SELECT {TRIAL_COLUMNS} FROM study_trials SEMI JOIN "
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
    """The trial of a row of :data:`TRIAL_COLUMNS`."""
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


class OwnFiles(Protocol):
    """Files that are made of what participants did."""

    def remove_files(self, event_ids: Iterable[str]) -> None:
        """Delete those that are made of these events."""


class Participants:
    """The stored participants. Any thread may call."""

    def __init__(self, database: Database, layers: OwnFiles) -> None:
        self._database, self._layers = database, layers
        self.changes = 0
        """How often somebody was erased, excluded or reinstated since the start."""

    def enroll(
        self,
        enrolment: Enrolment,
        assign: Callable[[int], Sequence[Trial]],
        time: datetime | None = None,
    ) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
        """Store a participant with the next number of the study, and the trials that ``assign``
        gives to that number, together or not at all.

        ``assign`` may read what is stored, and must not store: other writers wait for it. ``time``
        is the time of enrolment with its zone, for those who choose by time; without it, it is now.
        Raises :class:`AlreadyEnrolled` where the link is for one person and was used,
        :class:`BadInput` where it was revoked or belongs to another study, and :class:`NotStored`
        where there is no such link or version of the plan.
        """
        external = json_text(enrolment.external, "external")
        participant_id = secrets.token_hex(16)
        with self._database.transaction() as cursor:
            _require_entrance(cursor, enrolment)
            number = _next_number(cursor, enrolment.study_id)
            now = self._database.now() if time is None else naive_utc(time)
            trials = assign(number)
            cursor.execute(
                f"INSERT INTO study_participants ({_COLUMNS}, key_hash) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    participant_id,
                    enrolment.study_id,
                    number,
                    enrolment.invitation_id,
                    enrolment.plan_version,
                    enrolment.language,
                    external,
                    now,
                    enrolment.key_hash,
                ],
            )
            stored = append_trials(cursor, participant_id, trials, now)
        return self.get(participant_id), stored

    def by_key(self, key_hash: str) -> ParticipantRecord | None:
        """The participant whose browser has the key with this SHA-256; None for nobody."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM study_participants WHERE key_hash = ?", [key_hash]
        )
        return _record(rows[0]) if rows else None

    def get(self, participant_id: str) -> ParticipantRecord:
        """The participant of that id. Raises :class:`NotStored`."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM study_participants WHERE participant_id = ?",
            [participant_id],
        )
        if not rows:
            raise not_stored("participant", participant_id)
        return _record(rows[0])

    def of(self, study_id: str) -> list[ParticipantRecord]:
        """The participants of a study by number."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM study_participants WHERE study_id = ? ORDER BY number",
            [study_id],
        )
        return [_record(row) for row in rows]

    def count(self, study_id: str) -> int:
        """How many participants a study has, without those who were erased."""
        ((count,),) = self._database.rows(
            "SELECT count(*) FROM study_participants WHERE study_id = ?", [study_id]
        )
        return int(count)

    def trials(self, participant_id: str) -> tuple[StoredTrial, ...]:
        """What was assigned to one participant, by position."""
        return trials_of(self._database, participant_id)

    def trials_of_study(self, study_id: str) -> dict[str, tuple[StoredTrial, ...]]:
        """What was assigned to each participant of a study, who come by number."""
        return trials_of_study(self._database, study_id)

    def extend(
        self, participant_id: str, trials: Sequence[Trial], time: datetime | None = None
    ) -> tuple[StoredTrial, ...]:
        """Store further trials; their positions continue those that are stored.

        ``time`` is the time of the choice, as in :meth:`enroll`. Raises :class:`NotStored` where
        the participant is not there, and :class:`BadInput` where other trials came in between.
        """
        with self._database.transaction() as cursor:
            _require_participant(cursor, participant_id)
            now = self._database.now() if time is None else naive_utc(time)
            return append_trials(cursor, participant_id, trials, now)

    def rekey(self, participant_id: str, key_hash: str, invitation_id: str = "") -> None:
        """Store the SHA-256 of a new key, for a new device; the old key opens nothing any more.
        With ``invitation_id`` they belong to that link of the study from now on."""
        with self._database.transaction() as cursor:
            _require_participant(cursor, participant_id)
            cursor.execute(
                "UPDATE study_participants SET key_hash = ?, "
                "invitation_id = coalesce(nullif(?, ''), invitation_id) WHERE participant_id = ?",
                [key_hash, invitation_id, participant_id],
            )

    def clear_external(self, study_id: str) -> int:
        """Delete what recruiting sites call the participants of a study, and what they answered that
        is personal data; returns of how many participants."""
        with self._database.transaction() as cursor:
            cleared = cursor.execute(
                "UPDATE study_participants SET external = '{}' "
                "WHERE study_id = ? AND external <> '{}' RETURNING participant_id",
                [study_id],
            ).fetchall()
            cleared += cursor.execute(
                f"UPDATE study_events SET body = json_merge_patch(body, '{{\"{PERSONAL}\": null}}') "
                f"WHERE kind = ? AND json_extract(body, '$.{PERSONAL}') NOT IN ('{{}}', 'null') "
                "AND participant_id IN "
                "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
                "RETURNING participant_id",
                [EventKind.SURVEY.value, study_id],
            ).fetchall()
        self.changes += 1
        # Otherwise the rows stay readable in the log beside the database.
        self._database.checkpoint()
        return len(set(cleared))

    def decide(self, participant_id: str, excluded: bool, reason: str, author: str) -> None:
        """Store a researcher's decision to leave a participant out, or back in."""
        with self._database.transaction() as cursor:
            _require_participant(cursor, participant_id)
            (number,) = single_row(
                cursor,
                "SELECT coalesce(max(number) + 1, 0) FROM study_decisions WHERE participant_id = ?",
                [participant_id],
            )
            cursor.execute(
                "INSERT INTO study_decisions "
                "(participant_id, number, excluded, reason, author, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                [participant_id, number, excluded, reason, author, self._database.now()],
            )
        self.changes += 1

    def decisions(self, study_id: str) -> dict[str, Decision]:
        """The latest decision of each participant of whom something was decided."""
        rows = self._database.rows(
            "SELECT decisions.participant_id, excluded, reason, author, created_at "
            "FROM study_decisions AS decisions JOIN study_participants AS participants "
            "USING (participant_id) WHERE study_id = ? "
            "ORDER BY participants.number, decisions.number",
            [study_id],
        )
        return {
            person: Decision(person, excluded, reason, author, aware(index))
            for person, excluded, reason, author, index in rows
        }

    def erase(self, participant_id: str, author: str) -> tuple[str, ...]:
        """Delete all rows of one participant, what was drawn of their colorings, and the sets of
        distributions that were made of them; that there was one of that number stays. Returns what
        the sets were called.

        A link that was for this person alone loses its label and lets nobody in any more. Raises
        :class:`NotStored`.
        """
        with self._database.transaction() as cursor:
            study_id, number, invitation_id = _require_participant(cursor, participant_id)
            now = self._database.now()
            answers = cursor.execute(
                "SELECT event_id FROM study_events WHERE participant_id = ? AND kind = ?",
                [participant_id, EventKind.ANSWER.value],
            ).fetchall()
            for table in _OF_PERSON:
                cursor.execute(f"DELETE FROM {table} WHERE participant_id = ?", [participant_id])
            sets = delete_with(cursor, study_id, number)
            self._database.erasures += 1
            cursor.execute(
                "INSERT INTO study_erasures (study_id, participant_number, author, created_at) "
                "VALUES (?, ?, ?, ?)",
                [study_id, number, author, now],
            )
            cursor.execute(
                "UPDATE study_invitations SET label = '', "
                "revoked_at = coalesce(revoked_at, ?), revoked_by = coalesce(revoked_by, ?) "
                "WHERE invitation_id = ? AND personal",
                [now, author, invitation_id],
            )
        self._layers.remove_files(str(event_id) for (event_id,) in answers)
        self.changes += 1
        # Otherwise the rows stay readable in the log beside the database.
        self._database.checkpoint()
        return sets

    def erasures(self, study_id: str) -> tuple[int, ...]:
        """The numbers of those who were erased."""
        rows = self._database.rows(
            "SELECT participant_number FROM study_erasures WHERE study_id = ? ORDER BY 1",
            [study_id],
        )
        return tuple(int(number) for (number,) in rows)


def _require_participant(
    cursor: duckdb.DuckDBPyConnection, participant_id: str
) -> tuple[str, int, str]:
    """Study, number and link of a participant. Raises :class:`NotStored`."""
    row = cursor.execute(
        "SELECT study_id, number, invitation_id FROM study_participants WHERE participant_id = ?",
        [participant_id],
    ).fetchone()
    if row is None:
        raise not_stored("participant", participant_id)
    study_id, number, invitation_id = row
    return str(study_id), int(number), str(invitation_id)


def _require_entrance(cursor: duckdb.DuckDBPyConnection, enrolment: Enrolment) -> None:
    """Return if the link lets one more in."""
    row = cursor.execute(
        "SELECT study_id, personal, revoked_at FROM study_invitations WHERE invitation_id = ?",
        [enrolment.invitation_id],
    ).fetchone()
    if row is None:
        raise not_stored("link", enrolment.invitation_id)
    study_id, personal, revoked_at = row
    if study_id != enrolment.study_id:
        raise BadInput("This link belongs to another study.", "invitation_id")
    if revoked_at is not None:
        raise BadInput("This link was closed: ask for another one.", "invitation_id")
    if not cursor.execute(
        "SELECT 1 FROM study_plans WHERE study_id = ? AND version = ?",
        [study_id, enrolment.plan_version],
    ).fetchall():
        raise not_stored(f"version {enrolment.plan_version} of the plan of the study", study_id)
    if not personal:
        return
    used = cursor.execute(
        "SELECT participant_id FROM study_participants WHERE invitation_id = ? "
        "ORDER BY number LIMIT 1",
        [enrolment.invitation_id],
    ).fetchone()
    if used is not None:
        raise AlreadyEnrolled("This link is for one person and has already been used.", used[0])


def _next_number(cursor: duckdb.DuckDBPyConnection, study_id: str) -> int:
    """The number of the next participant: that of one who was erased is never given again."""
    (number,) = single_row(
        cursor,
        "SELECT coalesce(max(number) + 1, 0) FROM ("
        "SELECT number FROM study_participants WHERE study_id = ? UNION ALL "
        "SELECT participant_number FROM study_erasures WHERE study_id = ?)",
        [study_id, study_id],
    )
    return int(number)


def _record(row: tuple[Any, ...]) -> ParticipantRecord:
    fields = dict(zip(_COLUMNS.split(", "), row, strict=True))
    return ParticipantRecord(
        id=fields["participant_id"],
        study_id=fields["study_id"],
        number=fields["number"],
        invitation_id=fields["invitation_id"],
        plan_version=fields["plan_version"],
        language=fields["language"],
        external=json.loads(fields["external"]),
        enrolled_at=aware(fields["enrolled_at"]),
    )
