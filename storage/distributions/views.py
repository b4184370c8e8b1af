"""How a set of distributions or of pictures is called, and whether it is shown: versions."""

from __future__ import annotations

import unicodedata

import duckdb

from truehue.core.errors import BadInput
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database

MAX_NAME = 200

NEWEST = """
    SELECT set_id, arg_max(name, version) AS name, arg_max(hidden, version) AS hidden
    FROM set_views GROUP BY set_id
"""
"""Name and ``hidden`` of every set that has a view."""


class NamedSets:
    """What stored sets of either kind have in common; ``table`` is where their ids are."""

    def __init__(self, database: Database, table: str) -> None:
        self._database, self._table = database, table

    def rename(self, set_id: str, name: str) -> None:
        """Give a set another name; the old one stays in the database. Raises :class:`NotStored`,
        and :class:`BadInput` for a name that is none."""
        full, plain = self._full(set_id), checked_name(name)
        with self._database.transaction() as cursor:
            change(self._database, cursor, full, name=plain)

    def hide(self, set_id: str, hidden: bool = True) -> None:
        """Take a set out of ``all``, or show it again; nothing is lost. Raises
        :class:`NotStored`."""
        full = self._full(set_id)
        with self._database.transaction() as cursor:
            change(self._database, cursor, full, hidden=hidden)

    def _full(self, set_id: str) -> str:
        return self._database.full_id(self._table, "set_id", set_id)


def begin(database: Database, cursor: duckdb.DuckDBPyConnection, set_id: str, name: str) -> None:
    """The first version of a new set; one that is stored is shown again, under its own name."""
    if _newest(cursor, set_id) is None:
        _add(database, cursor, set_id, 1, name, False)
    else:
        change(database, cursor, set_id, hidden=False)


def change(
    database: Database,
    cursor: duckdb.DuckDBPyConnection,
    set_id: str,
    name: str | None = None,
    hidden: bool | None = None,
) -> None:
    """Adds a version with another name or another ``hidden``, unless it is so already."""
    newest = _newest(cursor, set_id)
    version, old_name, old_hidden = newest or (0, name or set_id, False)
    state = (old_name if name is None else name, old_hidden if hidden is None else hidden)
    if newest is None or state != (old_name, old_hidden):
        _add(database, cursor, set_id, version + 1, *state)


def checked_name(name: object) -> str:
    """The name as it is stored. Raises BadInput for an empty one, a long one, two lines."""
    plain = unicodedata.normalize("NFC", canonical.required(name, "name")).strip()
    if len(plain) > MAX_NAME:
        raise BadInput(f"The name has {len(plain)} characters: give at most {MAX_NAME}.")
    if len(plain.splitlines()) > 1:
        raise BadInput("The name has more than one line: give one.")
    return plain


def _newest(cursor: duckdb.DuckDBPyConnection, set_id: str) -> tuple[int, str, bool] | None:
    row = cursor.execute(
        "SELECT version, name, hidden FROM set_views WHERE set_id = ? "
        "ORDER BY version DESC LIMIT 1",
        [set_id],
    ).fetchone()
    return None if row is None else (int(row[0]), str(row[1]), bool(row[2]))


def _add(
    database: Database,
    cursor: duckdb.DuckDBPyConnection,
    set_id: str,
    version: int,
    name: str,
    hidden: bool,
) -> None:
    cursor.execute(
        "INSERT INTO set_views (set_id, version, name, hidden, created_at) VALUES (?, ?, ?, ?, ?)",
        [set_id, version, name, hidden, database.now()],
    )
