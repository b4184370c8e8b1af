"""Counting verdicts by fields: a row for each object, or for each image and group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truehue.core.analysis.names import BASIC, INTERMEDIATE, MODIFIERS, l2_names
from truehue.core.analysis.records import SECTORS
from truehue.storage.results.dictionary import StringDictionary
from truehue.storage.results.where import COLUMNS, PICTURE
from truehue.storage.runs.dictionaries import STATUSES, TRAITS

_BITS = {
    "modifier": sum(1 << TRAITS.index(modifier) for modifier in MODIFIERS),
    "basic": sum(1 << TRAITS.index(trait) for trait in (BASIC, INTERMEDIATE)),
}
_MASKS = {name: f" & {bits}" for name, bits in _BITS.items()}


def objects_sql(by: Sequence[str], table: str, location: str) -> str:
    """SQL for a row an object: ``status`` and the fields as ``by0``, ``by1``, …."""
    columns = ", ".join(
        f"{COLUMNS[name]}{_MASKS.get(name, '')} AS by{index}" for index, name in enumerate(by)
    )
    return f"SELECT status, {columns} FROM {table} WHERE {location}"


def images_sql(by: Sequence[str], table: str, location: str) -> str:
    """The same with a row an image and group. A name of two modifiers is a row for each."""
    columns, tables = [], [f"{table} AS rows"]
    for index, name in enumerate(by):
        if name in _BITS:
            bits = [1 << bit for bit, _ in enumerate(TRAITS) if _BITS[name] & 1 << bit]
            tables.append(f"(SELECT unnest({bits}) AS bit{index}) AS bits{index}")
            location += f" AND (traits & bit{index}) <> 0"
        columns.append(f"{f'bit{index}' if name in _BITS else COLUMNS[name]} AS by{index}")
    return (
        f"SELECT DISTINCT {PICTURE} AS picture, picture_status AS status, {', '.join(columns)} "
        f"FROM {', '.join(tables)} WHERE {location}"
    )


def keys_of(
    dictionary: StringDictionary, by: Sequence[str], numbers: Sequence[Any]
) -> list[tuple[str, ...]]:
    """The keys that a row belongs to: several where a name has two modifiers, none without."""
    keys: list[tuple[str, ...]] = [()]
    for name, number in zip(by, numbers, strict=True):
        if number is None:
            return []
        if name in _BITS:
            parts = [trait for index, trait in enumerate(TRAITS) if number & 1 << index]
        else:
            word = _word(dictionary, name, number)
            # Objects beside the main one have no category in the reconstruction.
            parts = [] if name == "category" and not word else [word]
        keys = [(*key, part) for key in keys for part in parts]
    return keys


def _word(dictionary: StringDictionary, name: str, number: int) -> str:
    if name == "run":
        return dictionary.run_ids[number]
    if name == "color":
        return dictionary.colors[number].value
    if name == "sector":
        return SECTORS[number]
    if name == "status":
        return STATUSES[number]
    if name in ("asked_l2", "found_l2"):
        return l2_names()[number]
    return dictionary.names[name][number]
