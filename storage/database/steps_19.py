"""Step 19: concepts of one's own in runs that were ingested before these were known."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import duckdb

from truehue.core.errors import TrueHueError
from truehue.core.prompts.prompt import Prompt, prompt_from_json
from truehue.core.runs.concepts import concept_of
from truehue.core.runs.folder import RunFolder

log = logging.getLogger("truehue")

_UNKNOWN = """
    SELECT prompt_no, source, prompt_id, text FROM known_prompts
    ANTI JOIN known_concepts USING (prompt_no)
    WHERE task_no IN (SELECT no FROM known_names WHERE kind = 'task' AND name = 'concept')
"""


def own_concepts(cursor: duckdb.DuckDBPyConnection) -> None:
    """Note the concepts that known prompts name, as registering their run does now.

    A known prompt has no words for its concept. They are in the imported set that it came from, or
    else in the folder of a run that has it, where that lies in the data folder.
    """
    for prompts in (_of_sets, _of_runs):
        rows = {
            prompt_no: concept
            for prompt_no, prompt in prompts(cursor)
            if (concept := concept_of(prompt)) is not None
        }
        if rows:
            cursor.executemany(
                "INSERT INTO known_concepts VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [[prompt_no, *concept] for prompt_no, concept in rows.items()],
            )


def _of_sets(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, Prompt]]:
    """Number and prompt of those of imported sets."""
    rows = cursor.execute(f"""
        SELECT u.prompt_no, u.text, p.body::VARCHAR FROM ({_UNKNOWN}) AS u
        JOIN prompts AS p ON p.set_id = u.source AND p.prompt_id = u.prompt_id
    """).fetchall()
    for prompt_no, text, body in rows:
        try:
            prompt = prompt_from_json(json.loads(body))
        except TrueHueError as error:  # its images stay what they are
            log.warning("The concept of a prompt is not known: %s", error)
            continue
        if prompt.text == text:
            yield prompt_no, prompt


def _of_runs(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, Prompt]]:
    """The same of those in the folders of runs."""
    rows = cursor.execute(f"""
        SELECT run_id, prompt, prompt_no FROM run_prompts
        JOIN run_numbers USING (run_no) SEMI JOIN ({_UNKNOWN}) USING (prompt_no)
        ORDER BY run_no DESC
    """).fetchall()
    ((path,),) = cursor.execute(
        "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchall()
    folders: dict[str, tuple[Prompt, ...]] = {}
    for run_id, position, prompt_no in rows:
        if run_id not in folders:
            folders[run_id] = _prompts(Path(path).parent / "runs" / run_id)
        if position < len(folders[run_id]):
            yield prompt_no, folders[run_id][position]


def _prompts(folder: Path) -> tuple[Prompt, ...]:
    try:
        return RunFolder(folder).plan().prompts
    except TrueHueError as error:  # its images stay what they are
        log.warning("Concepts of a run are not known: %s", error)
        return ()
