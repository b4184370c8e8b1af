"""One connection to the DuckDB file, and a cursor of its own for every call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from core.errors import NotStored, StorageError
from storage.inspection import inspect, translated
from storage.migrations import MIGRATIONS, Migration, migrate

# Nothing is fetched from the network unasked; JSON and Parquet are built in.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_SHORTEST_PREFIX = 8
_LENGTH = 64

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time with its zone, UTC. Tests open the storage with a clock of their own."""
    return datetime.now(UTC)


def aware(stored: datetime) -> datetime:
    """Give a time read from the database (UTC without a zone) its zone."""
    return stored.replace(tzinfo=UTC)


class Database:
    """The open database file. Make one with :meth:`open`; any thread may use it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path, clock: Clock) -> None:
        self.path = path
        self._connection = connection
        self._clock = clock
        self._closed = False
        # Two transactions that insert the same key at the same time fail in DuckDB even with ON
        # CONFLICT DO NOTHING. Commits wait for one disk anyway, so they take turns.
        self._writing = threading.Lock()

    @classmethod
    def open(
        cls, path: Path, clock: Clock = utc_now, migrations: Sequence[Migration] = MIGRATIONS
    ) -> Database:
        """Open or make the database at ``path`` (absolute) and apply the steps that are missing.

        Raises the errors of :func:`storage.inspection.inspect`, before anything is written, and
        :class:`StorageError` for a step that fails.
        """
        inspect(path, migrations)
        with translated(path):
            connection = duckdb.connect(str(path), config=_CONFIG)
        database = cls(connection, path, clock)
        try:
            with database.cursor() as cursor:
                migrate(cursor, migrations, database.now())
        except BaseException:
            database.close()
            raise
        return database

    def now(self) -> datetime:
        """Return the clock's time as it is stored: UTC without a zone."""
        return self._clock().astimezone(UTC).replace(tzinfo=None)

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lend a cursor for one call: a connection shared between threads loses rows.

        What DuckDB raises comes out as :class:`StorageError`.
        """
        if self._closed:
            raise StorageError(f"{self.path} has been closed: open the data folder again.")
        try:
            cursor = self._connection.cursor()
            try:
                yield cursor
            finally:
                cursor.close()
        except duckdb.Error as error:
            raise StorageError(f"The database {self.path} reports: {error}") from error

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one question and return all its rows."""
        with self.cursor() as cursor:
            return cursor.execute(sql, list(values)).fetchall()

    def insert(self, sql: str, values: Sequence[Any]) -> None:
        """Run one INSERT … ON CONFLICT DO NOTHING; it is on the disk when this returns."""
        with self._writing, self.cursor() as cursor:
            cursor.execute(sql, list(values))

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lend a cursor for several statements that are stored together or not at all.

        Other writers wait; what was written is on the disk when the block has ended, and gone if
        it raised.
        """
        with self._writing, self.cursor() as cursor:
            cursor.begin()
            try:
                yield cursor
                cursor.commit()
            except BaseException:
                with suppress(duckdb.TransactionException):  # DuckDB may have rolled back itself
                    cursor.rollback()
                raise

    def count(self, table: str) -> int:
        """Return the number of rows of ``table`` (a name of ours, never a user's)."""
        return int(self.rows(f"SELECT count(*) FROM {table}")[0][0])

    def full_id(self, table: str, column: str, given: str) -> str:
        """Return the one id in ``column`` of ``table`` that begins with ``given``.

        Raises :class:`NotStored` if ``given`` is shorter than 8 characters or not hexadecimal,
        and if no row or more than one has such an id.
        """
        what = column.replace("_", " ")
        prefix = given.strip().lower() if isinstance(given, str) else ""
        if not _SHORTEST_PREFIX <= len(prefix) <= _LENGTH or set(prefix) - set("0123456789abcdef"):
            raise NotStored(
                f"{str(given)[:80]!r} is no {what}: give its {_LENGTH} hexadecimal characters, or "
                f"at least the first {_SHORTEST_PREFIX}."
            )
        # Equality uses the primary key; a prefix has to look at every row.
        test = f"{column} = ?" if len(prefix) == _LENGTH else f"starts_with({column}, ?)"
        found = self.rows(f"SELECT {column} FROM {table} WHERE {test} LIMIT 2", [prefix])
        if not found:
            raise NotStored(f"Nothing is stored under the {what} {prefix}.")
        if len(found) > 1:
            raise NotStored(f"More than one {what} begins with {prefix}: give more characters.")
        return str(found[0][0])

    def close(self) -> None:
        """Close the file; closing twice is fine. A call that is under way ends first."""
        with self._writing:
            self._closed = True
            self._connection.close()
