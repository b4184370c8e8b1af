"""Mean HSV saturation and ΔSat against three other implementations of HSV."""

from __future__ import annotations

from math import fsum

import colour
import numpy as np
import pytest
from matplotlib.colors import rgb_to_hsv
from PIL import Image

from truehue.core.errors import BadInput
from truehue.core.fidelity.vividness import (
    delta_sat_score,
    mean_saturation,
    saturation_histogram,
    saturation_score,
)
from truehue.core.scores.measures import MEASURES
from truehue.core.scores.records import IMAGE
from truehue.core.scores.scoring import score_image
from truehue.storage.scores.scores import key_of

RANDOM = np.random.default_rng(7)
IMAGES = {
    "noise": RANDOM.integers(0, 256, (301, 47, 3), dtype=np.uint8),
    "dark": RANDOM.integers(0, 4, (64, 64, 3), dtype=np.uint8),
    "gray": np.repeat(RANDOM.integers(0, 256, (9, 9, 1), dtype=np.uint8), 3, axis=2),
    "black": np.zeros((3, 5, 3), dtype=np.uint8),
    "pixel": np.array([[[10, 200, 30]]], dtype=np.uint8),
}


@pytest.mark.parametrize("name", IMAGES)
def test_mean_saturation_is_that_of_others(name: str) -> None:
    """colour-science and matplotlib compute in float64; Pillow rounds S down to 1/255."""
    srgb8 = IMAGES[name]
    result = mean_saturation(srgb8)
    assert result == pytest.approx(float(colour.RGB_to_HSV(srgb8 / 255)[..., 1].mean()), abs=1e-12)
    assert result == pytest.approx(float(rgb_to_hsv(srgb8 / 255)[..., 1].mean()), abs=1e-12)
    pillow = np.asarray(Image.fromarray(srgb8).convert("HSV"))[..., 1].mean() / 255
    assert 0 <= result - pillow <= 1 / 255
    exact = fsum(
        (max(p) - min(p)) / max(p) if max(p) else 0.0 for p in srgb8.reshape(-1, 3).tolist()
    )
    assert result == pytest.approx(exact / (srgb8.size // 3), abs=1e-13)


@pytest.mark.parametrize("name", IMAGES)
def test_a_histogram_of_saturation_is_that_of_colour_science(name: str) -> None:
    srgb8 = IMAGES[name]
    shares = saturation_histogram(srgb8, 8)
    # Rounding must not decide in which bin a saturation of exactly 1 / 2 lies.
    index = np.floor(8 * colour.RGB_to_HSV(srgb8 / 255)[..., 1] + 1e-9).astype(int)
    judge = np.bincount(np.minimum(index, 7).reshape(-1), minlength=8)
    np.testing.assert_allclose(shares, judge / judge.sum(), atol=1e-12)


def test_delta_sat_by_hand() -> None:
    half = np.array([[[255, 0, 0], [255, 255, 255]]], dtype=np.uint8)  # S is 1 and 0
    assert saturation_score(half) == (0.5, {"pixels": 2})
    value, numbers = delta_sat_score(half)
    assert value == pytest.approx(0.17)
    assert numbers == {"mean_saturation": 0.5}
    assert delta_sat_score(half[:, :1])[0] == pytest.approx(0.67)
    assert delta_sat_score(half[:, 1:])[0] == pytest.approx(0.33)


def test_both_stand_in_the_list_and_cannot_be_mixed() -> None:
    by_id = {measure.id: measure for measure in MEASURES}
    mean, delta = by_id["mean_saturation"], by_id["delta_sat"]
    assert (mean.better, delta.better) == ("", "low")
    for code in (0, 255):  # both ends of both ranges
        for measure in (mean, delta):
            red = np.full((2, 2, 3), (code, 0, 0), dtype=np.uint8)
            assert score_image(measure, "id", red).status == "scored"
    assert key_of(mean, IMAGE) != key_of(delta, IMAGE)
    assert key_of(delta, IMAGE)[-1] != key_of(mean, IMAGE)[-1]


def test_what_is_no_image_is_refused() -> None:
    for wrong in (np.zeros((2, 2), np.uint8), np.zeros((2, 2, 3)), np.zeros((0, 2, 3), np.uint8)):
        with pytest.raises(BadInput, match="An image is uint8"):
            mean_saturation(wrong)
