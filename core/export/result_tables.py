"""The latest attempt of every picture of a run, by position, whatever shard or journal holds it;
and as the shards of an archive, without what is this machine's own.

Equal results give equal bytes, whatever workers wrote them and however they were dealt out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch import results
from truehue.core.batch.results import BATCH, Part
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.shards import read_columns, schema
from truehue.core.runs.worker import RunWork

OURS_ALONE = ("seconds", "scoring_seconds", "worker")
"""Columns in which two executions of one plan may differ."""


def parts_of(folder: RunFolder) -> list[Part]:
    """See :func:`truehue.core.batch.results.parts_of`."""
    return results.parts_of(RunWork(folder.path))


def columns_of(part: Part, names: Sequence[str]) -> Any:
    """Some columns of a part as a pyarrow Table. Raises BadShard."""
    return read_columns(part, names) if isinstance(part, Path) else part.select(list(names))


def latest(shards: Sequence[Part]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """See :func:`truehue.core.batch.results.latest`."""
    return results.latest(shards, columns_of)


def item_tables(
    shards: Sequence[Part], size: int = BATCH, columns: Sequence[str] | None = None
) -> Iterator[Any]:
    """Tables of up to ``size`` pictures in the schema of a shard: see
    :func:`truehue.core.batch.results.item_tables`."""
    return results.item_tables(shards, schema(), columns_of, size, columns)


def parts(shards: Sequence[Part]) -> Iterator[tuple[str, bytes, Any]]:
    """Name, bytes and table of each shard of the archive."""
    for number, table in enumerate(item_tables(shards)):
        table = carried(table)
        yield part_name(number), parquet(table), table


def part_name(number: int) -> str:
    """``part-00000.parquet``."""
    return f"part-{number:05d}.parquet"


def carried(table: Any) -> Any:
    """The results as they leave a machine: no names of workers, and no ids under which a storage
    keeps the masks, which name nothing elsewhere."""
    import pyarrow as pa

    rows = table.num_rows
    index = table.schema.get_field_index("worker")
    table = table.set_column(index, schema().field("worker"), pa.repeat(pa.scalar(""), rows))
    index = table.schema.get_field_index("masks")
    masks = table["masks"].combine_chunks()
    masks = masks.chunk(0) if isinstance(masks, pa.ChunkedArray) else masks
    flat = masks.flatten()
    names = flat.type.names
    fields = [
        pa.repeat(pa.scalar(""), len(flat)) if name == "mask_id" else flat.field(name)
        for name in names
    ]
    lists = pa.ListArray.from_arrays(_offsets(masks), pa.StructArray.from_arrays(fields, names))
    return table.set_column(
        index, schema().field("masks"), lists.cast(schema().field("masks").type)
    )


def same_results(first: Sequence[Part], other: Sequence[Part]) -> bool:
    """True where two sets of shards say the same of the same pictures, whoever was quicker."""
    left, right = item_tables(first), item_tables(other)
    while True:
        a, b = next(left, None), next(right, None)
        if a is None or b is None:
            return a is b
        drop = list(OURS_ALONE)
        if not carried(a).drop_columns(drop).equals(carried(b).drop_columns(drop)):
            return False


def parquet(table: Any) -> bytes:
    """The table as a Parquet file."""
    import pyarrow.parquet as pq

    buffer = BytesIO()
    pq.write_table(table.cast(schema()), buffer, compression="zstd")
    return buffer.getvalue()


def _offsets(lists: Any) -> Any:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
