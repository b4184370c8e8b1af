"""Shards: rows as Parquet, complete or absent.

A shard has the columns of its work's schema, including
:data:`truehue.core.batch.records.RESULT_COLUMNS`. The check covers all of its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from truehue.core.batch.records import Row
from truehue.core.errors import BadInput
from truehue.core.files import write_once


class BadShard(BadInput):
    """A shard that cannot be read as one of ours."""


def schema_with(columns: Iterable[tuple[str, Any]]) -> Any:
    """The Arrow schema of the four columns that every result has, then of ``columns``, each a name
    and an Arrow type."""
    import pyarrow as pa

    own = [
        ("position", pa.int32()),
        ("attempt", pa.int32()),
        ("status", pa.string()),
        ("reason", pa.string()),
    ]
    return pa.schema([*own, *columns])


def write_shard(path: Path, rows: Sequence[Row], schema: Any) -> None:
    """Writes rows to ``path`` unless that shard is there already; a column that a row does not
    have is empty there.

    Raises DataFolderError when the folder cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(list(rows), schema=schema)
    buffer = BytesIO()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    write_once(path, buffer.getvalue())


def read_columns(
    path: Path, names: Sequence[str] | None, complete: Callable[[Any], Any] | None = None
) -> Any:
    """Columns of a shard as a pyarrow Table; None reads all. Raises BadShard.

    ``complete`` gives the table of an older form the columns that it has not.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Not by the file's path: pyarrow reads folder names such as a=b as columns.
        file = pq.ParquetFile(path, page_checksum_verification=True)
        table = file.read(columns=None if names is None else list(names))
        if complete is not None:
            table = complete(table)
        return table if names is None else table.select(list(names))
    except MemoryError:  # Arrow's too; the shard may be as good as any
        raise
    # Of a footer with a flipped byte, pyarrow also says that it is no UTF-8, a ValueError.
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise BadShard(
            f"The shard {path} cannot be read ({error}). Put a copy back, or resume: what it holds "
            "is then done again, and the file is kept aside."
        ) from error
