"""The sentence of a verdict says what differs, how much and in which direction."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.core.color.difference import hue_word
from truehue.core.color.systems import parse_target
from truehue.core.verdict.measure import measure
from truehue.core.verdict.reasons import account, by, explain, short_reason, without_rule
from truehue.core.verdict.rules import judge, rule, unscored

ASKED = (50.0, 40.0, 0.0)


def sentence(
    result: tuple[float, float, float],
    accepted: list[tuple[float, float, float]] | None = None,
    rule_id: str = "paper",
    name: str = "",
) -> str:
    """What is said of a found color, with the first accepted one as the target color."""
    accepted = accepted or [ASKED]
    verdict = judge(result, accepted[0], np.array(accepted), rule(rule_id))
    said = explain(verdict, name)
    assert said == f"By {rule_id}: {account(verdict, name)}"
    return account(verdict, name)


def turned(chroma: float, degrees: float, lightness: float = 50.0) -> tuple[float, float, float]:
    """A color of that chroma and hue."""
    angle = math.radians(degrees)
    return lightness, chroma * math.cos(angle), chroma * math.sin(angle)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ((30.0, 40.0, 0.0), "the hue is right; the color of the mug is darker than requested."),
        ((70.0, 40.0, 0.0), "the hue is right; the color of the mug is lighter than requested."),
        ((50.0, 60.0, 0.0), "the hue is right; the color of the mug is more vivid than requested."),
        ((50.0, 20.0, 0.0), "the hue is right; the color of the mug is less vivid than requested."),
        (
            (30.0, 20.0, 0.0),
            "the hue is right; the color of the mug is darker and less vivid than requested.",
        ),
        (
            (70.0, 60.0, 0.0),
            "the hue is right; the color of the mug is lighter and more vivid than requested.",
        ),
        ((50.0, 0.0, 40.0), "the hue is 90° off; lightness and chroma are close."),
        ((50.0, 0.0, -40.0), "the hue is 90° off; lightness and chroma are close."),
        ((30.0, 0.0, 40.0), "the hue is 90° off; the color of the mug is darker than requested."),
        # Below C* 5 there is no hue to speak of.
        (
            (50.0, 3.0, 0.0),
            "the measured color is too near neutral to compare hues; "
            "the color of the mug is less vivid than requested.",
        ),
        (
            (30.0, 3.0, 0.0),
            "the measured color is too near neutral to compare hues; "
            "the color of the mug is darker and less vivid than requested.",
        ),
    ],
)
def test_a_fail_says_what_differs(result: tuple[float, float, float], said: str) -> None:
    lead, _, rest = sentence(result, name="mug").partition("; ")
    assert re.fullmatch(r"\d+\.\d ΔE00 from the target color", lead)
    assert rest == said


def test_a_neutral_object_of_another_tint() -> None:
    said = sentence((50.0, -4.0, 0.0), [(50.0, 3.0, 0.0)], name="mug")
    assert said.endswith(
        "; the measured color is too near neutral to compare hues; "
        "the tint differs from the target."
    )


def test_a_neutral_asked_color_is_not_said_of_the_object() -> None:
    said = sentence((50.0, 8.0, 0.0), [(50.0, 2.0, -3.0)], name="mug")
    assert "the target color is too near neutral to compare hues" in said


def test_a_pass_gives_its_distance() -> None:
    # 3 lighter at L* 50: 3 / (1 + 0.015 * 2.25 / sqrt(22.25)) = 2.98.
    assert sentence((53.0, 40.0, 0.0)) == (
        "3.0 ΔE00 from the target color; every metric is below its limit."
    )


def test_a_pass_by_several_accepted_colors_says_so() -> None:
    said = sentence(ASKED, [(43.0, 40.0, 0.0), (50.0, 46.0, 0.0)])
    assert said == (
        "2.0 ΔE00 from the nearest accepted color; "
        "each metric is met, though by different accepted colors."
    )


def test_without_a_name_it_is_the_color() -> None:
    assert sentence((30.0, 40.0, 0.0)).endswith("the color is darker than requested.")
    assert sentence((30.0, 40.0, 0.0), name="  ").endswith("the color is darker than requested.")
    named = sentence((30.0, 40.0, 0.0), name=" mug ")
    assert named.endswith("the color of the mug is darker than requested.")


def test_a_small_turn_of_the_hue_is_named_when_nothing_else_is() -> None:
    assert sentence(turned(40.0, 22.9)).endswith(
        "; the hue is 23° off, redder; lightness and chroma are close."
    )


def test_only_a_and_b_are_too_far() -> None:
    # A turn of 8 degrees at C* 60 is 8.4 in a*b* but under 5 in CIEDE2000.
    assert sentence(turned(60.0, 8.0), [(50.0, 60.0, 0.0)]).endswith(
        "; the hue is 8° off, redder; lightness and chroma are close."
    )


def test_the_metric_that_failed_is_named_when_it_is_not_the_distance() -> None:
    """2.9 more vivid at C* 60 and 8 degrees on: ΔE00 stays below 5, a*b* are 8.4 apart."""
    said = sentence(turned(60.0, 8.0), [(50.0, 60.0, 0.0)])
    assert re.match(r"\d\.\d ΔE00 from the target color, but Δa\*b\* is 8\.4, over 5; ", said)


def test_unscored_says_its_reason() -> None:
    assert explain(unscored("The mask is empty.", rule("paper"))) == "The mask is empty."


COLORS = st.tuples(st.floats(0, 100), st.floats(-100, 100), st.floats(-100, 100))


@settings(max_examples=300, deadline=None)
@given(COLORS, st.lists(COLORS, min_size=1, max_size=4), st.sampled_from(["paper", "released"]))
def test_every_verdict_has_one_well_formed_sentence(found, accepted, rule_id) -> None:
    said = sentence(found, accepted, rule_id)
    against = "(the target|the nearest accepted|an accepted) color"
    failed = r"(, but (Δa\*b\* is \d+\.\d, over 5)?( and )?(hue differs by \d+°, over 30°)?)?"
    assert re.fullmatch(rf"\d+\.\d ΔE00 from {against}{failed}; [^.]*\.", said)
    assert "  " not in said
    assert "nan" not in said
    assert "None" not in said


@settings(max_examples=200, deadline=None)
@given(COLORS, COLORS)
def test_directions_are_true(found, asked) -> None:
    said = sentence(found, [asked])
    if "darker" in said:
        assert found[0] < asked[0]
    if "lighter" in said:
        assert found[0] > asked[0]
    if "more vivid" in said:
        assert math.hypot(*found[1:]) > math.hypot(*asked[1:])
    if "less vivid" in said:
        assert math.hypot(*found[1:]) < math.hypot(*asked[1:])


# Each expects only what a true sentence cannot say, not a wording.


def test_a_hue_far_off_within_its_limit_is_not_called_right() -> None:
    """23 degrees make most of this difference; the lightness adds little."""
    assert "the hue is right" not in sentence(turned(40.0, 22.9, lightness=56.0))


def test_a_hue_met_on_another_candidate_is_not_within_its_limit() -> None:
    """The nearest color is 74 degrees away; a far one has the same hue and passes that metric."""
    said = sentence((30.0, 40.0, 0.0), [(30.0, 10.0, 35.0), (90.0, 40.0, 0.0)])
    assert "within its limit" not in said
    assert "the hue is right" not in said


def test_released_numbers_of_the_nominal_color_are_not_the_nearest_ones() -> None:
    """When no candidate passes, 24.7 is the distance to the nominal color; another is 2.7 away."""
    assert not sentence(ASKED, [(20.0, 40.0, 0.0), (50.0, 48.0, 0.0)], "released").startswith(
        "24.7 ΔE00 from the nearest accepted color"
    )


def test_a_difference_of_small_parts_is_explained() -> None:
    """5.1 ΔE00 from 4.9 in lightness and 4.9 in chroma: what differs is both, a little."""
    said = sentence((54.9, 44.9, 0.0))
    assert said.endswith("the color is slightly lighter and slightly more vivid than requested.")


def test_an_object_in_the_plural() -> None:
    said = sentence((30.0, 40.0, 0.0), name="scissors")
    assert said.endswith("; the color of the scissors is darker than requested.")


@pytest.mark.parametrize(
    ("found_deg", "turn_deg", "word"),
    [
        (60.0, 20.0, "yellower"),
        (60.0, -20.0, "redder"),
        (130.0, 20.0, "greener"),
        (130.0, -20.0, "yellower"),
        (200.0, 20.0, "bluer"),
        (200.0, -20.0, "greener"),
        (300.0, 20.0, "redder"),
        (300.0, -20.0, "bluer"),
        (5.0, 20.0, "redder"),
        (355.0, -20.0, "bluer"),
        (93.0, 10.0, "yellower"),
        (10.0, -30.0, "redder"),
        (60.0, 0.0, ""),
        (60.0, 61.0, ""),
        (60.0, -170.0, ""),
    ],
)
def test_a_turn_of_the_hue_in_a_word(found_deg: float, turn_deg: float, word: str) -> None:
    """Counterclockwise in the a*b* plane come red, yellow, green and blue."""
    assert hue_word(found_deg, turn_deg) == word


def test_a_sentence_names_its_rule_once() -> None:
    said = by("paper", "The plate took the apple's color.")
    assert said == "By paper: the plate took the apple's color."
    assert by("released", said) == said
    assert without_rule(said) == ("By paper: ", "The plate took the apple's color.")
    assert without_rule("The plate was not found.") == ("", "The plate was not found.")


@pytest.mark.parametrize(
    ("measured", "target", "hue_deg", "short"),
    [
        ("#F0D020", "#A030B0", -137.4, "yellow; hue 137° off"),
        ("#2058F0", "#2A5AD0", 4.0, "more vivid"),
        ("#202020", "#E0E0E0", None, "black; darker"),
    ],
)
def test_a_card_says_in_few_words_what_is_wrong(
    measured: str, target: str, hue_deg: float | None, short: str
) -> None:
    lab, target_lab = parse_target(measured).lab, parse_target(target).lab
    offset = {
        "lightness": lab[0] - target_lab[0] if hue_deg is None else 0.0,
        "chroma": 0.0 if hue_deg is None else 9.0,
        "hue_deg": hue_deg,
    }
    assert short_reason(lab, target_lab, offset) == short


@pytest.mark.parametrize(
    ("measured", "target", "short"),
    [
        # CSS red and orange lie nearer to level 1's orange and yellow than to its red and orange,
        # and #B52E11 nearer to its brown: names are those of people.
        ("#B52E11", "css:red", "less vivid"),
        ("#B52E11", "l1:brown", "red, not brown; less vivid"),
        ("#B4B4B4", "css:red", "gray, not red; less vivid"),
        ("#B4B4B4", "css:orange", "gray, not orange; less vivid"),
        ("#D51C3C", "css:red", "less vivid"),
    ],
)
def test_a_card_calls_a_target_by_its_own_name(measured: str, target: str, short: str) -> None:
    color = parse_target(target)
    offset = {"lightness": 0.0, "chroma": -20.0, "hue_deg": None}
    lab = parse_target(measured).lab
    assert short_reason(lab, color.lab, offset, color.label) == short


def test_a_small_difference_that_fails_names_its_penalties() -> None:
    """Half of full red is near red in its light, and yet nearer to firebrick."""
    patch, mask = np.full((4, 4, 3), (193, 29, 38), np.uint8), np.ones((4, 4), bool)
    verdict = measure(patch, mask, parse_target("css:red"), "truehue").verdict
    assert verdict.status == "fail"
    assert verdict.rival is not None
    assert verdict.light is not None
    assert verdict.reason.endswith(
        f"lightness and chroma are close; penalties: {verdict.light.cost:.1f} for this light, "
        f"{verdict.rival.cost:.1f} because firebrick explains the image better."
    )
