"""The sentence with which a verdict card begins."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.systems import parse_target
from truehue.core.verdict.measure import TargetObject, measure, measurement_sentence
from truehue.core.verdict.reasons import plain_sentence

ORANGE = "l3:Vivid reddish orange"


@pytest.mark.parametrize(
    ("rgb", "target", "target_object", "sentence"),
    [
        (
            (232, 60, 30),
            ORANGE,
            TargetObject("mug"),
            "The mug is vivid reddish orange, as requested.",
        ),
        ((20, 60, 230), "css:tomato", TargetObject("mug"), "The mug is blue, not tomato."),
        (
            (232, 60, 30),
            ORANGE,
            TargetObject("mug", "differs"),
            "The mug is vivid reddish orange, which it must not be.",
        ),
        (
            (20, 60, 230),
            "css:tomato",
            TargetObject("mug", "differs"),
            "The mug is not tomato, as requested.",
        ),
        ((20, 60, 230), "#A030B0", TargetObject("mug"), "The mug is blue: 19.3 ΔE00 from #A030B0."),
        ((232, 59, 27), "#E83B1B", TargetObject(""), "The color matches #E83B1B, as requested."),
    ],
)
def test_it_says_the_outcome_plainly(
    rgb: tuple[int, int, int], target: str, target_object: TargetObject, sentence: str
) -> None:
    srgb8 = np.full((40, 40, 3), rgb, np.uint8)
    mask = np.ones((40, 40), bool)
    result = measure(srgb8, mask, parse_target(target), "paper", target_object=target_object)
    assert measurement_sentence(result) == sentence


def test_a_plural_needs_no_other_verb() -> None:
    srgb8 = np.full((40, 40, 3), (20, 60, 230), np.uint8)
    mask = np.ones((40, 40), bool)
    target_object = TargetObject("scissors")
    result = measure(srgb8, mask, parse_target("css:tomato"), "paper", target_object=target_object)
    assert measurement_sentence(result) == "The color of the scissors is blue, not tomato."


def test_a_lit_color_with_the_right_hue_has_no_other_name() -> None:
    """Its numbers are from the target as it looks under the estimated light, which may be dark."""
    lab, target = parse_target("#B52E11").lab, parse_target("css:orange")
    offset = {"lightness": 2.0, "chroma": -6.0, "hue_deg": 3.0}
    arguments = {"forbidden": False, "lab": lab, "delta_e00": 3.8, "unlikely_light": False}
    assert plain_sentence("fail", "the mug", target, offset=offset, **arguments) == (
        "The mug is not vivid enough: 3.8 ΔE00 from orange in this light."
    )
    assert plain_sentence(
        "fail", "the mug", target, offset=offset, **arguments | {"unlikely_light": True}
    ) == ("The mug would match orange only under an unlikely light.")
    assert (
        plain_sentence("fail", "the mug", target, offset=offset, **arguments | {"rival": "sienna"})
        == "Sienna fits the mug better than orange."
    )
    assert plain_sentence(
        "fail", "the mug", target, offset=offset, **arguments | {"unlikely_light": None}
    ) == ("The mug is not vivid enough: 3.8 ΔE00 from orange.")
    turned = {**offset, "hue_deg": -40.0}
    assert plain_sentence("fail", "the mug", target, offset=turned, **arguments) == (
        "The mug is red, not orange."
    )


def test_a_wrong_hue_without_an_agreed_name_is_not_blamed_on_chroma() -> None:
    lab, target = parse_target("#C98951").lab, parse_target("css:pink")
    offset = {"lightness": -3.0, "chroma": 30.0, "hue_deg": 56.2}
    arguments = {"forbidden": False, "lab": lab, "delta_e00": 24.04, "unlikely_light": False}
    assert plain_sentence("fail", "the flower", target, offset=offset, **arguments) == (
        "The flower is brown, not pink."
    )
    arguments["lab"] = parse_target("#C0A080").lab
    assert plain_sentence("fail", "the flower", target, offset=offset, **arguments) == (
        "The flower has another hue, 56° off: 24.0 ΔE00 from pink in this light."
    )
    # CSS's brown is redder than what people call brown.
    offset, arguments["lab"] = {"hue_deg": 39.3}, (53.06, 11.92, 24.27)
    brown = parse_target("css:brown")
    assert plain_sentence("fail", "the cat", brown, offset=offset, **arguments) == (
        "The cat has another hue, 39° off: 24.0 ΔE00 from brown in this light; 52% of people do call it "
        "brown."
    )


def test_a_color_that_people_call_by_the_targets_name_says_so() -> None:
    lab, target = parse_target("#B52E11").lab, parse_target("css:red")
    arguments = {"forbidden": False, "lab": lab, "delta_e00": 3.75, "unlikely_light": False}
    offset = {"lightness": 1.0, "chroma": -8.0, "hue_deg": 4.0}
    assert plain_sentence("fail", "the cup", target, offset=offset, **arguments) == (
        "The cup is not vivid enough: 3.8 ΔE00 from red in this light; 54% of people do call it red."
    )
