"""What is said where the verdict and the nearest name to the measured color do not agree."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.systems import parse_target
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import MaskCache, measure
from truehue.core.verdict.nearest import note_of


def note(srgb8: tuple[int, int, int], target: str) -> str:
    """The note on a patch of one color by truehue."""
    patch, mask = np.full((4, 4, 3), srgb8, np.uint8), np.ones((4, 4), bool)
    result = measure(patch, mask, parse_target(target), "truehue")
    return note_of(patch, mask, result, Acceptance(), MaskCache())


def test_a_nearest_name_that_fails_by_a_rival_is_told_with_both_scores() -> None:
    assert note((255, 255, 255), "l2:white") == (
        "White is the nearest name to the measured color, but mintcream explains the image better: "
        "mismatch score 0.7, White 4.4."
    )


@pytest.mark.parametrize(
    ("srgb8", "target", "said"),
    [
        ((202, 135, 78), "sandybrown", "sandybrown fits better: mismatch score 0.7, peru 1.0."),
        (
            (222, 222, 222),
            "whitesmoke",
            "whitesmoke fits as well: mismatch score 0.2, gainsboro 0.2.",
        ),
        ((194, 41, 41), "red", "red also passes: mismatch score 1.7, firebrick 1.1."),
    ],
)
def test_a_target_that_passes_beside_a_nearer_name_is_told_by_its_score(
    srgb8: tuple[int, int, int], target: str, said: str
) -> None:
    assert note(srgb8, f"css:{target}").endswith(f". Under the estimated light {said}")
