"""Results of pictures as plain rows: the same in a journal's JSON and a shard's Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from core.concepts.records import ColorProfile
from core.runs.records import ItemResult, MaskResult, ObjectProfile, ObjectVerdict

_PLAIN = tuple(one.name for one in fields(ItemResult))


def row_of(result: ItemResult) -> dict[str, Any]:
    """A result as a row of plain values: mappings as JSON text, tuples of numbers as lists."""
    row = asdict(result)
    row["origin"] = _text(result.origin)
    row["notes"] = list(result.notes)
    row["masks"] = [{**asdict(one), "parameters": _text(one.parameters)} for one in result.masks]
    row["verdicts"] = [
        {**asdict(one), "lab": None if one.lab is None else list(one.lab)}
        for one in result.verdicts
    ]
    row["profiles"] = [{**asdict(one), "profile": _lists(one.profile)} for one in result.profiles]
    return row


def result_of(row: Mapping[str, Any]) -> ItemResult:
    """The result of a row of :func:`row_of`; one of before there were profiles has none. Raises
    KeyError, TypeError or ValueError for another one."""
    values = {name: row[name] for name in _PLAIN if name != "profiles"}
    values["profiles"] = tuple(
        ObjectProfile(**{**one, "profile": one["profile"] and profile_of_row(one["profile"])})
        for one in row.get("profiles") or ()
    )
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


def profile_of_row(row: Mapping[str, Any]) -> ColorProfile:
    """The profile of its plain values. Raises KeyError, TypeError for others."""
    values: dict[str, Any] = {one.name: row[one.name] for one in fields(ColorProfile)}
    for name, one in values.items():
        if isinstance(one, list):
            values[name] = tuple(one)
    return ColorProfile(**values)


def _lists(profile: ColorProfile | None) -> dict[str, Any] | None:
    if profile is None:
        return None
    values = ((one.name, getattr(profile, one.name)) for one in fields(profile))
    return {name: list(one) if isinstance(one, tuple) else one for name, one in values}


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), sort_keys=True, ensure_ascii=False, allow_nan=False)
