"""What the figures and the overlay draw is what the rules and the pixels say."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.statistics import chromaticity_density, lightness_histogram
from truehue.core.color.systems import parse_target
from truehue.core.masks.display import unmeasured_overlay_png
from truehue.core.verdict.rules import PASS, Thresholds, judge, rule
from truehue.core.verdict.truehue import acceptance_outline, line_across, square_around


@pytest.mark.parametrize("name", ["l3:vivid red", "css:gray", "css:navy", "#FFFF00", "l2:white"])
def test_inside_the_outline_passes_and_outside_fails(name: str) -> None:
    """The judge itself is asked at 0.98 and 1.06 of the way to each corner."""
    lab = parse_target(name).lab
    center = np.array(lab[1:])
    outline = acceptance_outline(lab, Thresholds())
    assert np.array_equal(outline[0], outline[-1]) or np.allclose(outline[0], outline[-1])
    for corner in outline[::6]:
        for share, passes in ((0.98, True), (1.06, False)):
            a, b = center + share * (corner - center)
            verdict = judge((lab[0], float(a), float(b)), lab, np.array([lab]), rule("paper"))
            assert (verdict.status == PASS) is passes, (name, corner, share)


def test_every_pixel_is_in_one_cell_of_its_own_chromaticity() -> None:
    rng = np.random.default_rng(4)
    lab = srgb8_to_lab(rng.integers(0, 256, (5000, 3)))
    counts = rng.integers(1, 9, 5000)
    density = chromaticity_density(lab, counts, 200.0)
    assert density.counts.sum() == counts.sum()
    column = np.floor((lab[:, 1] - density.a_min) / density.step).astype(int)
    row = np.floor((lab[:, 2] - density.b_min) / density.step).astype(int)
    expected = np.zeros_like(density.counts)
    np.add.at(expected, (row, column), counts)
    assert np.array_equal(density.counts, expected)
    assert np.array_equal(density.rgba8[..., 3] > 0, density.counts > 0)
    assert density.rgba8[..., 3].max() == 255


def test_one_color_is_one_cell_in_that_color() -> None:
    color = np.array([[205, 84, 40]])
    density = chromaticity_density(srgb8_to_lab(color), np.array([70]), 24.0)
    assert density.counts.tolist() == [[70]]
    assert density.rgba8.tolist() == [[[205, 84, 40, 255]]]


def test_lightness_histogram_counts_pixels_and_keeps_both_ends() -> None:
    lab = np.array([[0.0, 0, 0], [1.9, 0, 0], [2.0, 0, 0], [100.0, 0, 0]])
    histogram = lightness_histogram(lab, np.array([1, 2, 4, 8]))
    assert histogram[0] == 3
    assert histogram[1] == 4
    assert histogram[-1] == 8
    assert histogram.sum() == 15


def test_hatching_lies_exactly_on_what_was_left_out_and_is_neutral() -> None:
    mask = np.zeros((64, 80), dtype=bool)
    mask[10:50, 10:70] = True
    measured = mask.copy()
    measured[10:30] = False
    png = unmeasured_overlay_png(mask, measured)
    assert png is not None
    rgba = np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"))
    assert np.array_equal(rgba[..., 3] > 0, mask & ~measured)
    sample = rgba[mask & ~measured]
    assert len(np.unique(sample[:, :3], axis=0)) == 2
    assert (sample[:, 0] == sample[:, 1]).all()
    assert (sample[:, 1] == sample[:, 2]).all()


def test_nothing_left_out_is_no_picture() -> None:
    mask = np.ones((4, 4), dtype=bool)
    assert unmeasured_overlay_png(mask, mask) is None


def test_the_square_holds_every_point_with_room() -> None:
    points = np.array([[0.0, 0.0], [60.0, 20.0], [-5.0, 44.0]])
    low, high = square_around(points)
    assert np.ptp(high - low) == 0
    assert (points > low).all()
    assert (points < high).all()
    tight_low, tight_high = square_around(np.array([[3.0, 4.0]]))
    assert (tight_high - tight_low).tolist() == [24.0, 24.0]


@pytest.mark.parametrize("degrees", [0, 30, 45, 90, 135, 200, 270])
def test_the_axis_ends_on_the_edge_of_the_square(degrees: float) -> None:
    axis = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    low, high, through = np.array([-20.0, -10.0]), np.array([30.0, 40.0]), np.array([5.0, 6.0])
    for end in line_across(through, axis, low, high):
        assert (end >= low - 1e-9).all()
        assert (end <= high + 1e-9).all()
        assert min(np.abs(end - low).min(), np.abs(end - high).min()) < 1e-9
        offset = end - through
        assert offset[0] * axis[1] - offset[1] * axis[0] == pytest.approx(0, abs=1e-9)
