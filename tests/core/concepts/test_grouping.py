"""Groups of dominant colors: what each reading promises, whatever the colors."""

from __future__ import annotations

import numpy as np
import pytest
from colour.difference import delta_E_CIE2000
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.core.concepts.extraction import COMPLETE, CONNECTED, GROUPINGS, LEADER, Dominants

pytestmark = pytest.mark.slow

# Whole numbers of a small cube: equal colors and equal distances are common.
COLORS = st.lists(
    st.tuples(st.integers(30, 60), st.integers(-12, 12), st.integers(-12, 12)),
    min_size=1,
    max_size=14,
)


def _apart(lab: np.ndarray) -> np.ndarray:
    return np.asarray(delta_E_CIE2000(lab[:, None], lab[None]))


def _sets(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def _all(lab: np.ndarray, grouping: str, limit: float = 12.0) -> np.ndarray:
    return Dominants(lab).groups(np.ones(len(lab), bool), limit, grouping)


@settings(max_examples=150, deadline=None)
@given(COLORS)
def test_complete_groups_hold_no_unlike_pair_and_cannot_be_joined(
    colors: list[tuple[int, int, int]],
) -> None:
    lab = np.array(colors, float)
    apart, labels = _apart(lab), _all(lab, COMPLETE)
    groups = [sorted(group) for group in _sets(labels)]
    for group in groups:
        assert apart[np.ix_(group, group)].max() <= 12.0 + 1e-9
    for index, item in enumerate(groups):
        for other in groups[index + 1 :]:
            assert apart[np.ix_(item, other)].max() > 12.0 - 1e-9


@settings(max_examples=150, deadline=None)
@given(COLORS)
def test_connected_groups_are_the_connected_components(
    colors: list[tuple[int, int, int]],
) -> None:
    lab = np.array(colors, float)
    like = _apart(lab) <= 12.0
    left, expected = set(range(len(colors))), set()
    while left:
        results = [left.pop()]
        for item in results:
            near = {other for other in left if like[item, other]}
            left -= near
            results.extend(near)
        expected.add(frozenset(results))
    assert _sets(_all(lab, CONNECTED)) == expected


@settings(max_examples=150, deadline=None)
@given(COLORS)
def test_leaders_are_followed_in_the_order_of_images(colors: list[tuple[int, int, int]]) -> None:
    lab = np.array(colors, float)
    groups: list[list[int]] = []
    for number, color in enumerate(lab):
        for group in groups:
            if delta_E_CIE2000(lab[group[0]], color) <= 12.0:
                group.append(number)
                break
        else:
            groups.append([number])
    assert _sets(_all(lab, LEADER)) == {frozenset(group) for group in groups}


@settings(max_examples=100, deadline=None)
@given(COLORS, st.randoms(use_true_random=False), st.sampled_from([COMPLETE, CONNECTED]))
def test_neither_order_nor_repetition_matters(
    colors: list[tuple[int, int, int]],
    random: object,
    grouping: str,
) -> None:
    lab = np.array(colors, float)
    order = list(range(len(colors))) * 2
    random.shuffle(order)  # type: ignore[attr-defined]
    labels = _all(lab[order], grouping)
    back = {frozenset(order[index] for index in group) for group in _sets(labels)}
    assert back == _sets(_all(lab, grouping))


@pytest.mark.parametrize("grouping", list(GROUPINGS))
def test_absent_images_are_as_if_they_were_not_there(grouping: str) -> None:
    rng = np.random.default_rng(5)
    lab = rng.uniform([30, -20, -20], [70, 20, 20], (40, 3))
    lab[30:] = lab[:10]
    present = rng.uniform(size=40) < 0.6
    labels = Dominants(lab).groups(present, 12.0, grouping)
    assert (labels[~present] == -1).all()
    alone = _all(lab[present], grouping)
    assert _sets(labels[present]) == _sets(alone)


def test_chain_of_likeness_tells_the_readings_apart() -> None:
    lab = np.array([[50.0, 0.0, 0.0], [60.0, 0.0, 0.0], [70.0, 0.0, 0.0], [80.0, 0.0, 0.0]])
    apart = _apart(lab)
    assert apart[0, 1] < 12.0
    assert apart[1, 2] < 12.0
    assert apart[0, 2] > 12.0
    sizes = {name: sorted(len(group) for group in _sets(_all(lab, name))) for name in GROUPINGS}
    assert sizes == {COMPLETE: [2, 2], CONNECTED: [4], LEADER: [2, 2]}
    # Its first image is the middle: then the leader takes both ends.
    assert sorted(len(group) for group in _sets(_all(lab[[1, 0, 2]], LEADER))) == [3]


def test_limit_itself_is_alike() -> None:
    lab = np.array([[50.0, 0.0, 0.0], [62.0, 3.0, 0.0]])
    limit = Dominants(lab).apart[0, 1]
    for name in GROUPINGS:
        assert len(_sets(_all(lab, name, limit))) == 1
        assert len(_sets(_all(lab, name, np.nextafter(limit, 0.0)))) == 2
