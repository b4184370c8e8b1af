"""Rates with Wilson's intervals, ROC curves, and examples of wrong judgments, from rows.

Counts on path-traced images, which are not shipped, show the rules under difficult light:
``assets/diagnosis/README.md`` describes the images and the file's names.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.color.systems import parse_target
from truehue.core.diagnosis.colors import hue_key, lightness_key
from truehue.core.diagnosis.plan import part_of
from truehue.core.diagnosis.records import (
    BYS,
    FALSE_ACCEPT,
    MISSED,
    SETS,
    Example,
    Figure,
    Roc,
    RocPoint,
)
from truehue.core.diagnosis.scoring import TRUE, JudgmentRow
from truehue.core.errors import BadInput
from truehue.core.verdict.rules import PASS, UNSCORED

MAX_EXAMPLES = 24

LIMITS: tuple[float, ...] = (
    *(round(0.05 * step, 2) for step in range(1, 41)),
    *(round(2.0 + 0.2 * step, 1) for step in range(1, 16)),
    *(6.0, 7.0, 8.0, 10.0, 12.0, 16.0, 20.0),
)
"""Factors on all limits of a rule at once; 1 is the rule as it is."""

CONFIDENCE = 0.95

# Hits, asked, false accepts, tried, unscored.
_Counts = list[int]
_Part = tuple[str, str, str, str]


def figures_by_rule(
    rows: Iterable[JudgmentRow], split: bool = True
) -> dict[str, tuple[Figure, ...]]:
    """The figures of every rule, by its id, in the order of SETS, systems and BYS.

    Images of two materials are a set of their own and not in "pooled". Without ``split`` (for
    images of others) there are no tuned, held-out and mixed ones. Unscored judgments stay in
    ``asked`` and ``tried``: a rule does not get better by judging less.
    """
    counts: dict[str, dict[_Part, _Counts]] = {}
    for row in rows:
        by_part = counts.setdefault(row.rule, {})
        passed = row.status == PASS
        for part in _parts(row, split):
            count = by_part.setdefault(part, [0, 0, 0, 0, 0])
            index = 0 if row.relation == TRUE else 2
            count[index] += passed
            count[index + 1] += 1
            count[4] += row.status == UNSCORED
    return {
        rule_id: tuple(_figure(part, by_part[part]) for part in sorted(by_part, key=_order))
        for rule_id, by_part in counts.items()
    }


def _parts(row: JudgmentRow, split: bool) -> Iterator[_Part]:
    """The parts that a row counts in."""
    sets = ["two_material"] if row.second else ["pooled"]
    part = part_of(row.object, row.light) if split and not row.second else ""
    if part:
        sets.append(part)
    hue, lightness = _color_keys(row.system, row.color)
    for name in sets:
        yield name, row.system, "all", ""
        if row.light:
            yield name, row.system, "light", row.light
        if row.object:
            yield name, row.system, "object", row.object
        yield name, row.system, "hue", hue
        yield name, row.system, "lightness", lightness


@cache
def _color_keys(system_id: str, color: str) -> tuple[str, str]:
    """The hue sector and the lightness band of a true color."""
    lab = parse_target(color, system_id).lab
    return hue_key(lab), lightness_key(lab)


def _order(part: _Part) -> tuple[int, bool, str, int, int, str]:
    set_, system_id, by, key = part
    low = key.partition("-")[0]
    number = int(low) if by in ("hue", "lightness") and low.isdigit() else 999
    return SETS.index(set_), system_id != "l2", system_id, BYS.index(by), number, key


def _figure(part: _Part, counts: _Counts) -> Figure:
    hits, asked_count, accepts, tried, unscored = counts
    return Figure(
        *part,
        hits,
        asked_count,
        accepts,
        tried,
        unscored,
        *rate_percent(hits, asked_count),
        *rate_percent(accepts, tried),
    )


@cache
def rate_percent(count: int, total: int) -> tuple[float | None, float | None, float | None]:
    """``count`` of ``total`` in percent, with the low and high end of Wilson's 95% interval.

    All None for a total of 0. Source: Wilson (1927), as scipy computes it, without a correction for
    continuity.
    """
    if not total:
        return None, None, None
    from scipy.stats import binomtest

    interval = binomtest(count, total).proportion_ci(CONFIDENCE, method="wilson")
    return 100.0 * count / total, 100.0 * float(interval.low), 100.0 * float(interval.high)


def roc_by_rule(rows: Iterable[JudgmentRow]) -> dict[str, dict[str, Roc]]:
    """The curve of every rule and system, over the images of one material.

    At limit t a judgment passes if its margin is below t; an unscored one passes at none.
    """
    margins: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for row in rows:
        if row.second:
            continue
        pair = margins.setdefault((row.rule, row.system), ([], []))
        pair[row.relation != TRUE].append(np.inf if row.margin is None else row.margin)
    by_rule: dict[str, dict[str, Roc]] = {}
    for (rule_id, system_id), (true, near) in sorted(margins.items(), key=lambda entry: entry[0]):
        by_rule.setdefault(rule_id, {})[system_id] = roc(np.array(true), np.array(near))
    return by_rule


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


def worst_by_rule(rows: Iterable[JudgmentRow]) -> dict[str, tuple[Example, ...]]:
    """Up to 24 examples a rule, half of them missed colors and half false accepts if there are so
    many of both.

    Missed ones are worst far beyond their limits (unscored first), false accepts deep within. The
    worst of each object come first, then the second worst; one color of an object counts once.
    """
    wrong: dict[str, tuple[list[JudgmentRow], list[JudgmentRow]]] = {}
    for row in rows:
        both = wrong.setdefault(row.rule, ([], []))
        if row.relation == TRUE and row.status != PASS:
            both[0].append(row)
        elif row.relation != TRUE and row.status == PASS:
            both[1].append(row)
    return {rule_id: _examples(*both) for rule_id, both in wrong.items()}


def _examples(missed: list[JudgmentRow], accepted: list[JudgmentRow]) -> tuple[Example, ...]:
    far = _spread(sorted(missed, key=lambda row: -_margin(row)), MAX_EXAMPLES)
    deep = _spread(sorted(accepted, key=_margin), MAX_EXAMPLES)
    half = MAX_EXAMPLES // 2
    kept_far = far[: max(half, MAX_EXAMPLES - len(deep))]
    kept_deep = deep[: MAX_EXAMPLES - len(kept_far)]
    return tuple(
        Example(
            row.object,
            row.light,
            row.seed,
            row.system,
            row.color,
            row.asked,
            kind,
            row.delta_e00,
            row.margin,
            row.second,
        )
        for kind, kind_rows in ((MISSED, kept_far), (FALSE_ACCEPT, kept_deep))
        for row in kind_rows
    )


def _margin(row: JudgmentRow) -> float:
    return float("inf") if row.margin is None else row.margin


def _spread(rows: list[JudgmentRow], limit: int) -> list[JudgmentRow]:
    """The first of every object, then the second of each, and so on."""
    waiting: dict[str, deque[JudgmentRow]] = {}
    seen: set[tuple[str, str, str, bool]] = set()
    for row in rows:
        # CSS gray and grey are one color.
        label = row.object, row.system, parse_target(row.color, row.system).hex, bool(row.second)
        if label not in seen:
            seen.add(label)
            waiting.setdefault(row.object, deque()).append(row)
    sample: list[JudgmentRow] = []
    while waiting and len(sample) < limit:
        for name in list(waiting):
            sample.append(waiting[name].popleft())
            if not waiting[name]:
                del waiting[name]
    return sample[:limit]


SCHEMA = 1


@dataclass(frozen=True)
class TracedSet:
    """One set of images: what its light was, and what it was used for."""

    id: str
    name: str
    words: str
    scenes: int


@dataclass(frozen=True)
class TracedRule:
    """A rule's version on one set; ``figures`` by color system."""

    set: str
    rule: str
    version: str
    figures: dict[str, Figure]


@dataclass(frozen=True)
class Reliability:
    """Verdicts of ``truehue`` whose confidence lies in one bin: what was said, and how often it
    was right, both in percent, weighted so that five near names stand beside each true color."""

    set: str
    status: str
    from_percent: int
    verdicts: int
    said_percent: float
    right_percent: float


@dataclass(frozen=True)
class PathTraced:
    """The whole file."""

    sets: tuple[TracedSet, ...]
    rules: tuple[TracedRule, ...]
    calibration: tuple[Reliability, ...]


def read_path_traced(path: Path) -> PathTraced:
    """The counts in a file. Raises BadInput where it is missing, damaged or of another schema."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise BadInput(f"{path.name} has schema {data['schema']!r}, not {SCHEMA}.")
        return PathTraced(
            tuple(TracedSet(**entry) for entry in data["sets"]),
            _rules(data["figures"]),
            tuple(Reliability(**entry) for entry in data["calibration"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path.name} cannot be read: {error!r}.") from error


def _rules(figures: list[Mapping[str, Any]]) -> tuple[TracedRule, ...]:
    figures_by_rule: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for figure in figures:
        if figure["by"] == "all":
            cells_of_rule = figures_by_rule.setdefault(
                (figure["set"], figure["rule"], figure["version"]), {}
            )
            cells_of_rule[figure["system"]] = Figure(
                figure["set"],
                figure["system"],
                "all",
                "",
                figure["hits"],
                figure["asked"],
                figure["false_accepts"],
                figure["tried"],
                0,
                *rate_percent(figure["hits"], figure["asked"]),
                *rate_percent(figure["false_accepts"], figure["tried"]),
            )
    return tuple(TracedRule(*key, cells) for key, cells in figures_by_rule.items())
