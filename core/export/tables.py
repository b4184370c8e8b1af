"""Results of runs as one table: CSV or Parquet, written as it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from core.export.codebook import codebook, codebook_json, codebook_text
from core.export.columns import arrow_schema
from core.export.files import Progress, quiet, whole_file
from core.export.rows import row_tables
from core.export.source import ExportRun

ROW_GROUP = 64 * 1024
CODEBOOK_KEY = b"truehue_codebook"
"""In the metadata of a Parquet file: codebook.json."""


def tables(runs: Sequence[ExportRun], progress: Progress = quiet) -> Iterator[Any]:
    """The rows of all runs as pyarrow Tables, run after run, each by position."""
    total, done = sum(run.done for run in runs), 0
    for run in runs:
        for table in row_tables(run.run_id, run.plan, run.shards):
            yield table
            # The rows of a table begin with another picture than those of the one before.
            done += _pictures(table)
            progress(done, total)


def csv_pieces(runs: Sequence[ExportRun], progress: Progress = quiet) -> Iterator[bytes]:
    """The CSV in pieces, header first: UTF-8, quoted where it has to be."""
    import pyarrow as pa
    from pyarrow import csv

    first = csv.WriteOptions(include_header=True, quoting_style="needed", quoting_header="none")
    out = pa.BufferOutputStream()
    csv.write_csv(arrow_schema().empty_table(), out, first)
    yield out.getvalue().to_pybytes()
    rest = csv.WriteOptions(include_header=False, quoting_style="needed")
    for table in tables(runs, progress):
        out = pa.BufferOutputStream()
        csv.write_csv(table, out, rest)
        yield out.getvalue().to_pybytes()


def write_csv(runs: Sequence[ExportRun], out: Path | str, progress: Progress = quiet) -> None:
    """The CSV at ``out``, and its codebook beside it."""
    with whole_file(out) as file:
        for piece in csv_pieces(runs, progress):
            file.write(piece)
    write_codebook(runs, out)


def write_parquet(runs: Sequence[ExportRun], out: Path | str, progress: Progress = quiet) -> None:
    """The Parquet file at ``out``, which holds its codebook, and the codebook beside it too."""
    with whole_file(out) as file:
        write_parquet_to(file, runs, progress)
    write_codebook(runs, out)


def write_parquet_to(
    file: IO[bytes], runs: Sequence[ExportRun], progress: Progress = quiet
) -> None:
    """The Parquet file into an open one, in row groups of equal size whatever the shards were."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    book = json.dumps(codebook(runs), ensure_ascii=False, sort_keys=True).encode()
    schema = arrow_schema().with_metadata({CODEBOOK_KEY: book})
    waiting: list[Any] = []
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables(runs, progress):
            waiting.append(table)
            while sum(one.num_rows for one in waiting) >= ROW_GROUP:
                rows = pa.concat_tables(waiting)
                writer.write_table(rows.slice(0, ROW_GROUP).cast(schema))
                waiting = [rows.slice(ROW_GROUP).combine_chunks()]
        if waiting:
            writer.write_table(pa.concat_tables(waiting).cast(schema))


def write_codebook(runs: Sequence[ExportRun], beside: Path | str) -> None:
    """``NAME.codebook.json`` and ``NAME.codebook.md`` beside an exported table."""
    stem = Path(beside).with_suffix("")
    for ending, text in (("json", codebook_json(runs)), ("md", codebook_text(runs))):
        with whole_file(stem.with_name(f"{stem.name}.codebook.{ending}")) as file:
            file.write(text.encode())


def _pictures(table: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.count_distinct(table["position"]).as_py())
