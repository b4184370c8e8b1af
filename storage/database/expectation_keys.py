"""Keys of expectations in rows: for new generations, and for stored rows without keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import duckdb

from truehue.core.prompts.prompt import ObjectTarget, prompt_from_json
from truehue.core.verdict.expectations import expectations_of, key_of_verdict


def target_keys(targets: Sequence[ObjectTarget]) -> list[list[str]]:
    """The keys of a generation with these targets: for each expectation, each once, the keys of the
    verdicts that answer it."""
    keys = {expectation.key: expectation.answer_keys for expectation in expectations_of(targets)}
    return [list(keys[key]) for key in sorted(keys)]


def targets_of(text: str) -> tuple[ObjectTarget, ...]:
    """The targets of a generation, from their stored JSON."""
    prompt = {"id": "-", "text": "-", "task": "free", "targets": json.loads(text)}
    return prompt_from_json(prompt).targets


def fill_keys(cursor: duckdb.DuckDBPyConnection, drawings: str = "drawings") -> None:
    """Gives the verdicts that have no key theirs, and the drawings that stand in ``drawings`` (SQL
    of rows with ``drawing_id``) the keys that answer them: rows of before step 13."""
    verdicts_sql = "SELECT DISTINCT object_name, target::VARCHAR FROM evidence"
    rows = cursor.execute(f"{verdicts_sql} WHERE expectation = ''").fetchall()
    _map(
        cursor,
        "(object_name VARCHAR, target VARCHAR, expectation VARCHAR)",
        [(name, text, key_of_verdict(name, json.loads(text))) for name, text in rows],
        """
        UPDATE evidence SET expectation = keys_of.expectation FROM keys_of
        WHERE evidence.expectation = '' AND evidence.object_name = keys_of.object_name
            AND evidence.target::VARCHAR = keys_of.target
        """,
    )
    some = f"drawing_id IN (SELECT drawing_id FROM {drawings})"
    rows = cursor.execute(f"SELECT DISTINCT targets::VARCHAR FROM drawings WHERE {some}").fetchall()
    _map(
        cursor,
        "(targets VARCHAR, asked VARCHAR[][])",
        [(text, target_keys(targets_of(text))) for (text,) in rows],
        f"""
        UPDATE drawings SET asked = keys_of.asked FROM keys_of
        WHERE drawings.targets::VARCHAR = keys_of.targets AND drawings.asked <> keys_of.asked
            AND {some}
        """,
    )


def _map(
    cursor: duckdb.DuckDBPyConnection, columns: str, rows: Sequence[Sequence[Any]], update: str
) -> None:
    """Runs ``update``, SQL that takes the new values from the table ``keys_of`` of ``rows``."""
    if not rows:
        return
    kinds = [column.split(" ")[1] for column in columns.strip("()").split(", ")]
    cursor.execute(f"CREATE TEMPORARY TABLE keys_of {columns}")
    cursor.execute(
        f"INSERT INTO keys_of SELECT {', '.join(f'unnest(?::{kind}[])' for kind in kinds)}",
        [list(column) for column in zip(*rows, strict=True)],
    )
    cursor.execute(update)
    cursor.execute("DROP TABLE keys_of")
