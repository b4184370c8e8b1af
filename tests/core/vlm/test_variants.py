"""Variants, against Python's own HSV and Pillow's own gray."""

from __future__ import annotations

import colorsys
from itertools import product

import numpy as np
import pytest
from PIL import Image

from truehue.core.errors import MaskError
from truehue.core.images.load import image_id
from truehue.core.vlm.records import Form, IllustratedQuestion, Question
from truehue.core.vlm.variants import (
    gray,
    hue_turned,
    largest_other,
    robustness_variants,
)

SRGB8 = np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)
SRGB8[:4] = SRGB8[:4, :, :1]  # grays
SRGB8[4, :8] = list(product((0, 255), repeat=3))  # the corners, where sectors meet
SRGB8[4, 8] = (1, 0, 0)


def item() -> IllustratedQuestion:
    question = Question("one", "color_robustness", Form.CHOICE, "How many?", ("1", "2"), "B", "")
    return IllustratedQuestion(question, SRGB8)


@pytest.mark.parametrize("turn_deg", [90, 180, 270])
def test_hue_turns_as_colorsys_says(turn_deg: int) -> None:
    expected = np.empty_like(SRGB8)
    for index in np.ndindex(SRGB8.shape[:2]):
        h, s, v = colorsys.rgb_to_hsv(*(SRGB8[index] / 255.0))
        turned = colorsys.hsv_to_rgb((h + turn_deg / 360.0) % 1.0, s, v)
        expected[index] = [round(255.0 * channel) for channel in turned]
    np.testing.assert_array_equal(hue_turned(SRGB8, turn_deg), expected)


def test_grays_stay_and_a_whole_turn_changes_nothing() -> None:
    np.testing.assert_array_equal(hue_turned(SRGB8, 90)[:4], SRGB8[:4])
    np.testing.assert_array_equal(hue_turned(SRGB8, 360), SRGB8)
    np.testing.assert_array_equal(hue_turned(hue_turned(SRGB8, 180), 180), SRGB8)


def test_nine_variants_change_their_region_alone() -> None:
    target, largest = np.zeros((2, 40, 50), dtype=bool)
    target[10:20, 10:20] = True
    largest[20:] = True
    made = list(robustness_variants(item(), {"target": target, "largest": largest}))
    assert [value.question.variant for value in made] == [
        f"{region}-{turn}" for region in ("entire", "target", "largest") for turn in (90, 180, 270)
    ]
    for entry in made:
        changed = (entry.srgb8 != SRGB8).any(axis=-1)
        mask = {"target": target, "largest": largest}.get(entry.question.construction["region"])
        assert mask is None or not (changed & ~mask).any()
        assert entry.question.construction["changed_share"] == pytest.approx(changed.mean())
        assert entry.question.image_id == image_id(entry.srgb8)
        assert (entry.question.seed_id, entry.question.answer) == ("one", "B")
    assert len({value.question.question_id for value in made}) == 9


def test_a_region_that_is_gray_or_not_there_has_no_variant() -> None:
    grays = np.zeros((40, 50), dtype=bool)
    grays[:4] = True
    made = list(robustness_variants(item(), {"target": grays}))
    assert [entry.question.construction["region"] for entry in made] == ["entire"] * 3
    with pytest.raises(MaskError, match="bool"):
        list(robustness_variants(item(), {"target": grays[1:]}))
    with pytest.raises(MaskError, match="no region 'sky'"):
        list(robustness_variants(item(), {"sky": grays}))


def test_the_largest_other_segment_has_nothing_of_the_target() -> None:
    target, sky, wall = np.zeros((3, 4, 4), dtype=bool)
    target[:2], sky[:3], wall[2:] = True, True, True
    np.testing.assert_array_equal(largest_other([sky, wall], target), wall)
    assert largest_other([target], target) is None
    assert largest_other([], target) is None


def test_gray_is_pillows() -> None:
    expected = np.asarray(Image.fromarray(SRGB8).convert("L"))
    np.testing.assert_array_equal(gray(SRGB8), np.repeat(expected[..., None], 3, axis=-1))
