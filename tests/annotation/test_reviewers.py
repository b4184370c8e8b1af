"""Which experts review which colorings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.annotation.assignment.reviewers import assign_reviewers
from truehue.annotation.quality.control import Review, pair_agreements

COLORINGS = [(f"{number:06d}", position) for number in range(30) for position in range(4)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 120), st.integers(0, 2**32), st.data())
def test_everybody_gets_equally_many_and_later_colorings_change_nothing(
    count: int, overlap: int, length: int, seed: int, data: st.DataObject
) -> None:
    experts = [f"e{number}" for number in range(count)]
    assigned = assign_reviewers(COLORINGS[:length], experts, overlap, {}, seed)
    assert list(assigned) == COLORINGS[:length]
    for chosen in assigned.values():
        assert len(set(chosen)) == len(chosen) == min(overlap, count)
    load = Counter(expert for chosen in assigned.values() for expert in chosen)
    assert max(load.values(), default=0) - min((load[e] for e in experts), default=0) <= 1
    more = assign_reviewers(COLORINGS, experts, overlap, {}, seed)
    assert {key: more[key] for key in assigned} == assigned
    # Whatever they have reviewed of it, the rest stays as it was.
    some = data.draw(st.sets(st.sampled_from(COLORINGS), max_size=20))
    reviewed = {key: set(more[key][:1]) for key in some}
    again = assign_reviewers(COLORINGS, experts, overlap, reviewed, seed)
    assert {key: set(chosen) for key, chosen in again.items()} == {
        key: set(chosen) for key, chosen in more.items()
    }


def test_who_reviewed_it_stays_and_a_newcomer_catches_up() -> None:
    reviewed = {key: {"ann", "gone"} for key in COLORINGS[:20]}
    assigned = assign_reviewers(COLORINGS[:40], ["ann", "ben", "eve"], 2, reviewed, 1)
    assert all(set(assigned[key]) == {"ann", "gone"} for key in COLORINGS[:20])
    load = Counter(expert for chosen in assigned.values() for expert in chosen)
    assert (load["ann"], load["ben"], load["eve"]) == (20, 20, 20)
    three = assign_reviewers(COLORINGS[:20], ["ann", "ben"], 3, reviewed, 1)
    assert all(chosen == ("ann", "gone", "ben") for chosen in three.values())


@pytest.mark.parametrize("seed", range(4))
def test_cohens_kappa_is_that_of_statsmodels(seed: int) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    rng = np.random.default_rng(seed)
    one, other = rng.random((2, 60)) < 0.7
    reviews = [
        Review(("000000", position), name, bool(answer))
        for name, answers in (("a", one), ("b", other))
        for position, answer in enumerate(answers)
    ]
    # What one alone reviewed says nothing, and the last answer is the one that counts.
    reviews += [Review(("000001", 0), "a", True), Review(("000000", 0), "b", not other[0])]
    other[0] = not other[0]
    (pair,) = pair_agreements(reviews)
    table = np.histogram2d(one, other, bins=2)[0]
    assert (pair.first, pair.second, pair.colorings) == ("a", "b", 60)
    assert pair.equal == pytest.approx((one == other).mean())
    assert pair.kappa == pytest.approx(cohens_kappa(table, return_results=False))


def test_without_a_coloring_in_common_there_is_no_agreement() -> None:
    reviews = [Review(("000000", 0), "a", True), Review(("000001", 0), "b", True)]
    assert pair_agreements(reviews) == ()
    (same,) = pair_agreements([*reviews, Review(("000000", 0), "b", True)])
    assert (same.equal, np.isnan(same.kappa)) == (1.0, True)
