"""Quality control of colorings against what ColorConceptBench printed."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.annotation.quality.control import Outcome, Review, agreement, votes_of

# ColorConceptBench, Appendix B.4, Table 5: images by the votes of three experts. Printed beside it:
# 562 images, observed agreement P̄ = 0.811, 36 discarded.
TABLE_5 = {"yyy": 399, "nnn": 4, "yyn": 127, "ynn": 32}


def reviews_of_table_5() -> list[Review]:
    patterns = [votes for votes, count in TABLE_5.items() for _ in range(count)]
    return [
        Review((f"{image:06d}", 0), f"expert {expert}", vote == "y")
        for image, votes in enumerate(patterns)
        for expert, vote in enumerate(np.roll(list(votes), image))
    ]


def test_table_5_gives_its_observed_agreement_and_discards_36() -> None:
    reviews = reviews_of_table_5()
    message = agreement(reviews, replicates=100)
    assert message.fleiss.observed.items == 562
    assert message.fleiss.observed.value == pytest.approx(0.811, abs=5e-4)
    assert (
        message.fleiss.observed.low < message.fleiss.observed.value < message.fleiss.observed.high
    )
    assert message.patterns == {(3, 0): 399, (2, 1): 127, (1, 2): 32, (0, 3): 4}
    votes = votes_of(reviews)
    assert sum(vote.outcome is Outcome.INCONSISTENT for vote in votes.values()) == 36
    assert sum(vote.outcome is Outcome.CONSISTENT for vote in votes.values()) == 526
    assert not message.notes


def test_agreement_beyond_chance_in_table_5_is_low() -> None:
    """What the paper does not print: most votes are yes, so chance alone agrees often."""
    message = agreement(reviews_of_table_5(), replicates=100)
    yes = (3 * 399 + 2 * 127 + 32) / (3 * 562)
    chance = yes**2 + (1 - yes) ** 2
    observed = (399 + 4 + (127 + 32) / 3) / 562
    assert message.fleiss.kappa.value == pytest.approx((observed - chance) / (1 - chance))
    assert message.alpha.value == pytest.approx(message.fleiss.kappa.value, abs=1e-3)
