"""Two runs on the same prompts: rates and McNemar's exact test."""

from __future__ import annotations

from math import comb

import pytest

from truehue.core.analysis.paired import PairCounts


def test_rates_are_over_pairs_of_two_scores() -> None:
    counts = PairCounts(both=30, only_a=12, only_b=6, neither=52, unscored=40)
    assert counts.scored == 100
    assert (counts.percent_a, counts.percent_b) == (42.0, 36.0)


def test_p_is_the_two_sided_binomial_of_the_pairs_that_differ() -> None:
    """By hand: twice the smaller tail of 18 fair coins with 6 heads."""
    by_hand = 2 * sum(comb(18, n) for n in range(7)) / 2**18
    assert PairCounts(30, 12, 6, 52).p_value == pytest.approx(by_hand, rel=1e-12)
    assert PairCounts(0, 6, 12, 9).p_value == pytest.approx(by_hand, rel=1e-12)
    # What agrees says nothing of who is better.
    assert PairCounts(9000, 12, 6, 1).p_value == pytest.approx(by_hand, rel=1e-12)
    assert PairCounts(only_a=5, only_b=5).p_value == 1.0
    # No difference is seen with five pairs, however they fall: 2 / 2**5.
    assert PairCounts(only_a=5).p_value == pytest.approx(1 / 16)


def test_without_pairs_there_is_no_number() -> None:
    counts = PairCounts(unscored=3)
    assert (counts.percent_a, counts.percent_b, counts.p_value) == (None, None, None)
    assert PairCounts(both=4, neither=4).p_value is None
