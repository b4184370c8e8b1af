"""The latest attempt of every picture of a run, by position, whatever shard or journal holds it;
and as the shards of an archive, without what is this machine's own.

Equal results give equal bytes, whatever workers wrote them and however they were dealt out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import BadInput
from core.files import why_of
from core.runs.folder import RunFolder
from core.runs.journal import Fits, fitting, read_journal
from core.runs.shards import read_columns, row_of, schema

OURS_ALONE = ("seconds", "scoring_seconds", "worker")
"""Columns in which two executions of one plan may differ."""

Part = Any
"""The path of a shard, or a pyarrow Table: what a journal held when it was read."""

BATCH = 2048
KEPT_BYTES = 96 * 2**20
"""Of shards that are held at once: pictures of one stretch usually lie in few of them."""


def parts_of(folder: RunFolder) -> list[Part]:
    """The shards of a run, then what its journals hold beyond them. Nothing is written.

    A journal may be sealed meanwhile: they are read first, and where there is a shard of the same
    name by then, that one counts. Raises BadInput for a journal that cannot be read.
    """
    import pyarrow as pa

    journals: dict[str, Any] = {}
    fits: Fits | None = None
    for path in sorted(folder.journal.glob("*.jsonl")):
        try:
            results = read_journal(path)
        except FileNotFoundError:
            continue  # sealed between the two steps
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {why_of(error)}.") from error
        if results:
            fits = fits or fitting(folder.plan())
            results = [result for result in results if not fits(result)]
        if results:
            rows = [row_of(result) for result in results]
            journals[path.stem] = pa.Table.from_pylist(rows, schema=schema())
    shards = folder.shards()
    sealed = {path.stem for path in shards}
    return [*shards, *(table for stem, table in journals.items() if stem not in sealed)]


def columns_of(part: Part, names: Sequence[str]) -> Any:
    """Some columns of a part as a pyarrow Table. Raises BadShard."""
    return read_columns(part, names) if isinstance(part, Path) else part.select(list(names))


def latest(shards: Sequence[Part]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each picture that has a result its position, its shard's place, and the row in there.

    int64 arrays, ascending by position. Of equal attempts the first shard's counts.
    """
    parts = []
    for place, part in enumerate(shards):
        columns = columns_of(part, ("position", "attempt"))
        count = columns.num_rows
        parts.append(
            (
                columns["position"].to_numpy().astype(np.int64),
                columns["attempt"].to_numpy().astype(np.int64),
                np.full(count, place),
                np.arange(count),
            )
        )
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    positions, attempts, places, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((rows, places, -attempts, positions))
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(positions[order]) != 0
    chosen = order[first]
    return positions[chosen], places[chosen], rows[chosen]


def item_tables(
    shards: Sequence[Part], size: int = BATCH, columns: Sequence[str] | None = None
) -> Iterator[Any]:
    """Tables of up to ``size`` pictures in the schema of a shard, ascending by position.

    ``columns`` are all of them if None. Few shards are in memory at a time. Raises BadShard for a
    damaged one.
    """
    import pyarrow as pa

    _, places, rows = latest(shards)
    cache = _TableCache(shards, columns)
    for start in range(0, len(places), size):
        at, row = places[start : start + size], rows[start : start + size]
        parts, origins = [], []
        for place in np.unique(at):
            here = np.flatnonzero(at == place)
            parts.append(cache.table(int(place)).take(pa.array(row[here])))
            origins.append(here)
        back = np.argsort(np.concatenate(origins), kind="stable")
        yield pa.concat_tables(parts).take(pa.array(back)).combine_chunks()


class _TableCache:
    """Shards in memory, the last used ones up to a number of bytes."""

    def __init__(self, shards: Sequence[Part], columns: Sequence[str] | None) -> None:
        import pyarrow as pa

        self._shards = shards
        target_schema = schema()
        self._schema = (
            target_schema
            if columns is None
            else pa.schema([target_schema.field(c) for c in columns])
        )
        self._tables: OrderedDict[int, Any] = OrderedDict()
        self._bytes = 0

    def table(self, place: int) -> Any:
        """The whole shard, with one chunk a column."""
        if place in self._tables:
            self._tables.move_to_end(place)
            return self._tables[place]
        target_schema = self._schema
        table = (
            columns_of(self._shards[place], target_schema.names)
            .cast(target_schema)
            .combine_chunks()
        )
        self._tables[place] = table
        self._bytes += table.nbytes
        while len(self._tables) > 1 and self._bytes > KEPT_BYTES:
            self._bytes -= self._tables.popitem(last=False)[1].nbytes
        return table


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
    at = table.schema.get_field_index("worker")
    table = table.set_column(at, schema().field("worker"), pa.repeat(pa.scalar(""), rows))
    at = table.schema.get_field_index("masks")
    masks = table["masks"].combine_chunks()
    masks = masks.chunk(0) if isinstance(masks, pa.ChunkedArray) else masks
    flat = masks.flatten()
    names = flat.type.names
    fields = [
        pa.repeat(pa.scalar(""), len(flat)) if name == "mask_id" else flat.field(name)
        for name in names
    ]
    lists = pa.ListArray.from_arrays(_offsets(masks), pa.StructArray.from_arrays(fields, names))
    return table.set_column(at, schema().field("masks"), lists.cast(schema().field("masks").type))


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
