from __future__ import annotations

import numpy as np
import pytest

from truehue.annotation.quality.control import Outcome, Review, agreement, outcome_of, votes_of


def given(votes: str, coloring: int = 0) -> list[Review]:
    """Reviews of one coloring: a letter an expert."""
    return [
        Review((f"{coloring:06d}", 0), f"expert {number}", vote == "y")
        for number, vote in enumerate(votes)
    ]


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ("", Outcome.OPEN),
        ("y", Outcome.OPEN),
        ("yn", Outcome.OPEN),
        ("yy", Outcome.CONSISTENT),
        ("nn", Outcome.INCONSISTENT),
        ("ynn", Outcome.INCONSISTENT),
        ("yyn", Outcome.CONSISTENT),
        ("yynn", Outcome.INCONSISTENT),
        ("yyynn", Outcome.CONSISTENT),
    ],
)
def test_a_coloring_stays_with_a_majority(votes: str, outcome: Outcome) -> None:
    assert outcome_of(votes.count("y"), votes.count("n")) is outcome


def test_an_expert_may_take_another_view() -> None:
    reviews = [*given("ynn"), Review(("000000", 0), "expert 1", True)]
    (votes,) = votes_of(reviews).values()
    assert (votes.yes, votes.no, votes.outcome) == (2, 1, Outcome.CONSISTENT)


def test_unequal_numbers_of_reviewers_are_said() -> None:
    reviews = [*given("yyy", 0), *given("yn", 1), *given("y", 2), *given("nn", 3)]
    message = agreement(reviews, replicates=100)
    assert message.patterns == {(3, 0): 1, (1, 1): 1, (1, 0): 1, (0, 2): 1}
    assert message.fleiss.observed.items == 3
    assert message.fleiss.observed.value == pytest.approx((1 + 0 + 1) / 3)
    assert message.alpha.items == 3
    assert message.by_reviewer == {"expert 0": (4, 3), "expert 1": (3, 1), "expert 2": (1, 1)}
    assert any("one review" in note for note in message.notes)
    assert any("2 to 3 reviews" in note for note in message.notes)


def test_what_experts_are_called_changes_no_number() -> None:
    rng = np.random.default_rng(4)
    reviews = [
        review
        for coloring in range(40)
        for review in given("".join(rng.choice(["y", "n"], size=3, p=[0.8, 0.2])), coloring)
    ]
    renamed = [
        Review(review.coloring, review.reviewer[::-1], review.consistent) for review in reviews
    ]
    first, second = agreement(reviews, replicates=50), agreement(renamed, replicates=50)
    assert first.fleiss == second.fleiss
    assert first.alpha.value == pytest.approx(second.alpha.value)


def test_nothing_reviewed_has_no_agreement() -> None:
    message = agreement([])
    assert message.patterns == {}
    assert np.isnan(message.fleiss.kappa.value)
    assert message.alpha.items == 0
