"""``truehue backup FILE``: the data folder as one file, whether the app runs or not.

A running app copies its database for that. Exit status 0 when the backup is made and
checked, 2 with the reason on standard error when it is not.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from truehue.core.command import program, status_of
from truehue.core.errors import BadInput, DatabaseBusy
from truehue.tabs.accounts.control import COPY_DATABASE, COPY_S, ask
from truehue.tabs.command.line import percent_line, say

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


def parser() -> argparse.ArgumentParser:
    """The command line."""
    root_parser = argparse.ArgumentParser(
        prog=program("backup", "app.py backup"),
        description="Backs the data folder up to one file, also while the app runs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root_parser.add_argument("file", metavar="FILE", help="the backup, best on another disk")
    root_parser.add_argument(
        "--data",
        default=os.environ.get("TRUEHUE_DATA", "./data"),
        metavar="DIR",
        help="the app's data folder (default ./data)",
    )
    root_parser.add_argument(
        "--replace", action="store_true", help="a FILE that is there gives way to the new one"
    )
    return root_parser


def main(arguments: list[str] | None = None) -> int:
    """Makes the backup; returns the exit status."""
    options = parser().parse_args(arguments)
    return status_of(lambda: _back_up(options), "Stopped. No backup was made.")


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
    say(f"{path}: {report.facts.files:,} files, {size_text(report.file_bytes)}, checked.")
    for sentence in report.problems:
        say(f"The data folder is not whole: {sentence}", file=sys.stderr)
    return 0
