"""Two runs on the same prompts: pictures of one prompt and number side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import duckdb

from truehue.core.analysis.records import Slice, WallItem
from truehue.core.errors import BadInput, NotStored
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import (
    OBJECT_FIELDS,
    StringDictionary,
    condition,
    set_fields,
)
from truehue.storage.results.items import item_rows, items, snapshot, verdict_rows
from truehue.storage.results.wall import MOST
from truehue.storage.runs.dictionaries import FAILS, PASSES

CELLS = ("both", "only_a", "only_b", "neither", "unscored")
"""Both pass; one alone does, the other fails; both fail; either has no score."""

_OF_CELL = {
    "": "true",
    "both": f"a = {PASSES} AND b = {PASSES}",
    "only_a": f"a = {PASSES} AND b = {FAILS}",
    "only_b": f"a = {FAILS} AND b = {PASSES}",
    "neither": f"a = {FAILS} AND b = {FAILS}",
    "unscored": f"a > {FAILS} OR b > {FAILS}",
}


@dataclass(frozen=True)
class RunPair:
    """Two runs by their ids, and what of them is looked at."""

    run_a: str
    run_b: str
    selection: Slice


def pairs(
    database: Database,
    dictionary: StringDictionary,
    runs: RunPair,
    cell: str,
    limit: int,
    after: str | None,
    start: int | None = None,
) -> list[tuple[WallItem, WallItem]]:
    """A page of pairs, in the order of the prompts; see
    :meth:`truehue.storage.results.queries.Results.pairs`."""
    if cell not in _OF_CELL:
        raise BadInput(f"There is no cell {cell[:40]!r}: give one of {', '.join(CELLS)}.")
    limit = max(1, min(int(limit), MOST))
    begin = _parse(after) if after else (-1, -1)
    if start is not None and not after:
        begin = _before(database, dictionary.number("run", runs.run_a), start)
    with snapshot(database) as cursor:
        rows = cursor.execute(
            f"{_joined_sql(dictionary, runs)} SELECT prompt_no, image, a_place, "
            f"b_place FROM joined WHERE ({_OF_CELL[cell]}) AND (prompt_no, image) > (?, ?) "
            f"ORDER BY prompt_no, image LIMIT {limit}",
            list(begin),
        ).fetchall()
        first, second = (
            _items_to_show(cursor, dictionary, run, runs.selection, [row[index] for row in rows])
            for run, index in ((runs.run_a, 2), (runs.run_b, 3))
        )
    return [
        (replace(first[a], cursor=f"{prompt}.{image}"), second[b]) for prompt, image, a, b in rows
    ]


def pair_counts(database: Database, dictionary: StringDictionary, runs: RunPair) -> dict[str, int]:
    """How many pairs each cell has, ``all`` of them, and of how many ``prompts`` they are."""
    # count_if is NULL where there is no row.
    counts = ", ".join(f"count(*) FILTER ({_OF_CELL[cell]})" for cell in CELLS)
    row = database.rows(
        f"{_joined_sql(dictionary, runs)} "
        f"SELECT count(*), count(DISTINCT prompt_no), {counts} FROM joined"
    )[0]
    return dict(zip(("all", "prompts", *CELLS), row, strict=True))


def _joined_sql(dictionary: StringDictionary, runs: RunPair) -> str:
    """SQL for ``joined``: the pairs, with what the rule says of each."""
    selection, both = runs.selection, (runs.run_a, runs.run_b)
    rule = dictionary.rule(selection.rule)
    numbers = [dictionary.number("run", run) for run in both]
    status = f"((statuses >> {2 * rule}) & 3)" if rule >= 0 else "0"
    images = item_rows(dictionary, selection.unscored, selection.rule)
    sides = [
        f"{side} AS (SELECT prompt_no, image, position AS {side}_place, {status} AS {side} "
        f"FROM {images} WHERE run_no = {number} AND {status} > 0)"
        for side, number in zip("ab", numbers, strict=True)
    ]
    chosen = set_fields(selection)
    narrowed = ""
    if chosen:
        location = condition(dictionary, replace(selection, runs=both))
        narrowed = (
            f"SEMI JOIN (SELECT DISTINCT prompt_no, image FROM {verdict_rows(dictionary, selection)} "
            f"WHERE {location}) AS meant USING (prompt_no, image)"
        )
    return (
        f"WITH {', '.join(sides)}, "
        f"joined AS (SELECT * FROM a JOIN b USING (prompt_no, image) {narrowed})"
    )


def _items_to_show(
    cursor: duckdb.DuckDBPyConnection,
    dictionary: StringDictionary,
    run: str,
    selection: Slice,
    positions: list[int],
) -> dict[int, WallItem]:
    """The row to show of each picture: the first object that is asked for, else the one that
    leads."""
    object_slice = replace(selection, runs=(run,), status="", cause="", found_l2="")
    everything = Slice(rule=selection.rule, runs=(run,))
    table = verdict_rows(dictionary, selection)
    rows: dict[int, int] = {}
    for part in (
        (object_slice, everything) if set_fields(object_slice) & OBJECT_FIELDS else (everything,)
    ):
        page_rows = cursor.execute(
            "SELECT position, arg_min(v.rowid, target) "
            f"FROM (SELECT unnest(?::INTEGER[]) AS position) JOIN {table} AS v "
            f"USING (position) WHERE {condition(dictionary, part)} GROUP BY position",
            [positions],
        ).fetchall()
        for position, row in page_rows:
            rows.setdefault(position, row)
    return {
        item.position: item for item in items(cursor, dictionary, list(rows.values()), {}, table)
    }


def _before(database: Database, run_no: int, position: int) -> tuple[int, int]:
    """The place before that of a picture; raises NotStored where there is no such picture."""
    rows = database.rows(
        "SELECT prompt_no, image - 1 FROM run_items WHERE run_no = ? AND position = ?",
        [run_no, position],
    )
    if not rows:
        raise NotStored(f"The run has no image {position:,} yet. Begin at the first pair.")
    return rows[0][0], rows[0][1]


def _parse(text: str) -> tuple[int, int]:
    try:
        prompt, image = text.split(".")
        return int(prompt), int(image)
    except ValueError as error:
        raise BadInput(
            f"The page after {text[:60]!r} does not exist: begin at the first."
        ) from error
