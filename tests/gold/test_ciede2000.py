"""CIEDE2000 against its published test data and against colour-science.

``sharma_pairs.csv`` is Table 1 of G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000 color-difference
formula: implementation notes, supplementary test data, and mathematical observations", Color
Research and Application 30 (2005) 21-30, DOI 10.1002/col.20070: 34 pairs, differences rounded to
four decimals. Pairs 7 to 16 sit where programs go wrong: at zero chroma and at opposite hues.
"""

from pathlib import Path

import colour
import numpy as np

from truehue.core.color.difference import delta_e00

TABLE = np.genfromtxt(Path(__file__).with_name("sharma_pairs.csv"), delimiter=",", names=True)
LAB1 = np.column_stack([TABLE["L1"], TABLE["a1"], TABLE["b1"]])
LAB2 = np.column_stack([TABLE["L2"], TABLE["a2"], TABLE["b2"]])
PUBLISHED = TABLE["delta_e00"]


def test_the_table_is_whole() -> None:
    np.testing.assert_array_equal(TABLE["pair"], np.arange(1, 35))
    # The table itself holds no typing error: the judge agrees with every row.
    judge = colour.delta_E(LAB1, LAB2, method="CIE 2000")
    np.testing.assert_allclose(judge, PUBLISHED, rtol=0, atol=1e-4)


def test_published_pairs() -> None:
    np.testing.assert_allclose(delta_e00(LAB1, LAB2), PUBLISHED, rtol=0, atol=1e-4)


def test_each_pair_alone_and_swapped() -> None:
    for lab1, lab2, published in zip(LAB1, LAB2, PUBLISHED, strict=True):
        assert abs(float(delta_e00(lab1, lab2)) - published) <= 1e-4
        assert abs(float(delta_e00(lab2, lab1)) - float(delta_e00(lab1, lab2))) <= 1e-12


def test_random_pairs_against_colour() -> None:
    rng = np.random.default_rng(20260102)
    low, high = [0, -110, -110], [100, 110, 110]
    lab1, lab2 = rng.uniform(low, high, (2, 2000, 3))
    # Half of them close together, where thresholds are.
    lab2[1000:] = lab1[1000:] + rng.normal(0, 2, (1000, 3))
    ours = delta_e00(lab1, lab2)
    judge = colour.delta_E(lab1, lab2, method="CIE 2000")
    np.testing.assert_allclose(ours, judge, rtol=0, atol=2e-12)
    np.testing.assert_allclose(delta_e00(lab2, lab1), ours, rtol=0, atol=2e-12)


def test_hues_that_are_almost_opposite_against_colour() -> None:
    """There the direction of the mean hue hangs on the last digits of both."""
    rng = np.random.default_rng(20260103)
    lab1 = rng.uniform([0, -110, -110], [100, 110, 110], (2000, 3))
    hue = np.arctan2(lab1[:, 2], lab1[:, 1]) + np.pi
    hue += np.copysign(10.0 ** rng.uniform(-6, -0.5, 2000), rng.normal(size=2000))
    chroma = rng.uniform(1, 130, 2000)
    lightness = rng.uniform(0, 100, 2000)
    lab2 = np.stack([lightness, chroma * np.cos(hue), chroma * np.sin(hue)], axis=-1)
    ours = delta_e00(lab1, lab2)
    judge = colour.delta_E(lab1, lab2, method="CIE 2000")
    # G turns both hues a little, so some pairs cross from one side of opposite to the other.
    np.testing.assert_allclose(ours, judge, rtol=0, atol=2e-12)


def test_a_color_without_a_hue_takes_the_other_ones_hue() -> None:
    rng = np.random.default_rng(20260104)
    lab1, lab2 = rng.uniform([0, -110, -110], [100, 110, 110], (2, 400, 3))
    lab1[:200, 1:] = 0.0
    lab1[100:200, 1] = -0.0
    lab2[200:, 1:] = 0.0
    judge = colour.delta_E(lab1 + 0.0, lab2, method="CIE 2000")
    np.testing.assert_allclose(delta_e00(lab1, lab2), judge, rtol=0, atol=2e-12)


def test_a_color_has_one_difference_in_whatever_company() -> None:
    rng = np.random.default_rng(20260105)
    lab = rng.uniform([0, -110, -110], [100, 110, 110], (20_000, 3))
    lab[::7, 1:] = 0.0
    whole = delta_e00(lab, LAB2[3])
    for start in (0, 1, 16_380):
        np.testing.assert_array_equal(
            delta_e00(lab[start : start + 9], LAB2[3]), whole[start : start + 9]
        )


def test_broadcasting() -> None:
    table = delta_e00(LAB1[:, None, :], LAB2[None, :, :])
    assert table.shape == (34, 34)
    np.testing.assert_allclose(np.diagonal(table), PUBLISHED, rtol=0, atol=1e-4)
    np.testing.assert_allclose(delta_e00(LAB1, LAB2[3]), table[:, 3], rtol=0, atol=1e-12)


def test_the_same_color_has_no_difference() -> None:
    np.testing.assert_array_equal(delta_e00(LAB1, LAB1), 0.0)
