"""Pictures of one to four objects, each with its own color and its own exact mask."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any

import numpy as np

from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.errors import BadInput
from truehue.core.generation.renderer.checks import (
    RENDERER_VERSION,
    check_color,
    check_object,
    check_size_and_seed,
    checked_light,
)
from truehue.core.generation.renderer.encode import linear1_to_srgb8
from truehue.core.generation.renderer.layout import scene_view
from truehue.core.generation.renderer.light import Light
from truehue.core.generation.renderer.shapes import Array
from truehue.core.generation.renderer.trace import Watch, trace, unwatched
from truehue.core.images.pixels import Mask

MOST_OBJECTS = 4
WHITE = (255, 255, 255)

_KEPT = 4


@dataclass(frozen=True)
class SceneObject:
    """A shape of :data:`OBJECTS`, and its albedo as the sRGB color that it has in full light."""

    shape: str
    albedo_srgb8: tuple[int, int, int]


@dataclass(frozen=True)
class SceneRequest:
    """What to draw: one to four objects.

    ``light`` is a name of :data:`LIGHTS` or a light of one's own; ``seed`` chooses places, turns,
    sizes, viewpoint, light direction and backdrop; the picture is a square of ``size_px``.
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
    """A picture with what is known about it; one mask and one shade an object, in their order.

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
_buffers: OrderedDict[_Key, _SceneBuffer] = OrderedDict()
_lock = Lock()


def render_scene(request: SceneRequest, watch: Watch = unwatched) -> SceneRendering:
    """Draws the picture; the same request gives the same bytes.

    Objects are drawn about equally large, whatever their sizes in the world, and never touch. The
    mask of each takes at least 2% of the picture, with four objects 1% (LEAST_SHARES in layout).
    They throw shadows on each other, but no light: no object takes a tint from its neighbor, as in
    the world it would. One object alone is the picture of ``render``.

    What does not depend on the colors is kept for the last four scenes. ``watch`` is called
    between pieces of the work with the share that is done, 0 to 1; what it raises ends the drawing
    and leaves nothing behind.

    Raises BadInput for no object or more than four, an unknown object or light, a color outside
    0..255, a size outside 64..2048 or a seed below 0.
    """
    light = _checked(request)
    names = tuple(item.shape for item in request.objects)
    buffer = _buffer((names, light, int(request.seed), int(request.size_px)), watch)
    size = (request.size_px, request.size_px)
    pixels = _colored(buffer, request).reshape(*size, 3)
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
    """What the kept scenes take in memory."""
    with _lock:
        return sum(array.nbytes for buffer in _buffers.values() for array in buffer.arrays)


def forget_scenes() -> None:
    """Gives the memory of the kept scenes back."""
    with _lock:
        _buffers.clear()


def _buffer(key: _Key, watch: Watch) -> _SceneBuffer:
    with _lock:
        if key in _buffers:
            _buffers.move_to_end(key)
            return _buffers[key]
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
    with _lock:
        _buffers[key] = buffer
        while len(_buffers) > _KEPT:
            _buffers.popitem(last=False)
    return buffer


def _colored(buffer: _SceneBuffer, request: SceneRequest) -> Array:
    """The finished pixels, uint8 ``(H · W, 3)``."""
    tint = _linear1(request.stage_tint_srgb8)
    if request.stage_tint_srgb8 == WHITE:
        srgb8 = np.repeat(buffer.rest_srgb8[:, None], 3, axis=1)
    else:
        srgb8 = linear1_to_srgb8(buffer.added[:, None] + buffer.stage[:, None] * (tint - 1.0))
    touched = buffer.touched
    linear1 = np.zeros((touched.size, 3), np.float32)
    for item, shade in zip(request.objects, buffer.shades, strict=True):
        linear1 += shade.take(touched)[:, None] * _linear1(item.albedo_srgb8)
    linear1 += buffer.added.take(touched)[:, None]
    if request.stage_tint_srgb8 != WHITE:
        linear1 += buffer.stage.take(touched)[:, None] * (tint - 1.0)
    srgb8[touched] = linear1_to_srgb8(linear1)
    return srgb8


def _linear1(srgb8: Sequence[int]) -> Array:
    return srgb8_to_linear1(np.array(srgb8)).astype(np.float32)


def _checked(request: SceneRequest) -> Light:
    """The light of a scene that can be drawn; raises BadInput otherwise."""
    if not 1 <= len(request.objects) <= MOST_OBJECTS:
        raise BadInput(f"A scene has one to {MOST_OBJECTS} objects, not {len(request.objects)}.")
    for item in request.objects:
        check_object(item.shape)
        check_color(item.albedo_srgb8)
    check_color(request.stage_tint_srgb8)
    check_size_and_seed(request.size_px, request.seed)
    return checked_light(request.light)
