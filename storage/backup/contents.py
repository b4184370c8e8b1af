"""The files of a data folder that belong in a backup, and the order of copying."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from truehue.core.errors import DataFolderError
from truehue.core.files import file_problem
from truehue.storage.database.connection import DATABASE_NAME

BACKUPS = "backups"
"""Below the data folder: backups that TrueHue makes by itself, or for its page."""
TEMPORARY = frozenset({BACKUPS, "control", "desks", "exports", "gradio", "incoming"})
"""Folders of a data folder that hold no data: sockets, copies, files on their way."""
TRASH = "trash"
_LOCKS = frozenset({"lock", "workers.lock"})
_IMAGE = ".png"


def images_of(data_dir: Path) -> Iterator[str]:
    """The names, with ``/`` and relative to ``data_dir``, of all PNGs. They never change."""
    return (name for name in _files(data_dir) if name.endswith(_IMAGE))


def others_of(data_dir: Path) -> Iterator[str]:
    """The names of all other files but the database's.

    The names of a folder are read when it is its turn: whoever copies each file at once gets a
    journal before the shard that it becomes, and a plan after all that belongs to it.
    """
    return (name for name in _files(data_dir) if not name.endswith(_IMAGE))


def deleted_of(data_dir: Path) -> Iterator[str]:
    """The names of all files of what was deleted and can be put back. They never change."""
    if (data_dir / TRASH).is_dir():
        yield from _below(data_dir / TRASH, f"{TRASH}/", frozenset())


def _files(data_dir: Path) -> Iterator[str]:
    try:
        for name, is_folder in _entries(data_dir):
            if is_folder and name not in TEMPORARY:
                yield from _below(data_dir / name, f"{name}/", frozenset())
            elif not is_folder and not name.startswith(DATABASE_NAME):
                yield name
    except OSError as error:
        raise DataFolderError(
            f"{error.filename or data_dir} cannot be read: {file_problem(error)}. Change its "
            "permissions, then try again."
        ) from error


def _below(folder: Path, prefix: str, above: frozenset[tuple[int, int]]) -> Iterator[str]:
    try:
        stat = folder.stat()
        # A folder may be a link to another disk; one that leads back to itself ends here.
        local = (stat.st_dev, stat.st_ino)
        if local in above:
            return
        for name in [name for name, is_folder in _entries(folder) if is_folder]:
            yield from _below(folder / name, f"{prefix}{name}/", above | {local})
        for name in [name for name, is_folder in _entries(folder) if not is_folder]:
            yield f"{prefix}{name}"
    except FileNotFoundError:
        return  # taken away meanwhile


def _entries(folder: Path) -> list[tuple[str, bool]]:
    """The names in a folder that are data, in their order, and which of them are folders."""
    with os.scandir(folder) as entries:
        results = [
            (entry.name, entry.is_dir())
            for entry in entries
            if not entry.name.startswith(".")
            and entry.name not in _LOCKS
            and (entry.is_dir() or entry.is_file())
        ]
    return sorted(results)
