"""White balance by a neutral in the image."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.spaces import linear1_to_srgb1, luminance1, srgb8_to_lab
from truehue.core.errors import BadInput
from truehue.core.images.white_balance import patch_around, white_balanced


def lit(linear1: tuple[float, float, float]) -> np.ndarray:
    """One pixel of that light, uint8 ``(1, 1, 3)``."""
    return np.rint(255.0 * linear1_to_srgb1(np.clip(linear1, 0, 1))).astype(np.uint8)[None, None]


def test_the_neutral_becomes_gray_of_its_luminance_and_others_follow() -> None:
    tint = np.array([1.7, 0.9, 0.3])
    gray, blue = lit(0.4 * tint), lit(np.array([0.05, 0.1, 0.6]) * tint)
    image = np.concatenate([gray, blue], axis=1)
    balanced = white_balanced(image, gray)
    assert np.ptp(balanced[0, 0].astype(int)) <= 1
    before, after = (luminance1(srgb8_to_lab(part[0, 0])[0]) for part in (image, balanced))
    assert after == pytest.approx(before, rel=0.02)
    # Each channel by its own: the blue as without the tint, at the luminance of the tinted white.
    brightness = tint @ (0.2126, 0.7152, 0.0722)
    wanted = lit(np.array([0.05, 0.1, 0.6]) * brightness)[0, 0]
    assert np.abs(balanced[0, 1].astype(int) - wanted).max() <= 2


def test_a_clipped_channel_stays_clipped() -> None:
    gray = lit((0.6, 0.3, 0.1))
    image = np.concatenate([gray, np.array([[[255, 200, 90]]], np.uint8)], axis=1)
    assert white_balanced(image, gray)[0, 1, 0] == 255


@pytest.mark.parametrize(("value", "text"), [(255, "overexposed"), (8, "too dark")])
def test_a_patch_that_tells_no_tint_is_refused(value: int, text: str) -> None:
    image = np.full((9, 9, 3), value, np.uint8)
    with pytest.raises(BadInput, match=text):
        white_balanced(image, patch_around(image, 4, 4))


def test_a_point_outside_is_refused() -> None:
    image = np.zeros((9, 12, 3), np.uint8)
    assert patch_around(image, 11, 0).shape == (3, 3, 3)
    with pytest.raises(BadInput, match="outside of the image of 12 × 9"):
        patch_around(image, 12, 0)
