"""HTTP routes of exports: files of a run at once, long ones in the background, and imports."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.background import BackgroundTask

from core.errors import NotStored
from core.export.codebook import codebook_json, codebook_text
from core.export.source import runs_of
from core.export.tables import COLORS, RESULTS, Sheet, csv_pieces
from core.runs.folder import RunFolder
from core.runs.health import require_whole
from tabs.export.service import (
    COLORS_CSV,
    FOLDER,
    MEDIA,
    NOW,
    ArchivePath,
    Export,
    colors_path,
    export,
    exported_file,
    file_name,
    import_file,
    import_path,
    sizes_view,
    start_export,
)
from tabs.page.answers import attachment, guarded, refusal
from tabs.page.context import Context
from tabs.page.door import Door
from tabs.page.requests import Nothing
from tabs.runs.supervisor import RunSupervisor

CODEBOOKS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "codebook.json": ("application/json", codebook_json),
    "codebook.md": ("text/markdown; charset=utf-8", codebook_text),
}


def export_routes(context: Context) -> Door:
    """The router of exports."""
    door = Door(context, "/api")

    @door.get("/runs/{run_id}/export.csv")
    def table(run_id: str) -> Response:
        return _streamed(run_id, RESULTS, "csv")

    @door.get("/runs/{run_id}/colors.csv")
    def colors(run_id: str) -> Response:
        return _streamed(run_id, COLORS, COLORS_CSV)

    def _streamed(run_id: str, sheet: Sheet, format: str) -> Response:
        try:
            folder = context.service(RunSupervisor).folder(run_id)
            (run,) = runs_of(folder)
            if sheet is COLORS and not run.measures:
                raise NotStored("The run has no concepts, so it has no table of their colors.")
            # What is wrong with the run is said before anything is sent.
            require_whole(folder)
            pieces = csv_pieces([run], sheet=sheet)
            first = next(pieces) + next(pieces, b"")
            headers = attachment(file_name(folder, format))
        except Exception as error:
            return refusal(error)

        def streamed() -> Iterator[bytes]:
            yield first
            yield from pieces

        return StreamingResponse(streamed(), headers=headers, media_type=MEDIA["csv"])

    @door.get("/runs/{run_id}/sizes")
    def sizes(run_id: str) -> JSONResponse:
        return guarded(lambda: sizes_view(context, run_id))

    @door.get("/runs/{run_id}/{book}")
    def book(run_id: str, book: str) -> Response:
        try:
            folder = context.service(RunSupervisor).folder(run_id)
            if book in CODEBOOKS:
                media, text = CODEBOOKS[book]
                return Response(text(runs_of(folder)), media_type=media)
            format = {
                "export.parquet": "parquet",
                "export.zip": "zip",
                "report.html": "html",
                "references.bib": "bib",
            }.get(book)
            if format is None:
                raise NotStored("There is no such export.")
            return _made(context, folder, format)
        except Exception as error:
            return refusal(error)

    door.takes("/exports", Export, start_export)

    @door.get("/exports/{job_id}/file")
    def file(job_id: str) -> Response:
        try:
            path = exported_file(context, job_id)
        except Exception as error:
            return refusal(error)
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    @door.get("/exports/{job_id}/colors")
    def colors_beside(job_id: str) -> Response:
        try:
            path = colors_path(context, job_id)
            if path is None:
                raise NotStored("That export has no table of colors.")
        except Exception as error:
            return refusal(error)
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    door.takes_file("/runs/import", Nothing, context.limits.archive_bytes, import_file)
    door.takes("/runs/import-path", ArchivePath, import_path)
    return door


def _made(context: Context, folder: RunFolder, format: str) -> Response:
    """A file that is made first and sent then; it goes when it was sent."""
    root = context.storage.data_dir / FOLDER
    root.mkdir(parents=True, exist_ok=True)
    place = tempfile.TemporaryDirectory(prefix=NOW, dir=root)
    try:
        out = Path(place.name) / file_name(folder, format)
        export(context, folder, format, out)
    except BaseException:
        place.cleanup()
        raise
    return FileResponse(
        out,
        headers=attachment(file_name(folder, format)),
        media_type=MEDIA[format],
        background=BackgroundTask(place.cleanup),
    )
