"""Facets of the filter bar: the values of each filter, and the number of images with each value.

Each facet is counted with all other filters on. If no other filter is about one object, the query
counts the first row of each image with a value (``firsts``); otherwise it counts distinct images.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from truehue.core.analysis.names import BASIC, INTERMEDIATE, l2_names
from truehue.core.analysis.records import NO_SYSTEM, SECTORS, Slice
from truehue.core.color.systems import MODIFIERS, SYSTEMS
from truehue.core.prompts.prompt import TASKS
from truehue.core.runs.score import CAUSES
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import (
    COLOR_FIELDS,
    COLUMNS,
    OBJECT_FIELDS,
    PICTURE,
    StringDictionary,
    condition,
    conditions,
    set_fields,
    without,
)
from truehue.storage.results.items import verdict_rows
from truehue.storage.runs.dictionaries import FIRSTS, STATUSES, TRAITS

Facets = dict[str, list[tuple[str, str, int]]]

PICTURE_FIELDS = ("run", "task", "system", "status", "cause")
FACETS = (
    *PICTURE_FIELDS,
    "category",
    "object",
    "color",
    "sector",
    "asked_l2",
    "found_l2",
    "modifier",
    "basic",
)
_OF_COLOR = ("color", "sector", "asked_l2", "modifier", "basic")


def facets(database: Database, dictionary: StringDictionary, selection: Slice) -> Facets:
    """Value, label and number of images of each facet; see the module."""
    chosen = set_fields(selection) | ({"run"} if selection.runs else set())
    counts: dict[str, Counter[Any]] = {}
    # Facets that no filter of their own narrows share their rows.
    free = [name for name in FACETS if name not in chosen]
    _count(database, dictionary, selection, free, counts)
    for name in FACETS:
        if name in chosen:
            _count(database, dictionary, without(selection, name), [name], counts)
    return {name: _values_of(dictionary, name, counts[name]) for name in FACETS}


def _count(
    database: Database,
    dictionary: StringDictionary,
    selection: Slice,
    names: Sequence[str],
    counts: dict[str, Counter[Any]],
) -> None:
    """Put the counts of the facets ``names`` into ``counts``, by the number of the value."""
    rest = set_fields(selection)
    alone = not rest & (OBJECT_FIELDS | {"cause"})
    images = [name for name in names if name in PICTURE_FIELDS]
    objects = [name for name in names if name in OBJECT_FIELDS]
    if images and not rest & OBJECT_FIELDS:
        columns = ", ".join(COLUMNS[name] for name in images)
        rows = database.rows(
            f"SELECT {columns}, count(*) FROM {verdict_rows(dictionary, selection)} "
            f"WHERE {condition(dictionary, selection)} GROUP BY ALL"
        )
        for index, name in enumerate(images):
            counts[name] = _summed((row[index], row[-1]) for row in rows)
    elif images:
        _distinct(database, dictionary, selection, images, counts)
    if objects and alone:
        _firsts(database, dictionary, selection, objects, counts)
    elif objects:
        _distinct(database, dictionary, selection, objects, counts)


def _firsts(
    database: Database,
    dictionary: StringDictionary,
    selection: Slice,
    names: Sequence[str],
    counts: dict[str, Counter[Any]],
) -> None:
    def rows(columns: str, field: str) -> list[tuple[Any, ...]]:
        location = condition(dictionary, selection, (field,))
        table = verdict_rows(dictionary, selection)
        return database.rows(
            f"SELECT {columns}, count(*) FROM {table} WHERE {location} GROUP BY ALL"
        )

    for group in (("object", "category"), ("found_l2",)):
        fields = [name for name in group if name in names]
        if fields:
            first_rows = rows(", ".join([*(COLUMNS[name] for name in fields), "firsts"]), fields[0])
            for index, name in enumerate(fields):
                bit = 1 << FIRSTS.index(name)
                counts[name] = _summed((row[index], row[-1]) for row in first_rows if row[-2] & bit)
    fields = [name for name in _OF_COLOR if name in names]
    if fields:
        first_rows = rows("color_no, firsts, first_traits", "color")
        for name in fields:
            counts[name] = _summed(_by_color(dictionary, name, first_rows))


def _by_color(
    dictionary: StringDictionary, name: str, rows: Iterable[tuple[Any, ...]]
) -> Iterable[Any]:
    for color_no, firsts, traits, count in rows:
        if name in ("modifier", "basic"):
            for index, _ in enumerate(TRAITS):
                if traits & 1 << index:
                    yield index, count
        elif firsts & 1 << FIRSTS.index(name):
            color = dictionary.colors[color_no]
            value = {"color": color_no, "sector": color.sector, "asked_l2": color.asked_l2}
            yield value[name], count


def _distinct(
    database: Database,
    dictionary: StringDictionary,
    selection: Slice,
    names: Sequence[str],
    counts: dict[str, Counter[Any]],
) -> None:
    """Images told apart: the rows are read once, and an image's second row with a value is
    seen beside its first."""
    whole = Slice(rule=selection.rule, runs=selection.runs)
    location = condition(dictionary, whole, ("object",))
    narrowed = " AND ".join([location, *conditions(dictionary, selection)])
    columns = dict.fromkeys([*(COLUMNS[name] for name in names), "leads", "matches"])
    reads = ", ".join(f"coalesce({column}::INTEGER, -1)::INTEGER AS {column}" for column in columns)
    with database.cursor() as cursor:
        rows = cursor.execute(
            f"SELECT {PICTURE} AS picture, single, {reads} "
            f"FROM {verdict_rows(dictionary, selection)} WHERE {narrowed}"
        ).fetchnumpy()
    images = _Images(np.asarray(rows["picture"]), np.asarray(rows["single"]))
    leads, matches = np.asarray(rows["leads"]) == 1, np.asarray(rows["matches"]) == 1
    every = bool(set_fields(selection) & OBJECT_FIELDS)
    colored = bool(set_fields(selection) & COLOR_FIELDS)
    for name in names:
        row_mask = np.ones(len(leads), dtype=bool)
        if colored or name in COLOR_FIELDS:
            row_mask &= matches
        if not every and name not in OBJECT_FIELDS:
            row_mask &= leads
        values = np.asarray(rows[COLUMNS[name]])
        if name in ("modifier", "basic"):
            bits = [
                np.where(row_mask & (values >> index & 1 == 1), index, -1)
                for index, _ in enumerate(TRAITS)
            ]
            counts[name] = Counter(
                {index: images.count(bit_values)[index] for index, bit_values in enumerate(bits)}
            )
        else:
            picture_counts = images.count(np.where(row_mask, values, -1))
            counts[name] = Counter(dict(enumerate(picture_counts)))
        counts[name] = +counts[name]


class _Images:
    """Rows of verdicts by their image: ``single`` are those of images with one object."""

    def __init__(self, images: np.ndarray, single: np.ndarray) -> None:
        self._single = single
        self._several = np.flatnonzero(~single)
        shared = images[self._several]
        if not (shared[1:] >= shared[:-1]).all():  # they come in this order, but nobody says so
            order = np.argsort(shared, kind="stable")
            self._several, shared = self._several[order], shared[order]
        # For each distance between two rows of one image: which rows have one before them.
        self._same: list[np.ndarray] = []
        while len(shared) > len(self._same) + 1:
            lag = len(self._same) + 1
            same = shared[lag:] == shared[:-lag]
            if not same.any():
                break
            self._same.append(same)

    def count(self, values: np.ndarray) -> list[int]:
        """The number of different images of each value; rows below 0 do not count."""
        size = max(int(values.max(initial=-1)) + 1, len(TRAITS))
        alone = values[self._single]
        total = np.bincount(alone[alone >= 0], minlength=size)
        several = values[self._several]
        first = several >= 0
        for lag, same in enumerate(self._same, start=1):
            first[lag:] &= ~(same & (several[lag:] == several[:-lag]))
        total += np.bincount(several[first], minlength=size)
        return [int(number) for number in total]


def _summed(pairs: Iterable[Sequence[Any]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for value, count in pairs:
        if value is not None:
            total[value] += count
    return total


def _values_of(
    dictionary: StringDictionary, name: str, counts: Counter[Any]
) -> list[tuple[str, str, int]]:
    """Values and labels: in their own order where they have one, else the most first."""
    entries = [(value, *_label(dictionary, name, value), count) for value, count in counts.items()]
    own = name in ("run", "sector", "asked_l2", "found_l2", "modifier", "basic", "task", "status")
    key: Callable[[tuple[Any, str, str, int]], Any] = (
        (lambda entry: _order(dictionary, name, entry[0]))
        if own
        else (lambda entry: (-entry[3], entry[2]))
    )
    rows = [row for row in sorted(entries, key=key) if row[1]]
    if name in ("modifier", "basic"):
        choices = MODIFIERS if name == "modifier" else (BASIC, INTERMEDIATE)
        rows = [row for row in rows if row[1] in choices]
    return [row[1:] for row in rows]


def _order(dictionary: StringDictionary, name: str, value: int) -> int:
    if name == "task":
        task = dictionary.names["task"][value]
        return list(TASKS).index(task) if task in TASKS else len(TASKS)
    return value


def _label(dictionary: StringDictionary, name: str, value: int) -> tuple[str, str]:
    """The value as a slice takes it, and as people read it."""
    if name == "run":
        return dictionary.run_ids[value], dictionary.run_names[value]
    if name == "color":
        return dictionary.colors[value].value, dictionary.colors[value].label
    if name == "sector":
        time_text = SECTORS[value]
        return (
            time_text,
            f"{time_text}° to {int(time_text) + 30}°" if time_text.isdigit() else time_text,
        )
    if name in ("asked_l2", "found_l2"):
        return l2_names()[value], l2_names()[value]
    if name in ("modifier", "basic"):
        return TRAITS[value], TRAITS[value]
    if name == "status":
        return STATUSES[value], STATUSES[value]
    word = dictionary.names[name][value]
    if name == "system" and not word:
        return NO_SYSTEM, "No color system"
    titles = {"task": TASKS, "system": SYSTEMS, "cause": CAUSES}
    return word, titles.get(name, {}).get(word, word)


_BITS = {
    "modifier": sum(1 << TRAITS.index(modifier) for modifier in MODIFIERS),
    "basic": sum(1 << TRAITS.index(trait) for trait in (BASIC, INTERMEDIATE)),
}
_MASKS = {name: f" & {bits}" for name, bits in _BITS.items()}


def objects_sql(by: Sequence[str], table: str, condition: str) -> str:
    """SQL for a row an object: ``status`` and the fields as ``by0``, ``by1``, …."""
    columns = ", ".join(
        f"{COLUMNS[name]}{_MASKS.get(name, '')} AS by{index}" for index, name in enumerate(by)
    )
    return f"SELECT status, {columns} FROM {table} WHERE {condition}"


def images_sql(by: Sequence[str], table: str, condition: str) -> str:
    """The same with a row an image and group. A name of two modifiers is a row for each."""
    columns, tables = [], [f"{table} AS rows"]
    for index, name in enumerate(by):
        if name in _BITS:
            bits = [1 << bit for bit, _ in enumerate(TRAITS) if _BITS[name] & 1 << bit]
            tables.append(f"(SELECT unnest({bits}) AS bit{index}) AS bits{index}")
            condition += f" AND (traits & bit{index}) <> 0"
        columns.append(f"{f'bit{index}' if name in _BITS else COLUMNS[name]} AS by{index}")
    return (
        f"SELECT DISTINCT {PICTURE} AS picture, picture_status AS status, {', '.join(columns)} "
        f"FROM {', '.join(tables)} WHERE {condition}"
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
