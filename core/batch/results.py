"""The latest attempt of every item, by position, from any shard or journal."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch.journal import Misfit, read_journal
from truehue.core.batch.work import Work
from truehue.core.errors import BadInput
from truehue.core.files import file_problem

Part = Any
"""The path of a shard, or a pyarrow Table: what a journal held when it was read."""

Read = Callable[[Part, Sequence[str]], Any]
"""Some columns of a part, as a pyarrow Table."""

BATCH = 2048
KEPT_BYTES = 96 * 2**20
"""Of shards that are held at once: items of one stretch usually lie in few of them."""


def tables(work: Work, columns: Sequence[str] | None = None, size: int = BATCH) -> Iterator[Any]:
    """Tables of up to ``size`` items each, ascending by position, of the latest attempt of every
    item that has a result; ``columns`` are all of the work's schema if None.

    Work may be going on meanwhile; nothing is written. Raises BadInput for a journal that cannot be
    read, BadShard for a damaged shard.
    """

    def read(part: Part, names: Sequence[str]) -> Any:
        return work.read(part, names) if isinstance(part, Path) else part.select(list(names))

    return item_tables(parts_of(work), work.schema(), read, size, columns)


def parts_of(work: Work) -> list[Part]:
    """The shards of a folder, then what its journals hold beyond them. Nothing is written.

    A journal may be sealed meanwhile: they are read first, and where there is a shard of the same
    name by then, that one counts. Raises BadInput for a journal that cannot be read.
    """
    import pyarrow as pa

    journals: dict[str, Any] = {}
    for path in work.folder.journals():
        try:
            rows = read_journal(path)
        except FileNotFoundError:
            continue  # sealed between the two steps
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {file_problem(error)}.") from error
        fitting = []
        for row in rows:
            with suppress(Misfit):
                fitting.append(work.fitted(row))
        if fitting:
            journals[path.stem] = pa.Table.from_pylist(fitting, schema=work.schema())
    shards = work.folder.shards()
    sealed = {path.stem for path in shards}
    return [*shards, *(table for stem, table in journals.items() if stem not in sealed)]


def latest(shards: Sequence[Part], read: Read) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each item that has a result its position, its shard's place, and the row in there.

    int64 arrays, ascending by position. Of equal attempts the first shard's counts.
    """
    parts = []
    for index, part in enumerate(shards):
        columns = read(part, ("position", "attempt"))
        count = columns.num_rows
        parts.append(
            (
                columns["position"].to_numpy().astype(np.int64),
                columns["attempt"].to_numpy().astype(np.int64),
                np.full(count, index),
                np.arange(count),
            )
        )
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    positions, attempts, indices, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((rows, indices, -attempts, positions))
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(positions[order]) != 0
    chosen = order[first]
    return positions[chosen], indices[chosen], rows[chosen]


def item_tables(
    shards: Sequence[Part],
    schema: Any,
    read: Read,
    size: int = BATCH,
    columns: Sequence[str] | None = None,
) -> Iterator[Any]:
    """Tables of up to ``size`` items in the ``schema``, ascending by position.

    ``columns`` are all of them if None. Few shards are in memory at a time. Raises BadShard for a
    damaged one.
    """
    import pyarrow as pa

    _, positions, rows = latest(shards, read)
    cache = _TableCache(shards, schema, read, columns)
    for start in range(0, len(positions), size):
        indices, row = positions[start : start + size], rows[start : start + size]
        parts, origins = [], []
        for index in np.unique(indices):
            in_part = np.flatnonzero(indices == index)
            parts.append(cache.table(int(index)).take(pa.array(row[in_part])))
            origins.append(in_part)
        back = np.argsort(np.concatenate(origins), kind="stable")
        yield pa.concat_tables(parts).take(pa.array(back)).combine_chunks()


class _TableCache:
    """Shards in memory, the last used ones up to a number of bytes."""

    def __init__(
        self, shards: Sequence[Part], schema: Any, read: Read, columns: Sequence[str] | None
    ) -> None:
        import pyarrow as pa

        self._shards, self._read = shards, read
        self._schema = (
            schema if columns is None else pa.schema([schema.field(name) for name in columns])
        )
        self._tables: OrderedDict[int, Any] = OrderedDict()
        self._bytes = 0

    def table(self, index: int) -> Any:
        """The whole shard, with one chunk a column."""
        if index in self._tables:
            self._tables.move_to_end(index)
            return self._tables[index]
        target_schema = self._schema
        table = (
            self._read(self._shards[index], target_schema.names)
            .cast(target_schema)
            .combine_chunks()
        )
        self._tables[index] = table
        self._bytes += table.nbytes
        while len(self._tables) > 1 and self._bytes > KEPT_BYTES:
            self._bytes -= self._tables.popitem(last=False)[1].nbytes
        return table
