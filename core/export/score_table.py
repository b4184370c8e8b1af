"""The table of scores of a run's images, for any measures: CSV or Parquet, with codebook."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from truehue.core.export.columns import CODEBOOK_KEY, SCORE_COLUMNS, arrow_schema
from truehue.core.files import whole_file
from truehue.core.scores.measures import all_measures
from truehue.core.spreadsheets import guarded_table

NOTE = (
    "One row per image, measure and score. Scores are added, never overwritten: of each scorer the "
    "latest value counts, and of several scorers their mean. Numbers of different measures, "
    "versions or parameters are never to be mixed. An image without a row was not looked at."
)


def score_table(run_id: str, rows: Iterable[Sequence[Any]]) -> Any:
    """A pyarrow Table of rows as :meth:`truehue.storage.scores.scores.Scores.of_run` gives them."""
    import pyarrow as pa

    columns: list[list[Any]] = [[] for _ in SCORE_COLUMNS]
    for *fields, created_at in rows:
        for column, value in zip(columns, (run_id, *fields, created_at.isoformat()), strict=True):
            column.append(value)
    return pa.table(columns, schema=arrow_schema(SCORE_COLUMNS))


def score_file(table: Any, format: str) -> bytes:
    """The table as ``csv`` (UTF-8, formulas guarded) or ``parquet``, which holds its codebook."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    buffer = BytesIO()
    if format == "parquet":
        metadata = {CODEBOOK_KEY: score_codebook().encode()}
        pq.write_table(table.replace_schema_metadata(metadata), buffer, compression="zstd")
        return buffer.getvalue()
    stream = pa.BufferOutputStream()
    options = csv.WriteOptions(quoting_style="needed", quoting_header="none")
    csv.write_csv(guarded_table(table), stream, options)
    return bytes(stream.getvalue().to_pybytes())


def score_codebook() -> str:
    """``codebook.json`` of the table: its columns, and every measure of the list."""
    book = {
        "format": "truehue codebook of scores",
        "format_version": 1,
        "note": NOTE,
        "columns": [column.as_json() for column in SCORE_COLUMNS],
        "measures": [
            {
                "id": measure.id,
                "version": measure.version,
                "name": measure.name,
                "unit": measure.unit,
                "low": measure.low,
                "high": measure.high,
                "better": measure.better,
                "formula": measure.formula,
                "source": measure.source,
                "item_kinds": list(measure.item_kinds),
                "parameters": dict(measure.parameters),
            }
            for measure in all_measures()
        ],
    }
    return json.dumps(book, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_scores(table: Any, target: Path | str, format: str) -> None:
    """``NAME-scores.csv`` (or ``.parquet``) and its codebook beside the exported table
    ``target``; nothing where there is no score."""
    if not table.num_rows:
        return
    target = Path(target)
    with whole_file(target.with_name(f"{target.stem}-scores{target.suffix}")) as file:
        file.write(score_file(table, format))
    with whole_file(target.with_name(f"{target.stem}-scores.codebook.json")) as file:
        file.write(score_codebook().encode())
