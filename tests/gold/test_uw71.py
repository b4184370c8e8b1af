"""UW-71 against the rule written out, colour-science, and the hex codes of its authors."""

from __future__ import annotations

import csv
import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import colour
import numpy as np
import pytest
from scipy.spatial import cKDTree

from truehue.core.color import uw71
from truehue.core.color.spaces import srgb8_to_lab, unpack_srgb24
from truehue.core.errors import BadInput, MaskError, NoPixels

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
L_COUNTS = {0: 1, 25: 11, 50: 27, 75: 18, 88: 13, 100: 1}
"""PROTOCOLS 2, and Mukherjee et al.: 58 colors of UW-58 and 13 of L* = 88."""

WHITE_XYZ1 = np.array([0.95047, 1.0, 1.08883])
RANDOM = np.random.default_rng(20260102)


def judge_srgb1(lab: np.ndarray) -> np.ndarray:
    """sRGB by colour-science, with the white of the source and colour's own sRGB matrix."""
    white = colour.XYZ_to_xy(WHITE_XYZ1)
    return colour.XYZ_to_RGB(
        colour.Lab_to_XYZ(lab, illuminant=white),
        colour.RGB_COLOURSPACES["sRGB"],
        illuminant=white,
        chromatic_adaptation_transform=None,
        apply_cctf_encoding=True,
    )


def by_rule() -> list[tuple[float, float, float]]:
    """The colors one by one: L* fastest, then a*, then b*."""
    cos, sin = math.cos(math.radians(3)), math.sin(math.radians(3))
    out = []
    for b in range(-125, 126, 25):
        for a in range(-125, 126, 25):
            for lightness in (0, 25, 50, 75, 100, 88):
                lab = (float(lightness), a * cos - b * sin, a * sin + b * cos)
                if all(-1e-4 <= channel <= 1 + 1e-4 for channel in judge_srgb1(np.array(lab))):
                    out.append(lab)
    return out


def test_the_colors_are_those_of_the_rule_in_its_order() -> None:
    rule = by_rule()
    assert len(rule) == uw71.COUNT == 71
    np.testing.assert_allclose(uw71.lab71(), rule, rtol=0, atol=1e-12)
    assert [bin_.index for bin_ in uw71.uw71()] == list(range(71))


def test_no_color_is_kept_or_left_out_by_a_hair() -> None:
    """Twice or half the tolerance gives the same 71, so the matrix does not decide."""
    axis = np.arange(-125.0, 126.0, 25.0)
    cos, sin = math.cos(math.radians(3)), math.sin(math.radians(3))
    grid = np.array([(l, a, b) for b in axis for a in axis for l in (0, 25, 50, 75, 100, 88)])  # noqa: E741
    turned = np.stack(
        [grid[:, 0], grid[:, 1] * cos - grid[:, 2] * sin, grid[:, 1] * sin + grid[:, 2] * cos], -1
    )
    outside = np.maximum(-judge_srgb1(turned), judge_srgb1(turned) - 1.0).max(axis=1)
    assert [(outside <= tolerance).sum() for tolerance in (0.5e-4, 1e-4, 2e-4)] == [71, 71, 71]


def test_counts_of_each_lightness() -> None:
    assert Counter(round(bin_.lab[0]) for bin_ in uw71.uw71()) == L_COUNTS


def test_index_26_is_the_neutral_of_50() -> None:
    """The checksum of the rule in PROTOCOLS.md."""
    middle = uw71.uw71()[26]
    assert middle.lab == pytest.approx((50.0, 0.0, 0.0), abs=1e-12)
    assert (middle.hex, middle.neutral, middle.hue_deg) == ("#777777", True, None)
    assert [bin_.index for bin_ in uw71.uw71() if bin_.neutral] == [24, 25, 26, 27, 28, 29]


def test_hex_is_that_of_the_authors() -> None:
    with (HERE / "uw71_hex.csv").open() as file:
        published = [(int(row["index"]), row["hex"]) for row in csv.DictReader(file)]
    assert [(bin_.index, bin_.hex) for bin_ in uw71.uw71()] == published


def test_hue_is_the_angle_in_the_plane() -> None:
    for bin_ in uw71.uw71():
        if bin_.hue_deg is None:
            continue
        turn = math.radians(bin_.hue_deg)
        chroma = math.hypot(*bin_.lab[1:])
        assert 0.0 <= bin_.hue_deg < 360.0
        assert (chroma * math.cos(turn), chroma * math.sin(turn)) == pytest.approx(bin_.lab[1:])


def test_names_tell_all_bins_of_a_lightness_as_people_would() -> None:
    names = [bin_.name for bin_ in uw71.uw71()]
    assert len(set(names)) == 71
    assert names[26] == "Medium gray, L* 50"
    assert names[0] == "Vivid blue, L* 50"
    assert all(
        f", L* {bin_.lab[0]:.0f}" in bin_.name and bin_.name.count(",") <= 2 for bin_ in uw71.uw71()
    )
    assert sorted(name for name in names if name.startswith("Light olive")) == [
        "Light olive, L* 50, C* 25",
        "Light olive, L* 50, C* 50",
    ]


def test_ground_distances() -> None:
    lab = uw71.lab71()
    for first, second in RANDOM.integers(0, 71, (200, 2)):
        assert uw71.distances71()[first, second] == pytest.approx(
            math.dist(lab[first], lab[second]), abs=1e-12
        )
    with pytest.raises(ValueError, match="read-only"):
        uw71.distances71()[0, 0] = 1.0


def test_uw58_is_all_but_the_lightness_of_88_and_comes_back() -> None:
    uw58 = uw71.uw58()
    assert [index for index in range(71) if index not in uw58] == [
        index for index in range(71) if uw71.lab71()[index, 0] == 88
    ]
    weights = RANDOM.dirichlet(np.ones(58), 3)
    mapped = uw71.from_58(weights)
    assert mapped.shape == (3, 71)
    np.testing.assert_array_equal(mapped[:, uw58], weights)
    np.testing.assert_array_equal(mapped.sum(axis=1), weights.sum(axis=1))
    assert uw71.from_58(weights[0].tolist()).tolist() == mapped[0].tolist()
    for wrong in (np.zeros(71), np.zeros((58, 3)), np.array(1.0)):
        with pytest.raises(BadInput, match="58 bins, not"):
            uw71.from_58(wrong)


def test_entries_of_the_table_are_the_nearest_bins() -> None:
    """Of 16,777,216 each fifth, by a tree, which are of all values of all channels: what were wrong
    anywhere would be so for neighbors too. No color is equally near to two bins."""
    table, tree = uw71.table(), cKDTree(uw71.lab71())
    assert (table.shape, str(table.dtype), table.flags.writeable) == ((2**24,), "uint8", False)
    for colors in np.array_split(np.arange(0, 2**24, 5, dtype=np.uint32), 4):
        _, result = tree.query(srgb8_to_lab(unpack_srgb24(colors)))
        np.testing.assert_array_equal(table[colors], result)


def test_nearest_by_all_distances_and_by_colour_science() -> None:
    srgb8 = RANDOM.integers(0, 256, (20_000, 3), dtype=np.uint8)
    white = np.array([0.3127, 0.3290])
    xyz1 = colour.RGB_to_XYZ(
        srgb8 / 255.0,
        colour.RGB_COLOURSPACES["sRGB"],
        illuminant=white,
        chromatic_adaptation_transform=None,
        apply_cctf_decoding=True,
    )
    lab = colour.XYZ_to_Lab(xyz1, illuminant=white)
    apart = ((lab[:, None] - uw71.lab71()[None]) ** 2).sum(axis=-1)
    np.testing.assert_array_equal(uw71.nearest(srgb8_to_lab(srgb8)), apart.argmin(axis=1))


def test_of_equally_near_bins_the_first_counts() -> None:
    """Halfway between two neutrals, where halves are exact: 25 and 50, 75 and 88, in this order
    and with their indices 25, 26 and 27, 29."""
    assert uw71.nearest(np.array([[37.5, 0.0, 0.0], [81.5, 0.0, 0.0]])).tolist() == [25, 27]
    assert uw71.nearest(uw71.lab71()).tolist() == list(range(71))
    assert uw71.nearest(np.zeros((0, 3))).shape == (0,)


def test_soft_assignment_written_out() -> None:
    """Hu et al. 2022: the softmax of minus the z-scored distances."""
    colors = srgb8_to_lab(RANDOM.integers(0, 256, (40, 3), dtype=np.uint8))
    for beta in (1.0, 2.5):
        shares = uw71.soft(colors, beta)
        for color, row in zip(colors, shares, strict=True):
            apart = [math.dist(color, lab) for lab in uw71.lab71()]
            mean = sum(apart) / 71
            deviation = math.sqrt(sum((item - mean) ** 2 for item in apart) / 71)
            power = [math.exp(-beta * (item - mean) / deviation) for item in apart]
            assert row == pytest.approx([item / sum(power) for item in power], abs=1e-12)
            assert row.argmax() == np.argmin(apart)


def test_soft_assignment_of_many_colors_is_that_of_each() -> None:
    """More than one of the parts that it works in."""
    colors = srgb8_to_lab(RANDOM.integers(0, 256, (20_000, 3), dtype=np.uint8))
    counted = uw71.soft(colors)
    for index in (0, 16_383, 16_384, 19_999):
        np.testing.assert_allclose(
            counted[index], uw71.soft(colors[index : index + 1])[0], atol=1e-14
        )


def test_assigning_a_palette() -> None:
    lab, weights = uw71.lab71()[[3, 60, 3]], np.array([1.0, 5.0, 2.0])
    expected = np.zeros(71)
    expected[[3, 60]] = 3 / 8, 5 / 8
    np.testing.assert_allclose(uw71.assign(lab, weights), expected, atol=1e-15)
    softly = (uw71.soft(lab) * weights[:, None]).sum(axis=0) / 8
    np.testing.assert_allclose(uw71.assign(lab, weights, "soft"), softly, atol=1e-15)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.0, -0.1], [1.0, np.nan], [np.inf, 1.0]])
def test_weights_that_are_none(weights: list[float]) -> None:
    with pytest.raises(BadInput, match="numbers from 0 on, and not all 0"):
        uw71.assign(uw71.lab71()[:2], np.array(weights))


def test_a_palette_without_colors_and_an_unknown_method() -> None:
    with pytest.raises(BadInput, match="not all 0"):
        uw71.assign(np.zeros((0, 3)), np.zeros(0))
    with pytest.raises(BadInput, match="nearest or soft, not by 'hard'"):
        uw71.assign(uw71.lab71()[:1], np.ones(1), "hard")


def test_pixels_of_an_image() -> None:
    srgb8 = RANDOM.integers(0, 256, (30, 40, 3), dtype=np.uint8)
    mask = RANDOM.random((30, 40)) < 0.4
    counts = uw71.pixel_counts(srgb8, mask)
    expected = Counter(int(uw71.nearest(srgb8_to_lab(item[None]))[0]) for item in srgb8[mask])
    assert {bin_: int(count) for bin_, count in enumerate(counts) if count} == dict(expected)
    assert (counts.shape, counts.sum()) == ((71,), mask.sum())


@pytest.mark.parametrize("pixels", [2, 3, 4, 801])
def test_odd_and_even_numbers_of_pixels(pixels: int) -> None:
    srgb8 = RANDOM.integers(0, 256, (1, pixels, 3), dtype=np.uint8)
    counts = uw71.pixel_counts(srgb8, np.ones((1, pixels), dtype=bool))
    np.testing.assert_array_equal(
        counts, np.bincount(uw71.nearest(srgb8_to_lab(srgb8[0])), minlength=71)
    )


def test_a_table_that_threads_fill_together_is_whole() -> None:
    """Pictures at once on a table with nothing in it: none may read what is not there yet."""
    images = RANDOM.integers(0, 256, (8, 32, 32, 3), dtype=np.uint8)
    inside = np.ones((32, 32), dtype=bool)
    expected = [
        np.bincount(uw71.nearest(srgb8_to_lab(item[inside])), minlength=71) for item in images
    ]
    uw71._table.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda item: uw71.pixel_counts(item, inside), images))
    np.testing.assert_array_equal(counts, expected)


def test_pixels_that_are_none() -> None:
    srgb8 = np.zeros((4, 4, 3), dtype=np.uint8)
    with pytest.raises(NoPixels, match="mask is empty"):
        uw71.pixel_counts(srgb8, np.zeros((4, 4), dtype=bool))
    with pytest.raises(MaskError, match=r"bool \(4, 4\)"):
        uw71.pixel_counts(srgb8, np.ones((4, 5), dtype=bool))
