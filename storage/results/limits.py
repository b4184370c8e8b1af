"""How the prompts of runs would pass with other limits, told from the stored numbers alone.

It holds for rules of which one row has all that decides: each metric with its own minimum over the
accepted colors, or one misfit. A rule that wants all metrics on one accepted color keeps the
numbers of one of them; with other limits another could pass, of which nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truehue.core.errors import BadInput
from truehue.storage.database.connection import Database
from truehue.storage.runs.dictionaries import FAILS, PASSES, UNSCORES

METRICS = ("delta_chroma", "delta_e00", "hue_deg", "misfit")


def tallies_within(
    database: Database, rule_no: int, limits: Mapping[str, float], in_runs: str, rows: str
) -> list[tuple[Any, ...]]:
    """Rows of run_no, task_no, system_no, passes, scored, pictures and how many prompts have those.

    An object that was measured passes where every metric of ``limits`` is strictly below its limit,
    and one that must not have a color where not; any other keeps its status. One fail of a picture
    is a fail, then one unscored is unscored. ``in_runs`` is empty or a condition beginning with
    AND, ``rows`` the verdicts as they count (truehue.storage.results.outcomes). Raises BadInput for
    a metric that is not of :data:`METRICS`.
    """
    wrong = [name for name in limits if name not in METRICS]
    if wrong or not limits:
        raise BadInput(f"Give limits of one or more of {', '.join(METRICS)}.")
    measured_sql = " AND ".join(f"{name} IS NOT NULL" for name in limits)
    below = " AND ".join(f"{name} < CAST(? AS DOUBLE)" for name in limits)
    return database.rows(
        f"""
        WITH objects AS (
            SELECT run_no, task_no, system_no, prompt_no, position,
                CASE WHEN status = {UNSCORES} OR NOT ({measured_sql}) THEN status
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
                count_if(fails OR NOT unscored) AS scored, count(*) AS images
            FROM pictures GROUP BY run_no, task_no, system_no, prompt_no
        )
        SELECT run_no, task_no, system_no, passes, scored, images, count(*)
        FROM prompts GROUP BY ALL ORDER BY ALL
        """,
        list(limits.values()),
    )
