"""The data of a Hugging Face Space, kept as a backup in the storage bucket that is mounted there.

A Space forgets its disk at every restart. A mounted bucket stays, but a file in it is stored only
when it is closed (https://github.com/huggingface/hf-mount, *Consistency model*), and a database is
open as long as the app runs. So the data folder lies on the Space's own disk. A backup goes to the
bucket soon after each change, as one whole file, and a start without data restores it.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from pathlib import Path
from threading import Event, Thread

from truehue.core.errors import TrueHueError
from truehue.core.files import file_stamp, whole_file
from truehue.core.space import BUCKET_BACKUP, BUCKET_FOLDER
from truehue.storage.backup.backup import size_text
from truehue.storage.backup.contents import BACKUPS
from truehue.storage.backup.restore import restore
from truehue.storage.database.connection import DATABASE_NAME
from truehue.storage.store import Storage
from truehue.tabs.feature import AppParts

log = logging.getLogger("truehue")

LOOK_S = 1.0
MIN_PAUSE_S, PAUSE_RATIO = 20.0, 10
"""The pause after a backup: so many times as long as it took, but at least so long."""


def bucket_folder() -> Path | None:
    """The folder of the bucket: ``TRUEHUE_BUCKET``, in a Space by default :data:`BUCKET_FOLDER`;
    None where there is no such folder, or none that can be written."""
    default = BUCKET_FOLDER if os.environ.get("SPACE_ID") else ""
    folder = os.environ.get("TRUEHUE_BUCKET", default)
    return Path(folder) if folder and os.access(folder, os.W_OK) else None


def restore_from_bucket(data: Path) -> bool:
    """Make the data folder from the bucket's backup, where there is one and no database yet;
    returns whether it did. Raises as :func:`truehue.storage.backup.restore.restore`."""
    bucket = bucket_folder()
    if bucket is None or not (bucket / BUCKET_BACKUP).is_file() or (data / DATABASE_NAME).exists():
        return False
    restore(bucket / BUCKET_BACKUP, data)
    return True


class BucketBackup:
    """Backs the data folder up to a bucket after each change, in a thread of its own."""

    def __init__(self, storage: Storage, bucket: Path | None) -> None:
        self._storage, self._bucket = storage, bucket
        self._end = Event()
        self._thread: Thread | None = None
        self._saved: tuple[int, int] | None = None

    @classmethod
    def of(cls, parts: AppParts) -> BucketBackup:
        """The one of an app; a demonstration keeps nothing."""
        return cls(parts.storage, bucket_folder() if parts.shared is None else None)

    def begin(self, restored: bool = False) -> bool:
        """Whether there is a bucket: from now on, changes are backed up to it. Data that was not
        ``restored`` from it is backed up at once."""
        if self._bucket is None:
            return False
        for half in self._bucket.glob(f".{BUCKET_BACKUP}.*.part"):
            half.unlink(missing_ok=True)  # of an app that was killed
        self._saved = self._state() if restored else None
        self._thread = Thread(target=self._keep, name="truehue-bucket", daemon=True)
        self._thread.start()
        return True

    def close(self) -> None:
        """Backs up what has changed since the last time."""
        if self._thread is None:
            return
        self._end.set()
        self._thread.join()
        self._thread = None
        self._save()

    def _keep(self) -> None:
        pause_s = 0.0
        while not self._end.wait(max(LOOK_S, pause_s)):
            started = time.monotonic()
            pause_s = 0.0
            if self._save():
                pause_s = max(MIN_PAUSE_S, PAUSE_RATIO * (time.monotonic() - started))

    def _save(self) -> bool:
        """Whether there was a change; one that cannot be backed up is tried again."""
        state = self._state()
        if state == self._saved or self._bucket is None:
            return False
        local = self._storage.data_dir / BACKUPS / BUCKET_BACKUP
        try:
            local.parent.mkdir(mode=0o700, exist_ok=True)
            report = self._storage.write_backup(local, replace=True)
            # A backup is checked on the disk. The bucket gets it in one go, without a step back.
            with local.open("rb") as source, whole_file(self._bucket / BUCKET_BACKUP) as target:
                shutil.copyfileobj(source, target, 2**20)
        except (TrueHueError, OSError) as error:
            log.error("The data could not be backed up to the bucket: %s", error)
            return True
        finally:
            local.unlink(missing_ok=True)
        self._saved = state
        log.info("Backed up to the bucket: %s.", size_text(report.file_bytes))
        return True

    def _state(self) -> tuple[int, int]:
        """What changes with every confirmed transaction."""
        return file_stamp(self._storage.data_dir / f"{DATABASE_NAME}.confirmed")
