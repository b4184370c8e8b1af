"""Meanings of the numbers in the result rows, and a slice as an SQL condition on them.

Every condition consists of our own numbers: no user's text enters the SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from truehue.core.analysis.groups import bands_of
from truehue.core.analysis.names import BASIC, INTERMEDIATE, l2_names
from truehue.core.analysis.records import CHROMA_BANDS, NO_SYSTEM, SEARCHING, SECTORS, Slice
from truehue.core.color.systems import MODIFIERS, SYSTEMS, parse_target
from truehue.core.errors import BadInput, NotStored, UnknownColor
from truehue.core.prompts.prompt import TASKS
from truehue.core.verdict.rules import rule
from truehue.storage.database.connection import Database
from truehue.storage.runs.dictionaries import FAILS, STATUSES, TRAITS, UNSCORES

KINDS = ("task", "system", "category", "object", "cause", "step", "rule")


@dataclass(frozen=True)
class Color:
    """One target color as :class:`truehue.core.color.systems.ColorTarget` spells it."""

    value: str
    name: str
    hex: str
    lab: tuple[float, float, float]
    sector: int
    asked_l2: int
    traits: int

    @property
    def label(self) -> str:
        """Its name, or the hex of a color without one."""
        return self.name or self.hex


@dataclass(frozen=True)
class StringDictionary:
    """All dictionaries as of one moment. ``names`` are lists by number of each kind; ``searching``
    are the runs whose masker looks for objects, ``partly`` those with an image that fails by one
    object and has another without a score."""

    names: Mapping[str, Sequence[str]]
    colors: Sequence[Color]
    run_ids: Sequence[str]
    run_names: Sequence[str]
    hidden: frozenset[int]
    searching: frozenset[int] = frozenset()
    partly: frozenset[int] = frozenset()

    @classmethod
    def read(cls, database: Database) -> StringDictionary:
        """Read them: some hundreds of rows, and two narrow columns of the verdicts."""
        names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for kind, name in database.rows("SELECT kind, name FROM known_names ORDER BY kind, no"):
            names[kind].append(name)
        colors = [
            Color(value, name, hex_, (lab[0], lab[1], lab[2]), *numbers)
            for value, name, hex_, lab, numbers in database.rows(
                "SELECT value, name, hex, [l, a, b], [sector, asked_l2, traits] FROM known_colors "
                "ORDER BY color_no"
            )
        ]
        runs = database.rows("""
            SELECT run_id, arg_max(name, version), arg_max(hidden, version),
                any_value(json_extract_string(summary, '$.masker.kind'))
            FROM run_numbers JOIN run_views USING (run_no) GROUP BY run_no, run_id ORDER BY run_no
        """)
        partly = database.rows(
            f"SELECT DISTINCT run_no FROM run_verdicts WHERE status = {UNSCORES} "
            f"AND picture_status = {FAILS}"
        )
        return cls(
            names,
            colors,
            [row[0] for row in runs],
            [row[1] for row in runs],
            frozenset(index for index, row in enumerate(runs) if row[2]),
            frozenset(index for index, row in enumerate(runs) if row[3] == SEARCHING),
            frozenset(run_no for (run_no,) in partly),
        )

    @cached_property
    def _positions(self) -> Mapping[str, Mapping[str, int]]:
        positions = {
            kind: {name: index for index, name in enumerate(ones)}
            for kind, ones in self.names.items()
        }
        positions["run"] = {run_id: index for index, run_id in enumerate(self.run_ids)}
        positions["color"] = {color.value: index for index, color in enumerate(self.colors)}
        for field, names in (
            ("sector", SECTORS),
            ("status", STATUSES),
            ("trait", TRAITS),
            ("l2", l2_names()),
        ):
            positions[field] = {name: index for index, name in enumerate(names)}
        return positions

    def number(self, kind: str, name: str) -> int:
        """The number of a word. Raises :class:`BadInput` for one that no result has, and
        :class:`NotStored` for a run that is not here."""
        number = self._positions[kind].get(name)
        if number is None and kind == "color":
            number = self._positions["color"].get(_color_value(name))
        if number is not None:
            return number
        if kind == "run":
            raise NotStored(f"No run is stored under {name[:80]!r}.")
        raise BadInput(
            f"No result has the {_SAID.get(kind, kind)} {name[:80]!r}{self._instead(kind)}."
        )

    def in_band(self, low: str) -> list[int]:
        """The numbers of the colors whose band of C*ab begins there. Raises BadInput."""
        if low not in self._bands:
            raise BadInput(
                f"There is no band of C*ab from {low[:40]!r}. Bands begin at "
                f"{', '.join(self._bands)}."
            )
        return self._bands[low]

    @cached_property
    def _bands(self) -> Mapping[str, list[int]]:
        bands: dict[str, list[int]] = {f"{low:.0f}": [] for low in (0.0, *CHROMA_BANDS)}
        if self.colors:
            sectors = [SECTORS[color.sector] for color in self.colors]
            starts = bands_of(np.array([color.lab for color in self.colors]), sectors)
            for index, low in enumerate(starts.tolist()):
                bands[f"{low:.0f}"].append(index)
        return bands

    def runs(self, ids: Sequence[str]) -> list[int] | None:
        """The numbers of runs; without ids those that are shown, None where all are."""
        if ids:
            return sorted({self.number("run", run_id) for run_id in ids})
        if not self.hidden:
            return None
        return [index for index in range(len(self.run_ids)) if index not in self.hidden]

    def rule(self, name: str) -> int:
        """The number of a rule, -1 for a rule that no run was judged by. Raises BadInput for a
        rule that there is not."""
        return self._positions["rule"].get(rule(name).id, -1)

    def _instead(self, kind: str) -> str:
        names = list(self._positions[kind])
        shown = [name for name in names if name][:12]
        return f": there are {', '.join(shown)}{'' if len(names) <= 12 else ', …'}" if shown else ""


_SAID = {"l2": "level 2 name", "trait": "kind of name", "color": "target color"}


def _color_value(text: str) -> str:
    try:
        return parse_target(text).value
    except UnknownColor:
        return text


OBJECT_FIELDS = frozenset(
    {"object", "category", "color", "sector", "chroma", "asked_l2", "found_l2", "modifier", "basic"}
)
"""They speak of one object: every object of an image is looked at, not only the one that leads."""

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
"""One number for each image."""

_SEVERAL = {"task": TASKS, "system": (*SYSTEMS, NO_SYSTEM)}
"""Fields that may hold several words with commas between, and words that are none of a result's
and yet no fault: no image has them."""

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
    """Images of which both rules say something, and not the same."""
    first, second = dictionary.rule(rule), dictionary.rule(other)
    if first < 0 or second < 0:
        return "FALSE"
    first_status, two = (f"(({table}statuses >> {2 * number}) & 3)" for number in (first, second))
    return f"{first_status} > 0 AND {two} > 0 AND {first_status} <> {two}"
