"""The simulation of color vision deficiency against the authors' table, as colour-science has it."""

from __future__ import annotations

import sys
import warnings

import colour
import numpy as np
import pytest

from truehue.core.color.spaces import linear1_to_srgb1, srgb1_to_linear1
from truehue.core.color.vision import (
    DEFICIENCIES,
    deficiency_name,
    simulate,
    simulation_matrix,
)
from truehue.core.errors import BadInput

ANOMALIES = {"protan": "Protanomaly", "deutan": "Deuteranomaly", "tritan": "Tritanomaly"}


def judge(deficiency: str, severity: float) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that tritan is an approximation
        return np.asarray(colour.matrix_cvd_Machado2009(ANOMALIES[deficiency], severity))


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_every_published_matrix(deficiency: str) -> None:
    for tenths in range(11):
        found = simulation_matrix(deficiency, tenths / 10)
        np.testing.assert_allclose(found, judge(deficiency, tenths / 10), rtol=0, atol=1e-12)
        # Neutrals stay neutral, so the page's grays do too.
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=2e-6)
    between = (judge(deficiency, 0.3) + judge(deficiency, 0.4)) / 2.0
    np.testing.assert_allclose(simulation_matrix(deficiency, 0.35), between, rtol=0, atol=1e-12)


def test_protanopia_is_the_matrix_of_the_paper() -> None:
    """The authors' page, severity 1.0."""
    published = [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
    np.testing.assert_allclose(simulation_matrix("protan"), published, rtol=0, atol=1e-12)


def test_colors_are_simulated_in_linear_light() -> None:
    srgb8 = np.random.default_rng(20261129).integers(0, 256, (20, 30, 3)).astype(np.uint8)
    for deficiency in DEFICIENCIES:
        seen = srgb1_to_linear1(srgb8 / 255.0) @ judge(deficiency, 0.6).T
        expected = np.rint(255.0 * linear1_to_srgb1(np.clip(seen, 0.0, 1.0)))
        found = simulate(srgb8, deficiency, 0.6)
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(simulate(srgb8, deficiency, 0.0), srgb8)
    grays = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    np.testing.assert_array_equal(simulate(grays, "deutan"), grays)


def test_names_and_what_cannot_be_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    assert deficiency_name("deutan") == "deuteranopia"
    assert deficiency_name("protan", 0.6) == "protanomaly"
    with pytest.raises(BadInput, match="protan, deutan, tritan"):
        simulation_matrix("mono")
    for severity in (-0.1, 1.1, float("nan")):
        with pytest.raises(BadInput, match="0 to 1"):
            simulation_matrix("protan", severity)
    monkeypatch.setitem(sys.modules, "colour", None)
    with pytest.raises(BadInput, match=r"Install truehue\[app\] to simulate color vision"):
        simulation_matrix("protan")
