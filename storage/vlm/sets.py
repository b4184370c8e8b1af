"""Sets of questions about images: folders below ``questions/`` of the data folder."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from truehue.core.errors import NotStored, StorageError, TrueHueError
from truehue.core.files import replace_file, sync_folder
from truehue.core.vlm.question_set import (
    IMAGES,
    MANIFEST,
    QUESTIONS,
    QuestionSet,
    open_set,
    write_set,
)
from truehue.core.vlm.records import IllustratedQuestion

ID_LENGTH = 32
HIDDEN = "hidden.json"
_ID = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")


@dataclass(frozen=True)
class StoredQuestionSet:
    """A set, or the ``problem`` why its folder cannot be read. ``set_id`` is the beginning of its
    questions' SHA-256: the same questions about the same images are one set."""

    set_id: str
    questions: QuestionSet | None
    hidden: bool
    problem: str = ""


class QuestionSets:
    """The sets of a data folder; one is added once and never changed. Any thread may call."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._opened: dict[str, tuple[object, QuestionSet]] = {}
        self._lock = Lock()

    def add(
        self, items: Iterable[IllustratedQuestion], name: str, settings: Mapping[str, Any]
    ) -> tuple[str, bool]:
        """Writes a set whole or not at all, and returns its ``set_id``, and whether it is new; one
        that is here already stays as it is, unless it is damaged.

        Raises BadInput and DataFolderError as
        :func:`truehue.core.vlm.question_set.write_set`; what ``items`` raises ends it.
        """
        half = self.root / f".{secrets.token_hex(8)}.part"
        try:
            return self._take(half, write_set(half, items, name, settings))
        finally:
            shutil.rmtree(half, ignore_errors=True)

    def _take(self, half: Path, made: QuestionSet) -> tuple[str, bool]:
        set_id = made.sha256[:ID_LENGTH]
        index = self.root / set_id
        with self._lock:
            is_new = not index.exists()
            if not is_new and not self._is_whole(index):
                # The same questions, made again: what is damaged makes room for them.
                os.rename(index, self.root / f".{set_id}.{secrets.token_hex(4)}.part")
                self._opened.pop(set_id, None)
            if not index.exists():
                os.rename(half, index)
                sync_folder(self.root)
        return set_id, is_new

    def _is_whole(self, index: Path) -> bool:
        try:
            open_set(index)
        except TrueHueError:
            return False
        return True

    def all(self) -> list[StoredQuestionSet]:
        """All of them, newest first, also what is hidden or cannot be read."""
        hidden, rows = self._hidden(), []
        for path in self.root.glob("*/") if self.root.is_dir() else ():
            if not _ID.fullmatch(path.name) or not path.is_dir():
                continue
            questions, problem = None, ""
            try:
                questions = self._open(path)
            except TrueHueError as error:
                problem = str(error)
            stored = StoredQuestionSet(path.name, questions, path.name in hidden, problem)
            rows.append((_added_ns(path), stored))
        return [stored for _, stored in sorted(rows, key=lambda row: (-row[0], row[1].set_id))]

    def open(self, set_id: str) -> QuestionSet:
        """Raises NotStored for one that is not here, and BadInput and StorageError as
        :func:`truehue.core.vlm.question_set.open_set`."""
        return self._open(self._path(set_id))

    def hide(self, set_id: str, hidden: bool = True) -> None:
        """Takes a set out of the list, or puts it back. Raises NotStored and DataFolderError."""
        self._path(set_id)
        with self._lock:
            names = self._hidden() | {set_id} if hidden else self._hidden() - {set_id}
            replace_file(self.root / HIDDEN, (json.dumps(sorted(names)) + "\n").encode())

    def _path(self, set_id: str) -> Path:
        path = self.root / set_id
        if not _ID.fullmatch(set_id) or not path.is_dir():
            raise NotStored("That set of questions is not here. Reload the page.")
        return path

    def _open(self, path: Path) -> QuestionSet:
        """As it was read before where it is still the same: a set has thousands of lines."""
        mark = _mark(path)
        known = self._opened.get(path.name)
        if known is not None and known[0] == mark:
            return known[1]
        opened = open_set(path)
        if not opened.sha256.startswith(path.name):
            raise StorageError(f"{path} holds another set than its name says. Put a copy back.")
        self._opened[path.name] = (mark, opened)
        return opened

    def _hidden(self) -> set[str]:
        try:
            names = json.loads((self.root / HIDDEN).read_bytes())
        except (OSError, ValueError):
            return set()  # Only what is not shown is lost.
        return {str(name) for name in names} if isinstance(names, list) else set()


def _mark(path: Path) -> object:
    """Changes whenever the set does, or an image of it comes or goes."""
    parts = [path / MANIFEST, path / QUESTIONS]
    with suppress(OSError):
        parts += sorted((path / IMAGES).iterdir())
    marks = []
    for part in parts:
        with suppress(OSError):
            stat = part.stat()
            marks.append((part.name, stat.st_size, stat.st_mtime_ns))
    return tuple(marks)


def _added_ns(path: Path) -> int:
    try:
        return (path / MANIFEST).stat().st_mtime_ns
    except OSError:
        return 0
