"""How hits and false accepts move together when a rule's limits are widened or narrowed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.diagnosis.judging import TRUE, Row
from core.diagnosis.records import Roc, RocPoint

LIMITS: tuple[float, ...] = (
    *(round(0.05 * step, 2) for step in range(1, 41)),
    *(round(2.0 + 0.2 * step, 1) for step in range(1, 16)),
    *(6.0, 7.0, 8.0, 10.0, 12.0, 16.0, 20.0),
)
"""Factors on all limits of a rule at once; 1 is the rule as it is."""


def roc_by_rule(rows: Iterable[Row]) -> dict[str, dict[str, Roc]]:
    """The curve of every rule and system, over the pictures of one material.

    At limit t a judgment passes if its margin is below t; an unscored one passes at none.
    """
    margins: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for row in rows:
        if row.second:
            continue
        pair = margins.setdefault((row.rule, row.system), ([], []))
        pair[row.relation != TRUE].append(np.inf if row.margin is None else row.margin)
    out: dict[str, dict[str, Roc]] = {}
    for (rule_id, system_id), (true, near) in sorted(margins.items(), key=lambda one: one[0]):
        out.setdefault(rule_id, {})[system_id] = roc(np.array(true), np.array(near))
    return out


def roc(true: np.ndarray, near: np.ndarray) -> Roc:
    """The curve of margins ``(N,)`` against the true color and ``(M,)`` against others.

    Infinite margins are unscored: they pass at no limit and take no part in the area.
    """
    points: tuple[RocPoint, ...] = ()
    if true.size and near.size:
        points = tuple(
            RocPoint(limit, _percent_below(true, limit), _percent_below(near, limit))
            for limit in LIMITS
        )
    return Roc(_area(true[np.isfinite(true)], near[np.isfinite(near)]), points)


def _percent_below(margins: np.ndarray, limit: float) -> float:
    return 100.0 * float(np.count_nonzero(margins < limit)) / margins.size


def _area(true: np.ndarray, near: np.ndarray) -> float | None:
    """Mann and Whitney's U of ``near`` over ``true`` as a share of all pairs."""
    if not (true.size and near.size):
        return None
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate((near, true)))[: near.size]
    wins = float(ranks.sum()) - near.size * (near.size + 1) / 2.0
    return wins / (near.size * true.size)
