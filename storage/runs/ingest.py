"""Ingest shards as rows: one transaction for several shards, with their entry in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from truehue.core.analysis.names import nearest_l2
from truehue.core.batch.shards import BadShard
from truehue.core.runs.shards import read_columns, schema
from truehue.storage.database.connection import Database
from truehue.storage.runs.concepts import store_profiles
from truehue.storage.runs.dictionaries import (
    FIRSTS,
    STATUS_BITS,
    STATUSES,
    TRAITS,
    case,
    first_row,
    number_in,
    numbers_of,
)
from truehue.storage.runs.images import store_images, store_masks

_WRONG = (
    (
        "the position {} with the prompt {} is not in the plan",
        """
        SELECT shard_no, position, prompt FROM incoming
        ANTI JOIN (SELECT prompt FROM run_prompts WHERE run_no = $run) USING (prompt)
        """,
    ),
    (
        "the position {} is below 0, or its attempt or image is",
        "SELECT shard_no, position FROM incoming WHERE least(position, image, attempt) < 0",
    ),
    (
        "image {} is {!r:.40}, neither generated nor failed with a reason",
        """
        SELECT shard_no, position, status FROM incoming
        WHERE coalesce(NOT ((status = 'drawn' AND image_id <> '' AND width > 0 AND height > 0)
            OR (status = 'failed' AND image_id = '')), true)
        """,
    ),
    (
        "a verdict of image {} is {!r:.40} of {!r:.40}, which are no statuses, or speaks of "
        "an object that the prompt does not have",
        f"""
        SELECT shard_no, position, v.status, v.picture_status
        FROM (SELECT shard_no, position, prompt, unnest(verdicts) AS v FROM incoming)
        JOIN (SELECT * FROM run_prompts WHERE run_no = $run) AS p USING (prompt)
        LEFT JOIN known_targets AS t ON t.prompt_no = p.prompt_no AND t.target = v.target
        WHERE {case("v.status", STATUSES)} IS NULL OR {case("v.picture_status", STATUSES)} IS NULL
            OR (v.target >= 0 AND t.color_no IS NULL) OR coalesce(v.rule, '') = ''
        """,
    ),
    (
        "the colors of an object of image {} do not add up, or the prompt has no such object",
        """
        SELECT shard_no, position
        FROM (SELECT shard_no, position, prompt, unnest(profiles) AS o FROM incoming)
        JOIN (SELECT * FROM run_prompts WHERE run_no = $run) AS p USING (prompt)
        LEFT JOIN known_targets AS t ON t.prompt_no = p.prompt_no AND t.target = o.target
        WHERE t.target IS NULL OR CASE WHEN o.profile.mask_px IS NULL
            THEN coalesce(o.reason, '') = ''
            ELSE coalesce(NOT (
                len(o.profile.dominant_srgb) = 3
                AND o.profile.dominant_share BETWEEN 0 AND 1
                AND len(o.profile.counts) = len(o.profile.cells)
                AND len(o.profile.sums) = 3 * len(o.profile.cells)
                AND len(o.profile.bin_counts) = len(o.profile.bins)
                AND list_sum(o.profile.counts) = o.profile.sampled_px
                AND list_sum(o.profile.bin_counts) = o.profile.mask_px
                AND list_max(o.profile.cells) < 512 AND list_max(o.profile.bins) < 71
            ), true) END
        """,
    ),
)


def check(
    cursor: duckdb.DuckDBPyConnection, run_no: int, shards: Sequence[Path], first: int
) -> None:
    """Raise BadShard for rows of ``incoming`` that cannot be of this run.

    ``shards`` are their files by their number, from ``first`` on.
    """
    for sentence, question in _WRONG:
        values = {"run": run_no} if "$run" in question else {}
        row = first_row(cursor, f"{question} ORDER BY ALL LIMIT 1", values)
        if row:
            path = shards[row[0] - first]
            text = sentence.format(*row[1:])
            raise BadShard(
                f"{path} does not belong to this run: {text}. Take the file away, or put the "
                "right one back."
            )


@dataclass(frozen=True)
class Shard:
    """A shard that has been read: ``table`` is a pyarrow Table of
    truehue.core.runs.shards.schema()."""

    path: Path
    table: Any


def read(path: Path) -> Shard:
    """Read a shard whole. Raises :class:`BadShard`, naming the file."""
    import pyarrow as pa

    target_schema = schema()
    table = read_columns(path, None)
    try:
        return Shard(path, table.select(target_schema.names).cast(target_schema))
    except (KeyError, TypeError, pa.ArrowException) as error:
        raise BadShard(f"{path} is no shard of a run: {error}.") from error


def write(
    database: Database,
    cursor: duckdb.DuckDBPyConnection,
    run_no: int,
    model_id: str,
    shards: Sequence[Shard],
    imported: bool = False,
) -> int:
    """Write the rows of ``shards`` inside an open transaction; return how many images are new.

    The files of their images and masks lie in the data folder already, but for those of an
    ``imported`` run, which may have come without. A shard that is in the ledger is left out.
    Raises :class:`BadShard` for what cannot belong to the run.
    """
    rows = cursor.execute("SELECT name FROM run_shards WHERE run_no = ?", [run_no]).fetchall()
    done = {name for (name,) in rows}
    shards = [shard for shard in shards if shard.path.name not in done]
    if not shards:
        return 0
    first = number_in(cursor, "SELECT coalesce(max(shard_no) + 1, 0) FROM run_shards")
    _incoming(cursor, shards, first)
    check(cursor, run_no, [shard.path for shard in shards], first)
    _attempts(cursor, run_no)
    _verdicts(cursor)
    count = store_results(cursor, run_no)
    store_images(cursor, model_id, database, imported)
    store_masks(cursor, run_no, database)
    store_profiles(cursor, run_no)
    cursor.execute(
        "INSERT INTO run_shards SELECT unnest(?::INTEGER[]), ?, unnest(?::VARCHAR[]), "
        "unnest(?::INTEGER[]), ?",
        [
            list(range(first, first + len(shards))),
            run_no,
            [shard.path.name for shard in shards],
            [shard.table.num_rows for shard in shards],
            database.now(),
        ],
    )
    for name in ("incoming", "new_items", "new_verdicts", "latest", "found"):
        cursor.execute(f"DROP TABLE temp.{name}")
    return count


def _incoming(cursor: duckdb.DuckDBPyConnection, shards: Sequence[Shard], first: int) -> None:
    """All rows of the shards, as they were written."""
    import pyarrow as pa

    tables = [
        shard.table.append_column(
            "shard_no", pa.array([first + index] * shard.table.num_rows, pa.int32())
        )
        for index, shard in enumerate(shards)
    ]
    cursor.register("shards_read", pa.concat_tables(tables))
    try:
        cursor.execute("CREATE TEMP TABLE incoming AS SELECT * FROM shards_read")
    finally:
        cursor.unregister("shards_read")


def _attempts(cursor: duckdb.DuckDBPyConnection, run_no: int) -> None:
    """``new_items``: the attempts that count from now on; what they replace becomes history."""
    columns = (
        "run_no, position, attempt, shard_no, drawn, reason, image_id, seed, seconds, "
        "scoring_seconds, worker"
    )
    cursor.execute(f"""
        CREATE TEMP TABLE latest AS
        SELECT i.*, status = 'drawn' AS drawn, {run_no} AS run_no, old.attempt AS old_attempt,
            row_number() OVER (
                PARTITION BY position, i.attempt ORDER BY i.shard_no, i.worker
            ) AS copy,
            i.attempt = max(i.attempt) OVER (PARTITION BY position) AS newest
        FROM incoming AS i
        LEFT JOIN (SELECT position, attempt FROM run_items WHERE run_no = {run_no}) AS old
            USING (position)
    """)
    # A crash may leave the same attempt in two shards: the first one counts.
    cursor.execute("DELETE FROM latest WHERE copy > 1 OR attempt = old_attempt")
    replaced = "position IN (SELECT position FROM latest WHERE newest AND attempt > old_attempt)"
    cursor.execute(
        f"INSERT INTO run_attempts SELECT {columns} FROM latest "
        "WHERE NOT newest OR attempt < old_attempt"
    )
    cursor.execute("DELETE FROM latest WHERE NOT newest OR attempt < old_attempt")
    if first_row(cursor, "SELECT 1 FROM latest WHERE old_attempt IS NOT NULL LIMIT 1"):
        cursor.execute(
            f"INSERT INTO run_attempts SELECT {columns} FROM run_items "
            f"WHERE run_no = {run_no} AND {replaced}"
        )
        for table in ("run_verdicts", "run_masks", "run_items", "run_profiles", "run_unmeasured"):
            cursor.execute(f"DELETE FROM {table} WHERE run_no = {run_no} AND {replaced}")
    cursor.execute(f"""
        CREATE TEMP TABLE new_items AS
        SELECT l.* EXCLUDE (old_attempt, copy, newest), p.prompt_no, k.task_no, k.system_no,
            k.text, k.first_asked, k.opens
        FROM latest AS l
        JOIN (SELECT prompt, prompt_no FROM run_prompts WHERE run_no = {run_no}) AS p USING (prompt)
        JOIN known_prompts AS k USING (prompt_no)
    """)


def _verdicts(cursor: duckdb.DuckDBPyConnection) -> None:
    """``new_verdicts``: what the rules say, in numbers; an image that could not be drawn counts
    for the first object that its prompt asks a color of."""
    verdicts_sql = "(SELECT unnest(verdicts) AS v FROM new_items)"
    for kind in ("rule", "cause", "step"):
        rows = cursor.execute(f"SELECT DISTINCT v.{kind} FROM {verdicts_sql} ORDER BY 1").fetchall()
        numbers_of(cursor, kind, (str(name) for (name,) in rows))
    cursor.execute(f"""
        CREATE TEMP TABLE new_verdicts AS
        SELECT row_number() OVER (ORDER BY rule.no, i.position, v.target) AS row,
            i.run_no, rule.no AS rule_no, v.leads, i.position, i.prompt_no, i.image, v.target,
            i.shard_no, i.task_no, i.system_no, t.object_no, t.category_no, t.matches, t.color_no,
            c.sector, c.asked_l2, coalesce(c.traits, 0) AS traits,
            {case("v.status", STATUSES)} AS status,
            {case("v.picture_status", STATUSES)} AS picture_status,
            cause.no AS cause_no, step.no AS step_no,
            v.lab[1] AS l, v.lab[2] AS a, v.lab[3] AS b, v.delta_e00, v.delta_chroma, v.hue_deg,
            v.misfit, v.confidence_percent, v.told,
            nullif(v.picture_reason, v.told) AS picture_reason
        FROM (SELECT *, unnest(verdicts) AS v FROM new_items) AS i
        JOIN (SELECT no, name FROM known_names WHERE kind = 'rule') AS rule ON rule.name = v.rule
        JOIN (SELECT no, name FROM known_names WHERE kind = 'cause') AS cause
            ON cause.name = v.cause
        JOIN (SELECT no, name FROM known_names WHERE kind = 'step') AS step ON step.name = v.step
        LEFT JOIN known_targets AS t ON t.prompt_no = i.prompt_no
            AND t.target = CASE WHEN v.target < 0 THEN i.first_asked ELSE v.target END
        LEFT JOIN known_colors AS c ON c.color_no = t.color_no
    """)
    columns = cursor.execute(
        "SELECT row, l, a, b FROM new_verdicts WHERE l IS NOT NULL ORDER BY row"
    ).fetchnumpy()
    lab = np.stack([np.asarray(columns[name], dtype=np.float64) for name in "lab"], axis=-1)
    cursor.execute(
        "CREATE TEMP TABLE found AS "
        "SELECT unnest(?::BIGINT[]) AS row, unnest(?::UTINYINT[]) AS found_l2",
        [columns["row"].tolist(), nearest_l2(lab).tolist()],
    )


def store_results(cursor: duckdb.DuckDBPyConnection, run_no: int) -> int:
    """The rows of images and verdicts, verdicts in the order of rules and places."""
    of_image = "PARTITION BY rule_no, position"
    statuses = (
        f"SELECT position, bit_or(picture_status::BIGINT << ({STATUS_BITS} * rule_no)) AS statuses "
        "FROM new_verdicts GROUP BY position"
    )
    bits = [
        f"CASE WHEN {column} IS NOT NULL AND {counts} AND row_number() OVER "
        f"({of_image}, {column}, {counts} ORDER BY target) = 1 THEN {1 << index} ELSE 0 END"
        for index, (column, counts) in enumerate(
            (column, "matches" if index > 1 else "true")
            for index, column in enumerate(
                ("object_no", "category_no", "color_no", "sector", "asked_l2", "found_l2")
            )
        )
    ]
    assert len(bits) == len(FIRSTS)
    trait_bits = (1 << len(TRAITS)) - 1
    cursor.execute(f"""
        INSERT INTO run_verdicts BY NAME
        SELECT * EXCLUDE (row, before),
            CASE WHEN matches THEN traits & ({trait_bits} - (before & traits)) ELSE 0 END
                AS first_traits
        FROM (
            SELECT *, count(*) OVER ({of_image}) = 1 AS single, {" + ".join(bits)} AS firsts,
                coalesce(bit_or(CASE WHEN matches THEN traits ELSE 0::UTINYINT END) OVER (
                    {of_image} ORDER BY target
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ), 0) AS before
            FROM new_verdicts LEFT JOIN found USING (row) JOIN ({statuses}) USING (position)
        )
        ORDER BY row
    """)
    cursor.execute(f"""
        INSERT INTO run_items BY NAME
        SELECT i.* EXCLUDE (
                prompt, status, origin, masks, verdicts, profiles, text, first_asked, opens
            ), coalesce(s.statuses, 0) AS statuses
        FROM new_items AS i LEFT JOIN ({statuses}) AS s USING (position)
        ORDER BY i.position
    """)
    return number_in(cursor, "SELECT count(*) FROM new_items")
