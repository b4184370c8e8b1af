"""What a verdict was measured on, in words."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.systems import parse_target
from truehue.core.verdict.measure import measure
from truehue.tabs.inspect.steps import measured_on


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("paper", "Measured on all pixels of the mask."),
        (
            "truehue",
            "Measured on 60% of the mask: the lit part of its largest material, up to the shade that "
            "fits the target best. Other materials (40% of the mask) are excluded.",
        ),
    ],
)
def test_a_verdict_says_which_share_of_the_mask_it_measured(rule: str, text: str) -> None:
    srgb8 = np.zeros((10, 100, 3), np.uint8)
    srgb8[:, :60] = (200, 30, 40)
    srgb8[:, 60:] = (30, 60, 190)
    measurement = measure(srgb8, np.ones((10, 100), bool), parse_target("red"), rule)
    assert measured_on(measurement) == text


def test_the_released_rule_names_the_steps_that_leave_pixels_out() -> None:
    srgb8 = np.random.default_rng(1).integers(0, 256, (40, 40, 3), np.uint8)
    measurement = measure(srgb8, np.ones((40, 40), bool), parse_target("red"), "released")
    text = measured_on(measurement)
    assert text.startswith("Measured on ")
    assert text.endswith(
        "chroma at or above the median, then the tenth nearest to the target color."
    )
