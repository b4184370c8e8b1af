"""Images of one to four objects, each with its own color and its own exact mask."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.errors import BadInput
from truehue.core.files import ignore_progress
from truehue.core.generation.renderer.camera import (
    DARKEST_BACKDROP_LINEAR1,
    Viewpoint,
    frame_scene,
    view,
)
from truehue.core.generation.renderer.checks import (
    RENDERER_VERSION,
    check_color,
    check_object,
    check_size_and_seed,
    checked_light,
    develop,
    linear1_to_srgb8,
)
from truehue.core.generation.renderer.illuminants import D65
from truehue.core.generation.renderer.light import BRIGHTEST_BACKDROP_LINEAR1, Light
from truehue.core.generation.renderer.objects import MODELS
from truehue.core.generation.renderer.scene import PlacedShape, Scene
from truehue.core.generation.renderer.shapes import Array
from truehue.core.generation.renderer.trace import Watch, target_shares, trace
from truehue.core.images.pixels import Mask

_SIZE = 0.62
_TRIES = 24
_LOOK_PX = 96
# What is aimed at is more than what is promised: the coarse look counts the mixed edges too, and
# not every choice of objects can be arranged so.
_WANTED_SHARE, _WANTED_UNHIDDEN = 0.03, 0.8


@lru_cache(maxsize=16)
def scene_view(names: tuple[str, ...], seed: int) -> Viewpoint:
    """The view of several objects that belongs to ``seed``; the names are known.

    One object alone is seen as ``view`` sees it. Several are drawn about equally large, whatever
    their sizes in the world. Of up to 24 seeded arrangements, the later ones with less overlap
    in the image, the first is taken in which every object is seen well enough, or
    else the one whose worst seen object is seen best. The last 16 are kept: all lights and sizes
    share them.
    """
    if len(names) == 1:
        return view(names[0], seed)
    chance = np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])
    best: tuple[float, Viewpoint] | None = None
    sizes = [1.0] * len(names)
    for number in range(_TRIES):
        closeness = min(1.0, 2.0 * (1.0 - number / _TRIES))
        viewpoint = _arranged(names, chance, sizes, closeness)
        shares, unhidden = target_shares(viewpoint, _LOOK_PX)
        worst = min(min(shares) / _WANTED_SHARE, min(unhidden) / _WANTED_UNHIDDEN)
        if best is None or worst > best[0]:
            best = worst, viewpoint
        if worst >= 1.0:
            break
        if number == 0:
            # Thin and flat objects take less of their outline's box: they may be drawn larger.
            mean = float(np.mean(shares))
            sizes = [float(np.clip(np.sqrt(mean / max(s, 1e-4)), 0.85, 1.35)) for s in shares]
    assert best is not None
    return best[1]


def _arranged(
    names: Sequence[str], chance: np.random.Generator, sizes: Sequence[float], closeness: float
) -> Viewpoint:
    """One arrangement; with ``closeness`` 1 objects may overlap in the image, with 0 hardly."""

    def between(low: float, high: float) -> float:
        return low + (high - low) * float(chance.random())

    models = [MODELS[name] for name in names]
    middle = float(np.mean([sum(model.elevation_deg) / 2 for model in models]))
    # Two rows are seen from higher up, so that the near one does not hide the far one.
    low_deg = 16.0 if len(names) == 2 else 24.0
    elevation_deg = float(np.clip(middle + between(-3.0, 4.0), low_deg, 36.0))
    order = chance.permutation(len(names))
    # Neighbors stand alternately nearer and farther, the more the more of them there are.
    step = (0.10, 0.36, 0.40)[len(names) - 2] * between(0.85, 1.15)
    first = 1.0 if chance.random() < 0.5 else -1.0
    placed: list[PlacedShape | None] = [None] * len(names)
    boxes: list[tuple[float, float, float, float]] = []
    for index, number in enumerate(order):
        yaw_deg = between(*models[number].yaw_deg)
        alone = PlacedShape(models[number], yaw_deg=yaw_deg).corners()
        low, high = alone.min(axis=0), alone.max(axis=0)
        tilt = np.deg2rad(elevation_deg)
        tall = high[2] * np.cos(tilt) + (high[1] - low[1]) * np.sin(tilt)
        scale = (
            _SIZE * sizes[number] * between(0.92, 1.1) / float(np.sqrt((high[0] - low[0]) * tall))
        )
        y = first * (-1.0) ** index * step + between(-0.05, 0.05)
        near, far = y + scale * low[1], y + scale * high[1]
        gap, least = between(0.04, 0.12), between(0.50, 0.66)
        left = 0.0
        for _, right, other_near, other_far in boxes:
            # Behind one another objects may overlap in the image; else they stand beside.
            behind = near > other_far + 0.04 or far < other_near - 0.04
            width = scale * (high[0] - low[0])
            back = closeness * (1.0 - least) * width if behind else -gap
            left = max(left, right - back)
        x = left - scale * low[0]
        boxes.append((left, left + scale * (high[0] - low[0]), near, far))
        placed[number] = PlacedShape(models[number], int(number), yaw_deg, x, y, scale)
    # The middle of the row goes to the middle of the stage.
    shift = -boxes[-1][1] / 2
    scene = Scene(
        [
            PlacedShape(
                item.model, item.object_id, item.yaw_deg, item.x + shift, item.y, item.scale
            )
            for item in placed
            if item is not None
        ]
    )
    camera = frame_scene(
        scene,
        azimuth_deg=between(-8.0, 8.0),
        elevation_deg=elevation_deg,
        fill=between(0.62, 0.68),
        widest=0.90,
        tallest=0.72,
    )
    return Viewpoint(
        scene=scene,
        camera=camera,
        light_turn_deg=between(-14.0, 14.0),
        backdrop_linear1=between(DARKEST_BACKDROP_LINEAR1, BRIGHTEST_BACKDROP_LINEAR1),
    )


MAX_OBJECTS = 4
WHITE = (255, 255, 255)

_KEPT = 4


@dataclass(frozen=True)
class SceneObject:
    """A shape of :data:`OBJECTS`, and its albedo as the sRGB color that it has in full light."""

    shape: str
    albedo_srgb8: tuple[int, int, int]


@dataclass(frozen=True)
class SceneRequest:
    """The request of a scene: one to four objects.

    ``light`` is a name of :data:`LIGHTS` or a light of one's own; ``seed`` chooses places, turns,
    sizes, viewpoint, light direction and backdrop; the image is a square of ``size_px``.
    ``stage_tint_srgb8`` is a filter on floor and backdrop: their gray light times this color's
    linear values. White leaves them gray.
    """

    objects: tuple[SceneObject, ...]
    light: str | Light = "studio"
    seed: int = 0
    size_px: int = 1024
    stage_tint_srgb8: tuple[int, int, int] = WHITE

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON, with the renderer's version."""
        return {
            "renderer_version": RENDERER_VERSION,
            "objects": [
                {"shape": item.shape, "albedo_srgb8": [int(v) for v in item.albedo_srgb8]}
                for item in self.objects
            ],
            "light": self.light if isinstance(self.light, str) else asdict(self.light),
            "seed": int(self.seed),
            "size_px": int(self.size_px),
            "stage_tint_srgb8": [int(v) for v in self.stage_tint_srgb8],
        }


@dataclass(frozen=True)
class SceneRendering:
    """An image with what is known about it; one mask and one shade an object, in their order.

    ``srgb8`` uint8 ``(H, W, 3)``. A mask is True where every sample of the pixel belongs to that
    object's asked material; masks never meet. ``shades`` and ``highlight``, float32 ``(H, W)``,
    read-only: linear light is the sum of ``shade × albedo`` over the objects, plus ``highlight``,
    in every pixel of an untinted scene. Inside a mask only that object's shade is above 0, and the
    highlight is the mirror reflection of the light.
    """

    srgb8: np.ndarray
    masks: tuple[Mask, ...]
    shades: tuple[np.ndarray, ...]
    highlight: np.ndarray
    request: SceneRequest


@dataclass(frozen=True)
class _SceneBuffer:
    """All of a scene that does not depend on colors; as GBuffer, with a shade an object.

    ``stage`` float32 ``(H · W,)`` is what floor and backdrop add.
    """

    shades: tuple[Array, ...]
    added: Array
    stage: Array
    masks: tuple[Array, ...]
    touched: Array
    rest_srgb8: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        return *self.shades, self.added, self.stage, *self.masks, self.touched, self.rest_srgb8


_Key = tuple[tuple[str, ...], Light, int, int]
_buffers: LruCache[_SceneBuffer] = LruCache(_KEPT)


def render_scene(request: SceneRequest, watch: Watch = ignore_progress) -> SceneRendering:
    """Render the image; the same request gives the same bytes.

    Objects are drawn about equally large, whatever their sizes in the world, and never touch. The
    exact mask of each takes at least 2% of an image from 256 pixels upward, with four objects 1%;
    at least 60% of what would be seen of it alone stays in sight behind the others. They throw
    shadows on each other, but no light: no object takes a tint from its neighbor, as in the world
    it would. One object alone is the image of ``render``.

    What does not depend on the colors is kept for the last four scenes. ``watch`` is called
    between pieces of the work with the share that is done, 0 to 1; what it raises ends the drawing
    and leaves nothing behind.

    Raises BadInput for no object or more than four, an unknown object or light, a color outside
    0..255, a size outside 64..2048 or a seed below 0.
    """
    light = _checked(request)
    names = tuple(item.shape for item in request.objects)
    key = (names, light, int(request.seed), int(request.size_px))
    buffer = _buffers.get(key, lambda: _buffer(key, watch))
    size = (request.size_px, request.size_px)
    pixels = _colored(buffer, request, light).reshape(*size, 3)
    parameters = request.as_json()
    masks = tuple(
        Mask(mask.reshape(size), maker="renderer", parameters={**parameters, "object": number})
        for number, mask in enumerate(buffer.masks)
    )
    return SceneRendering(
        srgb8=pixels,
        masks=masks,
        shades=tuple(shade.reshape(size) for shade in buffer.shades),
        highlight=buffer.added.reshape(size),
        request=request,
    )


def saved_bytes() -> int:
    """The memory that the cached scenes take."""
    return sum(array.nbytes for buffer in _buffers.answers() for array in buffer.arrays)


def forget_scenes() -> None:
    """Gives the memory of the kept scenes back."""
    _buffers.clear()


def _buffer(key: _Key, watch: Watch) -> _SceneBuffer:
    names, light, seed, size_px = key
    watch(0.0)
    traced = trace(scene_view(names, seed), light, seed, size_px, watch)
    buffer = _SceneBuffer(
        shades=traced.shades,
        added=traced.added,
        stage=traced.stage,
        masks=traced.masks,
        touched=np.flatnonzero(np.max(traced.shades, axis=0) > 0.0),
        rest_srgb8=linear1_to_srgb8(traced.added),
    )
    for array in buffer.arrays:
        array.flags.writeable = False
    return buffer


def _colored(buffer: _SceneBuffer, request: SceneRequest, light: Light) -> Array:
    """The finished pixels, uint8 ``(H · W, 3)``."""
    tint = _linear1(request.stage_tint_srgb8)
    touched = buffer.touched
    if light.illuminant != D65:  # then nothing is gray
        touched = np.arange(buffer.added.size)
    if request.stage_tint_srgb8 == WHITE:
        srgb8 = np.repeat(buffer.rest_srgb8[:, None], 3, axis=1)
    else:
        srgb8 = linear1_to_srgb8(buffer.added[:, None] + buffer.stage[:, None] * (tint - 1.0))
    linear1 = np.zeros((touched.size, 3), np.float32)
    for item, shade in zip(request.objects, buffer.shades, strict=True):
        linear1 += shade.take(touched)[:, None] * _linear1(item.albedo_srgb8)
    linear1 += buffer.added.take(touched)[:, None]
    if request.stage_tint_srgb8 != WHITE:
        linear1 += buffer.stage.take(touched)[:, None] * (tint - 1.0)
    srgb8[touched] = develop(linear1, light)
    return srgb8


def _linear1(srgb8: Sequence[int]) -> Array:
    return srgb8_to_linear1(np.array(srgb8)).astype(np.float32)


def _checked(request: SceneRequest) -> Light:
    """The light of a scene that can be drawn; raises BadInput otherwise."""
    if not 1 <= len(request.objects) <= MAX_OBJECTS:
        raise BadInput(f"A scene has one to {MAX_OBJECTS} objects, not {len(request.objects)}.")
    for item in request.objects:
        check_object(item.shape)
        check_color(item.albedo_srgb8)
    check_color(request.stage_tint_srgb8)
    check_size_and_seed(request.size_px, request.seed)
    return checked_light(request.light)
