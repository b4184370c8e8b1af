"""Make a backup: copy images, then the database, then files added since, then verify all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import IO

from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import (
    ReportProgress,
    file_problem,
    ignore_progress,
    sync_folder,
    whole_file,
)
from truehue.storage.backup.archive import BackupFacts, BackupReader, BackupWriter
from truehue.storage.backup.contents import BACKUPS, deleted_of, images_of, others_of
from truehue.storage.checks import dangling, named_files
from truehue.storage.database.connection import DATABASE_NAME, Database
from truehue.storage.database.file_check import DatabaseState, copy_closed, inspect
from truehue.storage.database.migrations import MIGRATIONS
from truehue.storage.trash import original_path

ENDING = ".truehue-backup.zip"
NEWEST = max(step.number for step in MIGRATIONS)
_ENTRY_BYTES = 600
"""What a file takes in a backup beside its bytes, at most: two headers and its line."""
_SPARE_BYTES = 2**20

CopyDatabase = Callable[[Path], None]
"""Copies the files of the database, while nobody changes them, into a folder; of a folder that an
app has open also what was deleted, below ``trash``."""


@dataclass(frozen=True)
class BackupReport:
    """A backup that was made and checked. ``problems`` are references and files that the data
    folder itself lacks, a sentence each."""

    path: Path
    file_bytes: int
    facts: BackupFacts
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class BackupSource:
    """The data folder that a backup is of. ``scratch`` is the folder in which the database lies for
    a while as it was copied, the data folder itself where it is open and has room for that."""

    data_dir: Path
    copy_database: CopyDatabase
    scratch: Path

    @classmethod
    def closed(cls, data_dir: Path, scratch: Path) -> BackupSource:
        """Of a folder that no app has open."""
        database = data_dir / DATABASE_NAME
        return cls(data_dir, lambda folder: copy_closed(database, folder), scratch)


class Counter:
    """Bytes that were read, reported as a share of what there is to do, in two halves."""

    def __init__(self, progress: ReportProgress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def add(self, size: int) -> None:
        """So many more."""
        self._done += size
        self._progress(min(self._done, self._total), self._total)

    def start_half(self) -> None:
        """The first half is done."""
        self._done = max(self._done, self._total // 2)

    def end(self) -> None:
        """All is done."""
        self._progress(self._total, self._total)


def write_backup(
    source: BackupSource,
    path: Path,
    *,
    replace: bool = False,
    progress: ReportProgress = ignore_progress,
) -> BackupReport:
    """Write the backup of a data folder to ``path``, whole or not at all, and open it.

    It has everything that was confirmed before it began. ``progress`` gets bytes. Raises
    BadInput for a place that cannot be taken, DataFolderError where there is no room or something
    cannot be read or written, and what ``copy_database`` raises; then nothing is left behind, and a
    file that stood at ``path`` still does.
    """
    data_dir = source.data_dir
    _require_place(data_dir, path, replace)
    size = _size_of(data_dir)
    require_space(path.parent, size, "The backup")
    counter = Counter(progress, 2 * size)
    # A full data disk is no reason not to back up to another one, which has room for both.
    has_room = _free_bytes(source.scratch) >= 2 * _database_size(data_dir)
    with _scratch(source.scratch if has_room else path.parent) as scratch:
        try:
            with whole_file(path) as file:
                os.chmod(file.name, 0o600)  # keys and hashes of passwords are in it
                state, facts = _written(source, file, scratch, counter)
                file.flush()
                counter.start_half()
                problems = _checked(Path(file.name), state, scratch / "checked", counter)
                _require_place(data_dir, path, replace)
            sync_folder(path.parent)
        except OSError as error:
            raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error
    counter.end()
    return BackupReport(path, path.stat().st_size, facts, problems)


def _written(
    source: BackupSource, file: IO[bytes], scratch: Path, counter: Counter
) -> tuple[DatabaseState, BackupFacts]:
    created_at = datetime.now(UTC).isoformat(timespec="seconds")
    with closing(BackupWriter(file, counter.add)) as writer:
        state = _copy(source, writer, scratch)
        return state, writer.finish(state.step, created_at)


def _copy(source: BackupSource, writer: BackupWriter, scratch: Path) -> DatabaseState:
    """Copies all files in an order in which nothing names what is not copied; returns the state of
    the database."""
    data_dir = source.data_dir
    for name in images_of(data_dir):
        writer.add(name, data_dir / name)
    copied = scratch / "copied"
    copied.mkdir()
    source.copy_database(copied)
    state = inspect(copied / DATABASE_NAME, MIGRATIONS)
    for path in sorted(copied.glob(f"{DATABASE_NAME}*")):
        writer.add(path.name, path)
    # What is put back once the database was copied would be in neither.
    for name in deleted_of(copied):
        if name not in writer.members:
            writer.add(name, copied / name)
    # Twice: an image is missed where its own folder is read while it is deleted, and then the trash
    # when it has been put back.
    for name in chain(others_of(data_dir), images_of(data_dir), images_of(data_dir)):
        if name not in writer.members:
            writer.add(name, data_dir / name)
    return state


def _checked(path: Path, state: DatabaseState, scratch: Path, counter: Counter) -> tuple[str, ...]:
    """Opens a backup, and the database in it; returns what that lacks."""
    scratch.mkdir()
    with BackupReader(path, counter.add) as backup:
        for name, member in backup.members.items():
            if name.startswith(DATABASE_NAME):
                backup.extract(member, scratch / name)
        if inspect(scratch / DATABASE_NAME, MIGRATIONS) != state:
            raise DataFolderError(f"{path.name} does not hold the database that was copied.")
        if state.step < NEWEST:
            return ()  # its tables are others than the check knows
        return tuple(check_files(scratch, backup.members))


def check_files(folder: Path, names: Collection[str]) -> list[str]:
    """One sentence for each reference and file that the database in ``folder`` lacks; it is changed
    by that. ``names`` are those of all files, as in a data folder."""
    # Without it the database is not compared with what was confirmed: that is for the app.
    (folder / f"{DATABASE_NAME}.confirmed").unlink(missing_ok=True)
    database = Database.open(folder / DATABASE_NAME)
    try:
        deleted = {location for name in names if (location := original_path(name))}
        missing = [
            f"the file of {label} {row_id} is missing: {name}"
            for label, row_id, name in named_files(database)
            if name not in names and name not in deleted
        ]
        return [*dangling(database), *missing]
    finally:
        database.close()


def back_up_before_migration(data_dir: Path, step: int) -> BackupReport:
    """Back a data folder up whose database is at ``step``, before later steps change it, into the
    folder ``backups`` in it. One that was made before of the same step gives way.

    Raises as :func:`write_backup`, with what to do.
    """
    folder = data_dir / BACKUPS
    path = folder / f"before-step-{NEWEST}-of-step-{step}{ENDING}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        return write_backup(BackupSource.closed(data_dir, folder), path, replace=True)
    except (DataFolderError, OSError) as error:
        with suppress(OSError):
            folder.rmdir()
        raise DataFolderError(
            f"TrueHue was updated, and backs up {data_dir} before it changes the layout of the "
            f"database from step {step} to {NEWEST}. That failed: {error} Nothing was changed. "
            "Make room; or back it up to another disk (truehue backup FILE), then start once with "
            "--no-backup."
        ) from error


def require_space(folder: Path, size_bytes: int, label: str) -> None:
    """Return if the disk of ``folder`` has room. Raises DataFolderError with both numbers."""
    free = _free_bytes(folder)
    if free < size_bytes:
        raise DataFolderError(
            f"{label} takes about {size_text(size_bytes)}, and {folder} has {size_text(free)} free. "
            "Make room, or choose another disk."
        )


def _free_bytes(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be used: {file_problem(error)}.") from error


def size_text(size_bytes: int) -> str:
    """A number of bytes, as people read it."""
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if size_bytes >= size:
            return f"{size_bytes / size:,.1f} {unit}"
    return f"{max(1, round(size_bytes / 1000)):,} kB"


def _require_place(data_dir: Path, path: Path, replace: bool) -> None:
    if path.is_dir() or not path.name:
        raise BadInput(f"{path} is a folder. Name a file for the backup.")
    if path.exists() and not replace:
        raise BadInput(f"{path} is there already. Choose another name, or give --replace.")
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent}. Make it first.")
    inside, root = path.resolve(), data_dir.resolve()
    if inside.is_relative_to(root) and not inside.is_relative_to(root / BACKUPS):
        raise BadInput(
            f"{path} lies in the data folder that it is a backup of. Choose a place outside of it, "
            "best on another disk."
        )


def _size_of(data_dir: Path) -> int:
    """What a backup takes at most, the database once more while it is checked."""
    seen: set[tuple[int, int]] = set()
    size = _SPARE_BYTES
    for name in chain(images_of(data_dir), others_of(data_dir)):
        try:
            stat = (data_dir / name).stat()
        except OSError:
            continue
        size += _ENTRY_BYTES + len(name) * 4
        if stat.st_nlink > 1:
            if (stat.st_dev, stat.st_ino) in seen:
                continue
            seen.add((stat.st_dev, stat.st_ino))
        size += stat.st_size
    return size + 3 * _database_size(data_dir)


def _database_size(data_dir: Path) -> int:
    size = 0
    for path in data_dir.glob(f"{DATABASE_NAME}*"):
        with suppress(FileNotFoundError):  # a log goes when the database takes it in
            size += path.stat().st_size
    return size


@contextmanager
def _scratch(root: Path) -> Iterator[Path]:
    """A folder of our own below ``root``; the next start takes away what a kill has left."""
    folder = root / f".backup-{secrets.token_hex(8)}.part"
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise DataFolderError(f"{root} cannot be written: {file_problem(error)}.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
