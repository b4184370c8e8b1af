"""One connection to the DuckDB file, and a separate cursor for every call."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import duckdb

from truehue.core.errors import DatabaseDamaged, DataFolderError, NotStored, StorageError
from truehue.storage.database.confirmed import (
    Confirmed,
    Tally,
    count_transaction,
    cut_log,
    is_behind,
    note_loss,
    save_log,
    tally_of,
)
from truehue.storage.database.file_check import inspect, translate_errors
from truehue.storage.database.migrations import MIGRATIONS, Migration, migrate, migrate_feature

log = logging.getLogger("truehue")

# Nothing is fetched from the network unasked; JSON and Parquet are built in.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
DATABASE_NAME = "truehue.duckdb"
"""Below a data folder."""
GRACE_S = 5.0
"""How long :meth:`Database.close` waits for calls under way before it interrupts them."""
_INTERRUPTING_S = 2.0
_SHORTEST_PREFIX = 8
_LENGTH = 64

_TABLES_WITH_TIMES: dict[tuple[Migration, ...], list[str]] = {}
"""The names of the tables that have ``created_at``, by the steps that made them."""

Clock = Callable[[], datetime]
BeforeMigration = Callable[[int], None]
"""Called with the step that the database has, before later ones change it; what it raises ends the
opening, and nothing was changed."""


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
        self._latest = datetime.min
        self._telling_time = threading.Lock()
        self._of_thread = threading.local()
        self._closed = False
        self._counting = False
        self._confirmed = Confirmed(path)
        self._file = _file_at(path)
        self._steps: tuple[Migration, ...] = ()
        self._copied: BinaryIO | None = None
        # How often rows were taken out or put back: what was counted row by row is counted again.
        self.deletions = 0
        # How often a participant was erased, raised in the transaction that does it: who remembers
        # who is there, and writes in a later one, looks again.
        self.erasures = 0
        # Two transactions that insert the same key at the same time fail in DuckDB even with ON
        # CONFLICT DO NOTHING. Commits wait for one disk anyway, so they take turns.
        self._writing = threading.Lock()
        # DuckDB refuses to close a file while a cursor of it is at work.
        self._lent: set[duckdb.DuckDBPyConnection] = set()
        self._given_back = threading.Condition()
        self._sealed = False

    @classmethod
    def open(
        cls,
        path: Path,
        clock: Clock = utc_now,
        migrations: Sequence[Migration] = MIGRATIONS,
        before_migration: BeforeMigration = lambda step: None,
    ) -> Database:
        """Open or make the database at ``path`` (absolute) and apply the steps that are missing,
        after ``before_migration`` where there is something to lose.

        Raises the errors of :func:`truehue.storage.database.file_check.inspect`, before anything is
        written, and :class:`StorageError` for a step that fails.
        """
        confirmed = Confirmed(path).read()
        fresh = not path.exists()
        log_copy = None
        try:
            file_state = inspect(path, migrations)
        except DatabaseDamaged as error:
            # Only where what is missing can be told afterwards.
            if confirmed is None or (log_copy := cut_log(path, str(error))) is None:
                raise
            file_state = inspect(path, migrations)
        if log_copy is None and confirmed is not None and is_behind(file_state.tally, confirmed):
            # Opening for writing empties the log; of a copy, more may be read some day.
            log_copy = save_log(path)
        if 0 < file_state.step < max((step.number for step in migrations), default=0):
            before_migration(file_state.step)
        with translate_errors(path):
            connection = duckdb.connect(str(path), config=_CONFIG)
        database = cls(connection, path, clock)
        database._steps = tuple(migrations)
        try:
            with database.cursor() as cursor:
                applied = migrate(cursor, migrations, database.now())
            if applied:
                database.checkpoint()
            database._count(confirmed, log_copy, fresh)
        except BaseException:
            database.close()
            raise
        return database

    def _count(self, confirmed: Tally | None, log_copy: Path | None, fresh: bool) -> None:
        """Tell what is missing of what was confirmed, and count from here on."""
        stored = self.tally()
        if stored is None:  # a database of an earlier step, as tests make them
            return
        self._counting = True
        # A new database lacks all that its lost predecessor confirmed. Another database that
        # somebody put here is not behind: it never had those writes.
        if confirmed is not None and is_behind(None if fresh else stored, confirmed):
            with self.transaction() as cursor:
                loss = note_loss(cursor, stored, confirmed, log_copy, self.now())
            log.warning("%s", loss.words(self.path))
            stored = self.tally() or stored
        self._confirmed.begin(stored)

    def tally(self) -> Tally | None:
        """How many transactions the database has had; None before the step that counts them."""
        with self.cursor() as cursor:
            return tally_of(cursor)

    def require_installed(self) -> None:
        """Return if the file that was opened still lies at its path.

        Raises :class:`DataFolderError` where the data folder was deleted, moved or unmounted: what
        is written now would be confirmed and lost.
        """
        if _file_at(self.path) != self._file:
            raise DataFolderError(
                f"The data folder {self.path.parent} was deleted, moved or unmounted while TrueHue "
                f"was running: {self.path.name} is not there any more, or another file lies in its "
                "place. Nothing is stored any more. Put the folder back as it was, or start "
                "TrueHue again."
            )

    def require_writable(self) -> None:
        """Return if something can be stored; raises as :meth:`require_installed`, and
        :class:`StorageError` once it is sealed."""
        if self._sealed:
            raise StorageError("What lies here is for everybody to look at: nothing is stored.")
        self.require_installed()

    def seal(self) -> None:
        """From now on nothing is stored any more, until it is opened again."""
        with self._writing:
            self._sealed = True

    @contextmanager
    def still(self) -> Iterator[tuple[Path, ...]]:
        """Lend the files that make up the database, while nobody changes them."""
        self.checkpoint()
        with self._writing:
            log = self.path.with_name(self.path.name + ".wal")
            files = (self.path, log, self._confirmed.path)
            yield tuple(file for file in files if file.is_file())

    def copy_to(self, folder: Path) -> None:
        """Copy the files that make up the database into ``folder``, while nobody changes them.

        Raises :class:`DataFolderError` as :meth:`require_installed`, and OSError.
        """
        self.require_installed()
        with self.still() as files:
            for file in files:
                if file == self.path:
                    self._copy(folder / file.name)
                else:
                    shutil.copyfile(file, folder / file.name)

    def _copy(self, goal: Path) -> None:
        # A system's lock on a file ends when the process closes the file, whoever opened it: with
        # DuckDB's gone, a second app could open the folder. So this stays open until the end.
        if self._copied is None:
            self._copied = self.path.open("rb")
        self._copied.seek(0)
        with goal.open("xb") as copy:
            shutil.copyfileobj(self._copied, copy)

    def checkpoint(self) -> None:
        """Move what the log holds into the database file, where a damaged log cannot lose it.

        While others read or write it may not be possible; the log then holds it a while longer. So
        it does where the disk has no room: DuckDB ends all work after a checkpoint that failed.
        """
        if not self._has_space():
            return
        with self._writing, self._fresh() as cursor, suppress(duckdb.TransactionException):
            cursor.execute("CHECKPOINT")

    def size_bytes(self) -> int:
        """Return the size of the database file and of its log."""
        log = self.path.with_name(self.path.name + ".wal")
        return sum(path.stat().st_size for path in (self.path, log) if path.is_file())

    def _has_space(self) -> bool:
        # A checkpoint writes what changed again before it lets go of the old: all of it at most.
        log = self.path.with_name(self.path.name + ".wal")
        try:
            size = self.path.stat().st_size + log.stat().st_size
            return shutil.disk_usage(self.path.parent).free >= size
        except FileNotFoundError:
            return True  # no log: there is nothing to move

    def now(self) -> datetime:
        """Return the clock's time as it is stored: UTC without a zone.

        Never before what it returned last: where a clock is put back time stands still until it has
        caught up, so that what is stored later is not older.
        """
        time = self.machine_time()
        with self._telling_time:
            self._latest = max(self._latest, time)
            return self._latest

    def machine_time(self) -> datetime:
        """Return the machine's clock, UTC without a zone, also where it was put back. What ends by
        time ends by it; rows have :meth:`now`."""
        return self._clock().astimezone(UTC).replace(tzinfo=None)

    def newest_row(self) -> datetime:
        """Return the newest ``created_at`` of all tables, UTC without a zone; the first time of all
        where there is no row."""
        try:
            return self._newest_time(_TABLES_WITH_TIMES[self._steps])
        except (KeyError, StorageError):  # or another file had a table that is not ours
            # For a new connection this is a third of its opening.
            rows = self.rows(
                "SELECT table_name FROM duckdb_columns() WHERE column_name = 'created_at' "
                "AND table_name IN (SELECT table_name FROM duckdb_tables())"
            )
            _TABLES_WITH_TIMES[self._steps] = names = [name for (name,) in rows]
            return self._newest_time(names)

    def _newest_time(self, tables: Sequence[str]) -> datetime:
        each = [f'SELECT max(created_at) AS newest FROM "{name}"' for name in tables]
        sql = f"SELECT max(newest) FROM ({' UNION ALL '.join(each)})"
        return (self.rows(sql)[0][0] if tables else None) or datetime.min

    def not_before(self, time: datetime) -> None:
        """From now on :meth:`now` returns no time before this one, UTC without a zone."""
        with self._telling_time:
            self._latest = max(self._latest, time)

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lend a cursor for one call: a connection shared between threads loses rows.

        What DuckDB raises comes out as :class:`StorageError`. In a :meth:`snapshot` it is the one
        of the thread.
        """
        held = getattr(self._of_thread, "cursor", None)
        if held is None:
            with self._fresh() as cursor:
                yield cursor
            return
        try:
            yield held
        except duckdb.Error as error:
            raise StorageError(f"The database {self.path} reports: {error}") from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads of this thread in the block see one moment, independent of others' writes.

        It stores nothing in it, for it could not read that: raises :class:`StorageError` there.
        """
        if getattr(self._of_thread, "cursor", None) is not None:
            yield
            return
        with self._fresh() as cursor:
            cursor.begin()
            self._of_thread.cursor = cursor
            try:
                yield
            finally:
                self._of_thread.cursor = None
                cursor.rollback()

    @contextmanager
    def _fresh(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with self._given_back:
                if self._closed:
                    raise StorageError(f"{self.path} has been closed: open the data folder again.")
                cursor = self._connection.cursor()
                self._lent.add(cursor)
            try:
                yield cursor
            finally:
                try:
                    cursor.close()
                finally:
                    with self._given_back:
                        self._lent.remove(cursor)
                        self._given_back.notify_all()
        except duckdb.Error as error:
            raise StorageError(f"The database {self.path} reports: {error}") from error

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one question and return all its rows."""
        with self.cursor() as cursor:
            return cursor.execute(sql, list(values)).fetchall()

    def insert(self, sql: str, values: Sequence[Any]) -> None:
        """Run one INSERT … ON CONFLICT DO NOTHING; it is on the disk when this returns."""
        with self.transaction() as cursor:
            cursor.execute(sql, list(values))

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lend a cursor for several statements that are stored together or not at all.

        Other writers wait; what was written is on the disk when the block has ended, and gone if
        it raised. Raises :class:`DataFolderError` as :meth:`require_installed`.
        """
        if getattr(self._of_thread, "cursor", None) is not None:
            raise StorageError("Nothing is stored while one moment is read.")
        with self._writing, self._fresh() as cursor:
            self.require_writable()
            tally = None
            cursor.begin()
            try:
                yield cursor
                if self._counting:
                    tally = count_transaction(cursor)
                cursor.commit()
            except BaseException as error:
                with suppress(duckdb.TransactionException):  # DuckDB may have rolled back itself
                    cursor.rollback()
                if isinstance(error, duckdb.Error):
                    self.require_installed()  # which says more than that some file is not there
                raise
            # Once more, now that nothing is left to do but to say that it is stored.
            self.require_installed()
            if tally is not None:
                self._confirmed.confirm(tally)

    def migrate_feature(
        self, name: str, steps: Sequence[Callable[[duckdb.DuckDBPyConnection], object]]
    ) -> None:
        """Bring a feature's tables to their last step, in one transaction; raises as
        :func:`truehue.storage.database.migrations.migrate_feature`."""
        with self.transaction() as cursor:
            migrate_feature(cursor, name, steps, self.now())

    def count(self, table: str) -> int:
        """Return the number of rows of ``table`` (a name of ours, never a user's)."""
        return int(self.rows(f"SELECT count(*) FROM {table}")[0][0])

    def row_by_id(self, table: str, columns: str, column: str, id_text: str) -> tuple[Any, ...]:
        """Return the ``columns`` of the one row of ``table`` whose id in ``column`` begins with
        ``id_text``.

        Raises :class:`NotStored` if ``id_text`` is shorter than 8 characters or not hexadecimal,
        and if no row or more than one has such an id.
        """
        label = column.replace("_", " ")
        prefix = id_text.strip().lower() if isinstance(id_text, str) else ""
        if not _SHORTEST_PREFIX <= len(prefix) <= _LENGTH or set(prefix) - set("0123456789abcdef"):
            raise NotStored(
                f"{str(id_text)[:80]!r} is no {label}: give its {_LENGTH} hexadecimal characters, "
                f"or at least the first {_SHORTEST_PREFIX}."
            )
        # Equality uses the primary key; a prefix has to look at every row.
        test = f"{column} = ?" if len(prefix) == _LENGTH else f"starts_with({column}, ?)"
        rows = self.rows(f"SELECT {columns} FROM {table} WHERE {test} LIMIT 2", [prefix])
        if not rows:
            raise NotStored(f"Nothing is stored under the {label} {prefix}.")
        if len(rows) > 1:
            raise NotStored(f"More than one {label} begins with {prefix}: give more characters.")
        return rows[0]

    def full_id(self, table: str, column: str, id_text: str) -> str:
        """Return the one id in ``column`` of ``table`` that begins with ``id_text``; raises as
        :meth:`row_by_id`."""
        return str(self.row_by_id(table, column, column, id_text)[0])

    def close(self) -> None:
        """Close the file; closing twice is fine. Calls under way end first. Those that take longer
        than :data:`GRACE_S` are interrupted, and a transaction is then rolled back."""
        with self._given_back:
            self._closed = True
            self._given_back.wait_for(lambda: not self._lent, GRACE_S)
            end = time.monotonic() + _INTERRUPTING_S
            while self._lent and time.monotonic() < end:
                for cursor in self._lent:
                    with suppress(duckdb.Error):  # it may be closed and not given back yet
                        cursor.interrupt()
                self._given_back.wait(0.05)
        with self._writing:
            try:
                self._connection.close()
            finally:
                self._confirmed.close()
                if self._copied is not None:
                    self._copied.close()
                    self._copied = None


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file lies at ``path``: its device and number; None where there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
