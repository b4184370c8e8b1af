"""The wall: pages of pictures in some order, each page read without those before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.analysis.records import WallItem
from core.color.spaces import hex_of, lab_to_srgb8
from core.errors import BadInput
from storage.database import Database
from storage.results_where import PICTURE
from storage.results_words import Words
from storage.runs_rows import STATUSES

SORTS = {
    "delta_e00": ("delta_e00", float),
    "misfit": ("misfit", float),
    "recent": ("shard_no", int),
    "prompt": ("prompt_no", int),
}
"""Column and type of each order. What has no number stands last, whichever way round."""

MOST = 500
PLACE = f"((({PICTURE}) << 5) + target + 1)"
"""The last word in every order: no two rows of a rule are equal."""


def page(
    database: Database, words: Words, where: str, one_a_picture: bool, sort: str,
    descending: bool, limit: int, after: str | None,
) -> list[WallItem]:  # fmt: skip
    """A page of the rows of ``where``; with ``one_a_picture`` only the first row of each picture.

    Raises :class:`BadInput` for an order or a cursor that is none.
    """
    if sort not in SORTS:
        raise BadInput(f"There is no order {sort[:40]!r}: give one of {', '.join(SORTS)}.")
    limit = max(1, min(int(limit), MOST))
    order = _Order(sort, descending)
    found: list[tuple[int, float, int]] = []
    shown: set[int] = set()
    start = order.parse(after) if after else None
    if not one_a_picture:
        found = order.rows(database, where, start, limit)
    else:
        while len(found) < limit:
            rows = order.rows(database, where, start, limit + limit // 2)
            if not rows:
                break
            pictures = [place >> 5 for _, _, place in rows]
            if after:
                begin = order.parse(after)
                shown |= order.before(database, where, begin, pictures)
            for row, picture in zip(rows, pictures, strict=True):
                if picture not in shown and len(found) < limit:
                    shown.add(picture)
                    found.append(row)
            start = rows[-1][1:]
            if len(rows) < limit + limit // 2:
                break
    cursors = {row: order.cursor(key, place) for row, key, place in found}
    return items(database, words, [row for row, _, _ in found], cursors)


class _Order:
    """One order of the wall: a key, then the place of the row."""

    def __init__(self, sort: str, descending: bool) -> None:
        self.sort = sort
        self.descending = descending
        column, self.kind = SORTS[sort]
        worst = "'-infinity'" if descending else "'infinity'"
        self.key = f"coalesce({column}, {worst}::FLOAT)" if self.kind is float else column
        self.direction = "DESC" if descending else "ASC"

    def rows(
        self, database: Database, where: str, start: tuple[float, int] | None, limit: int
    ) -> list[tuple[int, float, int]]:
        """Row, key and place of the next rows after ``start``."""
        values: list[Any] = []
        if start is not None:
            beyond = "<" if self.descending else ">"
            where += f" AND ({self.key} {beyond} ? OR ({self.key} = ? AND {PLACE} > ?))"
            values = [start[0], start[0], start[1]]
        return database.rows(
            f"SELECT rowid, {self.key} AS key, {PLACE} AS place FROM run_verdicts WHERE {where} "
            f"ORDER BY key {self.direction}, place LIMIT {limit}",
            values,
        )

    def before(
        self, database: Database, where: str, start: tuple[float, int], pictures: Sequence[int]
    ) -> set[int]:
        """Those of ``pictures`` that have a row up to ``start``, and were shown before."""
        beyond = ">" if self.descending else "<"
        runs = sorted({picture >> 32 for picture in pictures})
        rows = database.rows(
            f"SELECT DISTINCT {PICTURE} FROM run_verdicts WHERE {where} "
            f"AND run_no IN ({', '.join(map(str, runs))}) "
            "AND position IN (SELECT unnest(?::INTEGER[])) "
            f"AND ({self.key} {beyond} ? OR ({self.key} = ? AND {PLACE} <= ?))",
            [
                sorted({picture & 0xFFFFFFFF for picture in pictures}),
                start[0], start[0], start[1],
            ],
        )  # fmt: skip
        return {picture for (picture,) in rows}

    def cursor(self, key: float, place: int) -> str:
        """Where a page ends, as text."""
        return f"{self.sort}.{'d' if self.descending else 'a'}.{key!r}.{place}".replace("inf", "x")

    def parse(self, text: str) -> tuple[float, int]:
        """A cursor of this order as it was given out."""
        parts = text.replace("x", "inf").split(".")
        try:
            if parts[0] != self.sort or parts[1] != ("d" if self.descending else "a"):
                raise ValueError
            key = self.kind(".".join(parts[2:-1]))
            if math.isnan(key):
                raise ValueError
            return key, int(parts[-1])
        except (ValueError, IndexError, OverflowError) as error:
            raise BadInput(
                f"The page after {text[:60]!r} does not exist in this order: begin at the first."
            ) from error


_ITEMS = """
    SELECT v.rowid, v.run_no, v.position, v.image, p.prompt_id, p.source, p.text, v.task_no,
        v.system_no, i.image_id, m.mask_id, v.target, v.object_no, v.category_no, v.color_no,
        v.status, v.picture_status, v.cause_no, v.told,
        CASE WHEN i.drawn THEN coalesce(v.picture_reason, v.told)
            ELSE coalesce(nullif(i.reason, ''), v.told) END,
        v.matches, v.delta_e00, v.delta_chroma, v.hue_deg, v.misfit, v.rule_no, i.seed, i.width,
        i.height, v.l, v.a, v.b
    FROM (SELECT *, rowid FROM run_verdicts WHERE rowid IN (SELECT unnest(?::BIGINT[]))) AS v
    JOIN known_prompts AS p USING (prompt_no)
    JOIN run_items AS i USING (run_no, position)
    LEFT JOIN run_masks AS m USING (run_no, position, target)
"""


def items(
    database: Database, words: Words, rows: Sequence[int], cursors: dict[int, str]
) -> list[WallItem]:
    """The rows of verdicts as pictures on the wall, in their order."""
    if not rows:
        return []
    found = {row[0]: row for row in database.rows(_ITEMS, [list(rows)])}
    return [_item(words, found[row], cursors.get(row, "")) for row in rows if row in found]


def _item(words: Words, row: tuple[Any, ...], cursor: str) -> WallItem:
    (
        _, run_no, position, image, prompt_id, source, text, task, system, image_id, mask_id,
        target, object_no, category_no, color_no, status, picture_status, cause, told, reason,
        matches, delta_e00, delta_chroma, hue_deg, misfit, rule, seed, width, height,
        *measured,
    ) = row  # fmt: skip
    lab = None if measured[0] is None else (measured[0], measured[1], measured[2])
    color = None if color_no is None else words.colors[color_no]
    return WallItem(
        run_id=words.run_ids[run_no], position=position, image=image, prompt_id=prompt_id,
        prompt_source=source, text=text, task=words.names["task"][task],
        system=words.names["system"][system], image_id=image_id, mask_id=mask_id or "",
        target=target, object_name="" if object_no is None else words.names["object"][object_no],
        category="" if category_no is None else words.names["category"][category_no],
        color=color.value if color else "", color_name=color.label if color else "",
        asked_hex=color.hex if color else "",
        found_hex="" if lab is None else hex_of(lab_to_srgb8(np.array(lab))),
        status=STATUSES[status], picture_status=STATUSES[picture_status],
        cause=words.names["cause"][cause], told=told, picture_reason=reason,
        relation="" if matches is None else "matches" if matches else "differs",
        delta_e00=delta_e00, delta_chroma=delta_chroma, hue_deg=hue_deg, misfit=misfit, lab=lab,
        rule=words.names["rule"][rule], seed=seed, width=width, height=height, cursor=cursor,
    )  # fmt: skip
