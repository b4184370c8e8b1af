"""The number of the last confirmed transaction, in a file beside the database, to detect losses.

Every transaction raises a number in the database. Once the transaction is on the disk, and before
it is confirmed to anyone, the number goes to that file. A process killed in between leaves the
database ahead of the file, never behind. A database behind the file has lost confirmed
transactions, for instance because its log was damaged.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import secrets
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import duckdb

from truehue.core.files import sync_folder

log = logging.getLogger("truehue")

KEPT_LOGS = "kept-logs"
MAX_LOGS = 5
_LINE = 160
_DAMAGED_ENTRY = re.compile(r"Corrupt WAL file: entry at byte position (\d+)")


@dataclass(frozen=True)
class Tally:
    """How many transactions a database has had; ``written_at`` is UTC without a zone."""

    database_id: str
    writes: int
    written_at: datetime


def clock() -> datetime:
    """The time of the machine, UTC without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def tally_of(cursor: duckdb.DuckDBPyConnection) -> Tally | None:
    """The database's count; None for a database without such a table."""
    try:
        row = cursor.execute("SELECT database_id, writes, written_at FROM write_count").fetchone()
    except duckdb.CatalogException:
        return None
    return Tally(*row) if row else None


def count_transaction(cursor: duckdb.DuckDBPyConnection) -> Tally | None:
    """Count the transaction that is open at ``cursor``; None where there is no such table yet."""
    row = cursor.execute(
        "UPDATE write_count SET writes = writes + 1, written_at = ? "
        "RETURNING database_id, writes, written_at",
        [clock()],
    ).fetchone()
    return Tally(*row) if row else None


class Confirmed:
    """The file beside the database at ``path``. One thread at a time may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".confirmed")
        self._file: BinaryIO | None = None

    def read(self) -> Tally | None:
        """The last confirmed count; None if there is no readable file."""
        try:
            row = json.loads(self.path.read_bytes())
            return Tally(
                str(row["database"]), int(row["writes"]), datetime.fromisoformat(row["at"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def begin(self, tally: Tally) -> None:
        """Put ``tally`` in place of what the file says, whole or not at all, and keep it open."""
        self.close()
        temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}.part")
        try:
            with temporary.open("xb") as file:
                file.write(_line(tally))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
            sync_folder(self.path.parent)
            self._file = self.path.open("r+b", buffering=0)
        except OSError as error:
            # Nothing is lost by that; a loss could only not be told.
            log.warning("%s cannot be written: %s", self.path, error)
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    def confirm(self, tally: Tally) -> None:
        """Note what is on the disk now. The file need not be: the system writes it soon, and one
        that lags behind raises no false alarm."""
        if self._file is None:
            return
        try:
            # One line of one length in its place: there is no moment at which half of it stands.
            self._file.seek(0)
            self._file.write(_line(tally))
        except OSError as error:
            log.warning("%s cannot be written: %s", self.path, error)
            self.close()

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._file is not None:
            self._file.close()
            self._file = None


def is_behind(stored: Tally | None, confirmed: Tally) -> bool:
    """Whether a database has less than was confirmed; another database is not behind."""
    if stored is None:
        return confirmed.writes > 0
    return stored.database_id == confirmed.database_id and stored.writes < confirmed.writes


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
        """A message about the loss and its remedy."""
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


def note_loss(
    cursor: duckdb.DuckDBPyConnection,
    stored: Tally,
    confirmed: Tally,
    log_copy: Path | None,
    now: datetime,
) -> Loss:
    """Keep what ``stored``, which the database at ``cursor`` counts, lacks of what was confirmed,
    so that it can be told. From then on the database counts no less than was confirmed before."""
    same = confirmed.database_id == stored.database_id
    missing = confirmed.writes - (stored.writes if same else 0)
    since = stored.written_at if same else None
    rows = cursor.execute(
        "INSERT INTO losses SELECT coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ? FROM losses "
        "RETURNING number, writes, since, until, replaced, log_copy",
        [missing, since, confirmed.written_at, not same, str(log_copy or ""), now],
    ).fetchall()
    # With it the number passes what was confirmed, so that the same loss is told once.
    if same:
        cursor.execute("UPDATE write_count SET writes = ?", [confirmed.writes])
    return Loss(*rows[0])


def save_log(path: Path) -> Path | None:
    """Copy the log of the database at ``path`` aside, and keep the last few copies.

    None where there is no log, or an empty one, or no room for a copy.
    """
    wal = path.with_name(path.name + ".wal")
    folder = path.parent / KEPT_LOGS
    try:
        if not wal.is_file() or not wal.stat().st_size:
            return None
        folder.mkdir(exist_ok=True)
        copy = folder / f"{wal.name}.{clock():%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
        shutil.copyfile(wal, copy)
        for old in sorted(folder.glob(f"{wal.name}.*"))[:-MAX_LOGS]:
            old.unlink()
    except OSError as error:
        log.warning("%s could not be copied to %s: %s", wal, folder, error)
        return None
    return copy


def cut_log(path: Path, message: str) -> Path | None:
    """Cut the log of the database at ``path`` before the damaged entry that the ``message`` of
    DuckDB names.

    What comes before is good, and can be read then; all of it is copied aside first, and the copy's
    path returned. None, and nothing changed, where DuckDB spoke of something else or no copy could
    be made.
    """
    match = _DAMAGED_ENTRY.search(message)
    if match is None or (copy := save_log(path)) is None:
        return None
    wal = path.with_name(path.name + ".wal")
    with wal.open("r+b") as file:
        file.truncate(int(match[1]))
        file.flush()
        os.fsync(file.fileno())
    return copy


def _line(tally: Tally) -> bytes:
    text = json.dumps(
        {
            "database": tally.database_id,
            "writes": tally.writes,
            "at": tally.written_at.isoformat(timespec="microseconds"),
        }
    )
    return text.ljust(_LINE - 1).encode() + b"\n"
