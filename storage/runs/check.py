"""Rows of a shard that cannot belong to the run that they lie with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from truehue.core.batch.shards import BadShard
from truehue.storage.runs.dictionaries import STATUSES, case, first_row

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
