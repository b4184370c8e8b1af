"""Staging of files and folders that a browser uploads, before they are stored."""

from __future__ import annotations

import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from truehue.core.errors import BadInput

MAX_STAGED_FILES = 50_000
MAX_STAGED_BYTES = 20 * 2**30
MAX_PATH_CHARACTERS = 400
IDLE_S = 3600.0
"""What nobody has used for so long makes room for what others send."""
_SESSION = re.compile("[0-9a-f]{32}")


@dataclass
class _Session:
    """What one page has sent: the bytes of each file by its path, and when it was last used."""

    sizes: dict[tuple[str, ...], int] = field(default_factory=dict)
    total_bytes: int = 0
    used_at: float = 0.0

    def count(self, parts: tuple[str, ...], size: int | None) -> None:
        """Counts a file in the place of the one before; None where there is none any more."""
        self.total_bytes += (size or 0) - self.sizes.pop(parts, 0)
        if size is not None:
            self.sizes[parts] = size


class Staging:
    """Folders that a browser sends file by file, below the data folder until they are imported.

    A session that was not used for an hour goes when the next file comes, unless work is at it.
    Any thread may call.
    """

    def __init__(self, folder: Path, max_bytes: int = MAX_STAGED_BYTES) -> None:
        self._folder, self._most = folder, max_bytes
        self._sessions: dict[str, _Session] = {}
        self._users: Counter[str] = Counter()
        self._lock = Lock()

    def folder(self, session: str) -> Path:
        """Where the files of a session lie; raises BadInput for what is no session."""
        if not _SESSION.fullmatch(session):
            raise BadInput("The page sent no session. Reload the page.")
        with self._lock:
            if session in self._sessions:
                self._sessions[session].used_at = time.monotonic()
        return self._folder / session

    @contextmanager
    def in_use(self, session: str) -> Iterator[None]:
        """While work is at the files of a session they stay, however long it takes."""
        with self._lock:
            self._users[session] += 1
        try:
            yield
        finally:
            with self._lock:
                self._users[session] -= 1
                if not self._users[session]:
                    del self._users[session]
                if session in self._sessions:
                    self._sessions[session].used_at = time.monotonic()

    def take(self, session: str, path: str, file: Path) -> None:
        """Keeps an uploaded file under its path inside the folder that was chosen.

        Raises BadInput for a path that leads elsewhere, or too many files.
        """
        folder = self.folder(session)
        parts = tuple(part for part in path.replace("\\", "/").split("/") if part not in ("", "."))
        bad = not parts or ".." in parts or len(path) > MAX_PATH_CHARACTERS
        if bad or any("\0" in part or len(part.encode()) > 255 for part in parts):
            raise BadInput(f"The file name {path[:80]!r} cannot be used.")
        size = file.stat().st_size
        self._reserve(session, parts, size)
        target = folder.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        except BaseException as error:
            with suppress(OSError):  # a folder stays
                target.unlink()
            with self._lock:
                self._session(session).count(parts, None)
            if isinstance(error, (FileExistsError, IsADirectoryError, NotADirectoryError)):
                raise BadInput(f"{path[:80]!r} is a file and a folder at once.") from None
            raise
        with self._lock:  # again: the session may have been cleared meanwhile
            self._session(session).count(parts, size)

    def _reserve(self, session: str, parts: tuple[str, ...], size: int) -> None:
        """Counts a file that is about to be written. Raises BadInput where there is no room."""
        with self._lock:
            # It is in use now, so that only others go.
            own = self._session(session)
            self._expire()
            before = own.sizes.get(parts)
            held_bytes = sum(other.total_bytes for other in self._sessions.values())
            if (before is None and len(own.sizes) >= MAX_STAGED_FILES) or (
                held_bytes - (before or 0) + size > self._most
            ):
                raise BadInput(
                    f"More than {MAX_STAGED_FILES:,} files or {self._most // 2**30} GB "
                    "wait here. Import a part of the folder, or put it on the machine of the app "
                    "and name its path."
                )
            own.count(parts, size)

    def _session(self, session: str) -> _Session:
        """What a session has sent, in use as of now. The caller holds the lock."""
        own = self._sessions.setdefault(session, _Session())
        own.used_at = time.monotonic()
        return own

    def _expire(self) -> None:
        """Takes away what nobody has used for long. The caller holds the lock."""
        oldest = time.monotonic() - IDLE_S
        for session, sent in list(self._sessions.items()):
            if sent.used_at < oldest and not self._users[session]:
                shutil.rmtree(self._folder / session, ignore_errors=True)
                del self._sessions[session]

    def clear(self, session: str) -> None:
        """Takes the files of a session away."""
        folder = self.folder(session)
        with self._lock:
            shutil.rmtree(folder, ignore_errors=True)
            self._sessions.pop(session, None)

    def clear_all(self) -> None:
        """Takes away what an earlier run of the app has left."""
        shutil.rmtree(self._folder, ignore_errors=True)
