"""The losses that were found when the database was opened, and who has read of them."""

from __future__ import annotations

from truehue.core.errors import NotStored
from truehue.storage.database.confirmed import Loss
from truehue.storage.database.connection import Database


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
