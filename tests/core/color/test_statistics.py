"""Statistics with counts against the plain thing: every value repeated as often as it counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from truehue.core.color import statistics

# Values of the size of chromas and distances. Some are drawn from a short list, so that ties and
# values on the border of a bin are common and not a rare accident.
NUMBERS = st.one_of(
    # Multiples of 2**-40: distances this side of 1e-300 belong to a test of their own below.
    st.floats(-200.0, 200.0).map(lambda x: round(x * 2.0**40) / 2.0**40),
    st.sampled_from([0.0, 0.1, 1.0, 5.0, 10.0, 10.0 + 1e-12, 100.0]),
)


@st.composite
def repeated(draw: st.DrawFn, least: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Values ``(U,)`` and how often each counts ``(U,)``, at least one pixel in all."""
    size = draw(st.integers(1, 40))
    values = draw(arrays(np.float64, size, elements=NUMBERS))
    counts = draw(arrays(np.int64, size, elements=st.integers(least, 30)))
    counts[draw(st.integers(0, size - 1))] += 1
    return values, counts


@settings(max_examples=100, deadline=None)
@given(repeated(), st.lists(st.floats(0.0, 100.0), min_size=1, max_size=5))
def test_percentiles_are_those_of_the_repeated_values(
    pair: tuple[np.ndarray, np.ndarray], percents: list[float]
) -> None:
    values, counts = pair
    expected = np.percentile(np.repeat(values, counts), percents)
    assert statistics.percentiles(values, counts, percents) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(repeated())
def test_the_ends_and_the_quartiles_too(pair: tuple[np.ndarray, np.ndarray]) -> None:
    values, counts = pair
    percents = [0.0, 25.0, 50.0, 75.0, 100.0]
    expected = np.percentile(np.repeat(values, counts), percents)
    assert statistics.percentiles(values, counts, percents) == pytest.approx(expected, abs=1e-9)


def test_percentiles_by_hand() -> None:
    # 1, 1, 1, 4, 10: the median is the third, a quarter lies on the second, and 90% lies 0.6 of
    # the way from 4 (place 3) to 10 (place 4): 4 + 0.6 * 6.
    values, counts = np.array([10.0, 1.0, 4.0]), np.array([1, 3, 1])
    assert statistics.percentiles(values, counts, [25, 50, 90]) == pytest.approx([1.0, 1.0, 7.6])


def test_percentiles_of_many_values_fall_in_many_bins() -> None:
    random = np.random.default_rng(1)
    values = random.gamma(2.0, 10.0, 20_000)
    counts = random.integers(1, 9, values.size)
    percents = [0.0, 0.01, 25.0, 50.0, 75.0, 99.99, 100.0]
    expected = np.percentile(np.repeat(values, counts), percents)
    assert statistics.percentiles(values, counts, percents) == pytest.approx(expected, abs=1e-9)


def test_percentiles_of_one_far_value_and_a_crowd_in_one_bin() -> None:
    """An outlier squeezes all the others into one bin; the answer must not be the bin's."""
    values = np.append(np.linspace(0.0, 1e-6, 1001), 1e6)
    counts = np.ones(values.size, dtype=np.int64)
    expected = np.percentile(values, [25.0, 50.0])
    assert statistics.percentiles(values, counts, [25.0, 50.0]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("high", [5e-324, 1e-310])
def test_a_range_of_almost_nothing_is_no_division_by_zero(high: float) -> None:
    values, counts = np.array([high, 0.0]), np.array([1, 2])
    assert statistics.percentiles(values, counts, [0.0, 50.0, 100.0]) == [0.0, 0.0, high]
    assert statistics.smallest(values, counts, 2).tolist() == [0, 2]


@settings(max_examples=100, deadline=None)
@given(repeated(), st.floats(0.0, 1.0))
def test_smallest_is_a_sort_of_the_repeated_list(
    pair: tuple[np.ndarray, np.ndarray], share: float
) -> None:
    values, counts = pair
    keep = int(share * counts.sum())
    smallest = statistics.smallest(values, counts, keep)
    assert smallest.sum() == keep
    assert np.all((smallest >= 0) & (smallest <= counts))
    expected = np.sort(np.repeat(values, counts))[:keep]
    assert np.array_equal(np.sort(np.repeat(values, smallest)), expected)


@settings(max_examples=100, deadline=None)
@given(repeated(), st.floats(0.0, 1.0))
def test_smallest_takes_equal_values_as_they_stand(
    pair: tuple[np.ndarray, np.ndarray], share: float
) -> None:
    values, counts = pair
    keep = int(share * counts.sum())
    order = np.argsort(np.repeat(values, counts), kind="stable")[:keep]
    owner = np.repeat(np.arange(values.size), counts)[order]
    expected = np.bincount(owner, minlength=values.size)
    assert np.array_equal(statistics.smallest(values, counts, keep), expected)


def test_smallest_can_take_a_value_in_part() -> None:
    values, counts = np.array([3.0, 1.0, 2.0]), np.array([4, 2, 5])
    # Four pixels: both of 1.0 and two of the five of 2.0.
    assert statistics.smallest(values, counts, 4).tolist() == [0, 2, 2]
    assert statistics.smallest(values, counts, 0).tolist() == [0, 0, 0]
    assert statistics.smallest(values, counts, 11).tolist() == [4, 2, 5]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_mean_is_the_mean_of_the_repeated_rows(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 20))
    rows = data.draw(arrays(np.float64, (size, 3), elements=st.floats(-200.0, 200.0)))
    counts = data.draw(arrays(np.int64, size, elements=st.integers(1, 30)))
    expected = np.repeat(rows, counts, axis=0).mean(axis=0)
    assert statistics.mean(rows, counts) == pytest.approx(expected, abs=1e-9)
