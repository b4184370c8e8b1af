"""Pictures that no rule judges: whether the colors of their object were measured, and why not."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.export.places import list_of, places_of
from core.runs.concepts import NOT_MEASURED

_FAILED = "failed"


class Measured:
    """The profiles of some pictures' objects: ``there`` bool ``(N,)``, ``reasons`` Arrow text that
    is null where there are colors, ``fields`` the columns of a ColorProfile, null without one."""

    def __init__(self, items: Any, item: np.ndarray, target: np.ndarray) -> None:
        """``items`` in the schema of shards; ``item`` rows in it, ``target`` the object of each."""
        import pyarrow as pa
        import pyarrow.compute as pc

        listed = list_of(items, "profiles")
        found = listed.flatten().take(places_of(listed, item, target))
        _, profiles, reasons = found.flatten()
        names = profiles.type.names
        self.fields: dict[str, Any] = dict(zip(names, profiles.flatten(), strict=True))
        at = pa.array(item)
        failed = pc.equal(items["status"].combine_chunks().take(at), _FAILED)
        drawing = items["reason"].combine_chunks().take(at)
        said = pc.if_else(failed, drawing, pc.coalesce(reasons, pa.scalar(NOT_MEASURED)))
        has = profiles.is_valid()
        self.there: np.ndarray = has.to_numpy(zero_copy_only=False).astype(bool)
        self.reasons = pc.if_else(has, pa.scalar(None, pa.string()), said)
