"""The rule truehue against the physics it stands on: light scales and hazes, it turns no hue."""

from __future__ import annotations

import re
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.core.color.difference import delta_e00
from truehue.core.color.shading import can_clip_to, lit_color, materials, remove_shading
from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_lab, srgb8_to_linear1
from truehue.core.color.systems import parse_target
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.images.pixels import Mask
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import (
    Measurement,
    TargetObject,
    measure,
    measurement_sentence,
)
from truehue.core.verdict.reasons import explain
from truehue.core.verdict.rules import DIFFERS, rule
from truehue.core.verdict.truehue import (
    LEVEL_COSTS,
    acceptance_outline,
    confidence_percent,
    factor_cost,
    haze_cost,
    space_left,
)

pytestmark = pytest.mark.slow

SIDE = 64


def seen(albedo: tuple[int, int, int], shade: np.ndarray, haze1: float | np.ndarray = 0.0):
    """The picture ``shade × albedo + haze`` in linear light, as 8-bit sRGB, and its whole mask."""
    linear1 = shade[..., None] * srgb8_to_linear1(np.array(albedo)) + np.asarray(haze1)[..., None]
    srgb8 = np.rint(255.0 * linear1_to_srgb1(np.clip(linear1, 0.0, 1.0))).astype(np.uint8)
    return srgb8, np.ones(shade.shape, dtype=bool)


def ramp(low: float, high: float = 1.0) -> np.ndarray:
    """Shade that rises evenly from left to right."""
    return np.tile(np.linspace(low, high, SIDE), (SIDE, 1))


def judged(stored: tuple[np.ndarray, np.ndarray], requested: str) -> Measurement:
    return measure(*stored, parse_target(requested), "truehue")


def value(measurement: Measurement, name: str = "delta_e00") -> float:
    metric = measurement.verdict.metric(name)
    assert metric is not None
    return metric.value


def misfit(measurement: Measurement) -> float:
    return value(measurement, "misfit")


@settings(max_examples=60, deadline=None)
@given(
    albedo=st.tuples(*[st.integers(20, 255)] * 3),
    low=st.floats(0.05, 0.95),
    high=st.floats(0.85, 1.0),
)
def test_shading_never_fails_a_right_color(
    albedo: tuple[int, int, int], low: float, high: float
) -> None:
    result = judged(seen(albedo, ramp(min(low, high), high)), ",".join(map(str, albedo)))
    assert result.verdict.status == "pass"
    assert result.verdict.light is not None
    assert 0.7 < result.verdict.light.factor <= 1.1


@pytest.mark.parametrize("albedo", [(0, 0, 128), (128, 0, 0), (75, 0, 130), (0, 0, 0)])
def test_a_reflected_white_surround_is_excused(albedo: tuple[int, int, int]) -> None:
    """A glossy dark object reflects 3% of white all over; the plain mean of it is far off."""
    stored = seen(albedo, ramp(0.2), 0.03)
    join = ",".join(map(str, albedo))
    assert judged(stored, join).verdict.status == "pass"
    assert measure(*stored, parse_target(join), "paper").verdict.status == "fail"


def test_more_white_than_a_surface_reflects_is_not_excused() -> None:
    assert judged(seen((128, 0, 0), ramp(0.2), 0.2), "128,0,0").verdict.status == "fail"


@pytest.mark.parametrize(
    ("requested", "got"),
    [
        ("css:red", (255, 69, 0)),  # another hue: orangered
        ("css:rosybrown", (188, 60, 60)),  # more vivid
        ("css:firebrick", (188, 143, 143)),  # paler than any haze
        ("css:gray", (192, 192, 192)),  # lighter than the light: silver
        ("css:silver", (105, 105, 105)),  # darker than this light explains: dimgray
    ],
)
def test_what_light_cannot_do_fails(requested: str, got: tuple[int, int, int]) -> None:
    result = judged(seen(got, ramp(0.5)), requested)
    assert result.verdict.status == "fail"
    assert re.search(r"mismatch score [\d.]+, over 2\.5", result.verdict.reason)


def test_a_lit_part_over_exposure_is_seen_through() -> None:
    """Metered on a dark room a third of the object clips, and the shade tells its color.

    Shade rises evenly to 1.5, so the 70th percentile lies at 1.05 of full light. Orange clips to
    yellow, and that is not taken for the color.
    """
    orange, shade = (255, 165, 0), ramp(0.05, 1.5)
    for target in ("255,165,0", "css:orange"):
        result = judged(seen(orange, shade), target)
        assert result.verdict.status == "pass"
        light = result.verdict.light
        assert light is not None
        assert light.percentile in (70.0, 85.0)
        assert light.clipped_percent == pytest.approx(34.0, abs=2.0)
        assert value(result, "hue_deg") < 2.0
    assert judged(seen(orange, shade), "css:yellow").verdict.status == "fail"


def test_levels_of_shade_and_what_is_clipped_written_out() -> None:
    """Ten grays of 10 pixels each, from 0.1 to 1 of full light, and 25 pixels that are clipped.

    Of all 125 the percentiles 70, 85 and 93.5 are 0.875, 1.0625 and 1.16875 of the 100 that are
    not; the last two lie among the clipped ones, and the 99th of the others is taken.
    """
    srgb8 = np.rint(255.0 * linear1_to_srgb1(np.linspace(0.1, 1.0, 10))).astype(np.uint8)
    srgb8[-1] = 253
    colors = np.concatenate([np.repeat(srgb8[:, None], 3, axis=1), [[255, 255, 255]]])
    counts = np.array([10] * 10 + [25])
    result = lit_color(colors, srgb8_to_lab(colors), counts)
    assert result.material_px == 125
    assert result.clipped_share == pytest.approx(0.2)
    assert [part.percentile for part in result.parts] == [70.0, 85.0, 93.5]
    # The 0.875th of 100 pixels is the 87th: gray number nine. The 99th is gray number ten.
    expected = srgb8_to_linear1(srgb8[[8, 9, 9]])
    assert [part.linear1[0] for part in result.parts] == pytest.approx(expected, abs=1e-12)
    assert all(part.used[-1] == 0 for part in result.parts)


@pytest.mark.parametrize(
    ("color1", "seen1", "can"),
    [
        ((1.0, 0.4, 0.05), (1.0, 0.8, 0.1), True),  # twice the light on orange
        ((1.0, 0.4, 0.05), (1.0, 1.0, 0.2), True),  # 2.5 times brings green to its end
        ((1.0, 0.4, 0.05), (1.0, 1.0, 0.05), False),  # 2.5 times makes blue 0.125, not 0.05
        ((1.0, 0.4, 0.05), (1.0, 1.0, 1.0), False),  # white takes 20 times: a highlight
        ((0.8, 0.7, 0.6), (1.0, 1.0, 1.0), True),  # beige is white at 1.67 of full light
        ((0.05, 0.05, 1.0), (1.0, 0.5, 0.5), False),
    ],
)
def test_which_color_can_have_clipped_to_another(
    color1: tuple[float, ...], seen1: tuple[float, ...], can: bool
) -> None:
    assert can_clip_to(np.array(color1), np.array([seen1])).tolist() == [can]


def test_a_clipped_white_part_is_not_the_colors() -> None:
    """A red object with a white part, overexposed: red is the larger, and stays red."""
    red, white = seen((178, 34, 34), 1.3 * ramp(0.3)), seen((240, 240, 240), 1.3 * ramp(0.6))
    srgb8 = np.concatenate([red[0], white[0][:, : SIDE // 2]], axis=1)
    whole = srgb8, np.ones(srgb8.shape[:2], dtype=bool)
    assert judged(whole, "css:firebrick").verdict.status == "pass"
    assert judged(whole, "css:white").verdict.status == "fail"
    more = np.concatenate([red[0][:, : SIDE // 3], white[0]], axis=1)
    assert (
        judged((more, np.ones(more.shape[:2], dtype=bool)), "css:firebrick").verdict.status
        == "fail"
    )


def test_a_highlight_does_not_wash_the_found_color_out() -> None:
    """A fifth of the object is under a broad highlight; the lit color is still the material's."""
    shade = ramp(0.3)
    haze = np.zeros_like(shade)
    haze[: SIDE // 5] = 0.35
    result = judged(seen((178, 34, 34), shade, haze), "css:firebrick")
    assert result.verdict.status == "pass"
    assert value(result) < 2.0


@pytest.mark.parametrize("second", [(235, 235, 235), (20, 20, 22), (40, 90, 200)])
def test_the_largest_material_is_measured(second: tuple[int, int, int]) -> None:
    main, other = seen((178, 34, 34), ramp(0.3)), seen(second, ramp(0.3))
    srgb8 = np.concatenate([main[0], other[0][:, : SIDE * 2 // 3]], axis=1)
    whole = srgb8, np.ones(srgb8.shape[:2], dtype=bool)
    result = judged(whole, "css:firebrick")
    assert result.verdict.status == "pass"
    assert result.dominant is not None
    assert result.dominant.steps[0] == ("the largest material", SIDE * SIDE)
    assert result.verdict.confidence_percent is not None
    assert result.verdict.confidence_percent < 75.0  # 60 to 40 is no clear lead
    assert judged(whole, ",".join(map(str, second))).verdict.status == "fail"


def test_materials_of_one_hue_are_one_and_scatter_is_none() -> None:
    srgb8 = seen((60, 120, 200), ramp(0.05))[0].reshape(-1, 3)
    result = materials(srgb8_to_lab(srgb8), np.ones(len(srgb8), dtype=np.int64))
    assert result.shares[0] > 0.98
    assert result.lead_percent > 98.0


def test_neutral_materials_part_only_where_no_shadow_is_as_dark() -> None:
    gray = seen((180, 180, 180), ramp(0.4))[0].reshape(-1, 3)
    for other, expected in (((90, 90, 90), 1), ((12, 12, 12), 2)):
        both = np.concatenate([gray, np.full((SIDE * SIDE // 3, 3), other, dtype=np.uint8)])
        result = materials(srgb8_to_lab(both), np.ones(len(both), dtype=np.int64))
        assert result.shares.size == expected, other


def test_the_shadeless_plane_does_not_move_with_the_shade() -> None:
    colors = seen((60, 120, 200), np.array([[0.1, 0.3, 1.0]]))[0]
    index = remove_shading(srgb8_to_lab(colors))[0]
    assert np.abs(index - index[2]).max() < 1.5  # rounding to 8 bits moves the darkest


def test_counts_stand_for_pixels() -> None:
    srgb8 = seen((60, 120, 200), ramp(0.2))[0].reshape(-1, 3)
    distinct, counts = np.unique(srgb8, axis=0, return_counts=True)
    whole = lit_color(srgb8, srgb8_to_lab(srgb8), np.ones(len(srgb8), dtype=np.int64))
    short = lit_color(distinct, srgb8_to_lab(distinct), counts)
    assert short.clipped_share == pytest.approx(whole.clipped_share, abs=1e-12)
    for part, other in zip(short.parts, whole.parts, strict=True):
        assert part.linear1 == pytest.approx(other.linear1, abs=1e-12)
        assert part.used.sum() == other.used.sum()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("pixels", [*range(2, 20), 40])
@pytest.mark.parametrize("kind", ["ramp", "gray", "any"])
def test_a_few_pixels_have_a_color_too(pixels: int, kind: str) -> None:
    """Between two percentiles of a dozen pixels there may be none."""
    chance = np.random.default_rng(pixels)
    if kind == "ramp":
        srgb8 = seen((178, 34, 34), np.linspace(0.2, 1.0, pixels)[None])[0]
    elif kind == "gray":
        srgb8 = np.full((1, pixels, 3), 128, dtype=np.uint8)
        srgb8[0, 0, 0] += 1
    else:
        srgb8 = chance.integers(0, 256, (1, pixels, 3), dtype=np.uint8)
    result = judged((srgb8, np.ones((1, pixels), dtype=bool)), "css:firebrick")
    assert result.verdict.status == ("pass" if kind == "ramp" else "fail")
    assert result.dominant is not None
    assert result.dominant.used_count > 0
    assert result.verdict.confidence_percent is not None
    assert 50.0 <= result.verdict.confidence_percent <= 100.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("color", [(0, 0, 0), (255, 255, 255), (1, 0, 0), (127, 128, 128)])
def test_one_flat_color_is_itself(color: tuple[int, int, int]) -> None:
    result = judged(seen(color, np.ones((4, 4))), ",".join(map(str, color)))
    assert result.verdict.status == "pass"
    assert misfit(result) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.filterwarnings("error")
def test_lightness_that_differs_by_rounding_alone_is_one_material() -> None:
    """Two tints of one lightness but for its last bit."""
    lab = np.array([[50.0, 3.0, 0.0], [np.nextafter(50.0, 51.0), 0.0, 3.0]])
    result = materials(lab, np.array([30, 30]))
    assert result.shares.tolist() == [1.0]


def test_what_light_costs_is_written_out() -> None:
    """2.7 ln(0.86 / 0.5) = 1.464; 7 ln 1.2 = 1.276; 1.2 for every 4% of white."""
    factors = np.array([0.5, 0.86, 1.0, 1.2])
    assert factor_cost(factors) == pytest.approx([1.464, 0.0, 0.0, 1.276], abs=1e-3)
    assert haze_cost(np.array([0.0, 0.04, 0.08])) == pytest.approx([0.0, 1.2, 2.4])
    assert LEVEL_COSTS == {70.0: 0.3, 85.0: 0.0, 93.5: 2.2}


def test_the_misfit_is_the_distance_and_the_cost_of_light_at_right_angles() -> None:
    result = judged(seen((178, 34, 34), 0.7 * ramp(0.5)), "css:firebrick")
    light, lab = result.verdict.light, result.verdict.lab
    assert light is not None
    assert lab is not None
    assert result.verdict.rival is None
    # Lightness counts half.
    distance = float(delta_e00(np.array(lab), np.array(light.seen_lab), 2.0))
    assert misfit(result) == pytest.approx(np.hypot(distance, light.cost), abs=1e-12)
    parts = (
        factor_cost(np.array(light.factor)),
        haze_cost(np.array(light.haze_percent / 100.0)),
        LEVEL_COSTS[light.percentile],
    )
    assert light.cost == pytest.approx(np.sqrt(sum(part**2 for part in parts)), abs=1e-9)


def test_a_clipped_color_is_compared_as_a_camera_clips_it() -> None:
    """Overexposed, a pale color is white; it is not failed for the tint that the file lost."""
    assert judged(seen((255, 240, 245), 1.15 * ramp(0.9)), "255,240,245").verdict.status == "pass"


def test_confidence_written_out() -> None:
    """1 / (1 + e^-(1.7 + ln 2)) = 0.9163; 1 / (1 + e^-(2.6 ln 1.4 - 0.25)) = 0.6513."""
    assert confidence_percent(0.5, 100.0) == pytest.approx(91.63, abs=0.01)
    assert confidence_percent(1.4, 100.0) == pytest.approx(65.13, abs=0.01)
    assert confidence_percent(1.0, 100.0) == 50.0  # a failure at the limit tells nothing
    assert confidence_percent(0.9, 100.0) > 80.0
    assert confidence_percent(0.2, 55.0) < 60.0  # two materials about as large
    assert confidence_percent(0.2, 75.0) == confidence_percent(0.2, 100.0)


@pytest.mark.parametrize("name", ["mug", "chair", "teddy bear"])
@pytest.mark.parametrize("light", ["overcast", "studio", "window", "hard"])
def test_rendered_objects_pass_where_the_mean_of_the_paper_fails_some(
    name: str, light: str
) -> None:
    rendering = render(RenderRequest(name, (120, 66, 197), light=light, seed=5, size_px=64))
    assert isinstance(rendering.mask, Mask)
    result = measure(rendering.srgb8, rendering.mask.pixels, parse_target("l2:violet"), "truehue")
    assert result.verdict.status == "pass"
    assert (
        measure(
            rendering.srgb8, rendering.mask.pixels, parse_target("l2:purplish blue"), "truehue"
        ).verdict.status
        == "fail"
    )


def test_a_named_color_that_explains_the_image_better_speaks_against_the_target() -> None:
    """A darkblue object is mediumblue in half the light. Navy is as near, and asks for no such light."""
    result = judged(seen((0, 0, 139), ramp(0.5)), "css:mediumblue")
    rival, light, lab = result.verdict.rival, result.verdict.light, result.verdict.lab
    assert rival is not None
    assert light is not None
    assert (rival.name, rival.decides) == ("navy", True)
    distance = float(delta_e00(np.array(lab), np.array(light.seen_lab), 2.0))
    own = float(np.hypot(distance, light.cost))
    assert rival.misfit < own < 2.5
    assert rival.cost == pytest.approx(3.0 * (own - rival.misfit))
    assert misfit(result) == pytest.approx(np.hypot(own, rival.cost))
    assert result.verdict.status == "fail"
    assert "% intensity), but navy explains the image better: mismatch" in result.verdict.reason
    assert measurement_sentence(result) == "Navy fits the color better than mediumblue."
    assert result.numbers()["rival"] == asdict(rival)


def test_a_rival_of_the_same_name_is_told_with_its_system() -> None:
    """Level 2 and CSS call two colors black."""
    result = judged(seen(parse_target("l2:black").srgb8, ramp(0.5)), "css:black")
    rival = result.verdict.rival
    assert rival is not None
    assert (rival.name, rival.system, rival.decides) == ("Black", "l2", True)
    assert measurement_sentence(result) == "Level-2 black fits the color better than black."
    assert "but level-2 black explains the image better" in result.verdict.reason
    must_not = TargetObject(relation=DIFFERS)
    forbidden = measure(
        *seen(parse_target("l2:black").srgb8, ramp(0.5)),
        parse_target("css:black"),
        "truehue",
        target_object=must_not,
    )
    assert "but level-2 black explains the image better" in forbidden.verdict.reason


def test_rivals_do_not_depend_on_how_the_target_is_named() -> None:
    image = seen((0, 0, 139), ramp(0.5))
    named, bare = judged(image, "css:mediumblue"), judged(image, "#0000cd")
    assert bare.verdict.rival == named.verdict.rival
    assert misfit(bare) == misfit(named)


def test_a_rival_near_to_an_accepted_neighbor_is_none() -> None:
    """With k > 0 the names next to the target are accepted too, and speak against nothing."""
    image = seen((0, 0, 139), ramp(0.5))
    rivals = {}
    for k in (0, 1, 5):
        accepts = Acceptance(k, None, "css")
        result = measure(*image, parse_target("css:mediumblue"), "truehue", acceptance=accepts)
        rivals[k] = result.verdict.rival
        names = [candidate.name for candidate in result.candidates]
        assert len(names) == k + 1
        if rivals[k] is not None:
            lab = np.array(parse_target(rivals[k].hex).lab)
            apart = delta_e00(np.array([candidate.lab for candidate in result.candidates]), lab)
            assert apart.min() >= 10.0
        assert (result.verdict.status == "pass") == ("darkblue" in names)
    assert rivals[0] is not None
    assert rivals[5] is None


def test_an_unlikely_light_is_one_that_costs_more_than_the_distance_of_the_misfit() -> None:
    """The misfit counts lightness half; the ΔE00 that is shown does not. A light between both is
    what speaks most against the color."""
    result = judged(seen((192, 192, 192), ramp(0.6)), "css:gray")
    verdict = result.verdict
    light, lab = verdict.light, verdict.lab
    assert light is not None
    assert lab is not None
    assert verdict.status == "fail"
    shown = value(result)
    counted = float(delta_e00(np.array(lab), np.array(light.seen_lab), 2.0))
    assert counted < light.cost < shown
    bare = replace(verdict, rival=None)
    assert "only under an unlikely light" in explain(bare)
    plain = measurement_sentence(replace(result, verdict=bare))
    assert plain == "The color would match gray only under an unlikely light."
    below = replace(light, cost=0.9 * counted)
    assert "only under an unlikely light" not in explain(replace(bare, light=below))


def test_a_color_too_near_to_the_target_is_no_rival() -> None:
    """Navy itself is less than 10 ΔE00 from darkblue, in whatever light."""
    result = judged(seen((0, 0, 128), ramp(0.5)), "css:darkblue")
    assert result.verdict.rival is None
    assert result.verdict.status == "pass"


def test_only_the_misfit_judges() -> None:
    result = judged(seen((178, 34, 34), ramp(0.3)), "css:firebrick")
    limits = {metric.name: metric.threshold for metric in result.verdict.metrics}
    assert limits == {"misfit": 2.5, "delta_e00": None, "delta_chroma": None, "hue_deg": None}
    assert result.verdict.parameters["thresholds"] == {"misfit": 2.5}
    assert result.numbers()["light"]["factor"] == result.verdict.light.factor


def test_the_room_that_the_light_leaves_is_drawn_around_the_color_in_it() -> None:
    result = judged(seen((178, 34, 34), 0.8 * ramp(0.3)), "css:firebrick")
    light = result.verdict.light
    assert light is not None
    left = space_left(light, rule("truehue").thresholds)
    assert left is not None
    assert left.delta_e00 == pytest.approx(np.sqrt(2.5**2 - light.cost**2))
    outline = acceptance_outline(light.seen_lab, left)
    edge = np.column_stack([np.full(len(outline), light.seen_lab[0]), outline])
    assert delta_e00(edge, np.array(light.seen_lab)).max() < left.delta_e00
    assert space_left(replace(light, cost=2.6), rule("truehue").thresholds) is None


@pytest.mark.parametrize(
    ("shadow", "light"),
    [
        ((70, 72, 76), (220, 205, 185)),
        ((80, 80, 83), (239, 234, 201)),
        ((60, 60, 66), (200, 190, 170)),
    ],
)
def test_a_gray_whose_shadow_leans_the_other_way_is_not_black(
    shadow: tuple[int, int, int], light: tuple[int, int, int]
) -> None:
    """Three quarters in a cool shadow, a quarter in warm light: along the mean's hue the shadow has
    less than no shade, and none of its pixels is as dark as that."""
    srgb8 = np.empty((SIDE, SIDE, 3))
    srgb8[:, :48], srgb8[:, 48:] = shadow, light
    srgb8 += np.random.default_rng(5).normal(0.0, 3.0, srgb8.shape)
    srgb8 = np.clip(np.rint(srgb8), 0, 255).astype(np.uint8)
    result = judged((srgb8, np.ones((SIDE, SIDE), dtype=bool)), "css:black")
    assert result.verdict.status == "fail"
    assert result.verdict.lab is not None
    assert result.verdict.lab[0] > 20.0
