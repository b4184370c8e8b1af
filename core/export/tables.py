"""Results of runs as one table: CSV or Parquet, written as it is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from truehue.core.export.codebook import codebook, codebook_json, codebook_text
from truehue.core.export.color_table import COLOR_COLUMNS, color_tables
from truehue.core.export.columns import COLUMNS, Column, arrow_schema
from truehue.core.export.rows import row_tables
from truehue.core.export.source import ExportRun
from truehue.core.files import Progress, quiet, whole_file
from truehue.core.spreadsheets import guarded_table

ROW_GROUP = 64 * 1024
CODEBOOK_KEY = b"truehue_codebook"
"""In the metadata of a Parquet file: codebook.json."""


@dataclass(frozen=True)
class Sheet:
    """One of the tables of an export: its columns, and a run's rows in them."""

    columns: tuple[Column, ...]
    rows: Callable[[ExportRun], Iterator[Any]]


def _results(run: ExportRun) -> Iterator[Any]:
    return row_tables(run.run_id, run.plan, run.shards)


RESULTS = Sheet(COLUMNS, _results)
COLORS = Sheet(COLOR_COLUMNS, color_tables)
"""Of runs with concepts; a run without any has no row."""


def tables(
    runs: Sequence[ExportRun], progress: Progress = quiet, sheet: Sheet = RESULTS
) -> Iterator[Any]:
    """The rows of all runs as pyarrow Tables, run after run, each by position."""
    total, done = sum(run.done for run in runs), 0
    for run in runs:
        for table in sheet.rows(run):
            yield table
            # The rows of a table begin with another picture than those of the one before.
            done += _pictures(table)
            progress(done, total)


def csv_pieces(
    runs: Sequence[ExportRun], progress: Progress = quiet, sheet: Sheet = RESULTS
) -> Iterator[bytes]:
    """The CSV in pieces, header first: UTF-8, quoted where it has to be, formulas guarded."""
    import pyarrow as pa
    from pyarrow import csv

    first = csv.WriteOptions(include_header=True, quoting_style="needed", quoting_header="none")
    buffer = pa.BufferOutputStream()
    csv.write_csv(arrow_schema(sheet.columns).empty_table(), buffer, first)
    yield buffer.getvalue().to_pybytes()
    rest = csv.WriteOptions(include_header=False, quoting_style="needed")
    for table in tables(runs, progress, sheet):
        buffer = pa.BufferOutputStream()
        csv.write_csv(guarded_table(table), buffer, rest)
        yield buffer.getvalue().to_pybytes()


def write_csv(runs: Sequence[ExportRun], target: Path | str, progress: Progress = quiet) -> None:
    """The CSV at ``target``, and its codebook beside it; the colors of concepts too, where there
    are any (see :func:`beside`)."""
    _write_sheets(runs, target, progress, _csv_to)


def write_parquet(
    runs: Sequence[ExportRun], target: Path | str, progress: Progress = quiet
) -> None:
    """The Parquet file at ``target``, which holds its codebook, and the codebook beside it too; the
    colors of concepts as :func:`write_csv`."""
    _write_sheets(runs, target, progress, write_parquet_to)


def beside(runs: Sequence[ExportRun], target: Path | str) -> list[Path]:
    """The files that stand beside a table at ``target``: the codebook, and of runs with concepts
    ``NAME-colors.csv`` (or ``.parquet``)."""
    target = Path(target)
    books = [target.with_name(f"{target.stem}.codebook.{ending}") for ending in ("json", "md")]
    return [*([_colors_path(target)] if any(run.measures for run in runs) else []), *books]


def _colors_path(target: Path) -> Path:
    return target.with_name(f"{target.stem}-colors{target.suffix}")


def _write_sheets(
    runs: Sequence[ExportRun],
    target: Path | str,
    progress: Progress,
    write: Callable[[IO[bytes], Sequence[ExportRun], Progress, Sheet], None],
) -> None:
    target = Path(target)
    sheets = {target: RESULTS}
    if any(run.measures for run in runs):
        sheets[_colors_path(target)] = COLORS
    for before, (path, sheet) in enumerate(sheets.items()):

        def sheet_progress(done: int, total: int, before: int = before) -> None:
            progress(before * total + done, len(sheets) * total)

        with whole_file(path) as file:
            write(file, runs, sheet_progress, sheet)
    write_codebook(runs, target)


def _csv_to(file: IO[bytes], runs: Sequence[ExportRun], progress: Progress, sheet: Sheet) -> None:
    for piece in csv_pieces(runs, progress, sheet):
        file.write(piece)


def write_parquet_to(
    file: IO[bytes],
    runs: Sequence[ExportRun],
    progress: Progress = quiet,
    sheet: Sheet = RESULTS,
) -> None:
    """The Parquet file into an open one, in row groups of equal size whatever the shards were."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    book = json.dumps(codebook(runs), ensure_ascii=False, sort_keys=True).encode()
    schema = arrow_schema(sheet.columns).with_metadata({CODEBOOK_KEY: book})
    waiting: list[Any] = []
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables(runs, progress, sheet):
            waiting.append(table)
            while sum(table.num_rows for table in waiting) >= ROW_GROUP:
                rows = pa.concat_tables(waiting)
                writer.write_table(rows.slice(0, ROW_GROUP).cast(schema))
                waiting = [rows.slice(ROW_GROUP).combine_chunks()]
        if waiting:
            writer.write_table(pa.concat_tables(waiting).cast(schema))


def write_codebook(runs: Sequence[ExportRun], target: Path | str) -> None:
    """``NAME.codebook.json`` and ``NAME.codebook.md`` beside an exported table."""
    texts = (codebook_json(runs), codebook_text(runs))
    for path, text in zip(beside(runs, target)[-2:], texts, strict=True):
        with whole_file(path) as file:
            file.write(text.encode())


def _pictures(table: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.count_distinct(table["position"]).as_py())
