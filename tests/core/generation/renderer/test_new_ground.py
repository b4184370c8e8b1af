"""Tinted lights, metals and patterns: the parts of the renderer that only tests of rules use."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_linear1
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import (
    LIGHTS,
    TINTED_LIGHTS,
    Light,
    RenderRequest,
    SceneObject,
    SceneRequest,
    render,
    render_scene,
)
from truehue.core.generation.renderer.illuminants import to_illuminant
from truehue.core.generation.renderer.two_materials import (
    PATTERNED,
    PATTERNS,
    render_two_materials,
)

COLOR, SIZE = (200, 60, 40), 64


@pytest.mark.parametrize("light", TINTED_LIGHTS)
def test_a_tinted_light_falls_on_everything(light: str) -> None:
    stored = render(RenderRequest("sphere", COLOR, light, 0, SIZE))
    linear1 = (
        stored.shade[..., None] * srgb8_to_linear1(np.array(COLOR)) + stored.highlight[..., None]
    )
    wanted = to_illuminant(linear1, TINTED_LIGHTS[light].illuminant)
    exact = 255.0 * linear1_to_srgb1(np.clip(wanted, 0.0, 1.0))
    assert np.abs(stored.srgb8 - exact).max() < 0.51
    # The stage too: the corner has the light's own color.
    corner = srgb8_to_linear1(stored.srgb8[0, 0])
    white = to_illuminant(np.ones(3), TINTED_LIGHTS[light].illuminant)
    np.testing.assert_allclose(corner / corner[1], white / white[1], rtol=0.05)
    # The same geometry in plain light has the same shade.
    plain = render(
        RenderRequest("sphere", COLOR, {"lamp": "hard", "shade": "overcast"}[light], 0, SIZE)
    )
    np.testing.assert_array_equal(stored.shade, plain.shade)
    scene = render_scene(SceneRequest((SceneObject("sphere", COLOR),), light, 0, SIZE))
    np.testing.assert_array_equal(scene.srgb8, stored.srgb8)


def test_an_unknown_illuminant_is_refused() -> None:
    with pytest.raises(BadInput, match="blackbody 3000 K"):
        Light("A candle.", ambient=1.0, illuminant="candle")


def test_a_metal_mirrors_in_its_own_color() -> None:
    metal, plain = (
        render(RenderRequest("sphere", COLOR, "studio", 0, SIZE, metal)) for metal in (True, False)
    )
    assert "metal" in metal.mask.parameters
    assert "metal" not in plain.mask.parameters
    inside = metal.mask.pixels
    np.testing.assert_array_equal(inside, plain.mask.pixels)
    # Its highlight is not white: it has the color, and is brighter than any matte surface.
    assert metal.shade[inside].max() > 1.0 >= plain.shade[inside].max()
    middle = inside & (metal.shade > np.percentile(metal.shade[inside], 90))
    assert (metal.highlight[middle] < 0.05 * metal.shade[middle]).mean() > 0.5
    # It mirrors the sky above and the darker floor below: shade varies more than a matte one's.
    assert metal.shade[inside].std() > plain.shade[inside].std()
    # Toward the rim, where the ray grazes the surface, it goes to white.
    white = metal.highlight[inside] / (metal.shade + metal.highlight)[inside]
    assert white.min() < 0.001
    assert white.max() > 0.2


def test_an_even_metal_shows_its_color() -> None:
    """Where the same light comes from everywhere, a mirror shows it everywhere."""
    stored = render(RenderRequest("sphere", COLOR, "even", 0, SIZE, metal=True))
    inside = stored.mask.pixels
    np.testing.assert_allclose((stored.shade + stored.highlight)[inside], 1.0, atol=1e-4)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_takes_less_than_the_target_color(pattern: str) -> None:
    for name in ("cube", "torus", "chair"):
        drawn = render_two_materials(name, COLOR, (47, 111, 192), "even", 1, SIZE, pattern)
        share = drawn.second.sum() / (drawn.second | drawn.asked).sum()
        assert 0.1 < share < 0.42, name
        assert (drawn.srgb8[drawn.asked] == COLOR).all()


def test_what_has_no_pattern_is_refused() -> None:
    with pytest.raises(BadInput, match="no 'car' with dots"):
        render_two_materials("car", COLOR, COLOR, "even", 0, SIZE, "dots")
    with pytest.raises(BadInput, match="stripes, dots"):
        render_two_materials("mug", COLOR, COLOR, "even", 0, SIZE, "checks")
    assert not set(TINTED_LIGHTS) & set(LIGHTS)
    assert {"cube", "torus", "chair"} < set(PATTERNED)
