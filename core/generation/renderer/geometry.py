"""The G-buffer: all of a picture that does not depend on the asked color, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.generation.renderer import stage
from core.generation.renderer.encode import linear1_to_srgb8, srgb8_step_linear1
from core.generation.renderer.light import Light
from core.generation.renderer.scene import Points
from core.generation.renderer.shade import Shader
from core.generation.renderer.shapes import Array
from core.generation.renderer.view import View, view

STAGE = np.int8(-1)

# Small enough for the processor's cache: numpy is several times faster on such pieces.
_PIECE = 32768
_MARCH_STEPS = 200
_HIT = 4e-4
# Eight rooks: no two samples share a row or a column of the pixel.
_OFFSETS = tuple(
    ((k + 0.5) / 8.0, (row + 0.5) / 8.0) for k, row in enumerate((4, 1, 6, 3, 0, 7, 2, 5))
)
# Neighbors whose preview (about sRGB, 0 to 1) differs by more get the extra samples too.
_CONTRAST = 0.035


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


@dataclass(frozen=True)
class _Samples:
    """What rays met: the part (or STAGE), and shade and added light as in GBuffer."""

    label: Array
    shade: Array
    added: Array


@lru_cache(maxsize=6)
def gbuffer(object_name: str, light: Light, seed: int, size_px: int) -> GBuffer:
    """The G-buffer of a square picture; kept for the last six calls."""
    seen = view(object_name, seed)
    shader = Shader(seen.scene, light, seen.light_turn_deg, seen.backdrop_linear1)
    rows, columns = np.divmod(np.arange(size_px * size_px, dtype=np.int64), size_px)
    first = _sample(seen, shader, columns + 0.5, rows + 0.5, size_px)
    asked = np.array([part.albedo_linear1 is None for part in seen.scene.parts] + [False])

    mask = asked[first.label]
    edge = np.flatnonzero(_edges(first, size_px))
    shade, added = first.shade, first.added
    if edge.size:
        # All extra samples in one go, the eight of a pixel side by side.
        du, dv = np.array(_OFFSETS).T
        more = _sample(
            seen,
            shader,
            (columns[edge][:, None] + du).ravel(),
            (rows[edge][:, None] + dv).ravel(),
            size_px,
        )
        shade[edge] = more.shade.reshape(-1, len(du)).mean(axis=1)
        added[edge] = more.added.reshape(-1, len(du)).mean(axis=1)
        mask[edge] &= asked[more.label].reshape(-1, len(du)).all(axis=1)

    # Half a step of grain on the gray keeps its slow gradients from falling into bands; the asked
    # material stays as computed.
    gray = np.flatnonzero(shade == 0.0)
    grain = np.random.default_rng(seed).random(gray.size, dtype=np.float32) - np.float32(0.5)
    added[gray] = np.maximum(added[gray] + grain * srgb8_step_linear1(added[gray]), 0.0)

    result = GBuffer(
        shade=shade.reshape(size_px, size_px),
        added=added.reshape(size_px, size_px),
        mask=mask.reshape(size_px, size_px),
        touched=np.flatnonzero(shade > 0.0),
        rest_srgb8=linear1_to_srgb8(added).reshape(size_px, size_px),
    )
    for array in vars(result).values():
        array.flags.writeable = False
    return result


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


def _sample(seen: View, shader: Shader, columns: Array, rows: Array, size_px: int) -> _Samples:
    """Light along the rays through picture positions given in pixels, ``(N,)``."""
    count = columns.size
    camera, scene = seen.camera, seen.scene
    result = _Samples(
        label=np.full(count, STAGE),
        shade=np.zeros(count, np.float32),
        added=np.empty(count, np.float32),
    )
    rays = camera.rays((columns / size_px).astype(np.float32), (rows / size_px).astype(np.float32))
    t = np.empty(count, np.float32)
    for piece in _pieces(np.arange(count)):
        t[piece] = _march(seen, _pick(rays, piece))
    for piece in _pieces(np.flatnonzero(np.isinf(t))):
        points, normals = stage.hit(camera.position, _pick(rays, piece))
        result.added[piece] = shader.stage(points, normals) * seen.backdrop_linear1
    for piece in _pieces(np.flatnonzero(np.isfinite(t))):
        way = _pick(rays, piece)
        x, y, z = (np.float32(p) + t[piece] * d for p, d in zip(camera.position, way, strict=True))
        number = scene.nearest_part(x, y, z)
        fixed = np.array([part.albedo_linear1 or 0.0 for part in scene.parts], np.float32)[number]
        asked = np.array([part.albedo_linear1 is None for part in scene.parts])[number]
        gloss = np.array([part.gloss for part in scene.parts], np.float32)[number]
        to_eye = (-way[0], -way[1], -way[2])
        shade, mirror = shader.surface((x, y, z), scene.normal(x, y, z), to_eye)
        result.label[piece] = number
        result.shade[piece] = np.where(asked, shade, 0.0)
        result.added[piece] = shade * fixed + mirror * gloss
    return result


def _pieces(index: Array) -> list[Array]:
    return [index[begin : begin + _PIECE] for begin in range(0, index.size, _PIECE)]


def _pick(points: Points, index: Array) -> Points:
    x, y, z = (p[index] for p in points)
    return x, y, z


def _march(seen: View, rays: Points) -> Array:
    """Distance along each ray to the scene, float32, infinite where it misses."""
    scene = seen.scene
    origin = [np.float32(v) for v in seen.camera.position]
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
