"""The reference renderer against the physics and the exactness that it promises."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from scipy import ndimage

from truehue.core.cache import LruCache
from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_linear1
from truehue.core.errors import BadInput
from truehue.core.generation import renderer
from truehue.core.generation.renderer import (
    LIGHTS,
    OBJECTS,
    Light,
    Rendering,
    RenderRequest,
    render,
    trace,
)
from truehue.core.generation.renderer.camera import view
from truehue.core.generation.renderer.checks import linear1_to_srgb8
from truehue.core.generation.renderer.light import exposure
from truehue.core.generation.renderer.scenes import scene_view
from truehue.core.generation.renderer.trace import gbuffer

pytestmark = pytest.mark.slow

SIZE = 64
EVERY = [(name, light) for light in LIGHTS for name in OBJECTS]
# Every object under one of the lights, and every light over several objects; the rest at night.
EACH = [
    (name, light)
    for index, light in enumerate(LIGHTS)
    for name in OBJECTS
    if (OBJECTS.index(name) + index) % len(LIGHTS) == 0
]


@pytest.fixture(scope="module", autouse=True)
def all_kept() -> Iterator[None]:
    """All G-buffers are kept and not the last six: one of a view and a light serves all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(renderer, "gbuffer", cache(gbuffer.__wrapped__))
        patch.setattr(trace, "_open_maps", LruCache(1000))
        yield


def drawn(
    name: str, albedo: tuple[int, int, int], light: str | Light = "studio", seed: int = 0
) -> Rendering:
    return render(RenderRequest(name, albedo, light, seed, SIZE))


@cache
def each(name: str, light: str) -> Rendering:
    """One picture of every object under every light, in some color, shared by many tests."""
    chance = np.random.default_rng([7, OBJECTS.index(name), list(LIGHTS).index(light)])
    red, green, blue = (int(v) for v in chance.integers(0, 256, 3))
    return drawn(name, (red, green, blue), light)


@cache
def fine(name: str) -> Rendering:
    """Every object four times finer than the others."""
    return render(RenderRequest(name, (90, 90, 90), "even", 11, 4 * SIZE))


def predicted(rendering: Rendering) -> np.ndarray:
    """The picture before rounding, float64 ``(H, W, 3)`` 0 to 255, from its own maps."""
    albedo = srgb8_to_linear1(np.array(rendering.request.albedo_srgb8))
    light = rendering.shade[..., None].astype(float) * albedo + rendering.highlight[..., None]
    return 255.0 * linear1_to_srgb1(np.clip(light, 0.0, 1.0))


@pytest.mark.parametrize(
    ("name", "light"),
    [
        item if item in EACH else pytest.param(*item, marks=pytest.mark.nightly, id="-".join(item))
        for item in EVERY
    ],
)
def test_each_object_under_each_light(name: str, light: str) -> None:
    stored = each(name, light)
    assert stored.srgb8.shape == (SIZE, SIZE, 3)
    assert stored.srgb8.dtype == np.uint8
    assert stored.mask.pixels.shape == (SIZE, SIZE)
    assert stored.mask.pixels.dtype == bool
    assert 5.0 < stored.mask.area_percent < 70.0
    assert stored.shade.min() >= 0.0
    assert stored.shade.max() <= 1.0
    assert stored.highlight.min() >= 0.0
    assert np.isfinite(stored.highlight).all()
    # A well exposed object: no light is so dim that its brightest surface is lost.
    assert np.percentile(stored.shade[stored.mask.pixels], 99) > 0.5


@pytest.mark.parametrize("light", [light for light in LIGHTS if light != "even"])
def test_no_shade_is_cut_off_at_one(light: str) -> None:
    """The exposure leaves room by itself: a pixel at exactly 1 would be a clipped one."""
    for name, index in EACH:
        assert index != light or (each(name, light).shade < 1.0).all(), name


def test_pixels_are_shade_times_albedo_plus_highlight() -> None:
    for name, light in EACH:
        stored = each(name, light)
        off = np.abs(stored.srgb8 - predicted(stored))
        # The maps are float32: a value on a border may round either way.
        assert off.max() < 0.5005, (name, light)


def test_even_light_shows_exactly_the_albedo() -> None:
    for name in OBJECTS:
        for albedo in ((255, 255, 255), (0, 0, 0), (1, 128, 254)):
            stored = drawn(name, albedo, "even", seed=1)
            inside = stored.srgb8[stored.mask.pixels]
            assert (inside == np.array(albedo, dtype=np.uint8)).all()
            assert (stored.shade[stored.mask.pixels] == 1.0).all()
            assert (stored.highlight[stored.mask.pixels] == 0.0).all()


def test_floor_and_backdrop_are_exactly_neutral() -> None:
    for name, light in EACH:
        stored = each(name, light)
        outside = stored.srgb8[stored.shade == 0.0]
        assert len(outside) > 0.2 * SIZE * SIZE
        assert (outside == outside[:, :1]).all(), (name, light)
        assert outside.max() < 255


def test_the_floor_darkens_under_the_object() -> None:
    """A contact shadow, in every light, even in the even one."""
    for name, light in EACH:
        stored = each(name, light)
        floor = (stored.shade == 0.0).nonzero()
        gray = stored.srgb8[..., 0].astype(float)
        low = floor[0] > SIZE * 0.4
        lit = np.percentile(gray[floor][low], 90)
        assert gray[floor][low].min() < lit - 12, (name, light)


@pytest.mark.parametrize("name", OBJECTS)
def test_the_mask_is_exact(name: str) -> None:
    white = drawn(name, (255, 255, 255), "overcast")
    black = drawn(name, (0, 0, 0), "overcast")
    np.testing.assert_array_equal(white.mask.pixels, black.mask.pixels)
    inside = white.mask.pixels
    changed = (white.srgb8 != black.srgb8).any(axis=-1)
    assert changed[inside].all()
    # In the overcast light nothing shines: what stays under a black albedo is another material.
    assert (black.srgb8[inside] == 0).all()
    # What changes outside is an edge: part asked material, part something else that stays.
    mixed = changed & ~inside
    assert 0 < mixed.sum() < inside.sum()
    assert (black.srgb8[mixed] > 0).mean() > 0.95


@pytest.mark.parametrize("name", OBJECTS)
def test_the_mask_agrees_with_a_finer_picture(name: str) -> None:
    """Four times finer, every pixel of the mask lies on the object, and hardly one is missing."""
    coarse = drawn(name, (90, 90, 90), "even", 11)
    on_object = (fine(name).shade > 0.0).reshape(SIZE, 4, SIZE, 4).mean(axis=(1, 3))
    whole = fine(name).mask.pixels.reshape(SIZE, 4, SIZE, 4).all(axis=(1, 3))
    inside = coarse.mask.pixels
    assert on_object[inside].min() > 0.9
    assert (inside | ~whole).all()
    # In even light the shade is the share of the eight samples that met the asked material.
    np.testing.assert_array_equal(coarse.shade * 8, np.round(coarse.shade * 8))
    assert np.abs(coarse.shade - on_object).mean() < 0.01


# Of how many pieces the exact mask may be, from 256 pixels: a part in front may cut it.
PIECES = {"book": 2, "car": 3, "chair": 3, "hat": 2}


@pytest.mark.parametrize("name", OBJECTS)
def test_no_object_breaks_into_pieces(name: str) -> None:
    labels, count = ndimage.label(fine(name).mask.pixels, np.ones((3, 3)))
    areas = np.bincount(labels.ravel())[1:]
    assert (areas > 12).sum() <= PIECES.get(name, 1), areas
    assert areas.max() > 0.5 * areas.sum()
    # No speckles: a hole of a pixel or two would be a ray that slipped through.
    assert count - (areas > 12).sum() <= 6
    holes, count = ndimage.label(fine(name).shade == 0.0, np.ones((3, 3)))
    assert (np.bincount(holes.ravel())[1:] > 3).all()


def test_the_pages_of_the_book_are_no_part_of_the_asked_color() -> None:
    dark, light = drawn("book", (0, 0, 0), "even"), drawn("book", (255, 255, 255), "even")
    pages = (dark.srgb8 == light.srgb8).all(axis=-1) & (dark.srgb8[..., 0] > 228)
    assert pages.sum() > 60
    assert not pages[dark.mask.pixels].any()


def test_the_same_request_gives_the_same_bytes() -> None:
    first = drawn("mug", (20, 130, 110), "window", seed=5)
    renderer.gbuffer.cache_clear()
    again = drawn("mug", (20, 130, 110), "window", seed=5)
    assert first.srgb8.tobytes() == again.srgb8.tobytes()
    assert first.mask.content_sha256 == again.mask.content_sha256


def test_a_view_drawn_in_another_light_before_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    images = []
    for lights in (["window"], ["even", "hard", "window"]):
        monkeypatch.setattr(trace, "_open_maps", LruCache(8))
        renderer.gbuffer.cache_clear()
        images.append([drawn("torus", (20, 130, 110), light, 8) for light in lights][-1])
    assert images[0].srgb8.tobytes() == images[1].srgb8.tobytes()


@pytest.mark.parametrize("name", OBJECTS)
def test_seeds_are_visibly_different(name: str) -> None:
    images = [drawn(name, (90, 120, 60), "even", seed).srgb8.astype(int) for seed in range(2)]
    assert np.abs(images[0] - images[1]).mean() > 2.0


def test_the_frame_does_not_depend_on_the_size() -> None:
    small = render(RenderRequest("mug", (9, 9, 9), "even", 4, 64)).mask.area_percent
    large = render(RenderRequest("mug", (9, 9, 9), "even", 4, 256)).mask.area_percent
    assert small < large < small + 3.0  # A larger share of a small picture are mixed edges.


def test_the_object_fills_about_half_of_the_frame_and_is_whole() -> None:
    for name in OBJECTS:
        for seed in range(2):
            mask = drawn(name, (9, 9, 9), "even", seed).mask.pixels
            rows, columns = mask.any(axis=1), mask.any(axis=0)
            assert not rows[[0, -1]].any()
            assert not columns[[0, -1]].any()
            assert 0.40 < max(rows.sum(), columns.sum()) / SIZE < 0.75, (name, seed)


def test_a_light_of_ones_own() -> None:
    lamp = Light(
        "From the right.", ambient=0.1, key_azimuth_deg=80, key_strength=1.0, gloss_strength=0.5
    )
    stored = drawn("sphere", (128, 128, 128), lamp)
    json.dumps(stored.mask.parameters)
    assert exposure(lamp) > 0
    columns = np.arange(SIZE)[None, :] + np.zeros((SIZE, 1))
    inside = stored.mask.pixels
    left = stored.shade[inside & (columns < SIZE * 0.4)].mean()
    right = stored.shade[inside & (columns > SIZE * 0.6)].mean()
    assert right > 2 * left


def test_parameters_hold_the_request_as_plain_json() -> None:
    stored = drawn("cube", (1, 2, 3), "hard", seed=9)
    assert stored.mask.maker == "renderer"
    assert json.loads(json.dumps(stored.mask.parameters)) == {
        "renderer_version": "1.0",
        "object_name": "cube",
        "albedo_srgb8": [1, 2, 3],
        "light": "hard",
        "seed": 9,
        "size_px": SIZE,
    }


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (RenderRequest("anvil", (1, 2, 3)), "sphere, cube"),
        (RenderRequest("cube", (1, 2, 3), "disco"), "even, overcast"),
        (RenderRequest("cube", (1, 2, 3), 5), "name of a light"),  # type: ignore[arg-type]
        (RenderRequest("cube", (1, 2, 256)), "0 to 255"),
        (RenderRequest("cube", (-1, 2, 3)), "0 to 255"),
        (RenderRequest("cube", (1, 2)), "three"),  # type: ignore[arg-type]
        (RenderRequest("cube", (1.5, 2, 3)), "whole"),  # type: ignore[arg-type]
        (RenderRequest("cube", (1, 2, 3), size_px=63), "64 to 2048"),
        (RenderRequest("cube", (1, 2, 3), size_px=2049), "64 to 2048"),
        (RenderRequest("cube", (1, 2, 3), seed=-1), "from 0"),
    ],
)
def test_what_cannot_be_drawn_is_said(request_: RenderRequest, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        render(request_)


@pytest.mark.parametrize(
    "numbers",
    [
        {"ambient": 0.0},
        {"ambient": -1.0, "key_strength": 2.0},
        {"ambient": float("nan")},
        {"ambient": 1.0, "softness_deg": 0.0},
        {"ambient": 1.0, "occlusion": 1.5},
    ],
)
def test_a_light_that_cannot_be_is_refused(numbers: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="light"):
        Light("Impossible.", **numbers)


def test_encoding_rounds_exactly() -> None:
    """Against the double-precision formula, on a fine ramp and beside every border."""
    borders = srgb8_to_linear1(np.arange(256))
    ramp = np.concatenate([np.linspace(-0.1, 1.1, 500_001), borders, borders + 1e-6])
    values = ramp.astype(np.float32)
    exact = 255.0 * linear1_to_srgb1(np.clip(values.astype(float), 0.0, 1.0))
    assert np.abs(linear1_to_srgb8(values) - exact).max() < 0.5001
    np.testing.assert_array_equal(
        linear1_to_srgb8(borders.astype(np.float32)), np.arange(256, dtype=np.uint8)
    )


def test_distances_are_never_overstated() -> None:
    """Stepping by the distance must not jump through a surface: the slope is at most 1."""
    chance = np.random.default_rng(3)
    for name in OBJECTS:
        scene = view(name, 0).scene
        a = chance.uniform(-1.0, 1.2, (3, 20_000)).astype(np.float32)
        b = a + chance.normal(0.0, 0.05, a.shape).astype(np.float32)
        apart = np.linalg.norm(a - b, axis=0)
        change = np.abs(scene.distance(*a) - scene.distance(*b))
        assert (change <= apart * 1.03 + 1e-4).mean() > 0.999, name


@pytest.mark.parametrize("objects", [("teapot",), ("apple", "mug", "book")])
def test_rays_see_the_same_whatever_is_followed_with_them(objects: tuple[str, ...]) -> None:
    """A ray is followed until its set is thinned out: the sets' borders must not wander."""
    chance = np.random.default_rng(5)
    seen = scene_view(objects, 1).scene if len(objects) > 1 else view(objects[0], 0).scene
    ways = chance.normal(0.0, 1.0, (5, 3))
    directions = [tuple(map(float, way)) for way in ways / np.linalg.norm(ways, axis=1)[:, None]]
    origins = [
        tuple(chance.uniform(-1.0, 1.2, (3, count)).astype(np.float32))
        for count in (2000, 0, 300, 1, 5000)
    ]
    together = list(seen.visibilities(origins, directions, 0.2))
    for points, direction, share in zip(origins, directions, together, strict=True):
        alone = seen.visibility(points, direction, 0.2)
        assert alone.tobytes() == share.tobytes()
    assert 0.0 < np.concatenate(together).mean() < 1.0


@pytest.mark.process
def test_importing_loads_nothing_heavy_and_says_nothing() -> None:
    code = (
        "import sys, truehue.core.generation.registry\n"
        "heavy = ('scipy', 'cv2', 'PIL', 'torch', 'gradio', 'duckdb', 'matplotlib')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""
