"""The latest attempt of every picture of a run, by position, whatever shard or journal holds it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import BadInput
from core.files import why_of
from core.runs.folder import RunFolder
from core.runs.journal import Fits, fitting, read_journal
from core.runs.rows import row_of
from core.runs.shards import read_columns, schema

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
            results = [one for one in results if not fits(one)]
        if results:
            rows = [row_of(one) for one in results]
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
        parts.append((
            columns["position"].to_numpy().astype(np.int64),
            columns["attempt"].to_numpy().astype(np.int64),
            np.full(count, place), np.arange(count),
        ))  # fmt: skip
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
    kept = _Kept(shards, columns)
    for start in range(0, len(places), size):
        at, row = places[start : start + size], rows[start : start + size]
        parts, origins = [], []
        for place in np.unique(at):
            here = np.flatnonzero(at == place)
            parts.append(kept.table(int(place)).take(pa.array(row[here])))
            origins.append(here)
        back = np.argsort(np.concatenate(origins), kind="stable")
        yield pa.concat_tables(parts).take(pa.array(back)).combine_chunks()


class _Kept:
    """Shards in memory, the last used ones up to a number of bytes."""

    def __init__(self, shards: Sequence[Part], columns: Sequence[str] | None) -> None:
        import pyarrow as pa

        self._shards = shards
        wanted = schema()
        self._schema = wanted if columns is None else pa.schema([wanted.field(c) for c in columns])
        self._tables: OrderedDict[int, Any] = OrderedDict()
        self._bytes = 0

    def table(self, place: int) -> Any:
        """The whole shard, with one chunk a column."""
        if place in self._tables:
            self._tables.move_to_end(place)
            return self._tables[place]
        wanted = self._schema
        table = columns_of(self._shards[place], wanted.names).cast(wanted).combine_chunks()
        self._tables[place] = table
        self._bytes += table.nbytes
        while len(self._tables) > 1 and self._bytes > KEPT_BYTES:
            self._bytes -= self._tables.popitem(last=False)[1].nbytes
        return table
