"""Letter probabilities: how they are weighed."""

from __future__ import annotations

import pytest

from tests.core.vlm.answered import questions
from truehue.core.vlm.calibration import calibration, letter_of


def test_calibration_is_that_of_the_definition() -> None:
    one, two, three = questions("color_counting", 3, choices=2)
    found = calibration(
        [one, two, three],
        {
            one.question_id: {"A": 0.36, "B": 0.04},  # A, 0.9, is right
            two.question_id: {"A": 0.1, "B": 0.4},  # B, 0.8, is wrong
            three.question_id: {},
        },
    )
    assert found is not None
    assert (found.n, found.mass) == (2, pytest.approx(0.45))
    assert found.right == pytest.approx((0.9 + 0.2) / 2)
    assert found.brier == pytest.approx((0.02 + 1.28) / 2)
    assert found.error == pytest.approx((0.1 + 0.8) / 2)
    assert calibration([three], {three.question_id: {"A": 0.0}}) is None


@pytest.mark.parametrize(
    ("token", "letter"),
    [("A", "A"), ("ĠB", "B"), ("▁B", "B"), ("(C", "C"), ("(A)", "A"), ("a", None), ("An", None)],
)
def test_a_token_spells_a_letter(token: str, letter: str | None) -> None:
    assert letter_of(token, "ABC") == letter
