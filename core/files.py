"""Files that are written completely or not at all, in folders of two-character prefixes."""

from __future__ import annotations

import contextlib
import errno
import io
import lzma
import os
import secrets
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from truehue.core.errors import BadInput, DataFolderError, StorageError

ReportProgress = Callable[[int, int], None]
"""Called now and then with how many are done, and of how many; raises to end the work."""
DAMAGED_ZIP: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    UnicodeDecodeError,
)
"""Errors of :mod:`zipfile` for a damaged file, or an unknown compression."""
MAX_JSON_VALUES = 1_000_000
"""Of one JSON text: a value is two bytes long, and a hundred in memory."""
_SHOWN_CHARACTERS = 200


def json_values(data: bytes) -> int:
    """How many values a JSON text, or a part of one, may have at most. It is counted before the
    text is parsed: each value but the first follows a comma or opens an object or a list."""
    return sum(map(data.count, (b",", b"{", b"[")))


def is_damaged_zip(error: Exception) -> bool:
    """Whether :mod:`zipfile` raises this for a damaged file, also for one whose directory points
    before its beginning, where no file can be read."""
    before = isinstance(error, OSError) and error.errno == errno.EINVAL
    return before or isinstance(error, DAMAGED_ZIP)


def named_path(text: str | Path) -> Path:
    """The path that a person names, ``~`` for a home; there may be nothing at it. Raises BadInput
    for a text that is no path: too long, with a NUL, or with the home of nobody."""
    try:
        if "\0" in str(text):
            raise ValueError("a path has no NUL")
        path = Path(text).expanduser()
        path.resolve()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        why = shown_path(file_problem(error).rstrip("."))
        raise BadInput(f"{shown_path(text)} cannot be read: {why}.") from None
    return path


def shown_path(path: str | Path) -> str:
    """A path as a message names it: the end of a long one."""
    text = str(path)
    return text if len(text) <= _SHOWN_CHARACTERS else f"… {text[-_SHOWN_CHARACTERS:]}"


def content_path(root: Path, sha256: str) -> Path:
    """Where the PNG named ``sha256`` lies below ``root``: ``root/ab/abcd….png``."""
    return root / sha256[:2] / f"{sha256}.png"


def file_stamp(path: Path) -> tuple[int, int]:
    """Size in bytes and time of change in nanoseconds of a file, zeros where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_size, stat.st_mtime_ns


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
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise DataFolderError(
            f"{path} cannot be written: {file_problem(error)}. Make room in the data folder or change "
            "its permissions, then try again."
        ) from error


def sweep(root: Path) -> int:
    """Takes away what a process that was killed left half written below the shelves of ``root``,
    or in it, files and folders; returns how many. Only for who knows that nobody writes there."""
    paths = [*root.glob(".*.part"), *root.glob("*/.*.part")]
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return len(paths)


def read_png(path: Path, mode: str) -> np.ndarray:
    """Return what a file of ours holds: uint8 for ``RGB``, ``RGBA`` and ``L``, bool for ``1``.

    Raises :class:`StorageError` if the file is gone, broken, or of another mode.
    """
    from PIL import Image  # whoever writes files needs no images

    try:
        with Image.open(path, formats=["PNG"]) as image:
            image.load()
            if image.mode == mode:
                return np.array(image)
            why = f"it has the mode {image.mode} instead of {mode}"
    except FileNotFoundError as error:
        raise StorageError(
            f"{path} is gone. Put a copy back, or add the same pixels again."
        ) from error
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        why = str(error)
    raise StorageError(
        f"{path} is broken ({why}). Put a copy back, or move it away and add the same pixels again."
    )


def png_of(pixels: np.ndarray, *, srgb: bool = False, level: int = 4) -> bytes:
    """uint8 ``(H, W)``, or ``(H, W, C)`` with two to four channels, as a lossless PNG:
    :func:`read_png` reads it as ``L``, ``LA``, ``RGB`` or ``RGBA``.

    ``srgb`` marks it as sRGB, for whoever shows it; ``level`` is zlib's, 0 to 9.
    """
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    marks = PngInfo()
    if srgb:
        marks.add(b"sRGB", b"\x01")  # relative colorimetric
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", pnginfo=marks, compress_level=level)
    return buffer.getvalue()


def sync_folder(folder: Path) -> None:
    """Bring the new name itself to the disk; Windows has no such call and needs none."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_problem(error: Exception) -> str:
    """A message about the problem of a file."""
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "it is a file, or lies below one"
    return (getattr(error, "strerror", None) or str(error)).lower()


def replace_file(path: Path, content: bytes) -> None:
    """Writes ``content`` in place of what stood there. Raises DataFolderError."""
    half = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with half.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error


def ignore_progress(*progress: object) -> None:
    """For work that nobody watches."""


@contextlib.contextmanager
def whole_file(path: Path | str) -> Iterator[IO[bytes]]:
    """A file to write to that gets its name only when the block ends well.

    Raises DataFolderError when the folder is not there or takes no file.
    """
    path = Path(path)
    half = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with half.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as error:
        raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error
    finally:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder to write to that takes the place of ``path`` only when the block ends well:
    until then, and if it does not, what stood there stays.

    Raises DataFolderError when it cannot be written. Killed in the very middle of the exchange, it
    leaves what stood there beside it, as ``.NAME.….old``.
    """
    token = secrets.token_hex(8)
    half, old = (path.with_name(f".{path.name}.{token}.{end}") for end in ("part", "old"))
    try:
        half.mkdir(parents=True)
        yield half
        for written in half.rglob("*"):
            if written.is_file():
                with written.open("rb") as file:
                    os.fsync(file.fileno())
        if path.exists():
            os.rename(path, old)
        os.rename(half, path)
        sync_folder(path.parent)
    except OSError as error:
        raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error
    finally:
        if not path.exists() and old.exists():
            with contextlib.suppress(OSError):
                os.rename(old, path)
        shutil.rmtree(half, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
