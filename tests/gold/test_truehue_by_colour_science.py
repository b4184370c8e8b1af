"""The rule truehue once more, pixel by pixel, by colour-science and numpy's own percentiles.

Nothing of ours is called but the renderer: no counts, no tables, another CIEDE2000. Objects of one
material, so that telling materials apart is not part of it.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from truehue.core.color.systems import parse_target
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.verdict.measure import measure

pytestmark = pytest.mark.slow

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # colour says that plotting is not installed
    import colour


def lab_of(linear1: np.ndarray) -> np.ndarray:
    return np.asarray(colour.XYZ_to_Lab(colour.RGB_to_XYZ(linear1, "sRGB")))


def misfit(srgb8: np.ndarray, mask: np.ndarray, asked_srgb8: tuple[int, ...]) -> tuple:
    """Least misfit, its lit color in linear sRGB and percentile, from the words of the rule."""
    pixels = srgb8[mask]
    clipped = (pixels >= 254).any(axis=1)
    if clipped.mean() > 0.8:
        clipped[:] = False
    linear1 = colour.models.eotf_sRGB(pixels[~clipped] / 255.0)
    mean = linear1.mean(axis=0)
    chromatic = mean - mean.mean()
    size = np.linalg.norm(chromatic)
    shade = linear1 @ (chromatic / size) if size > 0.12 * mean.max() else linear1.sum(axis=1)
    target = colour.models.eotf_sRGB(np.array(asked_srgb8) / 255.0)
    accounts = []
    for percentile, dearer in ((70, 0.5), (85, 0.0), (93.5, 2.0)):
        # All clipped pixels are brighter than the others, so these are ranked among all.
        level, high = (
            np.percentile(shade, min(p * len(pixels) / len(linear1), 99)) for p in (percentile, 97)
        )
        lit = (shade >= 0.6 * level) & (shade <= high)
        result = np.clip(level * np.median(linear1[lit] / shade[lit][:, None], axis=0), 0, 1)
        found_lab, least = lab_of(result), np.inf
        for factor in (*np.geomspace(0.45, 1, 33), *np.geomspace(1, 1.4, 15)):
            dimmer = 7 * np.log(0.93 / factor) if factor < 0.93 else 0.0
            brighter = 40 * np.log(factor) if factor > 1 else 0.0
            hazes = np.linspace(0, min(0.08, result.min()), 7)
            looks = lab_of(np.minimum(factor * target + hazes[:, None], 1))
            distance = colour.delta_E(looks, found_lab, method="CIE 2000")
            squares = distance**2 + (dimmer + brighter) ** 2 + (3 * hazes / 0.04) ** 2 + dearer**2
            least = min(least, float(np.sqrt(squares.min())))
        accounts.append((least, result, percentile))
    return min(accounts, key=lambda account: account[0])


@pytest.mark.parametrize("light", ["overcast", "hard"])
@pytest.mark.parametrize(
    ("name", "sample", "requested"),
    [
        ("mug", "css:rebeccapurple", "css:rebeccapurple"),
        ("sphere", "l2:gray", "l2:gray"),
        ("apple", "l2:olive", "l2:olive brown"),
        ("chair", "l2:yellow", "l2:orange yellow"),
        ("vase", "css:white", "css:snow"),
    ],
)
def test_misfit_and_lit_color(name: str, sample: str, requested: str, light: str) -> None:
    color, target = parse_target(sample), parse_target(requested)
    rendering = render(RenderRequest(name, color.srgb8, light=light, seed=4, size_px=64))
    result = measure(rendering.srgb8, rendering.mask.pixels, target, "truehue")
    metric = result.verdict.metric("misfit")
    light_match = result.verdict.light
    assert metric is not None
    assert light_match is not None
    least, lit1, percentile = misfit(rendering.srgb8, rendering.mask.pixels, target.srgb8)
    assert metric.value == pytest.approx(least, abs=1e-4)
    assert result.verdict.lab == pytest.approx(tuple(lab_of(lit1)), abs=1e-4)
    assert light_match.percentile == percentile
