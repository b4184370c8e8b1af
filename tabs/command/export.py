"""``truehue runs export`` and ``import``: they need the run's folder, and no running app."""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import sys
from pathlib import Path
from typing import Any

from truehue.core.batch.folder import PLAN
from truehue.core.errors import BadInput, DatabaseBusy
from truehue.core.export import FORMATS
from truehue.core.export.archive_import import INCOMING, open_archive
from truehue.core.export.source import ExportRun, imported_from, left_out_text
from truehue.core.export.tables import beside
from truehue.core.runs.folder import RunFolder
from truehue.core.verdict.rules import RULES
from truehue.tabs.command.line import percent_line
from truehue.tabs.command.status import folder_named, status_json
from truehue.tabs.page.errors import counted


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds both commands to the parser of ``python -m truehue runs``."""
    formats = "; ".join(f"{name}: {text}" for name, text in FORMATS.items())
    command = commands.add_parser(
        "export",
        parents=[common],
        help="a run as a table, archive, report or references",
        description=formats,
    )
    command.add_argument("name", metavar="RUN", help="its name, or the first characters of its id")
    command.add_argument("--format", choices=tuple(FORMATS), help="default: by the ending of --out")
    command.add_argument(
        "--out", metavar="PATH", help="the file, or a folder for it (default: the current one)"
    )
    command.add_argument(
        "--with-images", action="store_true", help="zip: pack images and masks too"
    )
    command.add_argument(
        "--rule",
        default="",
        metavar="ID",
        help="html: the rule of figures and "
        f"failures, of {', '.join(rule.id for rule in RULES)} (default: the run's "
        "first)",
    )
    command.set_defaults(run=export_run)
    take = commands.add_parser(
        "import",
        parents=[common],
        help="an archive that someone exported, or the folder of a run, into the database",
    )
    take.add_argument("file", metavar="FILE", help="NAME.truehue.zip, or the folder of a run")
    take.set_defaults(run=import_run)


def export_run(options: argparse.Namespace) -> int:
    """Writes the file, and says which."""
    from truehue.tabs.export.service import file_name

    folder = folder_named(options.root, options.name)
    path = Path(options.out or ".").expanduser()
    format = options.format or path.suffix.removeprefix(".")
    if format not in FORMATS:
        if options.out and path.suffix:
            raise BadInput(f"Say which format {path.name} is: --format {'|'.join(FORMATS)}.")
        format = "csv"
    if path.is_dir():
        path = path / file_name(folder, format)
    if options.with_images and format != "zip":
        raise BadInput("Images are packed into an archive: --format zip.")
    remark = _export(options, folder, format, path)
    tabled = format in ("csv", "parquet")
    files = [path, *(beside([ExportRun(folder)], path) if tabled else [])]
    if options.json:
        print(
            json.dumps(
                {
                    "run_id": folder.run_id,
                    "format": format,
                    "message": remark,
                    "files": [str(file) for file in files],
                }
            )
        )
    else:
        print("\n".join(str(file) for file in files))
        if remark:
            print(remark, file=sys.stderr)
    return 0


def _export(options: argparse.Namespace, folder: RunFolder, format: str, path: Path) -> str:
    from truehue.core.export import write

    if format != "html":
        return write(
            folder,
            format,
            path,
            with_images=options.with_images,
            progress=percent_line(not options.json),
        )
    from truehue.storage.store import Storage
    from truehue.tabs.export.service import export
    from truehue.tabs.shell.compose import make_context

    # A database of its own, below the runs so that pictures are linked and not copied: the app
    # may have the other one open, and a shared folder of runs has none.
    index = options.root / INCOMING / f"report-{secrets.token_hex(8)}"
    try:
        with Storage.open(index) as storage:
            context = make_context(storage, str(options.data))
            try:
                return export(
                    context,
                    folder,
                    format,
                    path,
                    rule=options.rule,
                    progress=percent_line(not options.json),
                )
            finally:
                context.close()
    finally:
        shutil.rmtree(index, ignore_errors=True)


def import_run(options: argparse.Namespace) -> int:
    """Makes a run of an archive, and puts its results into the database."""
    path = Path(options.file).expanduser()
    if path.is_dir():
        if not (path / PLAN).is_file():
            raise BadInput(f"{path} is no folder of a run: it has no {PLAN}.")
        folder = RunFolder(path)
    elif path.is_file():
        folder = open_archive(path, options.root, progress=percent_line(not options.json))
    else:
        raise BadInput(f"There is no file {path}.")
    remark = _taken_in(options, folder)
    if options.json:
        print(json.dumps({**status_json(folder), "imported": imported_from(folder.path)}))
    else:
        summary = folder.summary()
        count = counted(ExportRun(folder).done, "image")
        print(f"{summary['name']}, run {folder.run_id}: {count}.")
        if left_out := left_out_text(imported_from(folder.path)):
            print(left_out, file=sys.stderr)
    print(remark, file=sys.stderr)
    return 0


def _taken_in(options: argparse.Namespace, folder: RunFolder) -> str:
    from truehue.storage.store import Storage

    try:
        with Storage.open(options.data) as storage:
            storage.runs.register(folder)
            count = storage.runs.ingest(folder)
            if imported_from(folder.path):
                storage.runs.complete(folder)
            refused = storage.runs.refused(folder.run_id)
    except DatabaseBusy:
        inside = Path(options.data).expanduser().resolve() / "runs"
        if folder.path.resolve().parent == inside:
            return f"The app that has {options.data} open imports the results."
        raise BadInput(
            f"The app has {options.data} open. Copy {folder.path} into {inside}, or end the app "
            "first."
        ) from None
    if refused:
        raise BadInput("\n".join(f"{name}: {why}" for name, why in refused.items()))
    return f"{counted(count, 'image')} imported into the database of {options.data}."
