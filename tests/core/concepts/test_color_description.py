"""What color some pixels have when nothing is asked."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.photographs import object_photograph
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import parse_target
from truehue.core.concepts.palette import describe_colors, palette_of
from truehue.core.images.pixels import masked_colors
from truehue.core.verdict.measure import measure

ORANGE, BLUE = (205, 84, 40), (30, 60, 190)


def two_colors(first: int, second: int) -> np.ndarray:
    row = [ORANGE] * first + [BLUE] * second
    return np.array([row], dtype=np.uint8)


def test_lit_is_what_truehue_finds_and_mean_is_that_of_all_pixels() -> None:
    srgb8, mask = object_photograph(96, seed=3)
    colors = masked_colors(srgb8, mask)
    described = describe_colors(colors)
    result = measure(srgb8, mask, parse_target("css:red"), "truehue")
    assert described.lit_lab == result.verdict.lab
    assert describe_colors(colors, result.dominant).lit_lab == described.lit_lab
    pixels = srgb8_to_lab(srgb8[mask])
    np.testing.assert_allclose(described.mean_lab, pixels.mean(axis=0), atol=1e-9)
    assert 0.0 < described.lit_share < 1.0
    assert described.pixel_count == int(mask.sum())


def test_a_palette_has_the_colors_and_their_shares() -> None:
    srgb8 = two_colors(30, 10)
    colors = masked_colors(srgb8, np.ones(srgb8.shape[:2], dtype=bool))
    described = describe_colors(colors)
    assert described.palette.hexes == ("#CD5428", "#1E3CBE")
    np.testing.assert_allclose(described.palette.weights, [0.75, 0.25])
    assert described.palette_share == pytest.approx(1.0)


def test_colors_that_look_alike_are_one_and_crumbs_are_left_out() -> None:
    # Two oranges in different cells of 32, 2 codes apart; and one pixel in 1,000 of another color.
    row = [(205, 95, 40)] * 600 + [(205, 97, 40)] * 399 + [BLUE]
    srgb8 = np.array([row], dtype=np.uint8)
    colors = masked_colors(srgb8, np.ones(srgb8.shape[:2], dtype=bool))
    palette, share = palette_of(colors.srgb24, colors.counts)
    assert palette.weights.tolist() == [1.0]
    assert share == pytest.approx(0.999)
    mean = (600 * srgb8_to_lab(np.array(row[0])) + 399 * srgb8_to_lab(np.array(row[600]))) / 999
    np.testing.assert_allclose(palette.lab[0], mean, atol=1e-9)
