"""Exports of runs for the page and the command, and the import of others' archives."""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pydantic import Field

from truehue.core.batch.folder import LOCK, WORKERS_LOCK
from truehue.core.batch.health import state_of
from truehue.core.batch.journal import seal_left_over
from truehue.core.batch.locks import InUse, hold_lock
from truehue.core.errors import BadInput, DataFolderError, NotStored
from truehue.core.export import FORMATS, write
from truehue.core.export.archive_import import INCOMING, open_archive
from truehue.core.export.report import plotly_bytes, write_report
from truehue.core.export.score_table import score_table, write_scores
from truehue.core.export.source import imported_from, left_out_text, runs_of, short_text
from truehue.core.files import ReportProgress, ignore_progress, named_path, shown_path
from truehue.core.generation.request import Cancelled
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.worker import RunWork
from truehue.tabs.batches.messages import bytes_text
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.export.report import MAX_SHOTS, report_of
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import EmptyRequest, PageRequest, single_of
from truehue.tabs.page.roles import NOBODY, Actor
from truehue.tabs.page.shared_answers import StartedJob

TIMES = {"csv": 8.0, "parquet": 1.2, "zip": 2.0}
"""What an export takes for each byte of the run's shards, which are compressed columns: measured on
runs of 120 pictures by five rules."""

SHOT_BYTES = 12_000
"""What a failure takes in a report at most: a small PNG in Base64 and its words."""

EXPORT, IMPORT = "export", "import"
"""The kinds of these jobs."""

FOLDER, KEPT = "exports", 5
"""Below the data folder: the last finished exports."""

COLORS_CSV = "colors"
"""No format of its own: the second table of a CSV, as a browser gets it."""

ENDINGS = {
    "csv": "csv",
    "parquet": "parquet",
    "zip": "truehue.zip",
    "html": "html",
    "bib": "bib",
    COLORS_CSV: "csv",
}


def export(
    context: Context,
    folder: RunFolder,
    format: str,
    path: Path | str,
    *,
    with_images: bool = False,
    rule: str = "",
    progress: ReportProgress = ignore_progress,
    actor: Actor = NOBODY,
) -> str:
    """Exports a run to the file ``path``; ``format`` is a key of truehue.core.export.FORMATS.
    Returns what is to be said of it: how many pictures have no result yet, or nothing.

    A report (``html``) is by ``rule``, the run's first if empty, and has people's answers where the
    ``actor`` may see studies. Raises BadInput for a format or a
    rule that there is not, and DataFolderError where the file cannot be written.
    """
    if format != "html":
        text = write(folder, format, path, with_images=with_images, progress=progress)
        if format in ("csv", "parquet"):
            # A run that this database does not know has no scores in it.
            with contextlib.suppress(NotStored):
                write_scores(scores_of(context, folder.run_id), path, format)
        return text
    _seal(folder)
    context.storage.runs.ingest(folder)
    # What stands in a journal that is being written is not in the report's figures either.
    (run,) = runs_of(folder, sealed=True)
    step = _steps(progress)
    write_report(report_of(context, run, rule, step, actor), path)
    return short_text(run)


def scores_of(context: Context, run_id: str) -> Any:
    """The scores of a run's pictures as a pyarrow Table. Raises NotStored."""
    pages = context.storage.scores.of_run(run_id)
    return score_table(run_id, (row for page in pages for row in page))


def _seal(folder: RunFolder) -> None:
    """Makes shards of what a run that was broken off has left; where somebody is at it, or where
    nothing can be written, it stays as it is."""
    with (
        contextlib.suppress(InUse, DataFolderError),
        hold_lock(folder.path / LOCK, ""),
        hold_lock(folder.path / WORKERS_LOCK, ""),
    ):
        work = RunWork(folder.path)
        seal_left_over(folder.journal, folder.shard_folder, work.schema(), fitted=work.fitted)


def file_name(folder: RunFolder, format: str) -> str:
    """``a-small-run-08ed28.truehue.zip``: what people's browsers call the file. The piece of the
    run's id tells files apart whose runs have one name."""
    name = re.sub(r"[^a-z0-9]+", "-", str(folder.summary().get("name", "")).lower()).strip("-")
    more = "-colors" if format == COLORS_CSV else ""
    named = f"{name[:52].strip('-')}-{folder.run_id[:6]}".strip("-")
    return f"{named}{more}.{ENDINGS[format]}"


def colors_path(context: Context, job_id: str) -> Path | None:
    """The table of colors that belongs to an export, if there is one."""
    file = exported_file(context, job_id)
    path = file.with_name(f"{file.stem}-colors{file.suffix}")
    return path if path.is_file() else None


class Export(PageRequest):
    """A run as a file; a report is by ``rule``, where the run was judged by it."""

    run: str = ""
    format: Annotated[str, Field(min_length=1), single_of("format", FORMATS)]
    images: bool = False
    rule: str = ""


class ArchivePath(PageRequest):
    """An archive that lies on this machine."""

    path: str = ""


@requires("compute")
def start_export(context: Context, actor: Actor, request: Export) -> StartedJob:
    """Starts an export in the background.

    The job's result names the file below ``exports/`` of the data folder. Raises NotStored for an
    unknown run.
    """
    folder = context.service(RunSupervisor).folder(request.run)
    judged_by = [entry[0] for entry in folder.summary()["rules"]]
    # The page may look at a rule that this run was not judged by.
    rule = request.rule if request.rule in judged_by else ""

    def work(job: Job) -> dict[str, Any]:
        root = context.storage.data_dir / FOLDER
        root.mkdir(parents=True, exist_ok=True)
        index = root / job.id
        index.mkdir()
        path = index / file_name(folder, request.format)
        try:
            remark = export(
                context,
                folder,
                request.format,
                path,
                with_images=request.images,
                rule=rule,
                progress=_progress_of(job, "Writing"),
                actor=actor,
            )
        except BaseException:
            shutil.rmtree(index, ignore_errors=True)
            job.tell("Nothing was written.")
            raise
        _save_few(root)
        job.tell(f"{path.name}, {_size(path.stat().st_size)}. {remark}".removesuffix(". "))
        result: dict[str, Any] = {
            "run": folder.run_id,
            "format": request.format,
            "name": path.name,
            "url": f"/api/exports/{job.id}/file",
        }
        if others := colors_path(context, job.id):
            result["colors"] = {"name": others.name, "url": f"/api/exports/{job.id}/colors"}
        return result

    title = f"Export of “{folder.summary()['name']}”, {ENDINGS[request.format]}"
    return {"job": context.jobs.start(EXPORT, title, actor, work).id}


def exported_file(context: Context, job_id: str) -> Path:
    """The file of an export that has ended. Raises NotStored where it is no longer available."""
    if not re.fullmatch("[0-9a-f]{32}", job_id):
        raise NotStored("That export is not known. Export the run again.")
    entries = list((context.storage.data_dir / FOLDER / job_id).glob("*"))
    paths = [path for path in entries if not path.name.endswith(".part")]
    files = [path for path in paths if ".codebook." not in path.name]
    # The table of colors, if there is one, is called like the other with more behind.
    files.sort(key=lambda path: len(path.name))
    if not files:
        raise NotStored("That file is no longer available. Export the run again.")
    return files[0]


@requires("add")
def import_file(
    context: Context, actor: Actor, request: EmptyRequest, file: Path, name: str
) -> StartedJob:
    """Starts to import an archive that was sent."""
    copy = stage_upload(context, file)
    try:
        return {"job": start_import(context, actor, copy, name or "archive", True).id}
    except BaseException:
        copy.unlink(missing_ok=True)
        raise


@requires("name-file")
def import_path(context: Context, actor: Actor, request: ArchivePath) -> StartedJob:
    """Starts to import an archive of this machine."""
    path = named_path(request.path)
    if not path.is_file():
        raise BadInput(f"There is no file {shown_path(path)}.")
    return {"job": start_import(context, actor, path, path.name, False).id}


def start_import(context: Context, actor: Actor, path: Path, name: str, ours: bool) -> Job:
    """Begins to read an archive in the background; ``ours`` says that the file is a copy of ours,
    which goes when it was read."""

    def work(job: Job) -> dict[str, Any]:
        try:
            folder = import_archive(context, path, name, _progress_of(job, "Checking"), actor.id)
        except Cancelled:
            job.tell("Nothing was imported.")
            raise
        finally:
            if ours:
                path.unlink(missing_ok=True)
        about = imported_from(folder.path)
        with_pictures = about.get("images", True)
        text = count_noun(state_of(folder).done, "image")
        if not with_pictures:
            text += "; the images themselves are not part of this export"
        if left_out := left_out_text(about):
            text += f". {left_out}"
        job.tell(text)
        return {"run": folder.run_id, "name": str(folder.summary()["name"])}

    return context.jobs.start(IMPORT, f"Import of {name}", actor, work)


def import_archive(
    context: Context,
    path: Path,
    name: str,
    progress: ReportProgress = ignore_progress,
    owner: str = "",
) -> RunFolder:
    """Makes a run of an archive and puts its results into storage. A run that was not there before
    is its ``owner``'s, an actor by their id.

    Raises BadInput for what is no archive, with nothing left behind.
    """
    context.storage.require_installed()
    runs, before = (
        context.storage.runs,
        {folder.run_id for folder in context.service(RunSupervisor).folders()},
    )
    folder = open_archive(path, context.service(RunSupervisor).root, name=name, progress=progress)
    try:
        if folder.run_id not in before:
            context.service(RunSupervisor).set_owner(folder.run_id, owner)
        runs.register(folder)
        runs.ingest(folder)
        if imported_from(folder.path):
            runs.complete(folder)
    except BaseException:
        if folder.run_id not in before:
            shutil.rmtree(folder.path, ignore_errors=True)
            with contextlib.suppress(NotStored):
                runs.hide(folder.run_id)
        raise
    if folder.run_id not in before:
        runs.hide(folder.run_id, False)  # an earlier import of it may have failed
    return folder


def stage_upload(context: Context, file: Path) -> Path:
    """A copy of an uploaded file that stays until it was read."""
    root = context.service(RunSupervisor).root / INCOMING
    root.mkdir(parents=True, exist_ok=True)
    target = root / f"{secrets.token_hex(8)}.zip"
    shutil.copyfile(file, target)
    return target


def clear(context: Context) -> None:
    """Takes away what an earlier run of the app has left half done."""
    shutil.rmtree(context.service(RunSupervisor).root / INCOMING, ignore_errors=True)
    shutil.rmtree(context.storage.data_dir / FOLDER, ignore_errors=True)


def _progress_of(job: Job, label: str) -> ReportProgress:
    job.tell(label)

    def progress(done: int, total: int) -> None:
        job.tell(done=done, total=total)
        if job.stop.is_set():
            raise Cancelled

    return progress


def _steps(progress: ReportProgress) -> Callable[[str], None]:
    """A report's steps as progress: there are three, and its figures take longest."""
    done = 0

    def step(_: str) -> None:
        nonlocal done
        progress(done, 4)
        done += 1

    return step


def _save_few(root: Path) -> None:
    positions = sorted(root.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for old in positions[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _size(number: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{max(1, round(number / 1000)):,} kB"


class ExportSizes(TypedDict, total=False):
    """``about 3.4 MB`` by the kind of export; empty before anything is stored."""

    csv: str
    parquet: str
    zip: str
    images: str
    html: str


def sizes_view(context: Context, run_id: str) -> ExportSizes:
    """``about 3.4 MB`` by the kind of export, for those whose size follows from the run's files.

    Raises NotStored for a run that is not here.
    """
    folder = context.service(RunSupervisor).folder(run_id)
    shards = sum(path.stat().st_size for path in folder.shards())
    images = _bytes_below(folder.images) + _bytes_below(folder.masks)
    if not shards:
        return {}
    shown = min(state_of(folder).done, MAX_SHOTS)
    return {
        "csv": _about(shards * TIMES["csv"]),
        "parquet": _about(shards * TIMES["parquet"]),
        "zip": _about(shards * TIMES["zip"]),
        "images": _about(shards * TIMES["zip"] + images),
        "html": _about(plotly_bytes() + shown * SHOT_BYTES),
    }


def _about(count: float) -> str:
    return f"about {bytes_text(count)}"


def _bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.png"))
