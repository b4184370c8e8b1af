"""Means over concepts against arithmetic written out and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from truehue.core.concepts.tables import Number, mean_of, placed, ratio_of, resample_counts


def test_a_mean_counts_what_it_is_of_and_what_it_leaves_out() -> None:
    mean = mean_of([1.0, 2.0, 6.0], ["not drawn", "no people", "not drawn"])
    assert mean.value == 3.0
    assert mean.count == 3
    assert mean.left_out == {"not drawn": 2, "no people": 1}
    assert mean_of([], ["no people"]) == Number(None, 0, {"no people": 1})


def test_one_concept_has_no_interval() -> None:
    assert (mean_of([4.0], []).low, mean_of([4.0], []).high) == (None, None)
    assert mean_of([4.0, 4.0, 4.0], []).low is None


def test_intervals_are_those_of_scipy() -> None:
    values = np.random.default_rng(4).gamma(2.0, 10.0, 120)
    mean = mean_of(list(values), [])
    judge = bootstrap(
        (values,),
        np.mean,
        n_resamples=4000,
        method="percentile",
        rng=np.random.default_rng(1),
        vectorized=True,
    ).confidence_interval
    assert mean.low is not None
    assert mean.high is not None
    # Both are drawn by chance: their ends differ by a few hundredths of the width of 5.
    assert mean.low == pytest.approx(judge.low, abs=0.35)
    assert mean.high == pytest.approx(judge.high, abs=0.35)
    assert mean_of(list(values), []) == mean


def test_a_resample_draws_as_many_as_there_are() -> None:
    sample = resample_counts(7)
    assert sample.shape == (1000, 7)
    assert (sample.sum(axis=1) == 7).all()
    # Each is drawn once on average; the mean of 7,000 counts of variance 6/7 is that sure.
    assert sample.mean(axis=0) == pytest.approx(np.ones(7), abs=0.15)
    # Seven different draws are rare: 7! / 7^7 is 0.6%.
    assert (sample.max(axis=1) > 1).mean() > 0.95


def test_a_ratio_is_of_means_and_not_the_mean_of_ratios() -> None:
    number = ratio_of([1.0, 30.0], [2.0, 10.0], ["x"])
    assert number.value == 31.0 / 12.0
    assert number.count == 2
    assert number.left_out == {"x": 1}
    # Resampling in pairs: the ratio lies between those of either concept alone.
    assert number.low == pytest.approx(0.5)
    assert number.high == pytest.approx(3.0)
    assert ratio_of([1.0], [0.0], []).value is None
    assert ratio_of([], [], []).value is None


def numbers(*values: float | None) -> list[Number]:
    return [Number(value, 5, {}) for value in values]


def test_all_that_equal_the_best_are_best() -> None:
    assert [item.place for item in placed(numbers(0.5, 0.7, 0.7, 0.6), "pcc")] == [0, 1, 1, 2]
    assert [item.place for item in placed(numbers(30.0, 20.0, 25.0, 25.0), "emd_lab")] == [
        0,
        1,
        2,
        2,
    ]


def test_numbers_are_placed_as_they_are_shown() -> None:
    assert [item.place for item in placed(numbers(0.7001, 0.7004, 0.6), "pcc")] == [1, 1, 2]


def test_a_row_without_a_number_has_no_place() -> None:
    assert [item.place for item in placed(numbers(None, 0.7, 0.6), "pcc")] == [0, 1, 2]
    assert [item.place for item in placed(numbers(None, 0.7), "pcc")] == [0, 0]


def test_both_styles_of_a_concept_are_drawn_together() -> None:
    """Two equal styles say nothing new: the interval is that of one."""
    values = list(np.random.default_rng(5).gamma(2.0, 10.0, 40))
    names = [f"c{number:02d}" for number in range(40)]
    once = mean_of(values, [], names)
    assert once == mean_of(values, [])
    twice = mean_of([*values, *values], [], [*names, *names])
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))
    assert twice.count == 80
    apart = mean_of([*values, *values], [])
    assert once.low is not None
    assert apart.low is not None
    assert apart.low > once.low
    # A concept with one style and one with two: sums over concepts, drawn with what they count.
    people = [10.0, 10.0, 5.0]
    result = ratio_of([10.0, 20.0, 10.0], people, [], ["a", "a", "b"])
    assert result.value == 40.0 / 25.0
    assert (result.low, result.high) == pytest.approx((30.0 / 20.0, 10.0 / 5.0))
