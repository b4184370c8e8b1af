"""The profile of an object against arithmetic written out, pixel by pixel."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor

import numpy as np
import pytest

from truehue.core.color import uw71
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.concepts.profile import profile_of, sample_of
from truehue.core.errors import MaskError, NoPixels


def _picture(height: int, width: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Noise, and an ellipse that fills the picture."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    inside = ((y + 0.5) / height - 0.5) ** 2 + ((x + 0.5) / width - 0.5) ** 2 < 0.25
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8), inside


def test_small_object_is_its_own_sample() -> None:
    srgb8, mask = _picture(100, 60)
    np.testing.assert_array_equal(sample_of(srgb8, mask), srgb8[mask])


def test_sample_is_cut_out_at_the_box_of_the_mask() -> None:
    srgb8, mask = _picture(90, 70, 3)
    large, large_mask = np.zeros((400, 500, 3), np.uint8), np.zeros((400, 500), bool)
    large[200:290, 300:370], large_mask[200:290, 300:370] = srgb8, mask
    np.testing.assert_array_equal(sample_of(large, large_mask), sample_of(srgb8, mask))


@pytest.mark.parametrize("size", [(200, 300), (300, 80), (50, 400)])
def test_whole_blocks_are_averaged_over_the_object_alone(size: tuple[int, int]) -> None:
    srgb8, mask = _picture(*size, seed=1)
    tall, wide = max(1, size[0] // 100), max(1, size[1] // 100)
    expected = []
    for top in range(0, size[0], tall):
        for left in range(0, size[1], wide):
            inside = mask[top : top + tall, left : left + wide]
            colors = srgb8[top : top + tall, left : left + wide][inside].tolist()
            if 2 * len(colors) >= tall * wide:
                expected.append(
                    [
                        floor(Fraction(sum(c[i] for c in colors), len(colors)) + Fraction(1, 2))
                        for i in range(3)
                    ]
                )
    assert sample_of(srgb8, mask).tolist() == expected


def _areas(size: int, parts: int) -> np.ndarray:
    """How much of each of ``size`` pixels lies in each of ``parts`` equal ones, ``(parts, size)``,
    rows sum to 1."""
    edges = np.arange(parts + 1) * size / parts
    low = np.maximum(edges[:-1, None], np.arange(size))
    high = np.minimum(edges[1:, None], np.arange(size) + 1)
    return np.maximum(0.0, high - low) * parts / size


@pytest.mark.parametrize("size", [(257, 90), (101, 333), (640, 517)])
def test_parts_of_pixels_count_by_their_area(size: tuple[int, int]) -> None:
    srgb8, mask = _picture(*size, seed=2)
    rows, columns = (_areas(side, min(side, 100)) for side in size)
    covered = rows @ mask @ columns.T
    colored = np.stack([rows @ (srgb8[..., i] * mask) @ columns.T for i in range(3)], axis=-1)
    assert np.abs(covered - 0.5).min() > 1e-5  # no pixel whose membership hangs on rounding
    belongs = covered >= 0.5
    mean = colored[belongs] / covered[belongs][:, None]
    sample = sample_of(srgb8, mask)
    assert sample.shape == mean.shape
    assert np.abs(sample - mean).max() <= 0.5 + 1e-3


def test_thin_line_keeps_its_own_color() -> None:
    srgb8 = np.full((1000, 1000, 3), 255, np.uint8)
    mask = np.eye(1000, dtype=bool)
    srgb8[mask] = (200, 30, 20)
    profile = profile_of(srgb8, mask)
    assert profile.sampled_px == 100
    assert profile.dominant_srgb == (200.0, 30.0, 20.0)
    assert profile.dominant_share == 1.0


def test_background_does_not_color_the_edge() -> None:
    srgb8, mask = _picture(700, 500)
    srgb8[mask] = (10, 200, 90)
    assert set(map(tuple, sample_of(srgb8, mask).tolist())) == {(10, 200, 90)}


def test_numbers_are_those_of_counting_by_hand() -> None:
    srgb8, mask = _picture(230, 170, 4)
    srgb8 //= 3  # fewer bins, so that some hold many pixels
    profile = profile_of(srgb8, mask)
    sample = sample_of(srgb8, mask).tolist()
    bins = Counter((r // 16, g // 16, b // 16) for r, g, b in sample)
    limit = max(bins.values())
    fullest = min(key for key, count in bins.items() if count == limit)
    chosen = [c for c in sample if tuple(value // 16 for value in c) == fullest]
    assert profile.dominant_share == limit / len(sample)
    assert profile.dominant_srgb == pytest.approx(
        [sum(c[i] for c in chosen) / limit for i in range(3)], abs=1e-12
    )
    cells = Counter(64 * (r // 32) + 8 * (g // 32) + b // 32 for r, g, b in sample)
    assert list(profile.cells) == sorted(cells)
    assert [cells[cell] for cell in profile.cells] == list(profile.counts)
    sums = [0] * (3 * 512)
    for r, g, b in sample:
        cell = 64 * (r // 32) + 8 * (g // 32) + b // 32
        for channel, value in enumerate((r, g, b)):
            sums[3 * cell + channel] += value
    expected = [sums[3 * cell + channel] for cell in profile.cells for channel in range(3)]
    assert list(profile.sums) == expected
    assert sum(profile.counts) == profile.sampled_px == len(sample)
    assert profile.mask_px == int(mask.sum()) == sum(profile.bin_counts)


def test_uw71_bins_are_of_all_pixels_of_the_object() -> None:
    srgb8, mask = _picture(300, 150, 5)
    profile = profile_of(srgb8, mask)
    apart = srgb8_to_lab(srgb8[mask])[:, None] - uw71.lab71()[None]
    expected = Counter(np.sqrt((apart**2).sum(axis=-1)).argmin(axis=1).tolist())
    assert dict(zip(profile.bins, profile.bin_counts, strict=True)) == expected
    assert list(profile.bins) == sorted(profile.bins)


def test_of_equally_full_bins_the_lowest_is_dominant() -> None:
    srgb8 = np.array([[(250, 10, 10), (10, 10, 250), (10, 250, 10), (10, 12, 252)]], np.uint8)
    assert profile_of(srgb8[:, :3], np.ones((1, 3), bool)).dominant_srgb == (10.0, 10.0, 250.0)
    assert profile_of(srgb8, np.ones((1, 4), bool)).dominant_srgb == (10.0, 11.0, 251.0)


def test_bad_masks_are_refused() -> None:
    srgb8, mask = _picture(20, 20)
    with pytest.raises(NoPixels, match="empty"):
        profile_of(srgb8, np.zeros_like(mask))
    with pytest.raises(NoPixels, match="one pixel"):
        profile_of(srgb8, np.eye(20, dtype=bool) & (np.arange(20) == 3))
    with pytest.raises(MaskError, match="bool"):
        profile_of(srgb8, mask[:10])
