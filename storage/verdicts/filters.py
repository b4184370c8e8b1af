"""The filters by which drawings are listed and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from core.errors import BadInput
from storage.verdicts.answers import TOGETHER, verdicts

STATUSES = ("drawn", "failed")
VERDICTS = ("pass", "fail", "unscored", "")


class Wanted(TypedDict, total=False):
    """What a drawing has to be; None, or nothing at all, leaves it open.

    ``prompt`` is the set's id and the prompt's id. ``verdict`` is ``pass``, ``fail``, ``unscored``
    or, for drawings without any, empty: of each rule as :mod:`storage.verdicts.answers` says, and
    over all rules one fail makes a fail, then one unscored makes unscored. ``rule`` has that rule
    alone decide.
    """

    model: str | None
    prompt: tuple[str, str] | None
    job_id: str | None
    status: str | None
    verdict: str | None
    rule: str | None


@dataclass(frozen=True)
class Filter:
    """The SQL of what was wanted: ``clause`` is empty or begins with WHERE."""

    clause: str
    values: tuple[Any, ...]


def filter_of(
    model: str | None = None,
    prompt: tuple[str, str] | None = None,
    job_id: str | None = None,
    status: str | None = None,
    verdict: str | None = None,
    rule: str | None = None,
) -> Filter:
    """Return the filter of a :class:`Wanted`. Raises :class:`BadInput` for an unknown status or
    verdict."""
    if status is not None and status not in STATUSES:
        raise BadInput(f"status is {status!r}: give one of {', '.join(STATUSES)}.")
    if verdict is not None and verdict not in VERDICTS:
        raise BadInput(f"verdict is {verdict!r}: give pass, fail, unscored or an empty text.")
    source, prompt_id = prompt or (None, None)
    given = {
        "model": model, "prompt_source": source, "prompt_id": prompt_id, "job_id": job_id,
        "status": status,
    }  # fmt: skip
    tests = [f"{name} = ?" for name, value in given.items() if value is not None]
    values: list[Any] = [value for value in given.values() if value is not None]
    if verdict is not None:
        tests.append(f"number {'IN' if verdict else 'NOT IN'} ({_judged(verdict)})")
        values += [rule, verdict] if verdict else [rule]
    return Filter(f"WHERE {' AND '.join(tests)}" if tests else "", tuple(values))


def _judged(verdict: str) -> str:
    """The SQL of the drawings with that verdict, or with any where it is empty."""
    return f"""
        SELECT number FROM ({verdicts("drawings")}) GROUP BY number
        {f"HAVING {TOGETHER.format(status='status')} = ?" if verdict else ""}
    """
