"""Differences by name: against colour-science called another way, published pairs, and written out.

colour-science computes most of them in the product, so this file checks what is ours: parameters,
the order of the pair, white, scales and viewing conditions.
"""

from __future__ import annotations

import subprocess
import sys

import colour
import numpy as np
import pytest

from tests.commands import ROOT
from truehue.core.color.formulas import (
    FORMULAS,
    SRGB_VIEWING,
    ViewingConditions,
    difference,
    differences,
)
from truehue.core.color.spaces import lab_to_xyz1, srgb8_to_lab
from truehue.core.errors import BadInput

RNG = np.random.default_rng(20261129)
SAMPLE, REFERENCE = srgb8_to_lab(RNG.integers(0, 256, (2, 500, 3)))
L1, L2 = REFERENCE[:, 0], SAMPLE[:, 0]
C1, C2 = (np.hypot(lab[:, 1], lab[:, 2]) for lab in (REFERENCE, SAMPLE))
H1 = np.degrees(np.arctan2(REFERENCE[:, 2], REFERENCE[:, 1])) % 360.0
DH_SQUARED = np.maximum(((SAMPLE - REFERENCE)[:, 1:] ** 2).sum(axis=1) - (C1 - C2) ** 2, 0.0)


def test_every_formula_has_a_name_a_definition_and_a_source() -> None:
    assert set(differences(SAMPLE[0], REFERENCE[0])) == {entry.id for entry in FORMULAS}
    assert all(entry.name and entry.definition and entry.source for entry in FORMULAS)
    with pytest.raises(BadInput, match="No difference is called"):
        difference("cie1931", SAMPLE, REFERENCE)
    for wrong in ([1.0, 2.0], [50.0, np.nan, 0.0]):
        with pytest.raises(BadInput, match="three finite numbers"):
            difference("hyab", wrong, REFERENCE[0])


def test_plain_distances() -> None:
    apart = SAMPLE - REFERENCE
    np.testing.assert_allclose(
        difference("cie1976", SAMPLE, REFERENCE), np.linalg.norm(apart, axis=1), rtol=1e-12
    )
    hyab = np.abs(apart[:, 0]) + np.hypot(apart[:, 1], apart[:, 2])
    np.testing.assert_allclose(difference("hyab", SAMPLE, REFERENCE), hyab, rtol=1e-12)


@pytest.mark.parametrize(
    ("formula_id", "k_l", "k1", "k2"),
    [("cie1994_graphic_arts", 1.0, 0.045, 0.015), ("cie1994_textiles", 2.0, 0.048, 0.014)],
)
def test_cie_1994_weights_by_the_reference(
    formula_id: str, k_l: float, k1: float, k2: float
) -> None:
    """CIE 116-1995: S_C = 1 + K1 C*, S_H = 1 + K2 C* with the C* of the standard."""
    expected = np.sqrt(
        ((L1 - L2) / k_l) ** 2
        + ((C1 - C2) / (1.0 + k1 * C1)) ** 2
        + DH_SQUARED / (1.0 + k2 * C1) ** 2
    )
    np.testing.assert_allclose(difference(formula_id, SAMPLE, REFERENCE), expected, rtol=1e-9)


@pytest.mark.parametrize(("formula_id", "l_weight"), [("cmc_2_1", 2.0), ("cmc_1_1", 1.0)])
def test_cmc_weights_by_the_reference(formula_id: str, l_weight: float) -> None:
    """Clarke, McDonald, Rigg 1984, as BS 6923 writes it."""
    s_l = np.where(L1 < 16.0, 0.511, 0.040975 * L1 / (1.0 + 0.01765 * L1))
    s_c = 0.0638 * C1 / (1.0 + 0.0131 * C1) + 0.638
    radians = np.radians(H1)
    t = np.where(
        (H1 >= 164.0) & (H1 <= 345.0),
        0.56 + np.abs(0.2 * np.cos(radians + np.radians(168.0))),
        0.36 + np.abs(0.4 * np.cos(radians + np.radians(35.0))),
    )
    f = np.sqrt(C1**4 / (C1**4 + 1900.0))
    s_h = s_c * (f * t + 1.0 - f)
    expected = np.sqrt(
        ((L1 - L2) / (l_weight * s_l)) ** 2 + ((C1 - C2) / s_c) ** 2 + DH_SQUARED / s_h**2
    )
    np.testing.assert_allclose(difference(formula_id, SAMPLE, REFERENCE), expected, rtol=1e-9)


def cam16_jmh(lab: np.ndarray, adapting: float, background: float, surround: str) -> np.ndarray:
    """J, M and h of one color, written out from Li et al. 2017, Appendix A."""
    to_cone = np.array(
        [
            [0.401288, 0.650173, -0.051461],
            [-0.250268, 1.204414, 0.045854],
            [-0.002079, 0.048952, 0.953127],
        ]
    )
    f, c, n_c = {"average": (1.0, 0.69, 1.0), "dim": (0.9, 0.59, 0.9), "dark": (0.8, 0.525, 0.8)}[
        surround
    ]
    white = 100.0 * np.array([0.3127 / 0.3290, 1.0, 0.3583 / 0.3290])
    degree = f * (1.0 - np.exp((-adapting - 42.0) / 92.0) / 3.6)
    cones_white = to_cone @ white
    gain = degree * white[1] / cones_white + 1.0 - degree
    k = 1.0 / (5.0 * adapting + 1.0)
    f_l = 0.2 * k**4 * 5.0 * adapting + 0.1 * (1.0 - k**4) ** 2 * (5.0 * adapting) ** (1.0 / 3.0)
    n = background / white[1]
    z = 1.48 + np.sqrt(n)
    n_bb = 0.725 * (1.0 / n) ** 0.2

    def compressed(cones: np.ndarray) -> np.ndarray:
        root = (f_l * np.abs(cones) / 100.0) ** 0.42
        return np.sign(cones) * 400.0 * root / (root + 27.13) + 0.1

    r, g, b = compressed(gain * (to_cone @ (100.0 * lab_to_xyz1(lab))))
    r_w, g_w, b_w = compressed(gain * cones_white)
    a_, b_opponent = r - 12.0 * g / 11.0 + b / 11.0, (r + g - 2.0 * b) / 9.0
    h = np.arctan2(b_opponent, a_)
    eccentricity = (np.cos(h + 2.0) + 3.8) / 4.0
    achromatic = (2.0 * r + g + b / 20.0 - 0.305) * n_bb
    achromatic_white = (2.0 * r_w + g_w + b_w / 20.0 - 0.305) * n_bb
    j = 100.0 * (achromatic / achromatic_white) ** (c * z)
    t = 50000.0 / 13.0 * n_c * n_bb * eccentricity * np.hypot(a_, b_opponent)
    t /= r + g + 21.0 * b / 20.0
    chroma = t**0.9 * np.sqrt(j / 100.0) * (1.64 - 0.29**n) ** 0.73
    return np.array([j, chroma * f_l**0.25, h])


@pytest.mark.parametrize(
    "viewing",
    [SRGB_VIEWING, ViewingConditions(60.0, 40.0, "dim"), ViewingConditions(0.5, 10.0, "dark")],
)
def test_cam16_ucs_under_its_viewing_conditions(viewing: ViewingConditions) -> None:
    def ucs(lab: np.ndarray) -> np.ndarray:
        j, m, h = cam16_jmh(
            lab, viewing.adapting_cd_m2, viewing.background_percent, viewing.surround
        )
        lightness = 1.7 * j / (1.0 + 0.007 * j)
        size = np.log(1.0 + 0.0228 * m) / 0.0228
        return np.array([lightness, size * np.cos(h), size * np.sin(h)])

    expected = [
        np.linalg.norm(ucs(sample) - ucs(reference))
        for sample, reference in zip(SAMPLE[:60], REFERENCE[:60], strict=True)
    ]
    found = difference("cam16_ucs", SAMPLE[:60], REFERENCE[:60], viewing)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("white", [100.0, 203.0])
def test_delta_e_itp_is_of_absolute_luminance(white: float) -> None:
    """BT.2100 from XYZ on, by another way through colour-science; BT.2124's 720 and T = Ct / 2."""
    viewing = ViewingConditions(white_cd_m2=white)

    def itp(lab: np.ndarray) -> np.ndarray:
        ictcp = colour.XYZ_to_ICtCp(white * lab_to_xyz1(lab), method="ITU-R BT.2100-2 PQ")
        return ictcp * [1.0, 0.5, 1.0]

    expected = 720.0 * np.linalg.norm(itp(SAMPLE) - itp(REFERENCE), axis=1)
    np.testing.assert_allclose(difference("itp", SAMPLE, REFERENCE, viewing), expected, rtol=1e-5)


def test_delta_e_itp_of_gray_steps() -> None:
    """Grays differ in I alone, which is the PQ code of their luminance (ST 2084)."""

    def pq(luminance: float) -> float:
        y = (luminance / 10_000.0) ** (2610 / 16384)
        return ((3424 / 4096 + 2413 / 128 * y) / (1.0 + 2392 / 128 * y)) ** (2523 / 32)

    grays = [[100.0, 0.0, 0.0], [50.0, 0.0, 0.0]]
    half = 100.0 * ((50.0 + 16.0) / 116.0) ** 3
    expected = 720.0 * (pq(100.0) - pq(half))
    assert abs(float(difference("itp", *grays)) - expected) < 1e-3


def test_a_color_outside_of_bt2020_has_no_delta_e_itp() -> None:
    impossible = [50.0, -128.0, 128.0]
    found = differences(impossible, [[50.0, 0.0, 0.0], [20.0, 10.0, 0.0]])
    assert np.isnan(found["itp"]).all()
    assert np.isfinite(found["hyab"]).all()
    # sRGB's own corners are inside, black included.
    corners = srgb8_to_lab(np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]]))
    assert np.isfinite(difference("itp", corners, corners[::-1])).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"adapting_cd_m2": 0.0},
        {"adapting_cd_m2": float("nan")},
        {"background_percent": 101.0},
        {"surround": "bright"},
        {"white_cd_m2": 0.5},
    ],
)
def test_viewing_conditions_that_cannot_be(wrong: dict) -> None:
    with pytest.raises(BadInput) as caught:
        ViewingConditions(**wrong)
    assert caught.value.field == next(iter(wrong))


@pytest.mark.process
def test_without_matplotlib_no_stand_in_of_it_stays() -> None:
    """diffusers asks importlib whether matplotlib is there, and stumbles over a stand-in."""
    code = (
        "import sys, importlib.util\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'matplotlib':\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "from truehue.core.color.formulas import difference\n"
        "assert 'colour' not in sys.modules\n"
        "print(float(difference('hyab', [50, 3, 4], [40, 0, 0])))\n"
        "assert not [name for name in sys.modules if name.startswith('matplotlib')]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "15.0\n", "")


def test_without_colour_science_it_is_said_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "colour", None)
    assert difference("cie2000", SAMPLE, REFERENCE).shape == (500,)
    with pytest.raises(BadInput, match=r"Install truehue\[app\] to compute differences"):
        difference("hyab", SAMPLE, REFERENCE)


def test_the_documentation_names_every_formula() -> None:
    text = (ROOT / "docs/science/pixels.md").read_text(encoding="utf-8").replace("\\*", "*")
    table = text.partition("### By other formulas")[2].partition("\n\n-")[0]
    assert [entry.name for entry in FORMULAS if entry.name not in table] == []
    assert [entry.source for entry in FORMULAS if entry.source not in table] == []
