"""``truehue backup FILE``: the data folder as one file, whether the app runs or not.

A running app copies its database for the backup. Exit status 0 if the backup is made and verified,
2 with the reason on standard error otherwise.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from truehue.core.command import (
    INTERRUPTED,
    Command,
    arg,
    data_folder,
    flag,
    percent_line,
    print_now,
)
from truehue.core.errors import BadInput, DatabaseBusy
from truehue.tabs.accounts.control import COPY_DATABASE, COPY_S, ask

EPILOG = """\
examples:
  python -m truehue backup /backups/truehue.zip
  python -m truehue backup /backups/truehue.zip --replace
The file has everything that was stored before the backup began: database, images, masks, runs,
evaluations, sets of questions, studies, accounts, keys. Keep it as you keep the data folder:
whoever has it can read all of that. Make a folder of it again:
python -m truehue restore FILE DIR
"""
NO_DATA = "There is no database of TrueHue in {data}. Name its folder with --data."
BUSY = "TrueHue has {data} open, but does not answer. End it (Ctrl+C), then try again."


def _back_up(options: argparse.Namespace) -> int:
    from truehue.storage.backup.backup import BackupSource, size_text, write_backup
    from truehue.storage.database.connection import DATABASE_NAME
    from truehue.storage.database.file_check import copy_closed, inspect
    from truehue.storage.database.migrations import MIGRATIONS

    data = Path(options.data).expanduser().resolve()
    path = Path(options.file).expanduser().absolute()
    database = data / DATABASE_NAME
    if not database.exists():
        raise BadInput(NO_DATA.format(data=data))

    def copy_database(folder: Path) -> None:
        try:
            copy_closed(database, folder)
        except DatabaseBusy:
            fields = {"do": COPY_DATABASE, "folder": str(folder.absolute())}
            if ask(data, fields, COPY_S) is None:
                raise BadInput(BUSY.format(data=data)) from None

    try:
        inspect(database, MIGRATIONS)
        scratch = path.parent
    except DatabaseBusy:
        # Who stores something waits while the app copies its database: the same disk is fastest.
        scratch = data
    report = write_backup(
        BackupSource(data, copy_database, scratch),
        path,
        replace=options.replace,
        progress=percent_line(),
    )
    print_now(f"{path}: {report.facts.files:,} files, {size_text(report.file_bytes)}, checked.")
    for sentence in report.problems:
        print_now(f"The data folder is not whole: {sentence}", file=sys.stderr)
    return 0


COMMAND = Command(
    "backup",
    "Backs the data folder up to one file, also while the app runs.",
    (
        arg("file FILE", "the backup, best on another disk"),
        data_folder(),
        flag("--replace", "a FILE that is there gives way to the new one"),
    ),
    _back_up,
    epilog=EPILOG,
    former="app.py backup",
    stopped=("Stopped. No backup was made.", INTERRUPTED),
)
main = COMMAND.main
