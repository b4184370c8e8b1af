"""The rule truehue once more, pixel by pixel, by colour-science and numpy's own percentiles.

Nothing of ours is called but the renderer: no counts, no tables, another CIEDE2000. Objects of one
material, so that telling materials apart is not part of it.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from core.color.systems import parse_target
from core.generation.renderer import RenderRequest, render
from core.pipeline import measure

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # colour says that plotting is not installed
    import colour


def lab_of(linear1: np.ndarray) -> np.ndarray:
    return np.asarray(colour.XYZ_to_Lab(colour.RGB_to_XYZ(linear1, "sRGB")))


def misfit(srgb8: np.ndarray, mask: np.ndarray, asked_srgb8: tuple[int, ...]) -> tuple:
    """Least misfit, lit color in linear sRGB and contrast, from the words of the rule."""
    linear1 = colour.models.eotf_sRGB(srgb8[mask] / 255.0)
    mean = linear1.mean(axis=0)
    chromatic = mean - mean.mean()
    size = np.linalg.norm(chromatic)
    shade = linear1 @ (chromatic / size) if size > 0.12 * mean.max() else linear1.sum(axis=1)
    low, high = np.percentile(shade, [90, 97])
    level = np.median(shade[(shade >= low) & (shade <= high)])
    lit = (shade >= 0.6 * level) & (shade <= high)
    found = np.clip(level * np.median(linear1[lit] / shade[lit][:, None], axis=0), 0, 1)
    lightness = lab_of(linear1)[:, 0]
    dark, light = colour.colorimetry.luminance_CIE1976(np.percentile(lightness, [10, 95]))
    contrast = dark / light
    asked = colour.models.eotf_sRGB(np.array(asked_srgb8) / 255.0)
    room = 0.6 + 0.4 * (1 - contrast)
    found_lab, least = lab_of(found), np.inf
    for factor in (*np.geomspace(0.45, 1, 33), *np.geomspace(1, 1.4, 15)):
        dimmer = 9 / room * np.log(0.93 / factor) if factor < 0.93 else 0.0
        brighter = 40 * np.log(factor) if factor > 1 else 0.0
        for haze in np.linspace(0, min(0.08, found.min()), 7):
            look = lab_of(np.minimum(factor * asked + haze, 1))
            distance = float(colour.delta_E(look, found_lab, method="CIE 2000"))
            least = min(least, float(np.sqrt(distance**2 + (dimmer + brighter) ** 2
                                             + (3 * haze / 0.04) ** 2)))  # fmt: skip
    return least, found, contrast


@pytest.mark.parametrize("light", ["overcast", "hard"])
@pytest.mark.parametrize(
    ("name", "drawn", "asked"),
    [
        ("mug", "css:rebeccapurple", "css:rebeccapurple"),
        ("sphere", "l2:gray", "l2:gray"),
        ("apple", "l2:olive", "l2:olive brown"),
        ("chair", "l2:yellow", "l2:orange yellow"),
        ("vase", "css:white", "css:snow"),
    ],
)
def test_misfit_and_lit_color(name: str, drawn: str, asked: str, light: str) -> None:
    color, target = parse_target(drawn), parse_target(asked)
    picture = render(RenderRequest(name, color.srgb8, light=light, seed=4, size_px=96))
    found = measure(picture.srgb8, picture.mask.pixels, target, "truehue")
    metric = found.verdict.metric("misfit")
    light_match = found.verdict.light
    assert metric is not None
    assert light_match is not None
    least, lit1, contrast = misfit(picture.srgb8, picture.mask.pixels, target.srgb8)
    assert metric.value == pytest.approx(least, abs=1e-4)
    assert found.verdict.lab == pytest.approx(tuple(lab_of(lit1)), abs=1e-4)
    assert light_match.contrast == pytest.approx(contrast, abs=1e-4)
