"""Tinted light and white balance against colour-science, whose spectra, observer and basis are its own."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from truehue.core.color.spaces import XYZ1_TO_LINEAR1, linear1_to_srgb1, srgb8_to_linear1
from truehue.core.generation.renderer.illuminants import ILLUMINANTS, to_illuminant
from truehue.core.images.white_balance import balance_white

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # colour says that plotting is not installed
    import colour
    from colour.recovery import MSDS_BASIS_FUNCTIONS_sRGB_MALLETT2019 as BASIS


def spectrum(name: str) -> np.ndarray:
    """The light's power at the wavelengths of the basis."""
    if name == "D65":
        return colour.SDS_ILLUMINANTS["D65"].copy().align(BASIS.shape).values
    if name == "blackbody 3000 K":
        return colour.sd_blackbody(3000, BASIS.shape).values
    xy = colour.temperature.CCT_to_xy_CIE_D(8000)
    return colour.sd_CIE_illuminant_D_series(xy, shape=BASIS.shape).values


def matrix(name: str) -> np.ndarray:
    """Linear sRGB under the light of the reflectances of the three basis spectra."""
    observer = colour.MSDS_CMFS["CIE 1931 2 Degree Standard Observer"].copy().align(BASIS.shape)
    weights = observer.values * spectrum(name)[:, None]
    return XYZ1_TO_LINEAR1 @ (weights / weights[:, 1].sum()).T @ BASIS.values


@pytest.mark.parametrize("name", ILLUMINANTS)
def test_a_light_weighs_the_spectra_of_colors(name: str) -> None:
    np.testing.assert_allclose(ILLUMINANTS[name], matrix(name), atol=1e-5)
    # A light meter's white, and the tint that the light's own temperature has.
    white = to_illuminant(np.ones(3), name)
    assert white @ (0.2126, 0.7152, 0.0722) == pytest.approx(1.0, abs=1e-3)
    assert (white[0] > white[2]) == name.startswith("blackbody")


def test_daylight_shows_colors_as_they_are() -> None:
    """By the same spectra: what the basis stands for."""
    np.testing.assert_allclose(matrix("D65"), np.eye(3), atol=2e-3)


def test_white_balance_is_the_bradford_transform() -> None:
    image = np.random.default_rng(3).integers(30, 200, (5, 5, 3), dtype=np.uint8)
    gray = np.array([[[190, 150, 100]]], dtype=np.uint8)
    xyz1, gray_xyz1 = (
        colour.RGB_to_XYZ(srgb8_to_linear1(part), "sRGB") for part in (image, gray[0, 0])
    )
    white = colour.xy_to_XYZ((0.3127, 0.3290)) * gray_xyz1[1]
    adapted = colour.chromatic_adaptation(
        xyz1, gray_xyz1, white, method="Von Kries", transform="Bradford"
    )
    wanted = 255.0 * linear1_to_srgb1(np.clip(colour.XYZ_to_RGB(adapted, "sRGB"), 0.0, 1.0))
    assert np.abs(balance_white(image, gray) - wanted).max() < 0.51
