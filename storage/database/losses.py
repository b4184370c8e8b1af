"""Writes that had been confirmed and were missing when the database was opened."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from truehue.core.errors import NotStored
from truehue.storage.database.confirmed import Tally

if TYPE_CHECKING:
    from truehue.storage.database.connection import Database

log = logging.getLogger("truehue")


@dataclass(frozen=True)
class Loss:
    """What was missing. ``writes`` counts transactions, each with one or many rows.

    They were made after ``since`` (None where not even that is known) and up to ``until``, UTC
    without a zone. ``replaced`` says that the whole database was gone and a new one was begun.
    ``log_copy`` is where the damaged log lies, empty where there was none.
    """

    number: int
    writes: int
    since: datetime | None
    until: datetime
    replaced: bool
    log_copy: str

    def words(self, database: Path) -> str:
        """What happened, and what can be done about it."""
        count = f"{self.writes:,} write{'' if self.writes == 1 else 's'}"
        until = f"{self.until:%Y-%m-%d %H:%M:%S} UTC"
        if self.replaced:
            return (
                f"{database} was gone when TrueHue started, with {count} that had been confirmed, "
                f"the last at {until}. A new, empty database was begun. If you have a copy, end "
                f"TrueHue and put it back."
            )
        since = f"after {self.since:%Y-%m-%d %H:%M:%S} and " if self.since else ""
        why = (
            f"its log was damaged. The log as it was found lies at {self.log_copy}."
            if self.log_copy
            else "its log was emptied or removed, or an older copy was put in its place."
        )
        return (
            f"{count} that had been confirmed {'is' if self.writes == 1 else 'are'} missing from "
            f"{database}: made {since}up to {until}. Most likely {why} Results of runs are read "
            f"again from their folders. Look through what you stored then, and add again what is "
            f"not there."
        )


class Losses:
    """The losses that were found; each is told until somebody has read it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def unread(self) -> list[Loss]:
        """Those that nobody has marked as read, oldest first."""
        rows = self._database.rows(
            "SELECT number, writes, since, until, replaced, log_copy FROM losses "
            "ANTI JOIN losses_read USING (number) ORDER BY number"
        )
        return [Loss(*row) for row in rows]

    def words(self) -> dict[int, str]:
        """What :meth:`unread` holds, in words, by number."""
        return {loss.number: loss.words(self._database.path) for loss in self.unread()}

    def read(self, number: int) -> None:
        """Tell a loss no more. Raises :class:`NotStored`."""
        if not self._database.rows("SELECT 1 FROM losses WHERE number = ?", [number]):
            raise NotStored(f"No loss is stored under the number {number}.")
        self._database.insert(
            "INSERT INTO losses_read VALUES (?, ?) ON CONFLICT DO NOTHING",
            [number, self._database.now()],
        )


def note_loss(
    database: Database, stored: Tally, confirmed: Tally | None, log_copy: Path | None, fresh: bool
) -> Tally:
    """Compare what the database has with what was confirmed; keep and tell what is missing.

    ``fresh`` says that there was no database when it was opened. Returns what the database counts
    from now on, which is never below what was confirmed before.
    """
    if confirmed is None:
        return stored
    same = confirmed.database_id == stored.database_id
    missing = confirmed.writes - (stored.writes if same else 0)
    if missing <= 0 or not (same or fresh):
        # Another database that somebody put here is not behind: it never had those writes.
        return stored
    since = stored.written_at if same else None
    with database.transaction() as cursor:
        cursor.execute(
            "INSERT INTO losses SELECT coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ? FROM losses",
            [missing, since, confirmed.written_at, not same, str(log_copy or ""), database.now()],
        )
        # With it the number passes what was confirmed, so that the same loss is told once.
        if same:
            cursor.execute("UPDATE write_count SET writes = ?", [confirmed.writes])
    log.warning("%s", list(Losses(database).words().values())[-1])
    return database.tally() or stored
