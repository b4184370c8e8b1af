"""The users who made or imported a record, where that decides who may change it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import duckdb

from truehue.storage.database.connection import Database

IMAGE, VERDICT = "image", "verdict"
PROMPT_SET, SELECTION, CONCEPT_SET = "prompts", "selection", "concept set"
"""The kinds of things that somebody can bring a second time."""
OWNER = "owner"
"""How the owner of the data folder is called among makers."""


def note_maker(
    database: Database,
    cursor: duckdb.DuckDBPyConnection,
    kind: str,
    resources: Mapping[str, bool],
    maker: str,
) -> None:
    """Store who brought these, in the transaction that stores them; ``resources`` says of each
    whether it is new.

    What is new is its maker's; the owner needs no row for it. What was stored before is of
    everybody who brought it, so a row is added where there are any. Without one it is the owner's,
    as all that was stored before there were makers, and stays that. An empty ``maker`` is nobody.
    """
    if not maker or not resources:
        return
    rows = cursor.execute(
        "SELECT DISTINCT thing FROM makers "
        "WHERE kind = ? AND thing IN (SELECT unnest(?::VARCHAR[]))",
        [kind, list(resources)],
    ).fetchall()
    named = {str(resource) for (resource,) in rows}
    if maker != OWNER:
        named |= {key for key, is_new in resources.items() if is_new}
    _insert(database, cursor, kind, named, maker)


def forget_makers(cursor: duckdb.DuckDBPyConnection, kind: str, resource: str) -> None:
    """Store that it is nobody's any more, in the transaction that ends it."""
    cursor.execute("DELETE FROM makers WHERE kind = ? AND thing = ?", [kind, resource])


class Makers:
    """Visitors and what they brought. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, kind: str, resources: Collection[str], maker: str) -> None:
        """Store that somebody made these, which nobody else can have made; what is known already
        stays as it is. What can be brought a second time is noted by :func:`note_maker`."""
        if not resources:
            return
        with self._database.transaction() as cursor:
            _insert(self._database, cursor, kind, resources, maker)

    def count(self, kind: str) -> int:
        """Return how many things of a kind somebody else than the owner brought."""
        rows = self._database.rows(
            "SELECT count(DISTINCT thing) FROM makers WHERE kind = ?", [kind]
        )
        return int(rows[0][0])

    def of(self, kind: str, resource: str) -> frozenset[str]:
        """The ids of those who brought it; empty where nobody is known."""
        rows = self._database.rows(
            "SELECT actor FROM makers WHERE kind = ? AND thing = ?", [kind, resource]
        )
        return frozenset(str(row[0]) for row in rows)


def _insert(
    database: Database,
    cursor: duckdb.DuckDBPyConnection,
    kind: str,
    resources: Collection[str],
    maker: str,
) -> None:
    if resources:
        cursor.execute(
            "INSERT INTO makers "
            "SELECT ?, thing, ?, ? FROM (SELECT DISTINCT unnest(?::VARCHAR[]) AS thing) "
            "WHERE thing NOT IN (SELECT thing FROM makers WHERE kind = ? AND actor = ?)",
            [kind, maker, database.now(), sorted(resources), kind, maker],
        )
