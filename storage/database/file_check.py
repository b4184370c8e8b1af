"""Check whether a database file can be opened by this version, without changing it."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb

from truehue.core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseNewer,
    DataFolderError,
    StorageError,
)
from truehue.storage.database.confirmed import Tally, tally_of
from truehue.storage.database.migrations import Migration, applied

_ELSEWHERE = "or choose another data folder"
_UNTOUCHED = "The file was left as it is"
_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
_NO_ACCESS = ("permission denied", "read-only file system", "no space left")
_BROKEN = ("not a valid duckdb", "read enough bytes", "corrupt", "checksum")


@dataclass(frozen=True)
class DatabaseState:
    """The newest ``step`` that a database has (0: none), and how many transactions it counts."""

    step: int = 0
    tally: Tally | None = None


def inspect(path: Path, migrations: Sequence[Migration]) -> DatabaseState:
    """Return the state of ``path`` if it is missing, empty of tables, or a database that
    ``migrations`` know.

    The file is opened for reading only, so a refused file keeps every byte and its date. Raises
    :class:`DatabaseNewer`, :class:`DatabaseDamaged` (also for other people's databases),
    :class:`DatabaseBusy` or :class:`DataFolderError`.
    """
    log = path.with_name(path.name + ".wal")
    if not path.exists():
        # DuckDB would start again and throw this log away, with the last rows in it.
        if log.exists():
            raise DatabaseDamaged(
                f"{log} is the log of a database that is not beside it. Put {path.name} back, or "
                f"move the log away to start with an empty database. {_UNTOUCHED}."
            )
        return DatabaseState()
    if not path.is_file():
        raise DatabaseDamaged(f"{path} is not a file. Move it away, {_ELSEWHERE}.")
    with translate_errors(path), _reading(path) as cursor:
        return DatabaseState(_judge(path, cursor, migrations), tally_of(cursor))


def copy_closed(path: Path, folder: Path) -> None:
    """Copy the files of a database that no process has open for writing into ``folder``; until all
    are copied, none can open it so.

    Raises :class:`DatabaseBusy` where one has it open, and OSError.
    """
    with ExitStack() as stack:
        # A system's lock on a file ends when the process closes the file, whoever opened it: ours
        # stays open until DuckDB has given its lock back.
        opened = stack.enter_context(path.open("rb"))
        with translate_errors(path), _reading(path), (folder / path.name).open("xb") as copy:
            shutil.copyfileobj(opened, copy)
            for ending in (".wal", ".confirmed"):
                others = path.with_name(path.name + ending)
                if others.is_file():
                    shutil.copyfile(others, folder / others.name)


@contextmanager
def _reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor of the file at ``path``, which is opened for reading only and closed after."""
    name = f"looked_at_{next(_NUMBERS)}"
    quoted = str(path).replace("'", "''")
    looking = _looking()
    try:
        with looking.cursor() as cursor:
            cursor.execute(f"ATTACH '{quoted}' AS {name} (TYPE duckdb, READ_ONLY)")
            try:
                cursor.execute(f"USE {name}")
                yield cursor
            finally:
                cursor.execute("USE memory")
                cursor.execute(f"DETACH {name}")
    except (duckdb.FatalException, duckdb.InternalException):
        # After these an instance answers nothing any more: the next file is looked at by another.
        _looking.cache_clear()
        raise


_NUMBERS = itertools.count()


@cache
def _looking() -> duckdb.DuckDBPyConnection:
    """A database with nothing in it, which others are attached to: five times as fast as another
    instance of DuckDB for each, where a process opens many."""
    return duckdb.connect(
        config={
            "threads": 1,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )


def _judge(
    path: Path, connection: duckdb.DuckDBPyConnection, migrations: Sequence[Migration]
) -> int:
    """The newest step of a database that is ours, 0 for one without any."""
    foreign = DatabaseDamaged(
        f"{path} is a database, but not one of TrueHue's. {_UNTOUCHED}: move it away, {_ELSEWHERE}."
    )
    try:
        done = applied(connection)
    except (duckdb.BinderException, duckdb.CatalogException):
        # Other programs have a table of that name too, with other columns.
        if not _tables(connection):
            return 0
        raise foreign from None
    steps = [(step.number, step.name) for step in migrations]
    newest = done[-1][0] if done else 0
    if done and isinstance(newest, int) and newest > max((n for n, _ in steps), default=0):
        raise DatabaseNewer(
            f"{path} was written by a newer TrueHue: its layout has number {newest}, and this one "
            f"knows numbers up to {max((n for n, _ in steps), default=0)}. {_UNTOUCHED}: update "
            f"TrueHue, {_ELSEWHERE}."
        )
    # What tables there are takes DuckDB longer to tell than all else: it is asked where it matters.
    if done != steps[: len(done)] or (not done and _tables(connection) > 1):
        raise foreign
    return int(newest)


def _tables(connection: duckdb.DuckDBPyConnection) -> int:
    """How many tables and views the file has."""
    sql = "SELECT count(*) FROM information_schema.tables WHERE table_catalog = current_database()"
    return int(connection.execute(sql).fetchall()[0][0])


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn what DuckDB says on opening ``path`` into one of our errors."""
    try:
        yield
    except duckdb.Error as error:
        raise explain(path, error) from error


def explain(path: Path, error: duckdb.Error) -> StorageError:
    """Return our error for ``error``, which opening ``path`` met."""
    message = " ".join(str(error).split())
    lower = message.lower()
    if "different configuration" in lower or "unique file handle conflict" in lower:
        return DatabaseBusy(
            f"{path} is already open in this process. Use the Storage that opened it, or close "
            "that one first."
        )
    if "could not set lock" in lower or "used by another process" in lower:
        holder = _HOLDER.search(message)
        who = f" ({holder['program']}, process {holder['pid']})" if holder else ""
        return DatabaseBusy(
            f"{path} is open in another process{who}. Stop that one, {_ELSEWHERE}: one process "
            "owns the database."
        )
    if "version number" in lower:
        return DatabaseNewer(
            f"{path} was written by a version of DuckDB that DuckDB {duckdb.__version__} cannot "
            f"read. {_UNTOUCHED}: install a newer duckdb package, {_ELSEWHERE}. "
            f"DuckDB said: {message}"
        )
    if any(text in lower for text in _NO_ACCESS):
        return DataFolderError(
            f"{path} cannot be opened. Change its permissions or make room, {_ELSEWHERE}. "
            f"DuckDB said: {message}"
        )
    if isinstance(error, duckdb.IOException) and not any(text in lower for text in _BROKEN):
        return DataFolderError(f"{path} cannot be opened. DuckDB said: {message}")
    return DatabaseDamaged(
        f"{path} cannot be read as a database. {_UNTOUCHED}: put a copy back in its place, or "
        f"move it away (with {path.name}.wal, if there is one) to start with an empty one. "
        f"DuckDB said: {message}"
    )
