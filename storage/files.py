"""Files that appear whole or not at all, in folders named by the first two characters."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from core.errors import DataFolderError


def prepare_folder(folder: Path | str) -> Path:
    """Make ``folder``, try that it can be written, and return its absolute path.

    Raises :class:`DataFolderError` where that cannot be done.
    """
    try:
        path = Path(folder).expanduser().resolve()
        path.mkdir(parents=True, exist_ok=True)
        # Permissions do not tell the truth everywhere (read-only mounts, network folders, the
        # administrator), so write something and see.
        trial = path / f".trial-{secrets.token_hex(8)}"
        trial.touch(exist_ok=False)
        trial.unlink()
    except (OSError, RuntimeError) as error:
        raise DataFolderError(
            f"The data folder {folder} cannot be used: {_why(error)}. "
            "Choose a folder that you may write to, or change its permissions."
        ) from error
    return path


def shelf(root: Path, sha256: str) -> Path:
    """Where the PNG named ``sha256`` lies below ``root``: ``root/ab/abcd….png``."""
    return root / sha256[:2] / f"{sha256}.png"


def write_once(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` unless a file is there already.

    The bytes go to a temporary name in the same folder, down to the disk, and only then get
    their name: whoever sees ``path`` sees all of it, after a crash too. Two threads that write
    the same file both succeed, because the name says what is in it. Raises
    :class:`DataFolderError` when the disk is full or the folder cannot be written.
    """
    if path.is_file():
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise DataFolderError(
            f"{path} cannot be written: {_why(error)}. Make room in the data folder or change "
            "its permissions, then try again."
        ) from error


def _sync_folder(folder: Path) -> None:
    """Bring the new name itself to the disk; Windows has no such call and needs none."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _why(error: Exception) -> str:
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "it is a file, or lies below one"
    return (getattr(error, "strerror", None) or str(error)).lower()
