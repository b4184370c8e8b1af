"""Pages of images in a given order, each page read without the pages before it.

The query finds a page by the few columns of its order; :mod:`truehue.storage.results.items` reads
the rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from truehue.core.analysis.records import FailureItem, ImageVerdict
from truehue.core.errors import BadInput
from truehue.core.scores.measures import measure_of
from truehue.core.scores.records import IMAGE
from truehue.core.verdict.rules import DIFFERS, MATCHES
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import PICTURE, StringDictionary
from truehue.storage.results.items import BY_PLACE, BY_ROW, VERDICTS, apart, items, snapshot
from truehue.storage.runs.dictionaries import STATUSES
from truehue.storage.scores.scores import VALUES, key_of

SORTS = {
    "delta_e00": "delta_e00",
    "misfit": "misfit",
    "recent": "shard_no",
    "prompt": "prompt_no",
}
"""The column of each order. What has no number stands last, whichever way round."""

SCORE = "score:"
"""Before the id of a measure: the order by the scores of the images."""

_SCORED = f"""
    (
        SELECT v.rowid AS row, v.*, s.value::FLOAT AS score FROM {{table}} AS v
        LEFT JOIN (SELECT run_no, position, image_id FROM run_items) AS i USING (run_no, position)
        LEFT JOIN ({VALUES}) AS s ON s.item = i.image_id
    )
"""

MAX_ROWS = 500
PLACE = f"((({PICTURE}) << 5) + target + 1)"
"""The last word in every order: no two rows of a rule are equal."""

_NO_KEY = "none"


@dataclass(frozen=True)
class VerdictRow:
    """The position of a row in the list: ``key`` is None if it has no number."""

    row: int
    key: float | None
    place: int

    @property
    def picture(self) -> int:
        """The number of its image."""
        return self.place >> 5


@dataclass(frozen=True)
class PageRows:
    """Which rows stand on the wall: those of the SQL condition ``where``; with ``one_a_picture``
    only the first row of each image. ``table`` are the verdicts as they count."""

    where: str
    one_a_picture: bool
    table: str = VERDICTS


def page(
    database: Database,
    dictionary: StringDictionary,
    wall: PageRows,
    sort: str,
    descending: bool,
    limit: int,
    after: str | None,
) -> list[FailureItem]:
    """A page of the wall's rows, at most 500; ``after`` is the cursor of the last one before.

    ``sort`` is of :data:`SORTS`, or :data:`SCORE` and the id of a measure. Raises :class:`BadInput`
    for an order or a cursor that is none.
    """
    if sort not in SORTS and not sort.startswith(SCORE):
        raise BadInput(f"There is no order {sort[:40]!r}: give one of {', '.join(SORTS)}.")
    limit = max(1, min(int(limit), MAX_ROWS))
    order = _Order(sort, descending, wall)
    begin = order.parse(after) if after else None
    with snapshot(database) as cursor:
        if wall.one_a_picture:
            rows = _first_of_each(cursor, order, begin, limit)
        else:
            rows = order.rows(cursor, begin, limit)
        cursors = {row.row: order.spell(row) for row in rows}
        return items(cursor, dictionary, [row.row for row in rows], cursors, wall.table)


def _first_of_each(
    cursor: duckdb.DuckDBPyConnection, order: _Order, begin: VerdictRow | None, limit: int
) -> list[VerdictRow]:
    """The next rows, without those whose image was shown with another object before."""
    first_rows: list[VerdictRow] = []
    shown: set[int] = set()
    start, batch_size = begin, limit + limit // 2
    while len(first_rows) < limit:
        rows = order.rows(cursor, start, batch_size)
        if begin is not None and rows:
            shown |= order.before(cursor, begin, [row.picture for row in rows])
        for row in rows:
            if row.picture not in shown and len(first_rows) < limit:
                shown.add(row.picture)
                first_rows.append(row)
        if len(rows) < batch_size:
            break
        start = rows[-1]
    return first_rows


class _Order:
    """One order of the rows of a wall: numbers first, then places; without a number last."""

    def __init__(self, sort: str, descending: bool, wall: PageRows) -> None:
        self.sort = sort
        self.table, self.row = wall.table, "rowid"
        self.table_values: tuple[str, ...] = ()
        if sort.startswith(SCORE):
            self.column, self.row = "score", "row"
            self.table = _SCORED.format(table=wall.table)
            self.table_values = key_of(measure_of(sort.removeprefix(SCORE)), IMAGE)
        else:
            self.column = SORTS[sort]
        self.where = wall.where
        self.direction = "DESC" if descending else "ASC"
        self.further, self.nearer = ("<", ">") if descending else (">", "<")
        self._sign = -1.0 if descending else 1.0

    def rows(
        self, cursor: duckdb.DuckDBPyConnection, start: VerdictRow | None, limit: int
    ) -> list[VerdictRow]:
        """The next rows after ``start``."""
        verdict_rows: list[VerdictRow] = []
        if start is None or start.key is not None:
            verdict_rows = self._numbers(cursor, start, limit)
        if len(verdict_rows) < limit:
            index = -1 if start is None or start.key is not None else start.place
            rows = cursor.execute(
                f"SELECT {self.row}, {PLACE} AS place FROM {self.table} WHERE {self.where} "
                f"AND {self.column} IS NULL AND place > ? ORDER BY place LIMIT ?",
                [*self.table_values, index, limit - len(verdict_rows)],
            ).fetchall()
            verdict_rows += [VerdictRow(row, None, position) for row, position in rows]
        return verdict_rows

    def _numbers(
        self, cursor: duckdb.DuckDBPyConnection, start: VerdictRow | None, limit: int
    ) -> list[VerdictRow]:
        """The next rows that have a number.

        An order by one plain column is what DuckDB is quick at, so equal numbers are put in order
        here; where they go on after the last row, they are all looked at.
        """
        condition, values = f"{self.where} AND {self.column} IS NOT NULL", []
        if start is not None:
            condition += f" AND {self.column} {self.further}= ?::FLOAT"
            values = [start.key]
        order = f"ORDER BY {self.column} {self.direction} LIMIT {limit + 2}"
        keys = cursor.execute(
            f"SELECT {self.column}, {self.row} FROM {self.table} WHERE {condition} {order}",
            [*self.table_values, *values],
        ).fetchall()
        whole = len(keys) < limit + 2
        if not whole and keys[-1][0] == keys[-2][0]:
            condition += f" AND {self.column} {self.nearer}= ?::FLOAT"
            return self._exactly(cursor, condition, [*values, keys[-1][0]], start, limit)
        if not whole:
            keys.pop()
        positions = dict(
            cursor.execute(
                f"SELECT t.rowid, {PLACE} FROM {BY_ROW} "
                "JOIN run_verdicts AS t ON t.rowid = wanted.at",
                [[row for _, row in keys]],
            ).fetchall()
        )
        rows = [VerdictRow(row, key, positions[row]) for key, row in keys]
        rows.sort(key=lambda row: (self._sign * (row.key or 0.0), row.place))
        rows = [row for row in rows if start is None or self._after(row, start)]
        if len(rows) < limit and not whole:
            return self._exactly(cursor, condition, list(values), start, limit)
        return rows[:limit]

    def _exactly(
        self,
        cursor: duckdb.DuckDBPyConnection,
        condition: str,
        values: list[Any],
        start: VerdictRow | None,
        limit: int,
    ) -> list[VerdictRow]:
        """The next rows of ``condition``, with all that have equal numbers."""
        tied: list[Any] = []
        if start is not None:
            condition += f" AND ({self.column} {self.further} ?::FLOAT OR {PLACE} > ?)"
            tied = [start.key, start.place]
        rows = cursor.execute(
            f"SELECT {self.row}, {self.column} AS key, {PLACE} AS place FROM {self.table} "
            f"WHERE {condition} ORDER BY key {self.direction}, place LIMIT {limit}",
            [*self.table_values, *values, *tied],
        ).fetchall()
        return [VerdictRow(*row) for row in rows]

    def _after(self, row: VerdictRow, start: VerdictRow) -> bool:
        return row.key != start.key or row.place > start.place

    def before(
        self, cursor: duckdb.DuckDBPyConnection, start: VerdictRow, images: Sequence[int]
    ) -> set[int]:
        """Those of ``pictures`` that have a row up to ``start``, and were shown before."""
        if start.key is None:
            upto, values = f"({self.column} IS NOT NULL OR {PLACE} <= ?)", [start.place]
        else:
            upto = (
                f"{self.column} {self.nearer}= ?::FLOAT"
                f" AND ({self.column} {self.nearer} ?::FLOAT OR {PLACE} <= ?)"
            )
            values = [start.key, start.key, start.place]  # type: ignore[list-item]
        rows = cursor.execute(
            f"SELECT DISTINCT {PICTURE} FROM {self.table} JOIN {BY_PLACE} USING (run_no, position) "
            f"WHERE {self.where} AND {upto}",
            [*self.table_values, *apart(images), *values],
        ).fetchall()
        return {stored for (stored,) in rows}

    def spell(self, row: VerdictRow) -> str:
        """The end of a page, as text."""
        key = _NO_KEY if row.key is None else repr(row.key)
        return f"{self.sort}~{self.direction.lower()}~{key}~{row.place}"

    def parse(self, text: str) -> VerdictRow:
        """A cursor of this order as it was given out."""
        try:
            sort, direction, key, location = text.split("~")
            number = None if key == _NO_KEY else float(key)
            if sort != self.sort or direction != self.direction.lower():
                raise ValueError
            if (number is not None and not math.isfinite(number)) or not 0 <= int(location) < 2**62:
                raise ValueError
            return VerdictRow(-1, number, int(location))
        except ValueError as error:
            raise BadInput(
                f"The page after {text[:60]!r} does not exist in this order: begin at the first."
            ) from error


def image_verdicts(
    database: Database, dictionary: StringDictionary, image_ids: Collection[str]
) -> list[ImageVerdict]:
    """Every rule's say on every object of those images (whole ids) in runs that are shown.

    By image, rule, run and object. The pixels of one image may stand in several runs: each says
    what it was asked there.
    """
    hidden = ", ".join(map(str, sorted(dictionary.hidden)))
    rows = database.rows(
        f"""
        SELECT image_id, rule_no, status, matches, delta_e00, hue_deg, misfit, confidence_percent
        FROM (SELECT unnest(?::VARCHAR[]) AS image_id)
        JOIN run_items USING (image_id)
        JOIN run_verdicts AS v USING (run_no, position)
        {f"WHERE run_no NOT IN ({hidden})" if hidden else ""}
        ORDER BY image_id, rule_no, run_no, position, target
        """,
        [sorted(set(image_ids))],
    )
    rules = dictionary.names["rule"]
    return [
        ImageVerdict(
            image_id,
            rules[rule],
            STATUSES[status],
            "" if matches is None else MATCHES if matches else DIFFERS,
            *numbers,
        )
        for image_id, rule, status, matches, *numbers in rows
    ]


_TEXTS = """
    SELECT image_id, text, 1 AS rank, number AS place FROM drawings
    WHERE image_id IS NOT NULL AND text <> ''
    UNION ALL
    SELECT image_id, p.text, 0 AS rank, position AS place
    FROM run_items JOIN known_prompts AS p USING (prompt_no) WHERE drawn AND p.text <> ''
"""
"""Drawings that somebody asked for come before what a run drew of the same pixels."""


def prompt_texts(database: Database, image_ids: Collection[str]) -> dict[str, str]:
    """The text of each of some images (whole ids) that has one, of its latest drawing."""
    rows = database.rows(
        f"""
        SELECT image_id, arg_max(text, (rank, place)) FROM ({_TEXTS})
        WHERE image_id IN (SELECT unnest(?::VARCHAR[])) GROUP BY image_id
        """,
        [sorted(set(image_ids))],
    )
    return {str(image_id): str(text) for image_id, text in rows}


def images_of_text(database: Database, text: str, limit: int) -> list[str]:
    """The stored images of a prompt's text, at most ``limit``, by id."""
    rows = database.rows(
        f"""
        SELECT DISTINCT image_id FROM ({_TEXTS}) SEMI JOIN images USING (image_id)
        WHERE text = ? ORDER BY image_id LIMIT ?
        """,
        [text, max(limit, 0)],
    )
    return [str(image_id) for (image_id,) in rows]
