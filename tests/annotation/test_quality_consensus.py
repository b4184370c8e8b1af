from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.annotation.colored import colorings_of, layer_of, measured
from truehue.annotation.quality.consensus import (
    TOO_FEW,
    consensus,
    distribution_of,
    own_weights,
    pairwise_emd,
    series_of,
)
from truehue.core.color.distances import emd
from truehue.core.color.uw71 import distances71
from truehue.core.concepts.distribution import of_pictures
from truehue.core.errors import BadInput

RED, BLUE, GREEN = 20, 45, 60


def test_a_result_is_the_extraction_over_the_same_pixels() -> None:
    rng = np.random.default_rng(1)
    people = [{RED: 0.75, BLUE: 0.25}, {RED: 0.5, GREEN: 0.5}, {BLUE: 1.0}]
    colorings = colorings_of("apple", people, seed=1)
    layers = [layer_of(shares, rng) for shares in people]
    expected = of_pictures("apple", [measured(layer) for layer in layers], of_people=True)
    distribution = distribution_of("apple", colorings)
    np.testing.assert_array_equal(distribution.weights, expected.weights)
    assert distribution.count == 3
    assert distribution.of_people
    assert distribution.fixed == ""
    np.testing.assert_array_equal(
        distribution_of("apple", colorings[::-1]).weights, distribution.weights
    )


def test_a_known_distribution_of_colors_is_recovered() -> None:
    (item,) = colorings_of("apple", [{RED: 0.75, BLUE: 0.25}])
    assert item.weights[RED] == pytest.approx(0.75, abs=0.02)
    assert item.weights[BLUE] == pytest.approx(0.25, abs=0.02)
    np.testing.assert_allclose(item.weights, of_pictures("", [item.profile]).weights, atol=1e-12)


def test_own_distributions_of_none_are_none() -> None:
    assert own_weights([]).shape == (0, 71)


def test_consensus_is_the_mean_over_all_pairs() -> None:
    colorings = colorings_of("apple", [{RED: 1.0}, {RED: 0.5, BLUE: 0.5}, {BLUE: 1.0}, {GREEN: 1}])
    weights = np.array([coloring.weights for coloring in colorings])
    (message,) = consensus({"apple": pairwise_emd(weights)})
    pairs = [emd(weights[i], weights[j]) for i, j in combinations(range(4), 2)]
    assert message.pairs == 6
    assert message.emd_lab == pytest.approx(np.mean(pairs), abs=1e-12)
    assert message.flagged
    assert message.place == 1


def test_two_plain_colors_are_as_far_apart_as_their_bins() -> None:
    apart = pairwise_emd(np.eye(71)[[RED, BLUE]])
    assert apart[0, 1] == pytest.approx(distances71()[RED, BLUE])
    assert apart[0, 0] == 0.0


def of_two(value: float) -> np.ndarray:
    return np.array([[0.0, value], [value, 0.0]])


@pytest.mark.parametrize(("concepts", "flagged"), [(1, 1), (9, 1), (10, 1), (11, 2), (70, 7)])
def test_the_top_share_is_rounded_up_and_at_least_one(concepts: int, flagged: int) -> None:
    message = consensus({f"c{i:03}": of_two(5.0 + i) for i in range(concepts)})
    assert sum(item.flagged for item in message) == flagged
    assert [item.case_id for item in message[:flagged]] == [
        f"c{concepts - 1 - i:03}" for i in range(flagged)
    ]


def test_who_ties_with_the_last_flagged_is_flagged_and_shares_its_place() -> None:
    message = consensus({"a": of_two(7.0), "b": of_two(7.0 + 1e-12), "c": of_two(3.0)})
    assert [(item.case_id, item.place, item.flagged) for item in message] == [
        ("b", 1, True),
        ("a", 1, True),
        ("c", 3, False),
    ]


def test_concepts_without_a_pair_say_so_and_are_not_counted() -> None:
    message = consensus(
        {"none": np.zeros((0, 0)), "one": np.zeros((1, 1)), **{f"{i}": of_two(i) for i in (1, 2)}},
        share=0.5,
    )
    assert [item.case_id for item in message] == ["2", "1", "none", "one"]
    assert [item.flagged for item in message] == [True, False, False, False]
    assert message[-1].emd_lab is None
    assert message[-1].why == TOO_FEW
    assert message[-1].place == 0


def test_equal_colorings_are_never_flagged() -> None:
    assert not any(consensu.flagged for consensu in consensus({"a": of_two(0.0), "b": of_two(0.0)}))


def test_no_share_flags_nothing_and_more_than_all_is_refused() -> None:
    assert not any(consensu.flagged for consensu in consensus({"a": of_two(1.0)}, share=0.0))
    with pytest.raises(BadInput):
        consensus({}, share=1.5)


def test_repeats_of_repeats_belong_to_the_first() -> None:
    from dataclasses import replace

    (item,) = colorings_of("apple", [{RED: 1.0}])
    second, third = (replace(item, position=p, original=o) for p, o in ((7, 0), (9, 7)))
    lost = replace(item, participant="000009", position=5, original=2)
    series = series_of([third, lost, second, item])
    assert [[c.position for c in group] for group in series.values()] == [[0, 7, 9], [5]]
