"""HTTP routes of exports and imports: quick files are sent at once, large ones made by jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse

from truehue.core.batch.health import require_whole
from truehue.core.errors import NotStored
from truehue.core.export.bibliography import references
from truehue.core.export.codebook import codebook_json, codebook_text
from truehue.core.export.score_table import score_codebook, score_file
from truehue.core.export.source import runs_of
from truehue.core.export.tables import COLORS, RESULTS, Sheet, csv_pieces
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.export.service import (
    COLORS_CSV,
    ArchivePath,
    Export,
    colors_path,
    exported_file,
    file_name,
    import_file,
    import_path,
    scores_of,
    sizes_view,
    start_export,
)
from truehue.tabs.page.answers import attachment, json_answer, refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.router import FeatureRouter

CSV = "text/csv; charset=utf-8"
BIBLIOGRAPHY = "references.bib"
BOOKS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "codebook.json": ("application/json", codebook_json),
    "codebook.md": ("text/markdown; charset=utf-8", codebook_text),
    BIBLIOGRAPHY: ("application/x-bibtex; charset=utf-8", references),
}


def export_routes(context: Context) -> FeatureRouter:
    """The router of exports."""
    router = FeatureRouter(context, "/api")

    @router.get("/runs/{run_id}/export.csv")
    def table(run_id: str) -> Response:
        return _streamed(run_id, RESULTS, "csv")

    @router.get("/runs/{run_id}/colors.csv")
    def colors(run_id: str) -> Response:
        return _streamed(run_id, COLORS, COLORS_CSV)

    @router.get("/runs/{run_id}/scores.{format}")
    def scores(run_id: str, format: Literal["csv", "parquet", "codebook.json"]) -> Response:
        try:
            if format == "codebook.json":
                return Response(score_codebook(), media_type="application/json")
            table = scores_of(context, run_id)
            if not table.num_rows:
                raise NotStored("No image of this run has a score yet. Score them in Explore.")
            headers = attachment(f"run-{run_id[:6]}-scores.{format}")
            kind = CSV if format == "csv" else "application/vnd.apache.parquet"
            return Response(score_file(table, format), headers=headers, media_type=kind)
        except Exception as error:
            return refusal(error)

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

        return StreamingResponse(streamed(), headers=headers, media_type=CSV)

    @router.get("/runs/{run_id}/sizes")
    def sizes(run_id: str) -> JSONResponse:
        return json_answer(lambda: sizes_view(context, run_id))

    @router.get("/runs/{run_id}/{book}")
    def book(run_id: str, book: str) -> Response:
        try:
            folder = context.service(RunSupervisor).folder(run_id)
            if book not in BOOKS:
                raise NotStored(
                    "There is no such file of a run. Tables, archives and reports are started by "
                    "POST /api/exports."
                )
            media, text = BOOKS[book]
            headers = attachment(file_name(folder, "bib")) if book == BIBLIOGRAPHY else None
            return Response(text(runs_of(folder)), headers=headers, media_type=media)
        except Exception as error:
            return refusal(error)

    router.post_json("/exports", Export, start_export)

    @router.get("/exports/{job_id}/file")
    def file(job_id: str) -> Response:
        try:
            path = exported_file(context, job_id)
        except Exception as error:
            return refusal(error)
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    @router.get("/exports/{job_id}/colors")
    def neighbor_colors(job_id: str) -> Response:
        try:
            path = colors_path(context, job_id)
            if path is None:
                raise NotStored("That export has no table of colors.")
        except Exception as error:
            return refusal(error)
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    router.post_file("/runs/import", EmptyRequest, context.limits.archive_bytes, import_file)
    router.post_json("/runs/import-path", ArchivePath, import_path)
    return router
