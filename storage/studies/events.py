"""What participants did: added, never changed, and acknowledged once it is on the disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any

from truehue.core.studies import Event, EventKind
from truehue.storage.database.connection import Database
from truehue.storage.studies import action_rows
from truehue.storage.studies.action_rows import ActionTrace
from truehue.storage.studies.event_rows import COLUMNS, record
from truehue.storage.studies.group_commit import GroupCommit


class StudyEvents:
    """The stored events. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = GroupCommit(database)

    def submit(self, participant_id: str, events: Sequence[Event]) -> Future[tuple[Event, ...]]:
        """Store events together with all that waits; the answer is there once they are on the disk.

        It holds the events as they are stored, with ``number`` and ``at`` of their storing, in the
        order given. An event whose id this participant sent before is answered as it was stored
        then. All are stored or none; others' are not touched by that. What was submitted is stored
        also where nobody waits for the answer any more.

        Raises :class:`BadInput` at once for an event that cannot be stored, and
        :class:`StorageError` after the end. The answer raises :class:`BadInput` for an id of
        another participant, :class:`NotStored` for a participant who is not there (any more), and
        :class:`StorageError` where nothing can be stored.
        """
        return self._commits.submit(participant_id, events)

    def append(self, participant_id: str, events: Sequence[Event]) -> tuple[Event, ...]:
        """Store events, and return when they are on the disk; as :meth:`submit`."""
        return self.submit(participant_id, events).result()

    def of(self, participant_id: str) -> tuple[Event, ...]:
        """The events of one participant in the order of storing."""
        rows = self._database.rows(
            f"SELECT {COLUMNS} FROM study_events WHERE participant_id = ? ORDER BY number",
            [participant_id],
        )
        return tuple(record(row) for row in rows)

    def of_study(
        self, study_id: str, without: EventKind | None = None
    ) -> dict[str, tuple[Event, ...]]:
        """The events of each participant of a study, who come by number, in the order of storing;
        those who did nothing yet are there too. ``without`` leaves out one kind: of a study of
        colorings nearly all are actions."""
        with self._database.cursor() as cursor:
            people = cursor.execute(
                "SELECT participant_id FROM study_participants WHERE study_id = ? ORDER BY number",
                [study_id],
            ).fetchall()
            rows = cursor.execute(
                f"SELECT {COLUMNS} FROM study_events SEMI JOIN "
                "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
                "USING (participant_id) WHERE ?::VARCHAR IS NULL OR kind <> ? "
                "ORDER BY participant_id, number",
                [study_id, without, without],
            ).fetchall()
        by_person: dict[str, list[Event]] = {str(person): [] for (person,) in people}
        for row in rows:
            person = row[1]
            # One who came in between the two questions is left to the next time.
            if person in by_person:
                by_person[person].append(record(row))
        return {person: tuple(events) for person, events in by_person.items()}

    def count(
        self, study_id: str, kind: EventKind | None = None, without: EventKind | None = None
    ) -> int:
        """How many events a study has, of one kind or of all, or of all but one (``without``)."""
        ((count,),) = self._database.rows(
            "SELECT count(*) FROM study_events SEMI JOIN "
            "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
            "USING (participant_id) WHERE (?::VARCHAR IS NULL OR kind = ?) "
            "AND (?::VARCHAR IS NULL OR kind <> ?)",
            [study_id, kind, kind, without, without],
        )
        return int(count)

    def close(self) -> None:
        """Store what waits, and take nothing any more; closing twice is fine."""
        self._commits.close()

    def actions(
        self,
        participant_id: str,
        positions: Collection[int],
        before: int | Mapping[int, int] | None = None,
    ) -> dict[int, list[Mapping[str, Any]]]:
        """What one participant did on the canvas of these trials, in order; all are there.
        ``before`` is the number of an event, or one for each position: only what was stored before
        it."""
        return action_rows.actions(self._database, participant_id, positions, before)

    def traces(self, study_id: str) -> dict[str, tuple[ActionTrace, ...]]:
        """What each participant of a study did on which canvas, a byte an action, by position."""
        return action_rows.traces(self._database, study_id)

    def signs(self, study_id: str) -> dict[str, list[datetime]]:
        """The time of each participant's first action on a canvas of every minute."""
        return action_rows.signs(self._database, study_id)

    def costs(self, study_id: str) -> dict[str, int]:
        """About how many bytes the events of each participant take."""
        return action_rows.costs(self._database, study_id)
