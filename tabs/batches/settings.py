"""Settings of batches outside their plans: one record per batch, in one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import RLock
from typing import Generic, TypeVar

from truehue.core.files import replace_file

SETTINGS_FILE = "keeper.json"


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """``owner`` started or imported the batch on the page, and may change it; empty for batches of
    the command line. ``hidden`` ones are left out of the list."""

    owner: str = ""
    hidden: bool = False


S = TypeVar("S", bound=BatchSettings)


class SettingsFile(Generic[S]):
    """Settings of the batches of a folder, by their ids. For any thread."""

    def __init__(self, path: Path, settings_type: Callable[..., S]) -> None:
        self._path, self._type = path, settings_type
        self._by_id: dict[str, S] | None = None
        self._lock = RLock()

    def of(self, run_id: str) -> S:
        """The settings of a batch, or the defaults."""
        with self._lock:
            settings = self._all().get(run_id)
        return self._type() if settings is None else settings

    def save(self, run_id: str, settings: S) -> None:
        """Raises DataFolderError where the file cannot be written."""
        with self._lock:
            by_id = self._all()
            by_id[run_id] = settings
            rows = {key: asdict(value) for key, value in by_id.items()}
            replace_file(self._path, (json.dumps(rows, indent=1) + "\n").encode())

    def _all(self) -> dict[str, S]:
        if self._by_id is None:
            self._by_id = {}
            try:
                rows = json.loads(self._path.read_bytes())
            except FileNotFoundError:
                return self._by_id
            except (OSError, ValueError):
                # Saved under another name: the next write replaces the file.
                with suppress(OSError):
                    self._path.rename(self._path.with_suffix(".damaged.json"))
                return self._by_id
            for run_id, row in rows.items() if isinstance(rows, dict) else ():
                with suppress(TypeError, ValueError):  # one bad record leaves the others readable
                    self._by_id[run_id] = self._type(**row)
        return self._by_id
