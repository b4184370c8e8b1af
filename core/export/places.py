"""Where in the lists of a shard (masks, profiles) the entry of an object stands."""

from __future__ import annotations

from typing import Any

import numpy as np

_KEYS = 1 << 16  # more targets than a prompt can have, so that item and target make one number


def list_of(items: Any, name: str) -> Any:
    """A column of lists of a pyarrow Table, in one piece."""
    column = items[name].combine_chunks()
    return column.chunk(0) if hasattr(column, "chunk") and column.num_chunks else column


def places_of(lists: Any, item: np.ndarray, target: np.ndarray) -> Any:
    """Places in ``lists.flatten()``, whose entries have a field ``target``: of the object
    ``target`` of the row ``item``; null where there is no such entry."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    of_target = lists.flatten().field("target").to_numpy(zero_copy_only=False).astype(np.int64)
    keys = np.repeat(np.arange(len(lengths)), lengths) * _KEYS + of_target
    order = np.argsort(keys, kind="stable")
    wanted = item * _KEYS + target
    at = np.searchsorted(keys[order], wanted)
    inside = np.minimum(at, max(len(keys) - 1, 0))
    missing = (at >= len(keys)) | (target < 0)
    if not len(keys):
        return pa.nulls(len(item), pa.int64())
    missing |= keys[order][inside] != wanted
    return pa.array(order[inside], mask=missing)
