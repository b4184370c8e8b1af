"""Two sets of answers to the same questions."""

from __future__ import annotations

import pytest

from tests.core.vlm.answered import answers, questions, seed
from truehue.core.analysis.paired import PairCounts
from truehue.core.vlm.differences import Difference, differences


def test_sets_are_compared_question_by_question() -> None:
    target = questions("color_counting", 6) + seed("a") + seed("b")
    plain = answers(target, "++--- " + "+" * 10 + "+" * 9 + "-")
    reasoned = answers(target, "+-+++0" + "+" * 20)
    result = differences(target, plain, reasoned)
    assert result.tasks["color_counting"].pairs == PairCounts(1, 1, 3, 0, 1)
    assert result.overall.pairs == result.tasks["color_counting"].pairs
    assert result.overall.points == 40.0
    assert result.overall.p_value == pytest.approx(0.625)
    assert result.overall.change_ratio == -1.0
    assert result.robust.pairs == PairCounts(both=1, only_b=1)


def test_an_unreadable_answer_counts_as_wrong_in_a_pair() -> None:
    target = questions("color_counting", 2)
    result = differences(target, answers(target, "++"), answers(target, "?0"))
    assert result.overall.pairs == PairCounts(only_a=2)
    assert result.overall.change_ratio == 1.0


def test_where_nothing_can_be_said_there_is_no_number() -> None:
    empty = Difference(PairCounts())
    assert (empty.points, empty.interval, empty.p_value) == (None, None, None)
    assert (empty.change_ratio, empty.change_ratio_interval) == (None, None)
    blind = Difference(PairCounts(only_b=3, neither=4))
    assert blind.change_ratio is None
    assert blind.points == pytest.approx(300 / 7)
    same = Difference(PairCounts(both=20, neither=20))
    assert same.points == 0
    assert same.p_value is None
    assert same.interval is not None
    assert same.interval[0] < 0 < same.interval[1]
    assert same.change_ratio_interval is not None
    assert same.change_ratio_interval[0] <= 0 <= same.change_ratio_interval[1]


def test_turned_around_the_interval_is_turned_too() -> None:
    item = Difference(PairCounts(both=20, only_a=4, only_b=9, neither=30)).interval
    other = Difference(PairCounts(both=20, only_a=9, only_b=4, neither=30)).interval
    assert item is not None
    assert other == pytest.approx((-item[1], -item[0]))
