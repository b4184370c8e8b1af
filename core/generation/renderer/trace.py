"""Light along rays: what every pixel receives, before any color is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from truehue.core.generation.renderer import stage
from truehue.core.generation.renderer.encode import linear1_to_srgb8, srgb8_step_linear1
from truehue.core.generation.renderer.light import Light
from truehue.core.generation.renderer.scene import Points, Scene
from truehue.core.generation.renderer.shade import Shader
from truehue.core.generation.renderer.shapes import Array
from truehue.core.generation.renderer.stage import Viewpoint, view

STAGE = np.int8(-1)

_MARCH_STEPS = 200
_HIT = 4e-4
# Eight rooks: no two samples share a row or a column of the pixel.
_OFFSETS = tuple(
    ((k + 0.5) / 8.0, (row + 0.5) / 8.0) for k, row in enumerate((4, 1, 6, 3, 0, 7, 2, 5))
)
# Neighbors whose preview (about sRGB, 0 to 1) differs by more get the extra samples too.
_CONTRAST = 0.035

Watch = Callable[[float], None]
"""Called between pieces of the work with the share that is done, 0 to 1; what it raises ends it."""


def unwatched(share: float) -> None:
    """The watch of a drawing that nobody waits for."""


@dataclass(frozen=True)
class TracedScene:
    """All of a picture that does not depend on the asked colors, as flat arrays ``(H · W,)``.

    Linear light is the sum over the objects of ``shade × albedo``, plus ``added``. ``shades``
    float32, one an object, 0 to 1; ``added`` float32, 0 upward, of which ``stage`` is the floor's
    and the backdrop's share; ``masks`` bool, one an object: every sample of the pixel lies on its
    asked material.
    """

    shades: tuple[Array, ...]
    added: Array
    stage: Array
    masks: tuple[Array, ...]


@dataclass(frozen=True)
class _Samples:
    """What rays met: the part (or STAGE), the object whose asked material it is (or -1), and shade
    and added light as in Traced."""

    label: Array
    asked: Array
    shade: Array
    added: Array

    def shade_of(self, number: int) -> Array:
        """The shade where the asked material of that object was met, elsewhere 0."""
        return np.where(self.asked == number, self.shade, np.float32(0.0))

    def stage(self) -> Array:
        """The added light where the stage was met, elsewhere 0."""
        return np.where(self.label == STAGE, self.added, np.float32(0.0))


def trace(
    seen: Viewpoint, light: Light, seed: int, size_px: int, watch: Watch = unwatched
) -> TracedScene:
    """Follows the rays of a square picture; ``seed`` is that of the gray's grain."""
    shader = Shader(seen.scene, light, seen.light_turn_deg, seen.backdrop_linear1)
    rows, columns = np.divmod(np.arange(size_px * size_px, dtype=np.int64), size_px)
    first = _sample(
        seen, shader, columns + 0.5, rows + 0.5, size_px, lambda share: watch(0.6 * share)
    )
    numbers = range(len(seen.scene.placed))
    shades = [first.shade_of(number) for number in numbers]
    masks = [first.asked == number for number in numbers]
    added, on_stage = first.added, first.stage()
    edge = np.flatnonzero(_edges(first, size_px))
    if edge.size:
        # All extra samples in one go, the eight of a pixel side by side.
        du, dv = np.array(_OFFSETS).T
        count = len(du)
        more = _sample(
            seen,
            shader,
            (columns[edge][:, None] + du).ravel(),
            (rows[edge][:, None] + dv).ravel(),
            size_px,
            lambda share: watch(0.6 + 0.4 * share),
        )
        for number in numbers:
            shades[number][edge] = more.shade_of(number).reshape(-1, count).mean(axis=1)
            masks[number][edge] &= (more.asked == number).reshape(-1, count).all(axis=1)
        added[edge] = more.added.reshape(-1, count).mean(axis=1)
        on_stage[edge] = more.stage().reshape(-1, count).mean(axis=1)

    # Half a step of grain on the gray keeps its slow gradients from falling into bands; the asked
    # materials stay as computed.
    gray = np.flatnonzero(np.max(shades, axis=0) == 0.0)
    grain = np.random.default_rng(seed).random(gray.size, dtype=np.float32) - np.float32(0.5)
    smooth = added[gray]
    grainy = np.maximum(smooth + grain * srgb8_step_linear1(smooth), 0.0)
    on_stage[gray] = np.where(on_stage[gray] == smooth, grainy, on_stage[gray])
    added[gray] = grainy
    return TracedScene(tuple(shades), added, on_stage, tuple(masks))


def target_shares(seen: Viewpoint, size_px: int) -> tuple[list[float], list[float]]:
    """Of every object, the picture's share that its asked material takes, and the part of it that
    is not hidden behind another object, both 0 to 1, from one ray a pixel.
    """
    rows, columns = np.divmod(np.arange(size_px * size_px), size_px)
    indices = [((v + 0.5) / size_px).astype(np.float32) for v in (columns, rows)]
    rays = seen.camera.rays(*indices)
    ways = [_march(seen.camera.position, solo, rays) for solo in seen.scene.solos]
    nearest = np.min(ways, axis=0)
    shares, unhidden = [], []
    for solo, t in zip(seen.scene.solos, ways, strict=True):
        met = np.flatnonzero(np.isfinite(t))
        part = solo.nearest_part(*_points(seen.camera.position, _pick(rays, met), t[met]))
        object_mask = met[_is_target(solo)[part]]
        count = int(np.count_nonzero(t[object_mask] <= nearest[object_mask]))
        shares.append(count / len(t))
        unhidden.append(count / max(object_mask.size, 1))
    return shares, unhidden


def _is_target(scene: Scene) -> Array:
    return np.array([part.albedo_linear1 is None for part in scene.parts])


def _edges(samples: _Samples, size_px: int) -> Array:
    """Pixels that differ from a neighbor in part or, visibly, in light; bool ``(H · W,)``."""
    label = samples.label.reshape(size_px, size_px)
    preview = np.sqrt(samples.shade * np.float32(0.5) + samples.added).reshape(label.shape)
    edge = np.zeros(label.shape, dtype=bool)
    full, first, last = slice(None), slice(None, -1), slice(1, None)
    for a, b in (
        ((first, full), (last, full)),
        ((full, first), (full, last)),
        ((first, first), (last, last)),
        ((first, last), (last, first)),
    ):
        differs = label[a] != label[b]
        differs |= np.abs(preview[a] - preview[b]) > _CONTRAST
        edge[a] |= differs
        edge[b] |= differs
    return edge.ravel()


def _sample(
    seen: Viewpoint, shader: Shader, columns: Array, rows: Array, size_px: int, watch: Watch
) -> _Samples:
    """Light along the rays through picture positions given in pixels, ``(N,)``."""
    count = columns.size
    camera, scene = seen.camera, seen.scene
    limit = scene.rays_at_once
    result = _Samples(
        label=np.full(count, STAGE),
        asked=np.full(count, np.int8(-1)),
        shade=np.zeros(count, np.float32),
        added=np.empty(count, np.float32),
    )
    rays = camera.rays((columns / size_px).astype(np.float32), (rows / size_px).astype(np.float32))
    t, met = np.full(count, np.inf, np.float32), np.zeros(count, np.int8)
    for number, solo in enumerate(scene.solos):
        for piece in _pieces(np.arange(count), limit):
            reach = _march(camera.position, solo, _pick(rays, piece))
            nearer = reach < t[piece]
            t[piece[nearer]], met[piece[nearer]] = reach[nearer], number
            watch(0.0)
    for piece in _pieces(np.flatnonzero(np.isinf(t)), limit):
        floor, normals = stage.hit(camera.position, _pick(rays, piece))
        result.added[piece] = shader.stage(floor, normals) * seen.backdrop_linear1
        watch(0.0)
    hit = np.isfinite(t)
    total, done, before = max(int(np.count_nonzero(hit)), 1), 0, 0
    for number, solo in enumerate(scene.solos):
        fixed = np.array([part.albedo_linear1 or 0.0 for part in solo.parts], np.float32)
        gloss = np.array([part.gloss for part in solo.parts], np.float32)
        for piece in _pieces(np.flatnonzero(hit & (met == number)), limit):
            way = _pick(rays, piece)
            points = _points(camera.position, way, t[piece])
            part = solo.nearest_part(*points)
            object_mask = _is_target(solo)[part]
            to_eye = (-way[0], -way[1], -way[2])
            shade, mirror = shader.surface(points, solo.normal(*points), to_eye)
            result.label[piece] = part + np.int8(before)
            result.asked[piece] = np.where(object_mask, np.int8(number), np.int8(-1))
            result.shade[piece] = np.where(object_mask, shade, 0.0)
            result.added[piece] = shade * fixed[part] + mirror * gloss[part]
            done += piece.size
            watch(done / total)
        before += len(solo.parts)
    return result


def _points(position: Array, way: Points, t: Array) -> Points:
    x, y, z = (np.float32(p) + t * d for p, d in zip(position, way, strict=True))
    return x, y, z


def _pieces(index: Array, size: int) -> list[Array]:
    return [index[begin : begin + size] for begin in range(0, index.size, size)]


def _pick(points: Points, index: Array) -> Points:
    x, y, z = (p[index] for p in points)
    return x, y, z


def _march(position: Array, scene: Scene, rays: Points) -> Array:
    """Distance along each ray to a scene of one object, float32, infinite where it misses."""
    origin = [np.float32(v) for v in position]
    result = np.full(rays[0].shape, np.inf, dtype=np.float32)
    near = np.zeros_like(result)
    far = np.full_like(result, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for p, d, low, high in zip(origin, rays, scene.low, scene.high, strict=True):
            a, b = (np.float32(low) - p) / d, (np.float32(high) - p) / d
            near = np.fmax(near, np.fmin(a, b))
            far = np.fmin(far, np.fmax(a, b))
    active = np.flatnonzero(near < far)
    t, far = near[active], far[active]
    dx, dy, dz = _pick(rays, active)
    for _ in range(_MARCH_STEPS):
        if active.size == 0:
            break
        h = scene.distance(origin[0] + dx * t, origin[1] + dy * t, origin[2] + dz * t)
        hit = h < _HIT
        t = t + h
        result[active[hit]] = t[hit]
        going = ~hit & (t < far)
        if np.count_nonzero(going) < 0.8 * going.size:
            active, t, far = active[going], t[going], far[going]
            dx, dy, dz = dx[going], dy[going], dz[going]
    return result


@dataclass(frozen=True)
class GBuffer:
    """One view of one object under one light.

    Linear light is ``shade × albedo + added`` in every pixel, anti-aliased edges included.
    ``shade`` float32 ``(H, W)``, 0 to 1: the asked material's share of the light (0 where there is
    none). ``added`` float32 ``(H, W)``, 0 upward: everything else, which is the highlight inside
    the mask, and floor, backdrop and fixed materials outside. ``mask`` bool ``(H, W)``: every
    sample of the pixel lies on the asked material. ``touched`` are flat indices of the pixels with
    ``shade`` above 0, ``rest_srgb8`` uint8 ``(H, W)`` the finished gray of all others. The arrays
    are shared and read-only.
    """

    shade: Array
    added: Array
    mask: Array
    touched: Array
    rest_srgb8: Array


@lru_cache(maxsize=6)
def gbuffer(object_name: str, light: Light, seed: int, size_px: int) -> GBuffer:
    """The G-buffer of a square picture; kept for the last six calls."""
    traced = trace(view(object_name, seed), light, seed, size_px)
    square = size_px, size_px
    result = GBuffer(
        shade=traced.shades[0].reshape(square),
        added=traced.added.reshape(square),
        mask=traced.masks[0].reshape(square),
        touched=np.flatnonzero(traced.shades[0] > 0.0),
        rest_srgb8=linear1_to_srgb8(traced.added).reshape(square),
    )
    for array in vars(result).values():
        array.flags.writeable = False
    return result
