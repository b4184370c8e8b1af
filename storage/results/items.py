"""Result rows as they count, as images in the list of failures, and under other thresholds.

Some rules count some unscored images as incorrect, and an image of which one object fails and
another has no score is left out, as it would be if the first one passed. The stored rows stay as
they are: :mod:`truehue.core.analysis.records` decides which images these are, and this module makes
SQL of it that replaces the tables ``run_verdicts`` and ``run_items``.

Other thresholds apply to the stored numbers alone, for rules whose row has all numbers of the
decision: each metric with its own minimum over the accepted colors, or one misfit. A rule that
wants all metrics on one accepted color stores the numbers of one color only; under other thresholds
another color could pass, and its numbers are not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np

from truehue.core.analysis.records import (
    NO_MASK,
    NOT_FOUND,
    NOT_FOUND_CAUSES,
    WRONG,
    FailureItem,
    Slice,
    choice_for,
)
from truehue.core.color.formulas import FORMULAS, difference
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.errors import BadInput
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import StringDictionary
from truehue.storage.runs.dictionaries import FAILS, PASSES, STATUS_BITS, STATUSES, UNSCORES

VERDICTS, ITEMS = "run_verdicts", "run_items"


def verdict_rows(dictionary: StringDictionary, selection: Slice, every_rule: bool = False) -> str:
    """``run_verdicts``, or a subquery of the same columns and ``rowid``, in which images that count
    as incorrect by ``selection.unscored`` fail, and those that are left out though an object fails
    are unscored. The first of their objects that was not found, or has no score, leads.
    ``every_rule``: not by the slice's rule alone."""
    choice, rule_id = selection.unscored, "" if every_rule else selection.rule
    incorrect, excluded = (of(dictionary, choice, rule_id) for of in (_incorrect, _excluded))
    others = [of(dictionary, choice, "") for of in (_incorrect, _excluded) if selection.against]
    if not incorrect and not excluded and not any(others):
        return VERDICTS
    # Also in an image that fails by another object.
    fails = _counted(dictionary, choice, rule_id, "v.") or "false"
    replaced = [
        f"CASE WHEN {fails} THEN {FAILS} ELSE v.status END::UTINYINT AS status",
        f"CASE WHEN c.first IS NOT NULL THEN {FAILS} WHEN x.first IS NOT NULL THEN {UNSCORES} "
        "ELSE v.picture_status END::UTINYINT AS picture_status",
        "CASE WHEN c.first IS NOT NULL THEN v.target = c.first WHEN x.first IS NOT NULL "
        "THEN v.target = x.first ELSE v.leads END AS leads",
        # The stored reason is that of the object that fails.
        "CASE WHEN x.first IS NULL THEN v.picture_reason END AS picture_reason",
    ]
    joins = [_first(incorrect, "c"), _first(excluded, "x")]
    if any(others):
        replaced.append(f"{_BITS.format(table='v')} AS statuses")
        joins.append(_bits(others[0], others[1], "v"))
    return (
        f"(SELECT v.rowid AS rowid, v.* REPLACE ({', '.join(replaced)}) "
        f"FROM {VERDICTS} AS v {' '.join(joins)})"
    )


def _first(location: str, name: str) -> str:
    """A join that brings the first object of each image and rule that ``location`` is true of."""
    return (
        f"LEFT JOIN (SELECT run_no, position, rule_no, min(target) AS first FROM {VERDICTS} "
        f"WHERE {location or 'false'} GROUP BY ALL) AS {name} ON {name}.run_no = v.run_no "
        f"AND {name}.position = v.position AND {name}.rule_no = v.rule_no"
    )


def item_rows(dictionary: StringDictionary, choice: str, rule_id: str = "") -> str:
    """``run_items``, or a subquery of the same columns in which ``statuses`` are as they count, by
    one rule or by all."""
    incorrect, excluded = (of(dictionary, choice, rule_id) for of in (_incorrect, _excluded))
    if not incorrect and not excluded:
        return ITEMS
    return (
        f"(SELECT i.* REPLACE ({_BITS.format(table='i')} AS statuses) "
        f"FROM {ITEMS} AS i {_bits(incorrect, excluded, 'i')})"
    )


_BITS = "{table}.statuses - coalesce(s.fails, 0) + coalesce(s.unscored, 0)"


def _bits(incorrect: str, excluded: str, table: str) -> str:
    """A join that brings ``s.fails`` and ``s.unscored``: one in the place of each rule by which an
    image is incorrect, or left out, the difference between the numbers of unscored and fail."""
    bits = f"bit_or(1::BIGINT << ({STATUS_BITS} * rule_no)) FILTER"
    incorrect, excluded = incorrect or "false", excluded or "false"
    return (
        f"LEFT JOIN (SELECT run_no, position, {bits} ({incorrect}) AS fails, "
        f"{bits} ({excluded}) AS unscored "
        f"FROM {VERDICTS} WHERE {incorrect} OR {excluded} GROUP BY ALL) AS s "
        f"ON s.run_no = {table}.run_no AND s.position = {table}.position"
    )


def _incorrect(dictionary: StringDictionary, choice: str, rule_id: str) -> str:
    """The condition for rows of objects that make their image incorrect; empty for no row."""
    counted = _counted(dictionary, choice, rule_id)
    return f"picture_status = {UNSCORES} AND {counted}" if counted else ""


def _counted(dictionary: StringDictionary, choice: str, rule_id: str, table: str = "") -> str:
    """The condition for rows of objects without a score that count as incorrect; empty for no
    row."""
    rules = _rules(dictionary, rule_id, lambda name: choice_for(name, choice) == NOT_FOUND)
    causes = _causes(dictionary, table)
    if not rules or not causes:
        return ""
    return f"{table}rule_no IN ({rules}) AND {table}status = {UNSCORES} AND {causes}"


def _excluded(dictionary: StringDictionary, choice: str, rule_id: str) -> str:
    """The condition for rows of objects without a score whose image fails by another object; empty
    for no row. Whether such an image counts must not depend on the other object's color."""
    rules = _rules(dictionary, rule_id, lambda name: choice_for(name, choice) != WRONG)
    if not rules or not dictionary.partly:
        return ""
    counted = _counted(dictionary, choice, rule_id)
    return (
        f"run_no IN ({', '.join(map(str, sorted(dictionary.partly)))}) AND rule_no IN ({rules}) "
        f"AND status = {UNSCORES} AND picture_status = {FAILS}"
        + (f" AND NOT ({counted})" if counted else "")
    )


def _rules(dictionary: StringDictionary, rule_id: str, wanted: Callable[[str], bool]) -> str:
    """The numbers of the rules that are ``wanted``, of one or all, with commas between."""
    names = enumerate(dictionary.names["rule"])
    return ", ".join(
        str(number) for number, name in names if rule_id in ("", name) and wanted(name)
    )


def _causes(dictionary: StringDictionary, table: str = "") -> str:
    """The condition for the causes that count, in brackets; empty where no result has one."""
    numbers = {name: index for index, name in enumerate(dictionary.names["cause"])}
    known = [str(numbers[name]) for name in NOT_FOUND_CAUSES if name in numbers]
    parts = [f"{table}cause_no IN ({', '.join(known)})"] if known else []
    if NO_MASK in numbers and dictionary.searching:
        runs = ", ".join(map(str, sorted(dictionary.searching)))
        parts.append(f"({table}cause_no = {numbers[NO_MASK]} AND {table}run_no IN ({runs}))")
    return f"({' OR '.join(parts)})" if parts else ""


# Images that are looked up by run and place, and rows by their row id: joins with a short list
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
    """Runs and positions of numbers of images, for BY_PLACE."""
    distinct = sorted(set(images))
    return [[number >> 32 for number in distinct], [number & 0xFFFFFFFF for number in distinct]]


def items(
    cursor: duckdb.DuckDBPyConnection,
    dictionary: StringDictionary,
    rows: Sequence[int],
    cursors: Mapping[int, str],
    table: str = VERDICTS,
) -> list[FailureItem]:
    """The rows of verdicts as images on the wall, in their order; ``table`` are the verdicts as
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
    """Rows of some images: their row ids by two columns of numbers, then all that is wanted."""
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
) -> FailureItem:
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
    return FailureItem(
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


METRICS = ("delta_chroma", "delta_e00", "hue_deg", "misfit")
OTHER_FORMULAS = tuple(entry.id for entry in FORMULAS[1:])
"""Differences that no verdict stores: they are computed from its color."""


def tallies_within(
    database: Database,
    dictionary: StringDictionary,
    rule_no: int,
    limits: Mapping[str, float],
    in_runs: str,
    selection: Slice,
) -> list[tuple[Any, ...]]:
    """Rows of run_no, task_no, system_no, passes, scored, images and how many prompts have those.

    An object that was measured passes where every metric of ``limits`` is strictly below its limit,
    and one that must not have a color where not; any other keeps its status. One object without a
    score leaves its image without one, then one fail is a fail. A limit of another formula of
    :mod:`truehue.core.color.formulas` stands alone, and is that of the difference between the measured
    color and the target's. ``in_runs`` is empty or a condition beginning with
    AND; the rule and what unscored images count as are those of ``selection``. Raises BadInput for
    other metrics.
    """
    rows = verdict_rows(dictionary, selection)
    counted = _counted(dictionary, selection.unscored, selection.rule) or "false"
    values: list[Any] = list(limits.values())
    if len(limits) == 1 and (name := next(iter(limits))) in OTHER_FORMULAS:
        known, near = _near(database, dictionary, rule_no, name, limits[name], in_runs)
        measured_sql = below = "rowid IN (SELECT unnest(CAST(? AS BIGINT[])))"
        values = [known.tolist(), near.tolist()]
    elif limits and limits.keys() <= set(METRICS):
        measured_sql = " AND ".join(f"{name} IS NOT NULL" for name in limits)
        below = " AND ".join(f"{name} < CAST(? AS DOUBLE)" for name in limits)
    else:
        raise BadInput(
            f"Give limits of one or more of {', '.join(METRICS)}; or one of "
            f"{', '.join(OTHER_FORMULAS)}."
        )
    return database.rows(
        f"""
        WITH objects AS (
            SELECT run_no, task_no, system_no, prompt_no, position,
                CASE WHEN {counted} THEN {FAILS}
                    WHEN status = {UNSCORES} OR NOT ({measured_sql}) THEN status
                    WHEN ({below}) = coalesce(matches, true) THEN {PASSES} ELSE {FAILS} END AS said
            FROM {rows} WHERE rule_no = {rule_no} {in_runs}
        ), pictures AS (
            SELECT run_no, position, any_value(task_no) AS task_no,
                any_value(system_no) AS system_no, any_value(prompt_no) AS prompt_no,
                bool_or(said = {FAILS}) AS fails, bool_or(said = {UNSCORES}) AS unscored
            FROM objects GROUP BY run_no, position
        ), prompts AS (
            SELECT run_no, task_no, system_no, prompt_no,
                count_if(NOT fails AND NOT unscored) AS passes,
                count_if(NOT unscored) AS scored, count(*) AS images
            FROM pictures GROUP BY run_no, task_no, system_no, prompt_no
        )
        SELECT run_no, task_no, system_no, passes, scored, images, count(*)
        FROM prompts GROUP BY ALL ORDER BY ALL
        """,
        values,
    )


def _near(
    database: Database,
    dictionary: StringDictionary,
    rule_no: int,
    formula_id: str,
    limit: float,
    in_runs: str,
) -> tuple[np.ndarray, np.ndarray]:
    """The rows whose difference is defined, and those of them where it is below the limit: their
    rowids, int64."""
    rows = database.rows(
        f"SELECT rowid, color_no, l, a, b FROM {VERDICTS} "
        f"WHERE rule_no = {rule_no} AND l IS NOT NULL AND color_no IS NOT NULL {in_runs}"
    )
    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    table = np.array(rows, dtype=np.float64)
    targets = np.array([color.lab for color in dictionary.colors])[table[:, 1].astype(np.int64)]
    apart = difference(formula_id, table[:, 2:], targets)
    rowids = table[:, 0].astype(np.int64)
    return rowids[np.isfinite(apart)], rowids[apart < limit]
