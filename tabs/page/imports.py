"""Images drawn elsewhere, on their way into storage: one background job for each folder."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from core.errors import BadInput
from tabs.page.errors import message_of

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


class Imports:
    """The running and finished imports, by id."""

    def __init__(self) -> None:
        self._jobs: dict[str, ImportJob] = {}
        self._lock = Lock()

    def start(self, work: Callable[[ImportJob], dict[str, Any]]) -> str:
        """Runs ``work`` in a thread of its own and returns the job's id."""
        job = ImportJob(work)
        with self._lock:
            if sum(not other.finished for other in self._jobs.values()) >= 2:
                raise BadInput("Two imports are running. Wait until one of them has ended.")
            self._jobs[job.id] = job
            while len(self._jobs) > 50:
                self._jobs.pop(next(iter(self._jobs)))
        job.thread.start()
        return job.id

    def get(self, job_id: str) -> ImportJob:
        """The job of that id; raises BadInput for one that is not known (any more)."""
        try:
            return self._jobs[job_id]
        except KeyError:
            raise BadInput("That import is not known any more. Start it again.") from None

    def close(self) -> None:
        """Cancels all imports and waits for their threads."""
        for job in list(self._jobs.values()):
            job.stop.set()
        for job in list(self._jobs.values()):
            job.thread.join(10)


class ImportJob:
    """One import: how far it is, and its report when it has ended."""

    def __init__(self, work: Callable[[ImportJob], dict[str, Any]]) -> None:
        self.id = uuid.uuid4().hex
        self.stop = Event()
        self.position, self.total, self.stored = 0, 0, 0
        self.doing = ""
        self.finished = False
        self.report: dict[str, Any] = {}
        self.problem = ""
        self._work = work
        self.thread = Thread(target=self._run, name="truehue-import", daemon=True)

    def _run(self) -> None:
        try:
            self.report = self._work(self)
        except Exception as error:
            self.problem = message_of(error)
            self.report = {"title": self.problem, "counts": [[self.stored, "stored before that"]],
                           "lists": []}  # fmt: skip
        finally:
            self.finished = True

    def as_json(self) -> dict[str, Any]:
        """The job as the page shows it."""
        if not self.finished and self.doing:
            words = f"{self.doing}: {self.position:,} of {self.total:,} pictures"
        elif not self.finished:
            words = f"{self.position:,} of {self.total:,} files, {self.stored:,} images stored"
        elif self.problem:
            words = self.problem
        else:
            words = "Cancelled. What was stored stays." if self.stop.is_set() else "Done."
        return {"finished": self.finished, "words": words, "report": self.report}
