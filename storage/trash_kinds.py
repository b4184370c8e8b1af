"""What can be deleted, what goes along with it, and what is never deleted."""

from __future__ import annotations

from typing import Any

import duckdb

from truehue.core.errors import BadInput

TABLES = {"image": "images", "mask": "masks", "verdict": "evidence", "study": "studies"}
KINDS = tuple(TABLES)
KEYS = {
    "image": "image_id",
    "mask": "mask_id",
    "verdict": "evidence_id",
    "study": "study_id",
}

# What goes with each kind, as conditions on the rows of each table; ``?`` are the ids. A set of
# pictures that loses one would be another set, so it goes whole.
_SETS = "set_id IN (SELECT set_id FROM picture_set_images WHERE {key} IN (SELECT unnest(?)))"
GOES_ALONG = {
    "image": {
        "images": "image_id IN (SELECT unnest(?))",
        "masks": "image_id IN (SELECT unnest(?))",
        "evidence": "image_id IN (SELECT unnest(?))",
        "drawings": "image_id IN (SELECT unnest(?))",
        "picture_profiles": "image_id IN (SELECT unnest(?))",
        "picture_sets": _SETS.format(key="image_id"),
        "set_views": _SETS.format(key="image_id"),
        "picture_set_images": _SETS.format(key="image_id"),
    },
    "mask": {
        "masks": "mask_id IN (SELECT unnest(?))",
        "evidence": "mask_id IN (SELECT unnest(?))",
        "picture_profiles": "mask_id IN (SELECT unnest(?))",
        "picture_sets": _SETS.format(key="mask_id"),
        "set_views": _SETS.format(key="mask_id"),
        "picture_set_images": _SETS.format(key="mask_id"),
    },
    "verdict": {"evidence": "evidence_id IN (SELECT unnest(?))"},
    "study": dict.fromkeys(
        ("studies", "study_plans", "study_states", "study_rules", "study_invitations"),
        "study_id IN (SELECT unnest(?))",
    ),
}
NAMES = {
    "image": "images",
    "mask": "masks JOIN images USING (image_id)",
    "verdict": "evidence JOIN images USING (image_id)",
    "study": "(SELECT study_id, arg_max(title, version) AS name FROM study_plans GROUP BY ALL)",
}
_OPENED = (
    "SELECT study_id FROM study_states WHERE state <> 'draft' AND study_id IN (SELECT unnest(?))"
)
_OF_RUNS = {
    "image": "SELECT DISTINCT run_id FROM run_items JOIN run_numbers USING (run_no) "
    "WHERE image_id IN (SELECT unnest(?)) ORDER BY run_id",
    "mask": "SELECT DISTINCT run_id FROM run_masks JOIN run_numbers USING (run_no) "
    "WHERE mask_id IN (SELECT unnest(?)) ORDER BY run_id",
}


def column(cursor: duckdb.DuckDBPyConnection, sql: str, *values: Any) -> list[Any]:
    """The first column of what is selected."""
    return [row[0] for row in cursor.execute(sql, list(values)).fetchall()]


def refuse_needed(cursor: duckdb.DuckDBPyConnection, kind: str, ids: list[str]) -> None:
    """Returns where all of these may be deleted. Raises BadInput for what a run or a study shows,
    and for a study that was opened once."""
    _refuse_of_runs(cursor, kind, ids)
    _refuse_of_studies(cursor, kind, ids)


def _refuse_of_runs(cursor: duckdb.DuckDBPyConnection, kind: str, ids: list[str]) -> None:
    if kind not in _OF_RUNS:
        return
    runs = column(cursor, _OF_RUNS[kind], ids)
    if runs:
        raise BadInput(
            f"The run {runs[0][:8]} shows this {kind}, and a run is never changed. Hide the run in "
            "Explore, Runs, instead; its images go with its folder."
        )


def _refuse_of_studies(cursor: duckdb.DuckDBPyConnection, kind: str, ids: list[str]) -> None:
    if kind == "study" and column(cursor, _OPENED, ids):
        raise BadInput(
            "A study that was opened cannot be deleted, because its answers are part of the record. "
            "Close it instead. You can erase single participants in People."
        )
    if kind != "image":
        return
    # A draft has been shown to nobody: it cannot open without them.
    titles = column(
        cursor,
        """
        SELECT DISTINCT title FROM (
            SELECT title, unnest(list_concat(
                json_extract_string(plan, '$.cases[*].candidates[*].image_ids[*]'),
                json_extract_string(plan, '$.cases[*].question.image_id')
            )) AS image_id
            FROM study_plans
            SEMI JOIN (SELECT study_id FROM study_states WHERE state = 'open') USING (study_id)
        )
        WHERE image_id IN (SELECT unnest(?)) ORDER BY title
        """,
        ids,
    )
    if titles:
        raise BadInput(
            f"The study “{titles[0]}” shows this image to people, and what they answered about is "
            "kept with it. It cannot be deleted."
        )
