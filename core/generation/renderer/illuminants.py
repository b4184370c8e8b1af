"""Tinted light before a camera that stays balanced for daylight (D65).

A color in linear sRGB stands for a reflectance: the sum of three spectra, one a channel, which has
that color under D65 (Mallett and Yuksel, "Spectral Primary Decomposition for Rendering with sRGB
Reflectance", Eurographics Symposium on Rendering 2019). Another light weighs the wavelengths
otherwise, so what the camera sees of the reflectance is a matrix times the color. White has Y = 1
in every light, as a light meter sees it; a channel above 1 clips.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

D65 = "D65"
"""The light that every color is given for."""

# Planck's radiator, and CIE daylight (CIE 015:2018, 4.1.2), over 380 to 780 nm in steps of 5 nm with
# the 2 degree observer. tests/gold/test_illuminants.py computes them by colour-science.
ILLUMINANTS: MappingProxyType[str, np.ndarray] = MappingProxyType(
    {
        "blackbody 3000 K": np.array(
            [
                [1.551117, 0.203547, 0.016058],
                [-0.017475, 0.842439, 0.019416],
                [-0.022670, -0.046598, 0.341347],
            ]
        ),
        "daylight 8000 K": np.array(
            [
                [0.929809, -0.031309, 0.003205],
                [0.001783, 1.016385, -0.009832],
                [0.005747, 0.013918, 1.187205],
            ]
        ),
    }
)
"""From linear sRGB under D65 to linear sRGB under the illuminant, float64 ``(3, 3)``."""


def to_illuminant(linear1: np.ndarray, illuminant: str) -> np.ndarray:
    """The colors ``(..., 3)``, linear sRGB under D65, as the camera sees them under an illuminant;
    a channel outside 0 to 1 is one that it cannot hold."""
    if illuminant == D65:
        return linear1
    return np.asarray(linear1 @ ILLUMINANTS[illuminant].T, dtype=linear1.dtype)
