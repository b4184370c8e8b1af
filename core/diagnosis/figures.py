"""From rows to rates: counts with Wilson's intervals, by every part that a reader may ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from core.color.systems import parse_target
from core.diagnosis.colors import hue_key, lightness_key
from core.diagnosis.judging import TRUE, Row
from core.diagnosis.records import BYS, SETS, Figure
from core.diagnosis.split import part_of
from core.verdict.judge import PASS, UNSCORED

CONFIDENCE = 0.95

# Hits, asked, false accepts, tried, unscored.
_Counts = list[int]
_Part = tuple[str, str, str, str]


def figures_by_rule(rows: Iterable[Row], split: bool = True) -> dict[str, tuple[Figure, ...]]:
    """The figures of every rule, by its id, in the order of SETS, systems and BYS.

    Pictures of two materials are a set of their own and not in "pooled". Without ``split`` (for
    pictures of others) there are no tuned, held-out and mixed ones. Unscored judgments stay in
    ``asked`` and ``tried``: a rule does not get better by judging less.
    """
    counts: dict[str, dict[_Part, _Counts]] = {}
    for row in rows:
        mine = counts.setdefault(row.rule, {})
        passed = row.status == PASS
        for part in _parts(row, split):
            count = mine.setdefault(part, [0, 0, 0, 0, 0])
            place = 0 if row.relation == TRUE else 2
            count[place] += passed
            count[place + 1] += 1
            count[4] += row.status == UNSCORED
    return {
        rule_id: tuple(_figure(part, mine[part]) for part in sorted(mine, key=_order))
        for rule_id, mine in counts.items()
    }


def _parts(row: Row, split: bool) -> Iterator[_Part]:
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
    hits, asked, accepts, tried, unscored = counts
    return Figure(
        *part, hits, asked, accepts, tried, unscored,
        *rate_percent(hits, asked), *rate_percent(accepts, tried),
    )  # fmt: skip


@cache
def rate_percent(count: int, total: int) -> tuple[float | None, float | None, float | None]:
    """``count`` of ``total`` in percent, with the low and high end of Wilson's 95% interval.

    All None for a total of 0. Source: Wilson (1927), as scipy computes it, without a correction for
    continuity.
    """
    if not total:
        return None, None, None
    from scipy.stats import binomtest

    found = binomtest(count, total).proportion_ci(CONFIDENCE, method="wilson")
    return 100.0 * count / total, 100.0 * float(found.low), 100.0 * float(found.high)
