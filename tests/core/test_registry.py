"""The list of generators, and drawing through it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.errors import BadInput
from core.generation import registry
from core.generation.registry import GenerationRequest, generate
from core.generation.renderer import RENDERER_VERSION, RenderRequest, render

REQUEST = GenerationRequest("reference-renderer", "sphere", (200, 30, 60), "window", 3, 64)


def test_the_renderer_is_listed_and_needs_nothing() -> None:
    entry = registry.model("reference-renderer")
    assert entry.name == "Reference renderer (no weights)"
    assert entry.needs == ()
    assert entry in registry.MODELS


def test_every_entry_is_complete_and_can_draw() -> None:
    ids = [entry.id for entry in registry.MODELS]
    assert len(set(ids)) == len(ids)
    assert set(registry._DRAW) == set(ids)
    for entry in registry.MODELS:
        assert entry.name
        assert entry.license
        assert entry.note


def test_an_unknown_model_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="reference-renderer"):
        registry.model("flux")
    with pytest.raises(BadInput, match="flux"):
        generate(GenerationRequest("flux", "sphere", (1, 2, 3)))


def test_the_image_is_the_renderers_own() -> None:
    image = generate(REQUEST)
    own = render(RenderRequest("sphere", (200, 30, 60), "window", 3, 64))
    np.testing.assert_array_equal(image.srgb8, own.srgb8)
    assert image.mask is not None
    np.testing.assert_array_equal(image.mask.pixels, own.mask.pixels)


def test_the_origin_draws_the_image_again() -> None:
    image = generate(REQUEST)
    origin = json.loads(json.dumps(image.origin))
    assert origin == image.origin
    assert origin["renderer_version"] == RENDERER_VERSION
    again = generate(
        GenerationRequest(
            origin["model_id"],
            origin["object_name"],
            tuple(origin["albedo_srgb8"]),
            origin["light"],
            origin["seed"],
            origin["size_px"],
        )
    )
    np.testing.assert_array_equal(again.srgb8, image.srgb8)


def test_what_the_renderer_cannot_draw_is_said() -> None:
    with pytest.raises(BadInput, match="mug"):
        generate(GenerationRequest("reference-renderer", "unicorn", (1, 2, 3)))
