"""Accuracies of order, counted by hand and by a plain loop."""

from __future__ import annotations

import math

import numpy as np
import pytest

from truehue.core.errors import BadInput
from truehue.core.fidelity.evaluation import neighbor_accuracy, real_accuracy

NAN = float("nan")


def test_pairs_are_counted_as_they_stand() -> None:
    groups = [[9, 5, 4, 6], [3, 4, 4, 1]]
    synthetic = neighbor_accuracy(groups)  # 5>4 yes, 4>6 no; 4=4 half, 4>1 yes
    assert (synthetic.percent, synthetic.pairs, synthetic.ties) == (62.5, 4, 1)
    real = real_accuracy(groups)  # 9>5 yes, 3>4 no
    assert (real.percent, real.pairs) == (50.0, 2)
    assert real_accuracy(groups, higher_is_better=False).percent == 50.0
    assert neighbor_accuracy(groups, higher_is_better=False).percent == 37.5


def test_unscored_pairs_count_nowhere_and_are_told() -> None:
    accuracy = neighbor_accuracy([[9, 5, NAN, 6, 3]])
    assert (accuracy.percent, accuracy.pairs, accuracy.unscored) == (100.0, 1, 2)
    # One group says nothing of others: no interval, not one of no width.
    assert math.isnan(accuracy.low)
    assert math.isnan(accuracy.high)
    nothing = real_accuracy([[NAN, 1]])
    assert math.isnan(nothing.percent)
    assert (nothing.pairs, nothing.unscored) == (0, 1)
    assert math.isnan(real_accuracy([]).percent)


def test_the_interval_is_that_of_a_plain_bootstrap_over_groups() -> None:
    chance = np.random.default_rng(3)
    groups = -np.arange(7) + chance.normal(0, 1.5, (60, 7))
    accuracy = neighbor_accuracy(groups.tolist())
    right = (groups[:, 1:-1] > groups[:, 2:]).sum(axis=1)
    plain = [100 * right[chance.integers(0, 60, 60)].sum() / (60 * 5) for _ in range(4_000)]
    assert accuracy.percent == pytest.approx(100 * right.sum() / 300)
    assert [accuracy.low, accuracy.high] == pytest.approx(np.percentile(plain, (2.5, 97.5)), abs=1)


def test_a_group_needs_its_images() -> None:
    with pytest.raises(BadInput, match="at least 2 images"):
        neighbor_accuracy([[1, 2]])
    with pytest.raises(BadInput, match="at least 1 images"):
        real_accuracy([[1]])
