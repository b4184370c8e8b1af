"""Saturation scaled, against matplotlib's HSV; curves of metrics whose maximum is known."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.errors import BadInput
from truehue.core.fidelity.sweep import SCALES, curve_of, scaled_saturation, sweep_rows


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)


@pytest.mark.parametrize("scale", [0.0, 0.4, 1.0, 1.6, 3.0])
def test_saturation_is_scaled_as_matplotlib_does_it(noise: np.ndarray, scale: float) -> None:
    from matplotlib.colors import hsv_to_rgb, rgb_to_hsv

    hsv = rgb_to_hsv(noise / 255)
    hsv[..., 1] = np.minimum(1, hsv[..., 1] * scale)
    expected = hsv_to_rgb(hsv) * 255
    assert scaled_saturation(noise, scale) == pytest.approx(expected, abs=0.5 + 1e-6)


def test_a_scale_of_one_gives_the_same_bytes(noise: np.ndarray) -> None:
    np.testing.assert_array_equal(scaled_saturation(noise, 1.0), noise)


def mean_saturation(srgb8: np.ndarray) -> float:
    value = srgb8.max(axis=2).astype(float)
    chroma = value - srgb8.min(axis=2)
    return float(np.divide(chroma, value, out=np.zeros_like(value), where=value > 0).mean())


def test_curves_show_where_a_metric_has_its_best() -> None:
    colors = [np.full((4, 4, 3), color, np.uint8) for color in ((200, 134, 150), (90, 66, 60))]
    assert [round(mean_saturation(color), 2) for color in colors] == [0.33, 0.33]
    vivid = curve_of(list(sweep_rows(colors, mean_saturation)))
    assert vivid.peak == 2.0
    assert vivid.peaks_at[-1] == 2
    assert vivid.relative[SCALES.index(1.0)] == 0
    assert vivid.relative[-1] == 1
    distance = list(sweep_rows(colors, lambda color: abs(mean_saturation(color) - 0.33)))
    faithful = curve_of(distance, higher_is_better=False)
    assert faithful.peak == 1.0
    assert faithful.means[3] == pytest.approx(0, abs=0.01)


def test_what_is_not_scored_is_told() -> None:
    rows = [[1.0, 2, 3], [1, float("nan"), 3]]
    curve = curve_of(rows, (0.5, 1.0, 2.0))
    assert (curve.photographs, curve.unscored, curve.peak) == (1, 1, 2.0)
    with pytest.raises(BadInput, match="no curve"):
        curve_of(rows[1:], (0.5, 1.0, 2.0))
    with pytest.raises(BadInput, match="must hold 1"):
        curve_of(rows, (0.5, 1.5, 2.0))
    with pytest.raises(BadInput, match="0 or more"):
        scaled_saturation(np.zeros((2, 2, 3), np.uint8), -1)
    with pytest.raises(BadInput, match="uint8"):
        scaled_saturation(np.zeros((2, 2, 3)), 1)
