"""The file of a backup: a ZIP of stored files, its manifest, and a checksum of every byte.

The last entry is ``manifest.jsonl``. Its first line describes the backup; each further line has the
name, size, SHA-256 and time of a file. A second name of the same file names the first as
``copy_of`` and has no entry. The ZIP's comment ends with the SHA-256 of all bytes before it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any, Self

from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.files import DAMAGED_ZIP, file_problem
from truehue.core.version import VERSION

FORMAT, FORMAT_VERSION = "truehue-backup", 1
MANIFEST = "manifest.jsonl"
_SEAL = b"truehue-backup sha256 "
_DIGEST = 64
_CHUNK = 2**20
_LARGE = 2**30
_LINE = 2**16
_DAMAGED: tuple[type[Exception], ...] = (
    *DAMAGED_ZIP,
    ValueError,
    LookupError,
    TypeError,
    StopIteration,
)

ReportBytes = Callable[[int], None]
"""Called with the number of bytes that were just read; raises to end the work."""


@dataclass(frozen=True)
class BackupFacts:
    """What a backup is of: ``step`` is the database's newest, ``created_at`` UTC in ISO 8601,
    ``size_bytes`` what its files take when they are restored."""

    step: int
    created_at: str
    truehue: str = VERSION
    files: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a backup. ``private``: only its owner may read it."""

    name: str
    size: int
    sha256: str
    mtime_ns: int
    private: bool = False
    copy_of: str = ""


class BackupWriter:
    """Writes a backup to ``file``, which is open for that and empty."""

    def __init__(self, file: IO[bytes], report: ReportBytes) -> None:
        self._file, self._report = _Sealed(file), report
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED)
        self._linked: dict[tuple[int, int], Member] = {}
        self.members: dict[str, Member] = {}

    def add(self, name: str, path: Path) -> bool:
        """Copy a file as it is now; False where there is none any more.

        Raises DataFolderError where it cannot be read, and OSError where the backup cannot be
        written.
        """
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return False
        except OSError as error:
            raise DataFolderError(f"{path} cannot be read: {file_problem(error)}.") from error
        with file:
            fstat = os.fstat(file.fileno())
            key = (fstat.st_dev, fstat.st_ino)
            first = self._linked.get(key) if fstat.st_nlink > 1 else None
            private = not fstat.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            size, sha256 = (
                (first.size, first.sha256)
                if first
                else self._store(name, file, fstat.st_size > _LARGE)
            )
            suffix = first.name if first else ""
            member = Member(name, size, sha256, fstat.st_mtime_ns, private, suffix)
        if fstat.st_nlink > 1 and first is None:
            self._linked[key] = member
        self.members[name] = member
        return True

    def _store(self, name: str, file: IO[bytes], large: bool) -> tuple[int, str]:
        digest, size = hashlib.sha256(), 0
        with self._zip.open(zipfile.ZipInfo(name), "w", force_zip64=large) as entry:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                entry.write(chunk)
                size += len(chunk)
                self._report(len(chunk))
        return size, digest.hexdigest()

    def finish(self, step: int, created_at: str) -> BackupFacts:
        """Write the manifest and the checksum: the backup is whole. Raises OSError."""
        sizes = [member.size for member in self.members.values()]
        facts = BackupFacts(step, created_at, files=len(sizes), size_bytes=sum(sizes))
        with self._zip.open(zipfile.ZipInfo(MANIFEST), "w", force_zip64=True) as entry:
            entry.write(_line({"format": FORMAT, "version": FORMAT_VERSION, **asdict(facts)}))
            for member in self.members.values():
                entry.write(_line(asdict(member)))
        self._zip.comment = _SEAL + b"0" * _DIGEST
        self._zip.close()
        self._file.seal()
        return facts

    def close(self) -> None:
        """Write no more; of one that was not finished nothing is left to write."""
        self._file.drop()
        self._zip.close()


class _Sealed:
    """A file that is written from its begin to its end, and counts all but its last bytes into the
    checksum that replaces these."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._sha256, self._rest = file, hashlib.sha256(), b""
        self._dropped = False

    def write(self, data: bytes) -> int:
        if self._dropped:
            return len(data)
        self._file.write(data)
        pending = self._rest + data
        self._sha256.update(pending[:-_DIGEST])
        self._rest = pending[-_DIGEST:]
        return len(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """Whoever opened the file closes it."""

    def drop(self) -> None:
        self._dropped = True

    def seal(self) -> None:
        self._file.seek(-_DIGEST, os.SEEK_END)
        self._file.write(self._sha256.hexdigest().encode())


class BackupReader:
    """A backup that is open for reading: every byte of it was compared with its checksum.

    Raises BadInput where it is none, is damaged, or of a newer TrueHue; and DataFolderError where
    it cannot be read.
    """

    def __init__(self, path: Path, report: ReportBytes) -> None:
        self._path, self._report = path, report
        try:
            _require_sealed(path, report)
            self._zip = zipfile.ZipFile(path)
        except TrueHueError:
            raise
        except OSError as error:
            raise DataFolderError(f"{path} cannot be read: {file_problem(error)}.") from error
        except _DAMAGED as error:
            raise self._damaged() from error
        try:
            self.facts, self.members = self._manifest()
        except BaseException:
            self.close()
            raise

    def extract(self, member: Member, goal: Path) -> None:
        """Write a file of it to ``goal``, which is not there yet. Raises BadInput where it is not
        what the manifest says, and OSError."""
        digest = hashlib.sha256()
        try:
            with self._zip.open(member.name) as entry, goal.open("xb") as file:
                if member.private:
                    os.chmod(goal, 0o600)
                while chunk := entry.read(_CHUNK):
                    digest.update(chunk)
                    file.write(chunk)
                    self._report(len(chunk))
        except _DAMAGED as error:
            raise self._damaged(member.name) from error
        if digest.hexdigest() != member.sha256:
            raise self._damaged(member.name)
        os.utime(goal, ns=(member.mtime_ns, member.mtime_ns))

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _manifest(self) -> tuple[BackupFacts, dict[str, Member]]:
        try:
            lines = self._lines()
            head = next(lines)
            if head["format"] != FORMAT:
                raise _foreign(self._path)
            if head["version"] != FORMAT_VERSION:
                raise BadInput(
                    f"{self._path} was written by a newer TrueHue ({str(head['truehue'])[:20]}), "
                    "in a form that this one does not know. Update TrueHue, then try again."
                )
            facts = BackupFacts(
                step=int(head["step"]),
                created_at=str(head["created_at"]),
                truehue=str(head["truehue"]),
                files=int(head["files"]),
                size_bytes=int(head["size_bytes"]),
            )
            members = {member.name: member for member in (Member(**line) for line in lines)}
            self._require_fitting(facts, members)
        except TrueHueError:
            raise
        except _DAMAGED as error:
            raise self._damaged() from error
        return facts, members

    def _lines(self) -> Iterator[dict[str, Any]]:
        with self._zip.open(MANIFEST) as entry:
            while line := entry.readline(_LINE):
                yield json.loads(line)

    def _require_fitting(self, facts: BackupFacts, members: dict[str, Member]) -> None:
        """Raises ValueError where manifest and entries differ, or a name leads elsewhere."""
        entries = {info.filename: info for info in self._zip.infolist()}
        stored = {name: member for name, member in members.items() if not member.copy_of}
        if len(members) != facts.files or entries.keys() != {MANIFEST, *stored}:
            raise ValueError("entries")
        for name, member in members.items():
            if not _is_plain(name) or (member.copy_of and member.copy_of not in stored):
                raise ValueError(name)
        for name, member in stored.items():
            if entries[name].file_size != member.size or entries[name].compress_type:
                raise ValueError(name)

    def _damaged(self, name: str = "") -> BadInput:
        location = f", in {name[:200]!r}" if name else ""
        return BadInput(
            f"{self._path} is damaged{location}: it is not what TrueHue wrote. Nothing was restored. "
            "Take another backup, or copy this one again from where it came."
        )


def _require_sealed(path: Path, report: ReportBytes) -> None:
    """Return if the checksum at the end of the file is that of all bytes before it.

    Raises BadInput, and OSError.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = os.fstat(file.fileno()).st_size - _DIGEST
        tail = b""
        while left > 0:
            chunk = file.read(min(_CHUNK, left))
            if not chunk:
                break
            digest.update(chunk)
            tail = (tail + chunk)[-len(_SEAL) :]
            left -= len(chunk)
            report(len(chunk))
        sealed = file.read(_DIGEST)
    if tail != _SEAL:
        raise _foreign(path)
    if sealed != digest.hexdigest().encode():
        raise BadInput(
            f"{path} is damaged: its checksum is not that of its bytes. Nothing was restored. Take "
            "another backup, or copy this one again from where it came."
        )


def _foreign(path: Path) -> BadInput:
    return BadInput(
        f"{path} is no whole backup of TrueHue: it is another file, or was cut off. Take another "
        "backup, or copy this one again from where it came."
    )


def _is_plain(name: str) -> bool:
    """Whether a name stays in the folder that it is restored to, on any system."""
    parts = PurePosixPath(name).parts
    return (
        name not in ("", MANIFEST)
        and name == "/".join(parts)
        and not name.startswith("/")
        and all(part not in (".", "..") for part in parts)
        and not set(name) & set("\\:\0")
    )


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"
