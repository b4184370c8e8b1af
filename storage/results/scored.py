"""Prompts' shares of passes by run, and the scored images of one run, by a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.analysis.ranks import PromptScores
from truehue.core.analysis.records import LEFT_OUT
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import StringDictionary
from truehue.storage.results.items import item_rows
from truehue.storage.runs.dictionaries import FAILS, PASSES


@dataclass(frozen=True)
class ScoredImage:
    """An image of a run that a rule scored: its ``position`` in the run, its ``prompt`` by number,
    task and color system, and whether it ``passes``."""

    position: int
    prompt: int
    task: str
    system: str
    passes: bool
    image_id: str


def prompt_scores(
    database: Database,
    dictionary: StringDictionary,
    rule: str,
    runs: Sequence[str],
    unscored: str,
    every: bool,
) -> list[PromptScores]:
    """The shares of every task and color system, with a column for each of ``runs``, in order.

    ``every``: unscored images count as incorrect.
    """
    number = dictionary.rule(rule)
    numbers = [dictionary.number("run", run) for run in runs]
    if number < 0 or not numbers:
        return []
    status = f"((statuses >> {2 * number}) & 3)"
    counted = "count(*)" if every else f"count_if({status} IN ({PASSES}, {FAILS}))"
    with database.cursor() as cursor:
        columns = cursor.execute(f"""
            SELECT task_no, system_no, prompt_no, run_no,
                count_if({status} = {PASSES})::DOUBLE / {counted} AS share
            FROM {item_rows(dictionary, unscored, rule)}
            WHERE {status} > 0 AND run_no IN ({", ".join(map(str, numbers))})
            GROUP BY task_no, system_no, prompt_no, run_no HAVING {counted} > 0
        """).fetchnumpy()
    task, system, prompt, run, share = (
        np.asarray(columns[name])
        for name in ("task_no", "system_no", "prompt_no", "run_no", "share")
    )
    if not share.size:
        return []
    run_column = np.full(int(run.max()) + 1, -1)
    run_column[[own for own in numbers if own < run_column.size]] = [
        index for index, own in enumerate(numbers) if own < run_column.size
    ]
    scores = []
    for stratum in np.unique(task.astype(np.int64) * 256 + system):
        own = (task == stratum // 256) & (system == stratum % 256)
        prompts, row = np.unique(prompt[own], return_inverse=True)
        shares = np.full((prompts.size, len(numbers)), np.nan)
        shares[row, run_column[run[own]]] = share[own]
        scores.append(
            PromptScores(
                dictionary.names["task"][int(stratum // 256)],
                dictionary.names["system"][int(stratum % 256)],
                shares,
            )
        )
    return scores


def scored_images(
    database: Database, dictionary: StringDictionary, rule: str, run: str
) -> list[ScoredImage]:
    """The images of a run that the rule passes or fails, in the order of the run."""
    number = dictionary.rule(rule)
    if number < 0:
        return []
    status = f"((statuses >> {2 * number}) & 3)"
    rows = database.rows(
        f"SELECT position, prompt_no, task_no, system_no, {status} = {PASSES}, image_id "
        f"FROM {item_rows(dictionary, LEFT_OUT, rule)} WHERE run_no = ? AND drawn "
        f"AND {status} IN ({PASSES}, {FAILS}) "
        "ORDER BY position",
        [dictionary.number("run", run)],
    )
    tasks, systems = dictionary.names["task"], dictionary.names["system"]
    return [
        ScoredImage(position, prompt, tasks[task], systems[system], passes, image_id)
        for position, prompt, task, system, passes, image_id in rows
    ]
