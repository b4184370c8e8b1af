"""Files of folders that a browser sends, on their way into storage."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from threading import Lock

from core.errors import BadInput

MOST_STAGED_FILES = 50_000
MOST_STAGED_BYTES = 20 * 2**30
MOST_PATH_CHARACTERS = 400
_SESSION = re.compile("[0-9a-f]{32}")


class Staging:
    """Folders that a browser sends file by file, below the data folder until they are imported."""

    def __init__(self, folder: Path, most_bytes: int = MOST_STAGED_BYTES) -> None:
        self._folder, self._most = folder, most_bytes
        self._held: dict[str, tuple[int, int]] = {}  # files and bytes of each session
        self._lock = Lock()

    def folder(self, session: str) -> Path:
        """Where the files of a session lie; raises BadInput for what is no session."""
        if not _SESSION.fullmatch(session):
            raise BadInput("The page sent no session. Reload the page.")
        return self._folder / session

    def take(self, session: str, path: str, file: Path) -> None:
        """Keeps an uploaded file under its path inside the folder that was chosen.

        Raises BadInput for a path that leads elsewhere, or too many files.
        """
        folder = self.folder(session)
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        bad = not parts or ".." in parts or len(path) > MOST_PATH_CHARACTERS
        if bad or any("\0" in part or len(part.encode()) > 255 for part in parts):
            raise BadInput(f"The file name {path[:80]!r} cannot be used.")
        size = file.stat().st_size
        with self._lock:
            files, held = self._held.get(session, (0, 0))
            everything = sum(taken for _, taken in self._held.values())
            if files >= MOST_STAGED_FILES or everything + size > self._most:
                raise BadInput(
                    f"More than {MOST_STAGED_FILES:,} files or {self._most // 2**30} GB "
                    "wait here. Import a part of the folder, or put it on the machine of the app "
                    "and name its path."
                )
            self._held[session] = (files + 1, held + size)
        target = folder.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            raise BadInput(f"{path[:80]!r} is a file and a folder at once.") from None

    def clear(self, session: str) -> None:
        """Takes the files of a session away."""
        shutil.rmtree(self.folder(session), ignore_errors=True)
        with self._lock:
            self._held.pop(session, None)

    def clear_all(self) -> None:
        """Takes away what an earlier run of the app has left."""
        shutil.rmtree(self._folder, ignore_errors=True)
