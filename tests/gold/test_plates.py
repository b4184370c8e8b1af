"""Plates of dots against colour-science's simulation of dichromats, and against a reader."""

from __future__ import annotations

import colour
import cv2
import numpy as np
import pytest

from truehue.core.color.spaces import srgb1_to_lab, srgb8_to_lab
from truehue.core.images.plates import DIGITS, SIZE_PX, Axis, _digit_mask, colors_of, plate
from truehue.core.vlm.generators.blindness import pair_of

pytestmark = pytest.mark.slow

WHITE = colour.CCS_ILLUMINANTS["CIE 1931 2 Degree Standard Observer"]["D65"]
DEFICIENCY = {Axis.PROTAN: "Protanomaly", Axis.DEUTAN: "Deuteranomaly"}


def delta_e00(first: np.ndarray, second: np.ndarray) -> float:
    """Of two linear colors, by colour-science alone."""
    labs = [
        colour.XYZ_to_Lab(colour.RGB_to_XYZ(c, "sRGB", apply_cctf_decoding=False), WHITE)
        for c in (first, second)
    ]
    return float(colour.delta_E(*labs, method="CIE 2000"))


@pytest.mark.parametrize("axis", list(DEFICIENCY))
def test_who_lacks_the_cone_sees_one_cloud(axis: Axis) -> None:
    """G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for
    Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009), with other cone fundamentals."""
    figure, ground = colors_of(axis)
    assert delta_e00(figure, ground) > 40
    for other, name in DEFICIENCY.items():
        seen = colour.blindness.matrix_cvd_Machado2009(name, 1.0)
        difference = delta_e00(*(np.clip(seen @ c, 0, 1) for c in (figure, ground)))
        if other is axis:
            assert difference < 2.5
        else:
            assert difference > 15


def test_a_tritan_plate_differs_in_blue_cones_alone() -> None:
    """By the cone fundamentals of A. Stockman and L. T. Sharpe (2000), which are not those that
    the plate was made with: excitation of long and middle cones nearly equal, short far apart."""
    cones = colour.MSDS_CMFS["Stockman & Sharpe 2 Degree Cone Fundamentals"]
    shape = colour.SpectralShape(390, 780, 5)
    cones = cones.copy().align(shape)
    xyz = colour.MSDS_CMFS["CIE 1931 2 Degree Standard Observer"].copy().align(shape)
    lms_of_xyz = np.linalg.lstsq(xyz.values, cones.values, rcond=None)[0].T
    to_xyz = colour.RGB_COLOURSPACES["sRGB"].matrix_RGB_to_XYZ
    figure, ground = (lms_of_xyz @ to_xyz @ color for color in colors_of(Axis.TRITAN))
    ratio = figure / ground
    assert ratio[0] == pytest.approx(1, abs=0.06)
    assert ratio[1] == pytest.approx(1, abs=0.06)
    assert ratio[2] > 4


@pytest.mark.parametrize("axis", list(Axis))
def test_the_digit_can_be_read(axis: Axis) -> None:
    """A reader who sees all colors: the digit whose shape parts the dots' colors best."""
    digits = "249"
    for digit in digits:
        lab = srgb8_to_lab(plate(digit, axis, 3).srgb8)
        dots = lab[..., 0] < 92
        values = lab[..., 0] if axis is Axis.CONTROL else lab[..., 1:]
        scores = {}
        for other in DIGITS:
            inside = _digit_mask(other)
            ring = cv2.dilate(inside.astype(np.uint8), np.ones((61, 61))).astype(bool) & ~inside
            scores[other] = float(
                np.linalg.norm(
                    values[dots & inside].mean(axis=0) - values[dots & ring].mean(axis=0)
                )
            )
        assert max(scores, key=scores.__getitem__) == digit


def test_lightness_tells_nothing_and_the_same_seed_gives_the_same_plate() -> None:
    item = plate("5", Axis.DEUTAN, 8)
    assert item.srgb8.shape == (SIZE_PX, SIZE_PX, 3)
    np.testing.assert_array_equal(item.srgb8, plate("5", Axis.DEUTAN, 8).srgb8)
    assert (item.srgb8 != plate("5", Axis.DEUTAN, 9).srgb8).any()
    lightness = [srgb1_to_lab(np.full(3, v / 255))[0] for v in (10, 248)]
    np.testing.assert_allclose(lightness, [2.74, 97.6], atol=0.3)
    with pytest.raises(ValueError, match="none of"):
        plate("1", Axis.PROTAN, 0)


@pytest.mark.parametrize("axis", list(DEFICIENCY))
def test_questions_plates_lose_their_hue_for_who_lacks_the_cone(axis: Axis) -> None:
    """At one luminance the two colors cannot agree in both other cones: what is left of them for
    who lacks one is a difference of lightness below that between two dots of one color."""
    pair = pair_of(axis, 60.0)
    seen = colour.blindness.matrix_cvd_Machado2009(DEFICIENCY[axis], 1.0)
    labs = [
        colour.XYZ_to_Lab(
            colour.RGB_to_XYZ(
                seen @ (0.75 * pair.brightest * c), "sRGB", apply_cctf_decoding=False
            ),
            WHITE,
        )
        for c in (pair.first, pair.second)
    ]
    assert np.hypot(*(labs[0] - labs[1])[1:]) < 3
    assert abs(labs[0][0] - labs[1][0]) < 8
