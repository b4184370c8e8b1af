"""Who brought or made a thing, where that decides who may change it."""

from __future__ import annotations

from collections.abc import Collection

from storage.database.connection import Database


class Makers:
    """Visitors and what they brought. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, kind: str, things: Collection[str], actor: str) -> None:
        """Store that an actor brought these; what is known already stays as it is."""
        if not things:
            return
        with self._database.transaction() as cursor:
            cursor.execute(
                "INSERT INTO makers SELECT ?, thing, ?, ? FROM (SELECT DISTINCT unnest(?) AS thing)"
                " WHERE thing NOT IN (SELECT thing FROM makers WHERE kind = ? AND actor = ?)",
                [kind, actor, self._database.now(), list(things), kind, actor],
            )

    def of(self, kind: str, thing: str) -> frozenset[str]:
        """The ids of those who brought it; empty where nobody is known."""
        rows = self._database.rows(
            "SELECT actor FROM makers WHERE kind = ? AND thing = ?", [kind, thing]
        )
        return frozenset(str(row[0]) for row in rows)
