"""Results of pictures as plain rows: the same in a journal's JSON and a shard's Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from core.runs.records import ItemResult, MaskResult, ObjectVerdict

_PLAIN = tuple(one.name for one in fields(ItemResult))


def row_of(result: ItemResult) -> dict[str, Any]:
    """A result as a row of plain values: mappings as JSON text, colors as lists of three."""
    row = asdict(result)
    row["origin"] = _text(result.origin)
    row["notes"] = list(result.notes)
    row["masks"] = [{**asdict(one), "parameters": _text(one.parameters)} for one in result.masks]
    row["verdicts"] = [
        {**asdict(one), "lab": None if one.lab is None else list(one.lab)}
        for one in result.verdicts
    ]
    return row


def result_of(row: Mapping[str, Any]) -> ItemResult:
    """The result of a row of :func:`row_of`. Raises KeyError, TypeError or ValueError for another
    one."""
    values = {name: row[name] for name in _PLAIN}
    values["origin"] = json.loads(values["origin"])
    values["notes"] = tuple(values["notes"])
    values["masks"] = tuple(
        MaskResult(**{**one, "parameters": json.loads(one["parameters"])})
        for one in values["masks"]
    )
    values["verdicts"] = tuple(
        ObjectVerdict(**{**one, "lab": None if one["lab"] is None else tuple(one["lab"])})
        for one in values["verdicts"]
    )
    return ItemResult(**values)


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), sort_keys=True, ensure_ascii=False, allow_nan=False)
