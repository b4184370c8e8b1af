"""The files of a folder or a zip file: nothing outside of it, nothing hidden, in natural order."""

from __future__ import annotations

import os
import re
import shutil
import stat
import unicodedata
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Event

from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import DAMAGED_ZIP, shown_path
from truehue.core.generation.request import Cancelled
from truehue.core.image_sets.records import MAX_FILE_BYTES, Remark

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


def plain(name: str) -> str:
    """One spelling for names that look the same: macOS takes accents and letters apart."""
    return unicodedata.normalize("NFC", name)


MAX_TOTAL_BYTES = 32 * 2**30
# Images hardly shrink in a zip file; a file of zeros shrinks a thousandfold.
_MAX_RATIO = 100
_RATIO_FROM_BYTES = 256 * 2**20
_CHUNK = 2**20
# A drive of Windows, and control characters.
_ODD = re.compile(r"^[A-Za-z]:|[\x00-\x1f\x7f]")


def unpacked(
    zip_path: Path,
    into: Path,
    *,
    max_files: int = MAX_FILES,
    max_file_bytes: int = MAX_FILE_BYTES,
    max_total_bytes: int = MAX_TOTAL_BYTES,
    stop: Event | None = None,
) -> Path:
    """Unpacks ``zip_path`` into the folder ``into``, which is made, and returns it.

    Hidden and system files are excluded. Raises BadInput, and leaves no ``into`` behind, for a
    file that is no zip file or is damaged, an encrypted one, paths that leave the folder, links,
    a name that stands twice, and more or larger files than the limits, whatever the header says;
    DataFolderError if ``into`` exists already or cannot be written; Cancelled once ``stop`` is
    set.
    """
    into = Path(into)
    name = Path(zip_path).name
    try:
        with zipfile.ZipFile(zip_path) as archive:
            members = _checked(archive, name, max_files, max_file_bytes, max_total_bytes)
            _refuse_bomb(archive, name)
            try:
                into.mkdir(parents=True)
            except OSError as error:
                raise DataFolderError(
                    f"{into} cannot be created: {error.strerror or error}. Choose a new folder."
                ) from error
            try:
                bytes_left = max_total_bytes
                for member, path in members:
                    bytes_left -= _write(
                        archive, member, into / path, min(bytes_left, max_file_bytes), stop
                    )
            except BaseException:
                shutil.rmtree(into, ignore_errors=True)
                raise
    except DAMAGED_ZIP as error:
        raise BadInput(
            f"{name} is not a readable zip file ({error}). Pack or download it again."
        ) from error
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror or error}.") from error
    return into


def _checked(
    archive: zipfile.ZipFile, name: str, max_files: int, max_file_bytes: int, max_total_bytes: int
) -> list[tuple[zipfile.ZipInfo, PurePosixPath]]:
    """The files to unpack and where; nothing has been written yet."""
    infos = archive.infolist()
    if len(infos) > max_files:
        raise BadInput(f"{name} holds {len(infos):,} entries; {max_files:,} are the limit.")
    members: list[tuple[zipfile.ZipInfo, PurePosixPath]] = []
    seen: set[str] = set()
    total = 0
    for info in infos:
        if info.is_dir():
            continue
        path = _path_of(info, name)
        if any(ignored(part) for part in path.parts):
            continue
        if stat.S_ISLNK(info.external_attr >> 16):
            raise BadInput(
                f"{name} holds a link ({_member_name(info)}): pack the files themselves."
            )
        if info.flag_bits & 1:
            raise BadInput(f"{name} is encrypted: pack it without a password.")
        if str(path) in seen:
            raise BadInput(f"{_member_name(info)} occurs twice in {name}: pack it again.")
        seen.add(str(path))
        total += info.file_size
        if info.file_size > max_file_bytes:
            raise BadInput(_too_large(info, name, max_file_bytes))
        if total > max_total_bytes:
            raise BadInput(f"{name} would unpack to more than {_size(max_total_bytes)}: split it.")
        members.append((info, path))
    if not members:
        raise BadInput(f"{name} holds no files.")
    return members


def _path_of(info: zipfile.ZipInfo, name: str) -> PurePosixPath:
    # Some Windows programs write backslashes. The original name may hold what zipfile cut off.
    raw_name = info.orig_filename.replace("\\", "/")
    path = PurePosixPath(raw_name)
    if path.is_absolute() or not path.parts or ".." in path.parts or _ODD.search(raw_name):
        raise BadInput(
            f"{name} holds the path {_member_name(info)}, which may leave the folder: pack it "
            "again with plain names."
        )
    return path


def _refuse_bomb(archive: zipfile.ZipFile, name: str) -> None:
    infos = archive.infolist()
    total = sum(info.file_size for info in infos)
    packed = max(1, sum(info.compress_size for info in infos))
    if total > _RATIO_FROM_BYTES and total > _MAX_RATIO * packed:
        raise BadInput(
            f"{name} would grow {total // packed:,}-fold to {_size(total)}, more than images "
            "ever do. It was not unpacked."
        )


def _write(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, limit: int, stop: Event | None
) -> int:
    """Writes one file and returns its size. The bytes are counted, not believed."""
    written = 0
    with archive.open(info) as source:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as target:
                while chunk := source.read(_CHUNK):
                    if stop is not None and stop.is_set():
                        raise Cancelled
                    written += len(chunk)
                    if written > limit:
                        raise BadInput(_too_large(info, archive.filename or "The file", limit))
                    target.write(chunk)
        except OSError as error:
            raise DataFolderError(
                f"{path.name[:80]} cannot be unpacked: {error.strerror or error}. Make room, or "
                "pack it with shorter names."
            ) from error
    return written


def _too_large(info: zipfile.ZipInfo, name: str, limit: int) -> str:
    return (
        f"{_member_name(info)} in {Path(name).name} is larger than {_size(limit)}: remove it from "
        "the archive."
    )


def _member_name(info: zipfile.ZipInfo) -> str:
    return repr(info.filename[:120])


def _size(count: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} bytes"
