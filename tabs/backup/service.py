"""Backups of the data folder that admins make from the page, in the folder ``backups`` in it.

TrueHue keeps the latest backup, and those that it made automatically before an update.
"""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from truehue.core.errors import NotAllowed, NotStored
from truehue.core.generation.request import Cancelled
from truehue.storage.backup.backup import ENDING, size_text
from truehue.storage.backup.contents import BACKUPS
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import EmptyRequest, PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob

log = logging.getLogger("truehue")

BACKUP = "backup"
FROM_PAGE = "truehue-"
_NAME = re.compile(rf"[a-z0-9-]{{1,80}}{re.escape(ENDING)}")


class NamedBackup(PageRequest):
    """A backup by the name of its file."""

    name: str


class BackupJson(TypedDict):
    """A backup in the data folder; ``size`` has its unit."""

    name: str
    url: str
    size: str
    made_at: str


class BackupsView(TypedDict):
    """The backups, newest first."""

    backups: list[BackupJson]


@requires("backup")
def start_backup(context: Context, actor: Actor, request: EmptyRequest) -> StartedJob:
    """Starts a backup in the background; its job's result names the file. The previous backup made
    from the page is deleted when the new one is complete."""
    _require_data(context)
    return {"job": context.jobs.start(BACKUP, "Backup", actor, lambda job: _make(context, job)).id}


@requires("backup")
def backups_view(context: Context, actor: Actor, request: EmptyRequest) -> BackupsView:
    """The backups in the data folder, newest first."""
    _require_data(context)
    paths = sorted(_paths(context), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    return {"backups": [_json(path) for path in paths]}


@requires("backup")
def backup_file(context: Context, actor: Actor, request: NamedBackup) -> Path:
    """The file of a backup. Raises NotStored."""
    path = _folder(context) / request.name
    if not _NAME.fullmatch(request.name) or not path.is_file():
        raise NotStored("This backup is no longer available. Make another one.")
    return path


def _require_data(context: Context) -> None:
    if context.demo:
        raise NotAllowed("A demonstration cannot be backed up from its page.")


def _make(context: Context, job: Job) -> BackupJson:
    job.tell("Copying")

    def progress(done: int, total: int) -> None:
        if job.stop.is_set():
            raise Cancelled
        message = "Copying" if 2 * done < total else "Checking"
        job.tell(message, round(100 * done / total) if total else 0, 100)

    before = [path for path in _paths(context) if path.name.startswith(FROM_PAGE)]
    folder = _folder(context)
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{FROM_PAGE}{datetime.now(UTC):%Y-%m-%d-%H%M%S}{ENDING}"
    report = context.storage.write_backup(path, progress=progress)
    for old in before:
        old.unlink(missing_ok=True)
    text = f"{count_noun(report.facts.files, 'file')}, {size_text(report.file_bytes)}, checked."
    if report.problems:
        log.warning("The data folder is not whole:\n%s", "\n".join(report.problems))
        text += f" {count_noun(len(report.problems), 'thing')} the data folder itself lacks: see the log."
    job.tell(text)
    return _json(path)


def _folder(context: Context) -> Path:
    return context.storage.data_dir / BACKUPS


def _paths(context: Context) -> list[Path]:
    return [path for path in _folder(context).glob(f"*{ENDING}") if _NAME.fullmatch(path.name)]


def _json(path: Path) -> BackupJson:
    stat = path.stat()
    return {
        "name": path.name,
        "url": f"/api/backups/{path.name}",
        "size": size_text(stat.st_size),
        "made_at": datetime.fromtimestamp(stat.st_mtime, UTC).isoformat(timespec="seconds"),
    }
