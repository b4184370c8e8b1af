"""Rates, curves and examples of made-up rows against arithmetic by hand."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from tests.core.diagnosis.rows import row
from truehue.core.color.systems import system
from truehue.core.diagnosis.colors import hue_key, lightness_key
from truehue.core.diagnosis.figures import (
    LIMITS,
    figures_by_rule,
    rate_percent,
    roc,
    roc_by_rule,
    worst_by_rule,
)
from truehue.core.diagnosis.records import RuleReport


def wilson(count: int, total: int) -> tuple[float, float]:
    """Wilson's interval from its formula, in percent; 1.959964 is the normal's 97.5% point."""
    z, p = 1.959963984540054, count / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total**2))
    return 100 * (middle - half), 100 * (middle + half)


@pytest.mark.parametrize(("count", "total"), [(0, 7), (3, 4), (7, 7), (96, 400), (9000, 9856)])
def test_a_rate_has_wilsons_interval(count: int, total: int) -> None:
    percent, low, high = rate_percent(count, total)
    assert percent == pytest.approx(100 * count / total)
    assert (low, high) == pytest.approx(wilson(count, total), abs=1e-9)


def test_no_rate_of_nothing() -> None:
    assert rate_percent(0, 0) == (None, None, None)


def test_hits_false_accepts_and_unscored_are_counted_by_part() -> None:
    rows = [
        # mug under a window: tuned. Two hits of four asked, one of them unscored.
        row(0.2),
        row(0.9),
        row(1.0),
        row(None),
        # One false accept of three tried.
        row(0.5, near=True),
        row(3.0, near=True),
        row(None, near=True),
        # car under a hard light: held out; banana under a window: mixed; even: in no part.
        row(0.5, object="car", light="hard"),
        row(2.0, object="banana", color="Black", asked="Black"),
        row(0.1, light="even"),
        # Two materials, another rule and another system stay among themselves.
        row(0.3, second="#F2F2F2"),
        row(2.0, rule="other"),
        row(0.1, system="css", color="red"),
    ]
    figures = figures_by_rule(rows)
    paper = RuleReport("paper", "1.0", "paper", {}, figures["paper"], {}, ())

    def counts(*part: str) -> tuple[int, ...] | None:
        figure = paper.figure(*part)
        return figure and (
            figure.hits,
            figure.asked,
            figure.false_accepts,
            figure.tried,
            figure.unscored,
        )

    assert counts("pooled", "l2") == (4, 7, 1, 3, 2)
    assert counts("tuned", "l2") == (2, 4, 1, 3, 2)
    assert counts("held_out", "l2") == (1, 1, 0, 0, 0)
    assert counts("mixed", "l2") == (0, 1, 0, 0, 0)
    assert counts("two_material", "l2") == (1, 1, 0, 0, 0)
    assert counts("pooled", "css") == (1, 1, 0, 0, 0)
    assert counts("pooled", "l2", "light", "window") == (2, 5, 1, 3, 2)
    assert counts("pooled", "l2", "object", "banana") == (0, 1, 0, 0, 0)
    assert counts("pooled", "l2", "hue", "near neutral") == (0, 1, 0, 0, 0)
    assert counts("pooled", "l2", "hue", "000-030") == (4, 6, 1, 3, 2)
    assert counts("pooled", "l2", "lightness", "0-20") == (0, 1, 0, 0, 0)
    assert counts("held_out", "l2", "light", "window") is None
    held = paper.figure("held_out", "l2")
    assert held is not None
    assert (held.hit_percent, held.false_accept_percent) == (100.0, None)
    assert [(f.hits, f.asked) for f in figures["other"] if f.set == "pooled" and f.by == "all"] == [
        (0, 1)
    ]


def test_other_peoples_pictures_are_not_split() -> None:
    result = figures_by_rule([row(object="car", light="hard")], split=False)["paper"]
    assert {figure.set for figure in result} == {"pooled"}


def test_each_part_adds_up_to_the_whole() -> None:
    rows = [
        row(margin, near=near, object=object_name, light=light, color=color.name)
        for number, (object_name, light, color) in enumerate(
            product(("mug", "car"), ("window", "hard"), system("l2").colors)
        )
        for margin, near in ((0.3 + number % 3, False), (number % 5 / 2, True))
    ]
    result = figures_by_rule(rows)["paper"]
    whole = next(f for f in result if (f.set, f.by) == ("pooled", "all"))
    for by in ("light", "object", "hue", "lightness"):
        parts = [f for f in result if (f.set, f.by) == ("pooled", by)]
        assert sum(f.hits for f in parts) == whole.hits
        assert sum(f.tried for f in parts) == whole.tried
    split = [f for f in result if f.by == "all" and f.set in ("tuned", "held_out", "mixed")]
    assert sum(f.false_accepts for f in split) == whole.false_accepts


def test_the_curve_and_its_area_by_hand() -> None:
    true, near = np.array([0.2, 0.6, 1.4, np.inf]), np.array([0.6, 1.2, 3.0, 30.0])
    result = roc(true, near)
    # Pairs of scored margins in which the true one is smaller: 4 + 3.5 (one tie) + 2 of 12.
    assert result.auc == pytest.approx(9.5 / 12)
    index = {
        point.limit: (point.hit_percent, point.false_accept_percent) for point in result.points
    }
    assert tuple(index) == LIMITS
    assert index[1.0] == (50.0, 25.0)
    assert index[0.6] == (25.0, 0.0)  # strictly below
    assert index[20.0] == (75.0, 75.0)  # the unscored one never passes


def test_a_curve_needs_both_kinds() -> None:
    assert roc(np.array([0.5]), np.array([])).auc is None
    assert roc(np.array([np.inf]), np.array([0.5])).auc is None
    assert roc(np.array([0.5]), np.array([])).points == ()


def test_curves_leave_two_materials_out() -> None:
    rows = [row(0.5), row(2.0, near=True), row(9.0, second="#F2F2F2")]
    assert roc_by_rule(rows)["paper"]["l2"].auc == 1.0


def test_an_unscored_row_passes_at_no_limit() -> None:
    rows = [row(None), row(0.5), row(2.0, near=True)]
    index = {point.limit: point.hit_percent for point in roc_by_rule(rows)["paper"]["l2"].points}
    assert max(index.values()) == 50.0


def test_the_worst_are_spread_over_objects_and_kinds() -> None:
    rows = [
        row(5.0 + number, object=name, color=color.name)
        for name in ("mug", "car")
        for number, color in enumerate(system("l2").colors)
    ]
    rows += [
        row(0.9 - number / 100, near=True, object="apple", color=color.name)
        for number, color in enumerate(system("l2").colors)
    ]
    rows += [row(0.1), row(0.1, near=True, rule="other")]
    result = worst_by_rule(rows)["paper"]
    assert len(result) == 24
    missed = [item for item in result if item.kind == "missed"]
    accepted = [item for item in result if item.kind == "false accept"]
    assert [item.object for item in missed[:4]] == ["mug", "car", "mug", "car"]
    assert missed[0].margin == max(item.margin for item in missed if item.margin is not None)
    assert len(missed) == len(accepted) == 12
    assert accepted[0].margin == pytest.approx(0.9 - 0.28)


def test_unscored_is_worst_and_one_color_of_an_object_comes_once() -> None:
    rows = [row(4.0), row(None), row(3.0, light="hard"), row(2.0, color="Black")]
    result = worst_by_rule(rows)["paper"]
    assert [(item.color, item.margin) for item in result] == [("Red", None), ("Black", 2.0)]


def test_names_of_one_color_are_one_example() -> None:
    grays = [row(4.0, system="css", color=name, asked=name) for name in ("gray", "grey", "red")]
    assert [item.color for item in worst_by_rule(grays)["paper"]] == ["gray", "red"]


@pytest.mark.parametrize(
    ("lab", "hue", "lightness"),
    [
        ((0.0, 0.0, 0.0), "near neutral", "0-20"),
        ((100.0, 3.0, 3.9), "near neutral", "80-100"),
        ((50.0, 5.0, 0.0), "000-030", "40-60"),
        ((60.0, 0.0, -50.0), "270-300", "60-80"),
        ((19.9, 50.0, -0.1), "330-360", "0-20"),
    ],
)
def test_where_a_color_counts(lab: tuple[float, float, float], hue: str, lightness: str) -> None:
    assert (hue_key(lab), lightness_key(lab)) == (hue, lightness)
