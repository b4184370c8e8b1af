"""The numbers that stand for words in the rows of results."""

from __future__ import annotations

from typing import Any

import duckdb

from core.analysis.names import BASIC, DARK, INTERMEDIATE, ISH, LIGHT, PLAIN
from core.verdict.judge import FAIL, PASS, UNSCORED

STATUSES = ("", PASS, FAIL, UNSCORED)
"""By their number; 0 where a rule says nothing of a picture."""

PASSES, FAILS, UNSCORES = 1, 2, 3
STATUS_BITS = 2
MOST_RULES = 31  # two bits each in 63

TRAITS = (LIGHT, DARK, ISH, PLAIN, BASIC, INTERMEDIATE)
"""By their bit: modifiers of level 3, basic and intermediate names of level 2."""

FIRSTS = ("object", "category", "color", "sector", "asked_l2", "found_l2")
"""By their bit in ``firsts``: this row is the first of its picture and rule with that value. The
last four look at objects only that have to have the color."""


def trait_bits(traits: tuple[str, ...]) -> int:
    """The bits of words of :data:`TRAITS`."""
    return sum(1 << TRAITS.index(one) for one in traits)


def case(expression: str, words: tuple[str, ...]) -> str:
    """SQL that gives the place of a word in ``words`` (ours, never a user's), NULL for another."""
    whens = " ".join(f"WHEN '{word}' THEN {at}" for at, word in enumerate(words) if word)
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
