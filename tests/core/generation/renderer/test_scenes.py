"""Scenes of several objects: a plane, a color and an exact mask for each of them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_linear1
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import (
    OBJECTS,
    RenderRequest,
    SceneObject,
    SceneRendering,
    SceneRequest,
    render,
    render_scene,
)
from truehue.core.generation.renderer.scenes import (
    forget_scenes,
    saved_bytes,
    scene_view,
)
from truehue.core.generation.renderer.trace import target_shares

pytestmark = pytest.mark.slow

SIZE = 64
MIN_SHARES = {2: 0.02, 3: 0.02, 4: 0.01}
"""The exact mask of every object takes at least this share of an image of so many objects."""
MIN_VISIBLE_SHARE = 0.6
"""At least this part of what would be seen of an object alone stays in sight behind the others."""
COLORS = ((200, 50, 45), (40, 90, 190), (230, 190, 50), (12, 150, 80))
SCENES = [
    (("mug", "cube"), "studio", 1),
    (("car", "banana"), "hard", 2),
    (("chair", "apple", "book"), "window", 3),
    (("hat", "teddy bear", "torus"), "overcast", 4),
    (("vase", "teapot", "sphere", "cylinder"), "even", 5),
]


def asked(
    names: tuple[str, ...], light: str, seed: int, size_px: int = SIZE, first: int = 0
) -> SceneRequest:
    colors = COLORS[first:] + COLORS[:first]
    objects = tuple(SceneObject(n, c) for n, c in zip(names, colors, strict=False))
    return SceneRequest(objects, light, seed, size_px)


@cache
def drawn(number: int) -> SceneRendering:
    return render_scene(asked(*SCENES[number]))


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_pixels_are_shades_times_albedos_plus_highlight(number: int) -> None:
    stored = drawn(number)
    light = np.repeat(stored.highlight[..., None].astype(float), 3, axis=-1)
    for item, shade in zip(stored.request.objects, stored.shades, strict=True):
        light += shade[..., None] * srgb8_to_linear1(np.array(item.albedo_srgb8))
    predicted = 255.0 * linear1_to_srgb1(np.clip(light, 0.0, 1.0))
    assert np.abs(stored.srgb8 - predicted).max() < 0.5005


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_a_mask_holds_one_object_alone(number: int) -> None:
    stored = drawn(number)
    masks = np.stack([mask.pixels for mask in stored.masks])
    assert masks.sum(axis=0).max() == 1
    for index, (item, mask) in enumerate(zip(stored.request.objects, stored.masks, strict=True)):
        inside = mask.pixels
        assert inside.sum() > 0.008 * SIZE * SIZE
        others = [shade for other, shade in enumerate(stored.shades) if other != index]
        assert all((shade[inside] == 0.0).all() for shade in others)
        # Exactly this object's plane times its own albedo, plus the highlight.
        albedo = srgb8_to_linear1(np.array(item.albedo_srgb8))
        light = stored.shades[index][inside][:, None].astype(float) * albedo
        light += stored.highlight[inside][:, None]
        predicted = 255.0 * linear1_to_srgb1(np.clip(light, 0.0, 1.0))
        assert np.abs(stored.srgb8[inside] - predicted).max() < 0.5005
        assert json.loads(json.dumps(mask.parameters))["object"] == index


def test_even_light_shows_every_albedo_exactly() -> None:
    stored = drawn(4)
    for item, mask in zip(stored.request.objects, stored.masks, strict=True):
        assert (stored.srgb8[mask.pixels] == np.array(item.albedo_srgb8)).all()


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_a_new_color_changes_the_pixels_of_its_object_only(number: int) -> None:
    before = drawn(number)
    for index in range(len(before.request.objects)):
        objects = list(before.request.objects)
        objects[index] = SceneObject(objects[index].shape, (255, 255, 255))
        request = before.request
        after = render_scene(SceneRequest(tuple(objects), request.light, request.seed, SIZE))
        changed = (before.srgb8 != after.srgb8).any(axis=-1)
        assert changed[before.masks[index].pixels].all()
        assert not changed[before.shades[index] == 0.0].any()
        for other, mask in enumerate(before.masks):
            assert other == index or not changed[mask.pixels].any()


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_object_is_seen_well(count: int) -> None:
    """In random choices of shapes; the exact masks of the worst of them are checked too."""
    chance = np.random.default_rng(count)
    worst: tuple[float, tuple[str, ...], int] = (1.0, (), 0)
    for seed in range(5 - count):
        names = tuple(str(name) for name in chance.choice(OBJECTS, count))
        shares, unhidden = target_shares(scene_view(names, seed), 64)
        assert min(unhidden) >= MIN_VISIBLE_SHARE, (names, seed)
        worst = min(worst, (min(shares), names, seed))
    scene_rendering = render_scene(asked(worst[1], "even", worst[2], 128))
    for mask in scene_rendering.masks:
        assert mask.area_percent >= 100.0 * MIN_SHARES[count], worst
        rows, columns = mask.pixels.any(axis=1), mask.pixels.any(axis=0)
        assert not rows[[0, -1]].any()
        assert not columns[[0, -1]].any()


@pytest.mark.parametrize("seed", [2, pytest.param(4, marks=pytest.mark.nightly)])
def test_objects_stand_apart(seed: int) -> None:
    """No point lies inside, or nearly inside, two objects."""
    scene = scene_view(("car", "chair", "teapot", "hat"), seed).scene
    points = np.random.default_rng(seed).uniform(scene.low, scene.high, (20_000, 3))
    x, y, z = points.astype(np.float32).T
    near = np.sum([solo.distance(x, y, z) < 0.01 for solo in scene.solos], axis=0)
    assert near.max() == 1


@pytest.mark.parametrize("name", OBJECTS)
def test_one_object_alone_is_the_picture_of_render(name: str) -> None:
    light = "hard" if name in ("mug", "hat", "car") else "even"
    alone = render(RenderRequest(name, COLORS[1], light, 3, 64))
    scene = render_scene(asked((name,), light, 3, 64, first=1))
    assert scene.srgb8.tobytes() == alone.srgb8.tobytes()
    assert scene.masks[0].content_sha256 == alone.mask.content_sha256


def test_a_tinted_stage_leaves_the_masks_as_they_are() -> None:
    plain = drawn(0)
    request = plain.request
    tinted = render_scene(
        SceneRequest(request.objects, request.light, request.seed, SIZE, (255, 200, 190))
    )
    changed = (plain.srgb8 != tinted.srgb8).any(axis=-1)
    for mask in plain.masks:
        assert not changed[mask.pixels].any()
    stage = np.max(plain.shades, axis=0) == 0.0
    assert (tinted.srgb8[stage][:, 0] > tinted.srgb8[stage][:, 2]).all()
    linear = srgb8_to_linear1(np.array((255, 200, 190)))
    predicted = linear1_to_srgb1(plain.highlight[stage][:, None].astype(float) * linear) * 255
    assert np.abs(tinted.srgb8[stage] - predicted).max() < 0.5005


@pytest.mark.process
def test_the_same_request_gives_the_same_bytes_here_and_in_another_process() -> None:
    names, light, seed = ("mug", "cube"), "window", 3
    first = render_scene(asked(names, light, seed, 96)).srgb8.tobytes()
    forget_scenes()
    assert saved_bytes() == 0
    assert render_scene(asked(names, light, seed, 96)).srgb8.tobytes() == first
    assert saved_bytes() > 96 * 96 * 3 * 4
    items = list(zip(names, COLORS, strict=False))
    code = (
        "import hashlib\n"
        "from truehue.core.generation.renderer import SceneObject, SceneRequest, render_scene\n"
        f"objects = tuple(SceneObject(*item) for item in {items})\n"
        f"drawn = render_scene(SceneRequest(objects, {light!r}, {seed}, 96))\n"
        "print(hashlib.sha256(drawn.srgb8.tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hashlib.sha256(first).hexdigest()


def test_a_watch_sees_the_work_and_can_end_it() -> None:
    class Enough(Exception):
        pass

    shares: list[float] = []

    def watch(share: float) -> None:
        shares.append(share)
        if share > 0.3:
            raise Enough

    forget_scenes()
    request = asked(("mug", "hat"), "studio", 17, 128)
    with pytest.raises(Enough):
        render_scene(request, watch)
    assert 0.3 < shares[-1] < 0.7
    assert saved_bytes() == 0
    shares.clear()
    render_scene(request, shares.append)
    assert max(shares) == pytest.approx(1.0)
    # Kept now: drawn again in another color, nothing is left to watch.
    shares.clear()
    render_scene(asked(("mug", "hat"), "studio", 17, 128, first=2), shares.append)
    assert shares == []


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (SceneRequest(()), "one to 4"),
        (SceneRequest((SceneObject("cube", (1, 2, 3)),) * 5), "one to 4"),
        (SceneRequest((SceneObject("anvil", (1, 2, 3)),)), "sphere, cube"),
        (SceneRequest((SceneObject("cube", (1, 2, 300)),)), "0 to 255"),
        (SceneRequest((SceneObject("cube", (1, 2, 3)),), "disco"), "even, overcast"),
        (SceneRequest((SceneObject("cube", (1, 2, 3)),), size_px=8), "64 to 2048"),
        (SceneRequest((SceneObject("cube", (1, 2, 3)),), seed=-3), "from 0"),
        (SceneRequest((SceneObject("cube", (1, 2, 3)),), stage_tint_srgb8=(0, 0, -1)), "0 to 255"),
    ],
)
def test_what_cannot_be_drawn_is_said(request_: SceneRequest, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        render_scene(request_)
