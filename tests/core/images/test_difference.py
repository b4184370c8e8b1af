"""The difference of two pictures, pixel by pixel, against colour-science."""

from __future__ import annotations

import colour
import numpy as np
import pytest

from truehue.core.errors import BadInput
from truehue.core.images.difference import delta_e00_map, difference_summary


def test_each_pixel_is_compared_with_the_one_at_its_place() -> None:
    random = np.random.default_rng(4)
    before, after = random.integers(0, 256, (2, 5, 7, 3), dtype=np.uint8)
    after[0] = before[0]
    lab = [
        colour.XYZ_to_Lab(
            colour.sRGB_to_XYZ(item / 255), colour.CCS_ILLUMINANTS["cie_2_1931"]["D65"]
        )
        for item in (before, after)
    ]
    judge = colour.delta_E(lab[0], lab[1], method="CIE 2000")
    values = delta_e00_map(before, after)
    np.testing.assert_allclose(values, judge, atol=2e-2)
    assert (values[0] == 0).all()
    summary = difference_summary(values)
    assert summary.equal_share == pytest.approx(1 / 5)
    assert summary.mean == pytest.approx(judge.mean(), abs=1e-2)
    assert summary.most == values.max()
    assert summary.median < summary.percentile_95 < summary.most


def test_pictures_of_two_sizes_are_refused() -> None:
    with pytest.raises(BadInput, match="one size, not 3 × 2 and 2 × 2"):
        delta_e00_map(np.zeros((2, 3, 3), np.uint8), np.zeros((2, 2, 3), np.uint8))
    with pytest.raises(BadInput, match="uint8"):
        delta_e00_map(np.zeros((2, 2, 3)), np.zeros((2, 2, 3)))
