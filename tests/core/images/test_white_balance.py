"""White balance by a neutral in the image."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import linear1_to_srgb1, luminance1, srgb8_to_lab
from truehue.core.errors import BadInput
from truehue.core.images.white_balance import balance_white, patch_around


def lit(linear1: tuple[float, float, float]) -> np.ndarray:
    """One pixel of that light, uint8 ``(1, 1, 3)``."""
    return np.rint(255.0 * linear1_to_srgb1(np.clip(linear1, 0, 1))).astype(np.uint8)[None, None]


def test_the_neutral_becomes_gray_of_its_luminance_and_others_follow() -> None:
    tint = np.array([1.5, 0.9, 0.5])
    gray, orange = lit(0.4 * tint), lit(np.array([0.5, 0.2, 0.1]) * tint)
    image = np.concatenate([gray, orange], axis=1)
    balanced = balance_white(image, gray)
    assert np.ptp(balanced[0, 0].astype(int)) <= 1
    before, after = (luminance1(srgb8_to_lab(part[0, 0])[0]) for part in (image, balanced))
    assert after == pytest.approx(before, rel=0.02)
    # Near to the color without the tint, from which the tinted one is far.
    plain = srgb8_to_lab(lit((0.5, 0.2, 0.1))[0, 0])
    tinted, found = (delta_e00(srgb8_to_lab(part[0, 1]), plain) for part in (image, balanced))
    assert tinted > 8
    assert found < 4.5


def test_a_neutral_of_no_tint_changes_nothing() -> None:
    image = np.random.default_rng(1).integers(0, 256, (6, 6, 3), dtype=np.uint8)
    balanced = balance_white(image, np.full((2, 2, 3), 128, np.uint8))
    assert np.abs(balanced.astype(int) - image).max() <= 1


def test_a_clipped_channel_stays_clipped() -> None:
    gray = lit((0.6, 0.3, 0.1))
    image = np.concatenate([gray, np.array([[[255, 200, 90]]], np.uint8)], axis=1)
    assert balance_white(image, gray)[0, 1, 0] == 255


@pytest.mark.parametrize(("value", "text"), [(255, "overexposed"), (8, "too dark")])
def test_a_patch_that_tells_no_tint_is_refused(value: int, text: str) -> None:
    image = np.full((9, 9, 3), value, np.uint8)
    with pytest.raises(BadInput, match=text):
        balance_white(image, patch_around(image, 4, 4))


def test_a_point_outside_is_refused() -> None:
    image = np.zeros((9, 12, 3), np.uint8)
    assert patch_around(image, 11, 0).shape == (3, 3, 3)
    with pytest.raises(BadInput, match="outside of the image of 12 × 9"):
        patch_around(image, 12, 0)
