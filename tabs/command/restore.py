"""``truehue restore FILE DIR``: restore a backup as a data folder.

Exit status 0 if the folder is made and verified, 2 with the reason on standard error otherwise.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from truehue.core.command import INTERRUPTED, Command, arg, percent_line, print_now

EPILOG = """\
examples:
  python -m truehue restore /backups/truehue.zip data-restored
  python -m truehue serve --data data-restored
Every byte is compared with its checksum, and the database is opened. The folder that was backed up
stays as it is.
"""


def _restore(options: argparse.Namespace) -> int:
    from truehue.storage.backup.backup import NEWEST
    from truehue.storage.backup.restore import restore

    path, into = (Path(values).expanduser() for values in (options.file, options.into))
    report = restore(path, into, percent_line())
    facts = report.facts
    print_now(
        f"{report.folder}: {facts.files:,} files, as they were at {facts.created_at}, checked. "
        f"Start TrueHue with it: python -m truehue serve --data {shlex.quote(str(into))}"
    )
    if facts.step < NEWEST:
        print_now(
            f"The database has step {facts.step}: the first start brings it to step {NEWEST}. "
            f"TrueHue {facts.truehue} reads it as it is.",
            file=sys.stderr,
        )
    for sentence in report.problems:
        print_now(f"The backup is of a data folder that was not whole: {sentence}", file=sys.stderr)
    return 0


COMMAND = Command(
    "restore",
    "Makes a data folder of a backup.",
    (
        arg("file FILE", "a backup of TrueHue"),
        arg("into DIR", "an empty folder, or one not there yet"),
    ),
    _restore,
    epilog=EPILOG,
    former="app.py restore",
    stopped=("Stopped. Nothing was restored.", INTERRUPTED),
)
main = COMMAND.main
