"""The files of a folder: nothing outside of it, nothing hidden, in a natural order."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.files import shown_path
from truehue.core.image_sets.records import Remark

MAX_FILES = 200_000
"""More files than this are refused: that folder was surely not meant."""

IGNORED_NAMES = frozenset({"__macosx", "thumbs.db", "desktop.ini", "ehthumbs.db"})


@dataclass(frozen=True)
class ListedFile:
    """An ordinary file: ``name`` is its path below the folder, with slashes."""

    path: Path
    name: str
    size_bytes: int
    mtime_ns: int


@dataclass
class Listing:
    """``refused`` are links and odd files; ``unread`` are folders that could not be looked into;
    ``ignored`` counts hidden and system entries (a folder of them counts as one)."""

    files: list[ListedFile] = field(default_factory=list)
    refused: list[Remark] = field(default_factory=list)
    unread: list[Remark] = field(default_factory=list)
    ignored: int = 0


def ignored(name: str) -> bool:
    """Whether a file or folder of that name is hidden or the system's own."""
    return name.startswith(".") or name.casefold() in IGNORED_NAMES


def listing(folder: Path) -> Listing:
    """All files below ``folder``, an absolute path without links, at any depth.

    A link to a file inside the folder is that file; one that leaves the folder is refused, and
    links to folders are not followed. Raises BadInput for no folder, and for more than
    :data:`MAX_FILES` files.
    """
    if not folder.is_dir():
        raise BadInput(
            f"{shown_path(folder)} is not a folder. Choose the folder that holds the images."
        )
    inventory = Listing()
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        try:
            with os.scandir(current) as entries:
                inside = list(entries)
        except OSError as error:
            inventory.unread.append(Remark(_below(folder, current), _unread(error)))
            continue
        for entry in inside:
            if ignored(entry.name):
                inventory.ignored += 1
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            else:
                _sort_in(inventory, folder, Path(entry.path))
        if len(inventory.files) > MAX_FILES:
            raise BadInput(
                f"{folder} has more than {MAX_FILES:,} files. Choose a folder with fewer, or "
                "import its parts one after the other."
            )
    inventory.files.sort(key=lambda file: natural(file.name))
    inventory.refused.sort(key=lambda remark: natural(remark.where))
    return inventory


def natural(name: str) -> list[tuple[int, str]]:
    """A key to sort names by in which 2 comes before 10."""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _sort_in(inventory: Listing, folder: Path, path: Path) -> None:
    name = _below(folder, path)
    try:
        name.encode("utf-8")
        if path.is_symlink():
            real = path.resolve(strict=True)
            if not real.is_relative_to(folder):
                inventory.refused.append(Remark(name, "It is a link that leaves the folder."))
                return
            if real.is_dir():
                why = "It links to a folder inside this one, which is read in its own place."
                inventory.refused.append(Remark(name, why))
                return
        state = path.stat()
    except UnicodeEncodeError:
        name = name.encode("utf-8", "replace").decode("utf-8")
        inventory.refused.append(Remark(name, "Its name is not valid Unicode: rename it."))
    except (OSError, RuntimeError) as error:
        inventory.refused.append(Remark(name, _unread(error)))
    else:
        if not stat.S_ISREG(state.st_mode):
            inventory.refused.append(Remark(name, "It is not a regular file."))
        else:
            inventory.files.append(ListedFile(path, name, state.st_size, state.st_mtime_ns))


def _below(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _unread(error: Exception) -> str:
    return f"It cannot be read: {getattr(error, 'strerror', None) or error}."
