"""Agreement of two rules: the verdicts of both on the same pixels and the same target color.

A case is an image, a mask and the expectation of the verdicts. The latest verdict of each case and
rule counts, as in :mod:`truehue.storage.verdicts.evidence`. A case with a verdict of only one rule
says nothing about agreement; it has its own count. If either verdict is ``unscored``, there is no
measurement that could agree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import BadInput
from truehue.storage.database.connection import Database

CELLS = ("disagree", "first", "second", "both", "neither", "unscored")
"""Parts of the table: one passes and the other fails; the first rule alone passes; the second
alone; both pass; both fail; either is unscored."""

_OF_CELL = {
    "disagree": "(a, b) IN (('pass', 'fail'), ('fail', 'pass'))",
    "first": "a = 'pass' AND b = 'fail'",
    "second": "a = 'fail' AND b = 'pass'",
    "both": "a = 'pass' AND b = 'pass'",
    "neither": "a = 'fail' AND b = 'fail'",
    "unscored": "'unscored' IN (a, b) AND a IS NOT NULL AND b IS NOT NULL",
}

# The latest verdict of each rule on each question, side by side; NULL where there is none. The time
# decides which is the latest, of equal times the order of adding
# (truehue.storage.verdicts.evidence).
_SIDE_BY_SIDE = """
    SELECT image_id, mask_id, any_value(coalesce(target->>'system', '')) AS system,
        max(rowid) AS row,
        arg_max(status, (created_at, rowid)) FILTER (protocol = ?) AS a,
        arg_max(status, (created_at, rowid)) FILTER (protocol = ?) AS b,
        arg_max(rowid, (created_at, rowid)) FILTER (protocol = ?) AS a_row,
        arg_max(rowid, (created_at, rowid)) FILTER (protocol = ?) AS b_row
    FROM evidence WHERE protocol IN (?, ?)
    GROUP BY image_id, mask_id, expectation
"""
_TASK = "image_id IN (SELECT image_id FROM drawings WHERE task = ?)"


@dataclass(frozen=True)
class Agreement:
    """How often two rules agree. ``both``, ``neither``, ``first`` (it alone passes), ``second`` and
    ``unscored`` (either) add up to the questions that both rules judged; ``first_only`` and
    ``second_only`` are those that one rule alone has judged."""

    both: int
    neither: int
    first: int
    second: int
    unscored: int
    first_only: int
    second_only: int

    @property
    def judged(self) -> int:
        """The questions that both rules judged."""
        return self.both + self.neither + self.first + self.second + self.unscored

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of the questions with two scores (Cohen 1960): agreement beyond chance.

        None where it is not defined: without scores, or when both rules always say the same one
        word.
        """
        n = self.both + self.neither + self.first + self.second
        if not n:
            return None
        observed = (self.both + self.neither) / n
        first, second = (self.both + self.first) / n, (self.both + self.second) / n
        chance = first * second + (1 - first) * (1 - second)
        return None if chance == 1.0 else (observed - chance) / (1 - chance)


@dataclass(frozen=True)
class VerdictPair:
    """What one rule said of a question, as stored."""

    evidence_id: str
    rule: str
    version: str
    parameters: Mapping[str, Any]
    status: str
    reason: str
    numbers: Mapping[str, Any]


@dataclass(frozen=True)
class Pair:
    """A question and what both rules said of it. ``target`` is the target color as stored."""

    image_id: str
    mask_id: str | None
    object_name: str
    target: Mapping[str, Any]
    first: VerdictPair
    second: VerdictPair


class Agreements:
    """The questions about two rules. Rules are named by their ids; a rule without any verdict has
    no questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def table(
        self, first: str, second: str, task: str | None = None, system: str | None = None
    ) -> Agreement:
        """Return how often the rules agree, of one task and one color system if they are given.

        ``task`` is that of the drawings that show the image; ``system`` is the target color's, empty
        for colors that have none. Raises :class:`BadInput` for one rule twice.
        """
        condition, values = _where(first, second, task, system)
        counts = {
            (a, b): int(number)
            for a, b, number in self._database.rows(
                f"SELECT a, b, count(*) FROM ({_SIDE_BY_SIDE}) {condition} GROUP BY a, b", values
            )
        }
        both = {pair: n for pair, n in counts.items() if None not in pair}
        return Agreement(
            both=both.get(("pass", "pass"), 0),
            neither=both.get(("fail", "fail"), 0),
            first=both.get(("pass", "fail"), 0),
            second=both.get(("fail", "pass"), 0),
            unscored=sum(n for pair, n in both.items() if "unscored" in pair),
            first_only=sum(n for (_, b), n in counts.items() if b is None),
            second_only=sum(n for (a, _), n in counts.items() if a is None),
        )

    def pairs(
        self,
        first: str,
        second: str,
        cell: str = "disagree",
        limit: int = 24,
        offset: int = 0,
        task: str | None = None,
        system: str | None = None,
    ) -> list[Pair]:
        """Return ``limit`` questions of a part of the table (one of :data:`CELLS`), those judged
        last first, after leaving out ``offset`` of them. Raises :class:`BadInput` for an unknown
        part, or one rule twice.
        """
        if cell not in CELLS:
            raise BadInput(f"cell is {cell!r}: give one of {', '.join(CELLS)}.")
        condition, values = _where(first, second, task, system, _OF_CELL[cell])
        columns_sql = ", ".join(
            f"{suffix}.{name}"
            for suffix in ("one", "other")
            for name in (
                "evidence_id",
                "protocol",
                "version",
                "parameters",
                "status",
                "reason",
                "numbers",
            )
        )
        rows = self._database.rows(
            f"""
            WITH page AS (
                SELECT row, a_row, b_row FROM ({_SIDE_BY_SIDE}) {condition}
                ORDER BY row DESC LIMIT ? OFFSET ?
            )
            SELECT one.image_id, one.mask_id, one.object_name, one.target, {columns_sql}
            FROM page JOIN evidence AS one ON one.rowid = a_row
                JOIN evidence AS other ON other.rowid = b_row
            ORDER BY page.row DESC
            """,
            [*values, max(limit, 0), max(offset, 0)],
        )
        return [
            Pair(
                row[0],
                row[1],
                row[2],
                json.loads(row[3]),
                _verdict(row[4:11]),
                _verdict(row[11:18]),
            )
            for row in rows
        ]

    def tasks(self) -> list[str]:
        """Return the tasks of the drawings whose images have verdicts, by name."""
        rows = self._database.rows(
            "SELECT DISTINCT task FROM drawings WHERE task <> '' "
            "AND image_id IN (SELECT image_id FROM evidence) ORDER BY task"
        )
        return [str(task) for (task,) in rows]

    def systems(self) -> list[str]:
        """Return the color systems that verdicts were asked in, by name; empty for none."""
        rows = self._database.rows(
            "SELECT DISTINCT coalesce(target->>'system', '') AS system FROM evidence ORDER BY 1"
        )
        return [str(system) for (system,) in rows]


def _where(
    first: str, second: str, task: str | None, system: str | None, test: str = ""
) -> tuple[str, list[Any]]:
    """The WHERE after ``_SIDE_BY_SIDE``, and the values of both."""
    if first == second:
        raise BadInput(f"Both rules are {first!r}: choose two that differ.")
    tests = [f"({test})"] if test else []
    values: list[Any] = [first, second, first, second, first, second]
    if task is not None:
        tests.append(_TASK)
        values.append(task)
    if system is not None:
        tests.append("system = ?")
        values.append(system)
    return (f"WHERE {' AND '.join(tests)}" if tests else "", values)


def _verdict(row: tuple[Any, ...]) -> VerdictPair:
    evidence_id, rule, version, parameters, status, reason, numbers = row
    return VerdictPair(
        evidence_id, rule, version, json.loads(parameters), status, reason, json.loads(numbers)
    )
