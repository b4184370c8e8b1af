"""Restore a backup into an empty data folder, completely or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from truehue.core.errors import BadInput, DatabaseNewer, DataFolderError
from truehue.core.files import ReportProgress, file_problem, ignore_progress, sync_folder
from truehue.storage.backup.archive import BackupFacts, BackupReader, Member
from truehue.storage.backup.backup import NEWEST, Counter, check_files, require_space
from truehue.storage.database.connection import DATABASE_NAME
from truehue.storage.database.file_check import inspect
from truehue.storage.database.migrations import MIGRATIONS

_OF_DISKS = "lost+found"
"""What an empty disk has."""


@dataclass(frozen=True)
class RestoreReport:
    """A data folder that was restored. ``problems`` are references and files that it lacks, as it
    did when it was backed up, a sentence each."""

    folder: Path
    facts: BackupFacts
    problems: tuple[str, ...] = ()


def restore(path: Path, into: Path, progress: ReportProgress = ignore_progress) -> RestoreReport:
    """Make ``into``, an empty folder or one that is not there, a data folder of the backup at
    ``path``; the database keeps the step that it has.

    Every byte is checked, the database opened, and its references and files looked for. Raises
    BadInput for a file that is no whole backup, and for a folder that is not empty,
    :class:`DatabaseNewer` for a backup of a newer TrueHue, DataFolderError where there is no room
    or something cannot be read or written; then ``into`` is as it was. A folder that is
    made here is its owner's alone.
    """
    into = into.absolute()
    is_new = _require_empty(into)
    counter = Counter(progress, 2 * _size_of_file(path))
    with BackupReader(path, counter.add) as backup:
        counter.start_half()
        _require_known(path, backup.facts)
        # An empty folder may be where a disk is mounted: what comes into it is made in it.
        half = (into.parent if is_new else into) / f".restore-{secrets.token_hex(8)}.part"
        try:
            require_space(_nearest(into), backup.facts.size_bytes, "What is in the backup")
            half.mkdir(mode=0o700, parents=True)  # keys and hashes of passwords are in it
            _unpack(backup, half)
            problems = _opened(half, backup)
            _take_position(half, into, is_new)
        except OSError as error:
            raise DataFolderError(f"{into} cannot be written: {file_problem(error)}.") from error
        finally:
            shutil.rmtree(half, ignore_errors=True)
        counter.end()
        return RestoreReport(into, backup.facts, tuple(problems))


def _require_empty(into: Path) -> bool:
    """Whether the folder is not there yet. Raises BadInput where something is in it."""
    try:
        if not into.exists():
            return True
        if into.is_dir() and not {path.name for path in into.iterdir()} - {_OF_DISKS}:
            return False
    except OSError as error:
        raise DataFolderError(f"{into} cannot be read: {file_problem(error)}.") from error
    raise BadInput(f"{into} is not an empty folder. Name one that is empty, or not there yet.")


def _size_of_file(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {file_problem(error)}.") from error


def _require_known(path: Path, facts: BackupFacts) -> None:
    if facts.step > NEWEST:
        raise DatabaseNewer(
            f"{path} was written by a newer TrueHue: its layout has number {facts.step}, and this "
            f"one knows numbers up to {NEWEST}. Update TrueHue, then try again."
        )


def _nearest(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _unpack(backup: BackupReader, folder: Path) -> None:
    copies: list[Member] = []
    folders = {folder}
    for name, member in backup.members.items():
        goal = folder / name
        if goal.parent not in folders:
            goal.parent.mkdir(parents=True, exist_ok=True)
            folders.add(goal.parent)
        if member.copy_of:
            copies.append(member)
        else:
            backup.extract(member, goal)
    for member in copies:
        # One file with two names, as it was; where links do not go, two files.
        source, goal = folder / member.copy_of, folder / member.name
        try:
            os.link(source, goal)
        except OSError:
            shutil.copy2(source, goal)
    if hasattr(os, "sync"):
        os.sync()  # all files at once: one by one takes minutes


def _opened(folder: Path, backup: BackupReader) -> list[str]:
    """Opens the database, and returns what it lacks. What looks for that changes a copy."""
    state = inspect(folder / DATABASE_NAME, MIGRATIONS)
    if state.step != backup.facts.step:
        raise BadInput(
            f"The database in the backup has step {state.step}, and not {backup.facts.step}."
        )
    scratch = folder / ".checked.part"
    scratch.mkdir()
    for ending in ("", ".wal"):
        file = folder / (DATABASE_NAME + ending)
        if file.is_file():
            shutil.copyfile(file, scratch / file.name)
    problems = check_files(scratch, backup.members)
    shutil.rmtree(scratch)
    return problems


def _take_position(half: Path, into: Path, is_new: bool) -> None:
    if is_new:
        os.rename(half, into)
        sync_folder(into.parent)
        return
    moved = []
    try:
        # The database comes last: without it nothing opens the folder.
        for path in sorted(half.iterdir(), key=lambda path: path.name.startswith(DATABASE_NAME)):
            os.rename(path, into / path.name)
            moved.append(into / path.name)
    except BaseException:
        for path in moved:
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise
    sync_folder(into)
