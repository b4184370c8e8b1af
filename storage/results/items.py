"""Rows of verdicts as pictures on the wall: texts and ids are read for those rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np

from truehue.core.analysis.records import WallItem
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import StringDictionary
from truehue.storage.results.outcomes import VERDICTS
from truehue.storage.runs.dictionaries import STATUSES

# Pictures that are looked up by run and place, and rows by their row id: joins with a short list
# read a table once and decode next to nothing of it, where IN with a list is slow.
BY_PLACE = "(SELECT unnest(?::INTEGER[]) AS run_no, unnest(?::INTEGER[]) AS position) AS wanted"
BY_ROW = "(SELECT unnest(?::BIGINT[]) AS at) AS wanted"

_VERDICTS = """
    SELECT v.rowid, run_no, position, image, target, v.prompt_no, task_no, system_no, object_no,
        category_no, color_no, status, picture_status, cause_no, matches, delta_e00, delta_chroma,
        hue_deg, misfit, l, a, b, rule_no, told, coalesce(picture_reason, told)
    FROM {by_row} JOIN {rows} AS v ON v.rowid = wanted.at
"""


@contextmanager
def snapshot(database: Database) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor for several questions that see the same rows under the same row ids."""
    with database.cursor() as cursor:
        cursor.begin()
        yield cursor
        cursor.rollback()


def apart(images: Sequence[int]) -> list[list[int]]:
    """Runs and positions of numbers of pictures, for BY_PLACE."""
    distinct = sorted(set(images))
    return [[number >> 32 for number in distinct], [number & 0xFFFFFFFF for number in distinct]]


def items(
    cursor: duckdb.DuckDBPyConnection,
    dictionary: StringDictionary,
    rows: Sequence[int],
    cursors: Mapping[int, str],
    table: str = VERDICTS,
) -> list[WallItem]:
    """The rows of verdicts as pictures on the wall, in their order; ``table`` are the verdicts as
    they count."""
    if not rows:
        return []
    sql = _VERDICTS.format(by_row=BY_ROW, rows=table)
    verdicts = {row[0]: row for row in cursor.execute(sql, [list(rows)]).fetchall()}
    positions = [(row[1] << 32) + row[2] for row in verdicts.values()]
    images = {
        (run, position): rest
        for run, position, *rest in _looked_up(
            cursor,
            "run_items",
            "run_no, position, image_id, reason, seed, width, height",
            positions,
        )
    }
    masks = {
        (run, position, target): mask_id
        for run, position, target, mask_id in _looked_up(
            cursor, "run_masks", "run_no, position, target, mask_id", positions
        )
    }
    prompts = {
        number: rest
        for number, *rest in cursor.execute(
            "SELECT prompt_no, prompt_id, source, text FROM known_prompts "
            "JOIN (SELECT unnest(?::INTEGER[]) AS prompt_no) USING (prompt_no)",
            [sorted({row[5] for row in verdicts.values()})],
        ).fetchall()
    }
    return [
        _item(
            dictionary,
            row,
            prompts[row[5]],
            images[row[1], row[2]],
            masks.get((row[1], row[2], row[4]), ""),
            cursors.get(row[0], ""),
        )
        for row in (verdicts[row_number] for row_number in rows)
    ]


def _looked_up(
    cursor: duckdb.DuckDBPyConnection, table: str, columns: str, images: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Rows of some pictures: their row ids by two columns of numbers, then all that is wanted."""
    rows = cursor.execute(
        f"SELECT t.rowid FROM {BY_PLACE} JOIN {table} AS t USING (run_no, position)",
        apart(images),
    ).fetchall()
    return cursor.execute(
        f"SELECT {columns} FROM {BY_ROW} JOIN {table} AS t ON t.rowid = wanted.at",
        [[row for (row,) in rows]],
    ).fetchall()


def _item(
    dictionary: StringDictionary,
    row: tuple[Any, ...],
    prompt: Sequence[Any],
    stored: Sequence[Any],
    mask_id: str,
    cursor: str,
) -> WallItem:
    (
        _,
        run_no,
        position,
        image,
        target,
        _,
        task,
        system,
        object_no,
        category_no,
        color_no,
        status,
        picture_status,
        cause,
        matches,
        delta_e00,
        delta_chroma,
        hue_deg,
        misfit,
        *lab,
        rule_no,
        sentence,
        reason,
    ) = row
    prompt_id, source, text = prompt
    image_id, failed, seed, width, height = stored
    measured_lab = None if lab[0] is None else (lab[0], lab[1], lab[2])
    color = None if color_no is None else dictionary.colors[color_no]
    return WallItem(
        run_id=dictionary.run_ids[run_no],
        position=position,
        image=image,
        prompt_id=prompt_id,
        prompt_source=source,
        text=text,
        task=dictionary.names["task"][task],
        system=dictionary.names["system"][system],
        image_id=image_id,
        mask_id=mask_id,
        target=target,
        object_name="" if object_no is None else dictionary.names["object"][object_no],
        category="" if category_no is None else dictionary.names["category"][category_no],
        color=color.value if color else "",
        color_name=color.label if color else "",
        asked_hex=color.hex if color else "",
        found_hex="" if measured_lab is None else hex_of(lab_to_srgb8(np.array(measured_lab))),
        status=STATUSES[status],
        picture_status=STATUSES[picture_status],
        cause=dictionary.names["cause"][cause],
        told=sentence,
        picture_reason=failed or reason,
        relation="" if matches is None else "matches" if matches else "differs",
        delta_e00=delta_e00,
        delta_chroma=delta_chroma,
        hue_deg=hue_deg,
        misfit=misfit,
        lab=measured_lab,
        cursor=cursor,
        rule=dictionary.names["rule"][rule_no],
        seed=seed,
        width=width,
        height=height,
    )
