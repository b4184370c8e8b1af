"""Dictionaries of the results: words, colors and prompts get a number on first occurrence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import duckdb
import numpy as np

from truehue.core.analysis.names import BASIC, INTERMEDIATE, nearest_l2, sector_codes, traits_of
from truehue.core.color.systems import DARK, ISH, LIGHT, PLAIN, ColorTarget
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import Prompt
from truehue.core.verdict.expectations import Expectation, expectations_of
from truehue.core.verdict.rules import DIFFERS, FAIL, PASS, UNSCORED
from truehue.storage.database import canonical

STATUSES = ("", PASS, FAIL, UNSCORED)
"""By their number; 0 where a rule says nothing of an image."""
PASSES, FAILS, UNSCORES = 1, 2, 3
STATUS_BITS = 2
MAX_RULES = 31  # two bits each in 63
TRAITS = (LIGHT, DARK, ISH, PLAIN, BASIC, INTERMEDIATE)
"""By their bit: modifiers of level 3, basic and intermediate names of level 2."""
FIRSTS = ("object", "category", "color", "sector", "asked_l2", "found_l2")
"""By their bit in ``firsts``: this row is the first of its image and rule with that value. The
last four look at objects only that have to have the color."""


def numbers_of(
    cursor: duckdb.DuckDBPyConnection, kind: str, names: Iterable[str]
) -> dict[str, int]:
    """The numbers of all names of a kind, after new ones among ``names`` have got theirs.

    Raises :class:`BadInput` for more rules than there is room for.
    """
    rows = cursor.execute("SELECT name, no FROM known_names WHERE kind = ?", [kind]).fetchall()
    numbers = {str(name): int(number) for name, number in rows}
    new = [name for name in dict.fromkeys(names) if name not in numbers]
    if not new:
        return numbers
    first = 1 + max(numbers.values(), default=-1)
    if kind == "rule" and first + len(new) > MAX_RULES:
        raise BadInput(f"There are results of {first} rules already; there is room for no more.")
    added = {name: first + index for index, name in enumerate(new)}
    cursor.execute(
        "INSERT INTO known_names SELECT ?, unnest(?::INTEGER[]), unnest(?::VARCHAR[])",
        [kind, list(added.values()), new],
    )
    return {**numbers, **added}


def colors_of(cursor: duckdb.DuckDBPyConnection, colors: Iterable[ColorTarget]) -> dict[str, int]:
    """The numbers of all colors by their value, after new ones among ``colors`` got theirs."""
    rows = cursor.execute("SELECT value, color_no FROM known_colors").fetchall()
    numbers = {str(value): int(number) for value, number in rows}
    new = {color.value: color for color in colors if color.value not in numbers}
    if not new:
        return numbers
    first = 1 + max(numbers.values(), default=-1)
    lab = np.array([color.lab for color in new.values()], dtype=np.float64)
    _insert(
        cursor,
        "known_colors",
        {
            "color_no": ("INTEGER", [first + index for index in range(len(new))]),
            "value": ("VARCHAR", list(new)),
            "system": ("VARCHAR", [color.system or "" for color in new.values()]),
            "name": ("VARCHAR", [color.name or "" for color in new.values()]),
            "hex": ("VARCHAR", [color.hex for color in new.values()]),
            **{name: ("DOUBLE", lab[:, index].tolist()) for index, name in enumerate("lab")},
            "sector": ("UTINYINT", sector_codes(lab).tolist()),
            "asked_l2": ("UTINYINT", nearest_l2(lab).tolist()),
            "traits": ("UTINYINT", [trait_bits(traits_of(color)) for color in new.values()]),
        },
    )
    return {**numbers, **{value: first + index for index, value in enumerate(new)}}


def prompts_of(cursor: duckdb.DuckDBPyConnection, prompts: Sequence[Prompt]) -> list[int]:
    """The number of each prompt, after new ones got theirs.

    A prompt is known by its set, id, task, text and targets: one that was changed is another one.
    """
    bodies = [_body(prompt) for prompt in prompts]
    keys = [_key(body) for body in bodies]
    rows = cursor.execute(
        "SELECT key, prompt_no FROM known_prompts SEMI JOIN (SELECT unnest(?::VARCHAR[]) AS key) "
        "USING (key)",
        [keys],
    ).fetchall()
    numbers = {str(key): int(number) for key, number in rows}
    first = number_in(cursor, "SELECT coalesce(max(prompt_no) + 1, 0) FROM known_prompts")
    new: dict[str, int] = {}
    for position, key in enumerate(keys):
        if key not in numbers and key not in new:
            new[key] = position
    if new:
        _add_prompts(
            cursor,
            first,
            list(new),
            [prompts[index] for index in new.values()],
            [bodies[index] for index in new.values()],
        )
    numbers.update({key: first + index for index, key in enumerate(new)})
    return [numbers[key] for key in keys]


def _body(prompt: Prompt) -> dict[str, Any]:
    body = prompt.as_json()
    names = ("source", "id", "text", "task", "system", "targets")
    return {name: body.get(name, "") for name in names}


def _key(body: dict[str, Any]) -> str:
    # A prompt's JSON is text alone, so it needs none of the care that numbers do.
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _add_prompts(
    cursor: duckdb.DuckDBPyConnection,
    first: int,
    keys: list[str],
    prompts: Sequence[Prompt],
    bodies: Sequence[dict[str, Any]],
) -> None:
    expectations = [expectations_of(prompt.targets) for prompt in prompts]
    colors = colors_of(cursor, (expectation.color for ones in expectations for expectation in ones))
    tasks = numbers_of(cursor, "task", (prompt.task for prompt in prompts))
    systems = numbers_of(cursor, "system", (prompt.system for prompt in prompts))
    targets = [
        (first + position, index, target, _of_target(expectations[position], index))
        for position, prompt in enumerate(prompts)
        for index, target in enumerate(prompt.targets)
    ]
    objects = numbers_of(cursor, "object", (target_row[2].name for target_row in targets))
    categories = numbers_of(cursor, "category", (target_row[2].category for target_row in targets))
    _insert(
        cursor,
        "known_prompts",
        {
            "prompt_no": ("INTEGER", list(range(first, first + len(prompts)))),
            "key": ("VARCHAR", keys),
            "source": ("VARCHAR", [prompt.source for prompt in prompts]),
            "prompt_id": ("VARCHAR", [prompt.id for prompt in prompts]),
            "text": ("VARCHAR", [prompt.text for prompt in prompts]),
            "task_no": ("UTINYINT", [tasks[prompt.task] for prompt in prompts]),
            "system_no": ("UTINYINT", [systems[prompt.system] for prompt in prompts]),
            "first_asked": (
                "TINYINT",
                [group[0].position if group else None for group in expectations],
            ),
            "opens": ("VARCHAR", [canonical.dump(_opens(prompt)) for prompt in prompts]),
            "targets": ("VARCHAR", [canonical.dump(body["targets"]) for body in bodies]),
        },
    )
    _insert(
        cursor,
        "known_targets",
        {
            "prompt_no": ("INTEGER", [target_row[0] for target_row in targets]),
            "target": ("TINYINT", [target_row[1] for target_row in targets]),
            "object_no": ("INTEGER", [objects[target_row[2].name] for target_row in targets]),
            "category_no": (
                "INTEGER",
                [categories[target_row[2].category] for target_row in targets],
            ),
            "color_no": (
                "INTEGER",
                [
                    None if target_row[3] is None else colors[target_row[3].color.value]
                    for target_row in targets
                ],
            ),
            "matches": (
                "BOOLEAN",
                [
                    None if target_row[3] is None else target_row[3].relation != DIFFERS
                    for target_row in targets
                ],
            ),
        },
    )


def _of_target(expectations: Sequence[Expectation], index: int) -> Expectation | None:
    return next(
        (expectation for expectation in expectations if expectation.position == index), None
    )


def _opens(prompt: Prompt) -> dict[str, str]:
    """Object and color that Inspect starts with."""
    for target in prompt.targets:
        if target.color is not None:
            return {"object_name": target.name, "target": target.color.value}
    return {"object_name": prompt.targets[0].name} if prompt.targets else {}


def _insert(
    cursor: duckdb.DuckDBPyConnection, table: str, columns: dict[str, tuple[str, list[Any]]]
) -> None:
    """Add rows that are given column by column, each with its type."""
    lists = ", ".join(f"unnest(?::{kind}[])" for kind, _ in columns.values())
    cursor.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {lists}",
        [values for _, values in columns.values()],
    )


def trait_bits(traits: tuple[str, ...]) -> int:
    """The bits of words of :data:`TRAITS`."""
    return sum(1 << TRAITS.index(trait) for trait in traits)


def case(expression: str, terms: tuple[str, ...]) -> str:
    """SQL that gives the place of a word in ``terms`` (ours, never a user's), NULL for another."""
    whens = " ".join(f"WHEN '{word}' THEN {index}" for index, word in enumerate(terms) if word)
    return f"CASE {expression} {whens} END"


def number_in(cursor: duckdb.DuckDBPyConnection, sql: str) -> int:
    """The one whole number that a question answers with."""
    return int(cursor.execute(sql).fetchall()[0][0])


def first_row(
    cursor: duckdb.DuckDBPyConnection, sql: str, values: Any = None
) -> tuple[Any, ...] | None:
    """The first row of an answer. It is read whole: DuckDB 2.0 refuses a cursor with a rest."""
    rows = cursor.execute(sql, values).fetchall()
    return rows[0] if rows else None
