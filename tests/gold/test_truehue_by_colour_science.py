"""The rule truehue once more, pixel by pixel, by colour-science and numpy's own percentiles.

Nothing of ours is called but the renderer: no counts, no tables, another CIEDE2000. Objects of one
material, so that telling materials apart is not part of it.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from truehue.core.color.systems import parse_target, system
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.verdict.measure import measure

pytestmark = pytest.mark.slow

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # colour says that plotting is not installed
    import colour


def lab_of(linear1: np.ndarray) -> np.ndarray:
    return np.asarray(colour.XYZ_to_Lab(colour.RGB_to_XYZ(linear1, "sRGB")))


def difference(lab1: np.ndarray, lab2: np.ndarray, half_lightness: bool = False) -> np.ndarray:
    # The textile parameter of colour-science is k_L = 2.
    return np.asarray(colour.delta_E(lab1, lab2, method="CIE 2000", textiles=half_lightness))


def lit_colors(srgb8: np.ndarray, mask: np.ndarray) -> dict[float, np.ndarray]:
    """The lit color in linear sRGB by percentile."""
    pixels = srgb8[mask]
    clipped = (pixels >= 254).any(axis=1)
    if clipped.mean() > 0.8:
        clipped[:] = False
    linear1 = colour.models.eotf_sRGB(pixels[~clipped] / 255.0)
    mean = linear1.mean(axis=0)
    chromatic = mean - mean.mean()
    size = np.linalg.norm(chromatic)
    shade = linear1 @ (chromatic / size) if size > 0.12 * mean.max() else linear1.sum(axis=1)
    result = {}
    for percentile in (70, 85, 93.5):
        # All clipped pixels are brighter than the others, so these are ranked among all.
        level, high = (
            np.percentile(shade, min(p * len(pixels) / len(linear1), 99)) for p in (percentile, 97)
        )
        lit = (shade >= 0.6 * level) & (shade <= high)
        ratio = np.median(linear1[lit] / shade[lit][:, None], axis=0)
        result[percentile] = np.clip(level * ratio, 0, 1)
    return result


def account(lit1: dict[float, np.ndarray], color1: np.ndarray, step: int = 1) -> tuple:
    """Least misfit of a color without rivals, and the percentile of its light."""
    factors = [*np.geomspace(0.45, 1, 33), *np.geomspace(1, 1.4, 15)[1:]][::step]
    accounts = []
    for percentile, dearer in ((70, 0.3), (85, 0.0), (93.5, 2.2)):
        found1, least = lit1[percentile], np.inf
        found_lab = lab_of(found1)
        for factor in factors:
            dimmer = 2.7 * np.log(0.86 / factor) if factor < 0.86 else 0.0
            brighter = 7 * np.log(factor) if factor > 1 else 0.0
            hazes = np.linspace(0, min(0.08, found1.min()), 7)[::step]
            looks = lab_of(np.minimum(factor * color1 + hazes[:, None], 1))
            distance = difference(looks, np.broadcast_to(found_lab, looks.shape), True)
            penalties = (dimmer + brighter) ** 2 + (1.2 * hazes / 0.04) ** 2 + dearer**2
            least = min(least, float(np.sqrt((distance**2 + penalties).min())))
        accounts.append((least, percentile))
    return min(accounts)


def misfit(srgb8: np.ndarray, mask: np.ndarray, asked_srgb8: tuple[int, ...]) -> tuple:
    """Misfit, its lit color in linear sRGB and percentile, and its rival's hex, from the words of the
    rule."""
    lit1 = lit_colors(srgb8, mask)
    target1 = colour.models.eotf_sRGB(np.array(asked_srgb8) / 255.0)
    least, percentile = account(lit1, target1)
    by_hex = {color.hex: color.srgb8 for name in ("l2", "css") for color in system(name).colors}
    names1 = {
        hex_: colour.models.eotf_sRGB(np.array(srgb8) / 255.0) for hex_, srgb8 in by_hex.items()
    }
    away = {hex_: difference(lab_of(one1), lab_of(lit1[85]), True) for hex_, one1 in names1.items()}
    rivals = [
        (account(lit1, names1[hex_], 2)[0], hex_)
        for hex_ in sorted(away, key=lambda hex_: float(away[hex_]))[:24]
        if difference(lab_of(names1[hex_]), lab_of(target1)) >= 10
    ]
    rival, hex_ = min(rivals)
    if rival >= least:
        return least, lit1[percentile], percentile, None
    return float(np.hypot(least, 3 * (least - rival))), lit1[percentile], percentile, hex_


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
    expected, lit1, percentile, rival = misfit(rendering.srgb8, rendering.mask.pixels, target.srgb8)
    assert metric.value == pytest.approx(expected, abs=1e-4)
    assert result.verdict.lab == pytest.approx(tuple(lab_of(lit1)), abs=1e-4)
    assert light_match.percentile == percentile
    assert (result.verdict.rival and result.verdict.rival.hex) == rival
