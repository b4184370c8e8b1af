"""Pictures and masks of a run get a second name in the data folder, without a second copy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from truehue.core.errors import DataFolderError
from truehue.core.files import shelf, sync_folder, why_of, write_once


def bring(
    names: Iterable[str], source: Path, root: Path, elsewhere: Mapping[str, Path]
) -> list[str]:
    """Put the PNGs called ``names`` from below ``source`` below ``root``; return what is missing.

    A file that lies below ``root`` already stays. ``elsewhere`` says where else to look. Raises
    :class:`DataFolderError` when the disk is full or the folder cannot be written.
    """
    missing, folders = [], set()
    for name in names:
        target = shelf(root, name)
        if target.is_file():
            continue
        file = next(
            (
                path
                for path in (shelf(source, name), elsewhere.get(name))
                if path and path.is_file()
            ),
            None,
        )
        if file is None:
            missing.append(name)
        elif _link(file, target):
            folders.add(target.parent)
    for folder in folders:
        sync_folder(folder)
    return missing


def _link(source: Path, target: Path) -> bool:
    """Link ``target`` to a file, which is whole and never changed; copy it where links do not go.

    True where the new name has yet to be brought to the disk.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(source, target)
        return True
    except FileExistsError:
        return False
    except OSError:
        # Another disk, a file system without links, or too many of them.
        pass
    try:
        content = source.read_bytes()
    except OSError as error:
        raise DataFolderError(
            f"{source} cannot be read: {why_of(error)}. Change its permissions, then try again."
        ) from error
    write_once(target, content)
    return False
