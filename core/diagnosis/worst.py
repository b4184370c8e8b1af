"""The wrong judgments that are worth a look, spread over the objects."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from core.color.systems import parse_target
from core.diagnosis.judging import TRUE, Row
from core.diagnosis.records import FALSE_ACCEPT, MISSED, Example
from core.verdict.judge import PASS

MOST = 24


def worst_by_rule(rows: Iterable[Row]) -> dict[str, tuple[Example, ...]]:
    """Up to 24 examples a rule, half of them missed colors and half false accepts if there are so
    many of both.

    Missed ones are worst far beyond their limits (unscored first), false accepts deep within. The
    worst of each object come first, then the second worst; one color of an object counts once.
    """
    wrong: dict[str, tuple[list[Row], list[Row]]] = {}
    for row in rows:
        both = wrong.setdefault(row.rule, ([], []))
        if row.relation == TRUE and row.status != PASS:
            both[0].append(row)
        elif row.relation != TRUE and row.status == PASS:
            both[1].append(row)
    return {rule_id: _chosen(*both) for rule_id, both in wrong.items()}


def _chosen(missed: list[Row], accepted: list[Row]) -> tuple[Example, ...]:
    far = _spread(sorted(missed, key=lambda row: -_margin(row)), MOST)
    deep = _spread(sorted(accepted, key=_margin), MOST)
    half = MOST // 2
    kept_far = far[: max(half, MOST - len(deep))]
    kept_deep = deep[: MOST - len(kept_far)]
    return tuple(
        Example(
            row.object, row.light, row.seed, row.system, row.color, row.asked, kind,
            row.delta_e00, row.margin, row.second,
        )
        for kind, kept in ((MISSED, kept_far), (FALSE_ACCEPT, kept_deep))
        for row in kept
    )  # fmt: skip


def _margin(row: Row) -> float:
    return float("inf") if row.margin is None else row.margin


def _spread(rows: list[Row], most: int) -> list[Row]:
    """The first of every object, then the second of each, and so on."""
    waiting: dict[str, deque[Row]] = {}
    seen: set[tuple[str, str, str, bool]] = set()
    for row in rows:
        # CSS gray and grey are one color.
        what = row.object, row.system, parse_target(row.color, row.system).hex, bool(row.second)
        if what not in seen:
            seen.add(what)
            waiting.setdefault(row.object, deque()).append(row)
    out: list[Row] = []
    while waiting and len(out) < most:
        for name in list(waiting):
            out.append(waiting[name].popleft())
            if not waiting[name]:
                del waiting[name]
    return out[:most]
