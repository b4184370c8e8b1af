"""Shares, averages and robustness of answers whose outcomes are known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.vlm.answered import answers, questions, seed
from truehue.core.errors import BadInput
from truehue.core.vlm.scoring import Tally, macro, score


def test_unreadable_and_unanswered_are_wrong_as_published_and_counted() -> None:
    target = questions("color_counting", 8)
    scores = score(target, answers(target, "+++--?0 "))
    tally = scores.tasks["color_counting"]
    assert (tally.right, tally.wrong, tally.unreadable, tally.unanswered) == (3, 2, 1, 1)
    assert (tally.total, tally.not_asked) == (7, 1)
    assert tally.percent == pytest.approx(300 / 7)
    assert tally.readable_percent == 60.0
    assert tally.chance_percent == 25.0
    assert scores.reasons == {"why 0": 1, "why ?": 1}


def test_micro_weighs_questions_and_macro_weighs_tasks() -> None:
    few, counted = questions("color_counting", 2, choices=2), questions("color_illusion", 8)
    target = few + counted
    scores = score(target, answers(target, "++" + "++------"))
    assert scores.overall.percent == 40.0
    assert scores.macro is not None
    assert scores.macro.percent == pytest.approx((100 + 25) / 2)
    assert scores.macro.chance_percent == pytest.approx((50 + 25) / 2)
    assert scores.overall.chance_percent == pytest.approx((2 * 50 + 8 * 25) / 10)
    only = score(target, answers(target, "++" + "++------"), overall_tasks={"color_illusion"})
    assert only.overall.percent == 25.0
    assert list(only.tasks) == ["color_counting", "color_illusion"]


def test_nothing_asked_gives_no_number() -> None:
    target = questions("color_counting", 3)
    scores = score(target, [])
    assert scores.overall.not_asked == 3
    assert scores.overall.percent is None
    assert scores.overall.interval is None
    assert scores.macro is None
    assert scores.robust is None
    assert not scores.overall.at_floor


def test_robust_seeds_are_right_throughout_in_both_readings() -> None:
    whole, broken, short, partly, bare = (
        seed("a"),
        seed("b"),
        seed("c", 7),
        seed("d"),
        seed("e", 0),
    )
    target = [*whole, *broken, *short, *partly, *bare]
    marks = "+" * 10 + "+" * 9 + "?" + "+" * 8 + "+" * 9 + " " + "+"
    robust = score(target, answers(target, marks)).robust
    assert robust is not None
    assert (robust.as_made.right, robust.as_made.total) == (2, 3)
    assert (robust.complete.right, robust.complete.total) == (1, 2)
    assert (robust.partly_asked, robust.without_variants, robust.orphans) == (1, 1, 0)
    assert robust.by_variant[""].right == 5
    assert robust.by_variant["8"].unreadable == 1
    assert robust.as_made.chance_percent == pytest.approx(100 * (2 * 0.25**10 + 0.25**8) / 3)


@pytest.mark.parametrize(("variants", "complete"), [(8, 0), (9, 1)])
def test_a_seed_is_complete_with_all_nine_variants(variants: int, complete: int) -> None:
    target = seed("a", variants)
    robust = score(target, answers(target, "+" * (variants + 1))).robust
    assert robust is not None
    assert (robust.as_made.total, robust.complete.total) == (1, complete)


def test_a_wrong_original_is_not_robust_and_orphans_are_counted() -> None:
    target = seed("a")
    robust = score(target, answers(target, "-" + "+" * 9)).robust
    assert robust is not None
    assert robust.as_made.percent == 0.0
    alone = score(target[1:], []).robust
    assert alone is not None
    assert (alone.orphans, alone.as_made.percent) == (9, None)


def test_robustness_stays_out_of_the_averages() -> None:
    target = questions("color_counting", 2) + seed("a")
    scores = score(target, answers(target, "+-" + "+" * 10))
    assert list(scores.tasks) == ["color_counting"]
    assert scores.overall.percent == 50.0


def test_floor_and_ceiling_are_read_off_the_interval() -> None:
    assert Tally(right=25, wrong=75, chance_sum=25).at_floor
    assert not Tally(right=50, wrong=50, chance_sum=25).at_floor
    assert Tally(right=76, chance_sum=19).at_ceiling
    assert not Tally(right=70, wrong=6, chance_sum=19).at_ceiling


def test_strange_answers_are_refused() -> None:
    target = questions("color_counting", 1)
    values = answers(target, "+")
    with pytest.raises(BadInput, match="answered twice"):
        score(target, values * 2)
    with pytest.raises(BadInput, match="no question"):
        score(questions("color_illusion", 1), values)
    with pytest.raises(BadInput, match="same id"):
        score(target * 2, values)


def test_the_interval_of_the_macro_average_covers_it() -> None:
    """Drawn with known shares, 95% of the intervals should hold the mean, also near 0 and 100."""
    rng = np.random.default_rng(3)
    sizes, shares = np.array([76, 96, 70, 157, 30]), np.array([0.99, 0.4, 0.55, 0.03, 0.25])
    truth, covered, times = 100 * shares.mean(), 0, 400
    for sample in rng.binomial(sizes, shares, size=(times, len(sizes))):
        tallies = [
            Tally(right=int(right), wrong=int(size - right))
            for right, size in zip(sample, sizes, strict=True)
        ]
        result = macro(tallies)
        assert result is not None
        covered += result.interval[0] <= truth <= result.interval[1]
    assert 0.92 <= covered / times <= 0.99
    certain = macro([Tally(right=10), Tally(wrong=10)])
    assert certain is not None
    assert certain.interval[0] < 50 < certain.interval[1]
