"""A slice as a condition on the rows of verdicts.

Every condition is made of numbers of ours: nothing that a user wrote comes into the SQL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from truehue.core.analysis.names import BASIC, INTERMEDIATE, MODIFIERS
from truehue.core.analysis.records import NO_SYSTEM, Slice
from truehue.core.color.systems import SYSTEMS
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import TASKS
from truehue.storage.results.dictionary import StringDictionary
from truehue.storage.runs.dictionaries import TRAITS

OBJECT_FIELDS = frozenset(
    {"object", "category", "color", "sector", "chroma", "asked_l2", "found_l2", "modifier", "basic"}
)
"""They speak of one object: every object of a picture is looked at, not only the one that leads."""

COLOR_FIELDS = OBJECT_FIELDS - {"object", "category"}
"""They speak of the color that an object has to have; objects that must not have it are left
out."""

COLUMNS = {
    "run": "run_no",
    "task": "task_no",
    "system": "system_no",
    "category": "category_no",
    "object": "object_no",
    "color": "color_no",
    "sector": "sector",
    "asked_l2": "asked_l2",
    "found_l2": "found_l2",
    "modifier": "traits",
    "basic": "traits",
    "status": "picture_status",
    "cause": "cause_no",
}

PICTURE = "(run_no::BIGINT << 32) + position"
"""One number for each picture."""

_SEVERAL = {"task": TASKS, "system": (*SYSTEMS, NO_SYSTEM)}
"""Fields that may hold several words with commas between, and words that are none of a result's
and yet no fault: no picture has them."""

_KINDS = {"asked_l2": "l2", "found_l2": "l2"}
_CHOICES = {"modifier": MODIFIERS, "basic": (BASIC, INTERMEDIATE)}


def set_fields(selection: Slice) -> set[str]:
    """The fields that narrow, without rule and runs."""
    names = {field.name for field in fields(Slice)} - {"rule", "runs", "unscored"}
    return {name for name in names if getattr(selection, name)}


def without(selection: Slice, field: str) -> Slice:
    """The slice with one of its filters taken away."""
    if field == "run":
        return replace(selection, runs=())
    cleared: dict[str, Any] = {field: ""}
    return replace(selection, **cleared)


def condition(
    dictionary: StringDictionary, selection: Slice, by: Iterable[str] = (), table: str = ""
) -> str:
    """The condition for the rows of ``selection``, grouped by the fields ``by``.

    ``table`` is a prefix such as ``v.``. Raises :class:`BadInput` for a word that no result has.
    """
    chosen = set_fields(selection)
    looked_at = chosen | set(by)
    parts = [f"{table}rule_no = {dictionary.rule(selection.rule)}"]
    runs = dictionary.runs(selection.runs)
    if runs is not None:
        parts.append(f"{table}run_no IN ({', '.join(map(str, runs)) or 'NULL'})")
    if not looked_at & OBJECT_FIELDS:
        parts.append(f"{table}leads")
    if looked_at & COLOR_FIELDS:
        parts.append(f"{table}matches")
    parts += conditions(dictionary, selection, table)
    if "found_l2" in by:
        parts.append(f"{table}found_l2 IS NOT NULL")
    return " AND ".join(parts)


def conditions(dictionary: StringDictionary, selection: Slice, table: str = "") -> list[str]:
    """One condition for each filter of ``selection``, beside rule and runs."""
    parts = []
    for field in sorted(set_fields(selection)):
        value = getattr(selection, field)
        if field == "chroma":
            colors = ", ".join(map(str, dictionary.in_band(value))) or "NULL"
            parts.append(f"{table}color_no IN ({colors})")
            continue
        if field == "against":
            parts.append(_differs(dictionary, selection.rule, value, table))
            continue
        column = f"{table}{COLUMNS[field]}"
        if field in _SEVERAL:
            parts.append(_any_of(dictionary, field, value, column))
            continue
        if field in _CHOICES:
            if value not in _CHOICES[field]:
                raise BadInput(
                    f"There is no {field} {value[:40]!r}: give one of {', '.join(_CHOICES[field])}."
                )
            parts.append(f"({column} & {1 << TRAITS.index(value)}) <> 0")
        else:
            parts.append(f"{column} = {dictionary.number(_KINDS.get(field, field), value)}")
    return parts


def _any_of(dictionary: StringDictionary, field: str, value: str, column: str) -> str:
    """Rows with one of the words of ``value``."""
    choices = list(dict.fromkeys(choice for choice in value.split(",") if choice))
    if len(choices) == 1 and choices[0] != NO_SYSTEM:
        return f"{column} = {dictionary.number(field, choices[0])}"
    numbers = []
    for choice in choices:
        name = "" if (field, choice) == ("system", NO_SYSTEM) else choice
        if name in dictionary.names[field] or choice not in _SEVERAL[field]:
            numbers.append(dictionary.number(field, name))
    return f"{column} IN ({', '.join(map(str, numbers))})" if numbers else "FALSE"


def _differs(dictionary: StringDictionary, rule: str, other: str, table: str) -> str:
    """Pictures of which both rules say something, and not the same."""
    first, second = dictionary.rule(rule), dictionary.rule(other)
    if first < 0 or second < 0:
        return "FALSE"
    first_status, two = (f"(({table}statuses >> {2 * number}) & 3)" for number in (first, second))
    return f"{first_status} > 0 AND {two} > 0 AND {first_status} <> {two}"
