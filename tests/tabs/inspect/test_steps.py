"""What a verdict was measured on, in words."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.systems import parse_target
from truehue.core.concepts.palette import describe_colors
from truehue.core.images.pixels import masked_colors
from truehue.core.verdict.measure import measure
from truehue.tabs.inspect.steps import color_steps, measured_on
from truehue.tabs.inspect.view import light_sentence


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


def test_negative_labels_that_took_nothing_are_one_step_a_reason() -> None:
    unknown = "not looked for: COCO SSD does not know this name"
    labels = (
        ("collar", 40, ""),
        ("eyes", 0, unknown),
        ("bowl", 0, "not found"),
        ("ear", 0, unknown),
    )
    parameters = {
        "boxes": [{"label": "cat", "score": 0.9}],
        "variant": {"name": "TrueHue", "box_threshold": 0.3},
        "negatives": [
            {"label": label, "taken_px": taken_px, "reason": reason}
            for label, taken_px, reason in labels
        ],
    }
    pixels = masked_colors(np.zeros((4, 4, 3), np.uint8), np.ones((4, 4), bool))
    steps = color_steps("Automatic", parameters, (), describe_colors(pixels))
    said = [(s["title"], s["text"]) for s in steps if s["title"].startswith("Negative")]
    assert said == [
        ("Negative label: collar", "40 px removed"),
        ("Negative labels: eyes, ear", "not looked for: COCO SSD does not know these names"),
        ("Negative label: bowl", "not found"),
    ]


def test_the_released_rule_names_the_steps_that_leave_pixels_out() -> None:
    srgb8 = np.random.default_rng(1).integers(0, 256, (40, 40, 3), np.uint8)
    measurement = measure(srgb8, np.ones((40, 40), bool), parse_target("red"), "released")
    text = measured_on(measurement)
    assert text.startswith("Measured on ")
    assert text.endswith(
        "chroma at or above the median, then the tenth nearest to the target color."
    )


def test_the_light_is_told_with_the_color_that_explains_the_image_better() -> None:
    srgb8 = np.full((10, 10, 3), (0, 0, 139), np.uint8)
    verdict = measure(srgb8, np.ones((10, 10), bool), parse_target("css:mediumblue")).verdict
    assert verdict.rival is not None
    text = light_sentence(verdict.light, verdict.rival)
    assert text.startswith("Target under the estimated light (")
    assert text.endswith(f". Navy explains the image better: penalty {verdict.rival.cost:.1f}.")
    assert text.startswith(light_sentence(verdict.light))


@pytest.mark.parametrize(
    ("target", "other", "label"),
    [("css:red", "l2:red", "Level-2 red"), ("l2:red", "css:red", "CSS red")],
)
def test_a_rival_with_the_name_of_the_target_is_told_with_its_system(
    target: str, other: str, label: str
) -> None:
    srgb8 = np.full((10, 10, 3), parse_target(other).srgb8, np.uint8)
    asked = parse_target(target)
    verdict = measure(srgb8, np.ones((10, 10), bool), asked).verdict
    text = light_sentence(verdict.light, verdict.rival, asked.name)
    assert f". {label} explains the image better: penalty " in text
