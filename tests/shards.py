"""Reading the shards of a run, for tests that look at what was written."""

from __future__ import annotations

from pathlib import Path

from truehue.core.batch.shards import BadShard
from truehue.core.runs.records import ItemResult
from truehue.core.runs.shards import read_columns, result_of


def read_shard(path: Path) -> list[ItemResult]:
    """The results of a shard. Raises BadShard, naming the file, for one that is damaged."""
    table = read_columns(path, None)
    try:
        return [result_of(row) for row in table.to_pylist()]
    except (KeyError, TypeError, ValueError) as error:
        raise BadShard(f"{path} is no shard of a run: {error}.") from error
