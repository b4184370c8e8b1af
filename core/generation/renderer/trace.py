"""Light along rays: the light of every pixel, independent of any color.

The light that leaves a point is given as achromatic factors of its albedo. All values are linear.
The floor is neutral and light reflected by objects is omitted, so no surface ever colors another: a
pixel of an object is ``shade × albedo + highlight``, exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.files import ignore_progress
from truehue.core.generation.renderer.camera import Viewpoint, hit_stage, view
from truehue.core.generation.renderer.checks import linear1_to_srgb8, srgb8_step_linear1
from truehue.core.generation.renderer.light import (
    Light,
    exposure,
    fill_direction,
    key_samples,
    unblocked,
)
from truehue.core.generation.renderer.scene import PlacedShape, Points, Scene, Vector
from truehue.core.generation.renderer.shapes import Array

_DOME_SIZE = 28
_DOME_SPREAD = 0.35
_SKY_SIZE = 48
_SKY_SPREAD = 0.25
# The floor map: cells on a side, and half its side in scene units.
_MAP_SIZE = 112
_MAP_HALF = 2.4
# The floor looks this far up for what almost touches it.
_CONTACT = np.float32(0.035)
# What surfaces in hollows send on to each other, as a share of the light.
_SENT_ON = np.float32(0.4)
# The openness of so many floors is kept, 50 kB each.
_OPEN_MAPS = 64
# A metal's highlights, by Blinn's exponent: satin rather than a mirror.
_METAL_EXPONENT = np.float32(60.0)
# How fast what a metal mirrors goes from floor to sky as its direction rises.
_HORIZON = np.float32(2.0)
# Rays start this far above the surface, so that a surface does not shade itself.
_LIFT = np.float32(0.003)

_open_maps: LruCache[Array] = LruCache(_OPEN_MAPS)


def _spiral(heights: Array) -> tuple[Vector, ...]:
    """Unit vectors of the given heights, turned by the golden angle from one to the next."""
    angle = np.arange(len(heights)) * np.pi * (3.0 - np.sqrt(5.0))
    r = np.sqrt(1.0 - heights * heights)
    columns = zip(r * np.cos(angle), r * np.sin(angle), heights, strict=True)
    return tuple((float(a), float(b), float(c)) for a, b, c in columns)


# Spread evenly over the sphere; and over the sky as a floor weighs it, by the cosine.
_DOME = _spiral(1.0 - 2.0 * (np.arange(_DOME_SIZE) + 0.5) / _DOME_SIZE)
_SKY = _spiral(np.sqrt(1.0 - (np.arange(_SKY_SIZE) + 0.5) / _SKY_SIZE))


def _dot(a: Points, b: Vector) -> Array:
    result: Array = a[0] * np.float32(b[0]) + a[1] * np.float32(b[1]) + a[2] * np.float32(b[2])
    return result


class Shader:
    """The light in one scene. All points and normals are three float32 arrays of one shape."""

    def __init__(self, scene: Scene, light: Light, turn_deg: float, floor_linear1: float) -> None:
        self.scene = scene
        self.light = light
        self.floor_linear1 = floor_linear1
        self.exposure = exposure(light)
        self.keys, self.key_spread, self.key_around = key_samples(light, turn_deg)
        self.fill = fill_direction(light, turn_deg)
        self.open_floor = float(unblocked(light, np.array([[0.0, 0.0, 1.0]]), 0.0)[0])
        # It knows the objects alone: other lights, sizes and colors of a view share it.
        self._open_map = _open_maps.get(scene.placed, self._map_openness)
        self._light_map = self._map_light() if light.occlusion else None

    def surface(self, points: Points, normals: Points, to_eye: Points) -> tuple[Array, Array]:
        """Shade (0 to 1) and highlight (0 upward) at points of objects, float32."""
        light = self.light
        lifted = self._lifted(points, normals)
        total = np.full(points[0].shape, light.ambient * (1.0 - light.occlusion), np.float32)
        sky = 0.5 + 0.5 * normals[2]
        openness = np.ones_like(total)
        if light.occlusion:
            openness, back = self._dome_light(lifted, normals)
            around = light.ambient * sky * openness + self.floor_linear1 * (1.0 - sky) * back
            total += light.occlusion * around
        key, mirror = self._key(lifted, normals, to_eye)
        total += key
        if light.fill_strength:
            total += light.fill_strength * openness * np.maximum(_dot(normals, self.fill), 0.0)
        return np.minimum(total * self.exposure, 1.0), mirror * self.exposure

    def metal(self, points: Points, normals: Points, to_eye: Points) -> tuple[Array, Array]:
        """Light that a rough metal mirrors in its own color, and in the light's, float32, 0 upward.

        A metal has no other light. Its color goes to white toward grazing angles (Schlick's Fresnel
        term).
        """
        light = self.light
        lifted = self._lifted(points, normals)
        facing = np.clip(sum(n * e for n, e in zip(normals, to_eye, strict=True)), 0.0, 1.0)
        x, y, z = (2.0 * facing * n - e for n, e in zip(normals, to_eye, strict=True))
        total = np.full(z.shape, light.ambient * (1.0 - light.occlusion), np.float32)
        if light.occlusion:
            openness, back = self._dome_light(lifted, (x, y, z))
            sky = np.clip(0.5 + _HORIZON * z, 0.0, 1.0)
            around = light.ambient * sky * openness + self.floor_linear1 * (1.0 - sky) * back
            total += light.occlusion * around
        keys = [(key, light.key_strength / len(self.keys)) for key in self.keys]
        for way, strength in (*keys, (self.fill, light.fill_strength)):
            lit = np.flatnonzero((_dot(normals, way) > 0.0) & (strength > 0.0))
            at, n, e = (_pick(where, lit) for where in (lifted, normals, to_eye))
            # Of unit albedo over the hemisphere, as diffuse light is.
            lobe = _halfway(n, e, way)[0] ** _METAL_EXPONENT * ((_METAL_EXPONENT + 8.0) / 8.0)
            seen = self.scene.visibility(at, way, self.key_spread) if way is not self.fill else 1.0
            total[lit] += np.float32(strength) * _dot(n, way) * lobe * seen
        white = (1.0 - facing) ** 5
        total *= np.float32(self.exposure)
        return total * (1.0 - white), total * white

    def stage(self, points: Points, normals: Points) -> Array:
        """Shade of the floor and backdrop, float32."""
        light = self.light
        lifted = self._lifted(points, normals)
        sky = 0.5 + 0.5 * normals[2]
        openness = self._at(self._open_map, points[0], points[1])
        x, y, z = lifted
        nearest = self.scene.distance_within(x, y, z + _CONTACT, float(_CONTACT))
        contact = np.clip(nearest * (1.0 / _CONTACT), 0.0, 1.0)
        openness = openness * (0.4 + 0.6 * contact)
        total = light.ambient * sky * openness
        total += self.open_floor * self.floor_linear1 * (1.0 - sky)
        total += self._key(lifted, normals, None)[0]
        if light.fill_strength:
            total += light.fill_strength * openness * np.maximum(_dot(normals, self.fill), 0.0)
        result: Array = np.minimum(total * self.exposure, 1.0)
        return result

    @staticmethod
    def _lifted(points: Points, normals: Points) -> Points:
        x, y, z = (p + n * _LIFT for p, n in zip(points, normals, strict=True))
        return x, y, z

    def _key(self, points: Points, normals: Points, to_eye: Points | None) -> tuple[Array, Array]:
        """Diffuse light of the key, and its mirror highlight where ``to_eye`` is given."""
        diffuse = np.zeros(points[0].shape, dtype=np.float32)
        mirror = np.zeros_like(diffuse)
        light = self.light
        if not light.key_strength:
            return diffuse, mirror
        # Where nothing reaches into the cone around all of the key, no small light is blocked.
        wide = self.scene.visibility(points, self.keys[0], self.key_around)
        facings = [_dot(normals, key) for key in self.keys]
        unsure = [np.flatnonzero((facing > 0.0) & (wide < 1.0)) for facing in facings]
        origins = [(points[0][index], points[1][index], points[2][index]) for index in unsure]
        past = self.scene.visibilities(origins, self.keys, self.key_spread)
        for key, facing, indices, unblocked_share in zip(
            self.keys, facings, unsure, past, strict=True
        ):
            seen = (facing > 0.0).astype(np.float32)
            seen[indices] = unblocked_share
            diffuse += facing * seen
            if to_eye is not None and light.gloss_strength:
                mirror += seen * self._blinn(normals, to_eye, key)
        share = light.key_strength / len(self.keys)
        return diffuse * share, mirror * (share * light.gloss_strength)

    def _blinn(self, normals: Points, to_eye: Points, key: Vector) -> Array:
        """Blinn's highlight, stronger at grazing angles (Schlick's Fresnel term over its 4%)."""
        along, toward = _halfway(normals, to_eye, key)
        fresnel = 1.0 + 4.0 * (1.0 - np.clip(toward, 0.0, 1.0)) ** 5
        result: Array = along ** np.float32(self.light.gloss_exponent) * fresnel
        return result

    def _dome_light(self, points: Points, normals: Points) -> tuple[Array, Array]:
        """Share of the sky that is open (0 to 1), and the light that the floor receives as seen
        from here, averaged over the directions below.

        Both are quotients over what a flat surface would see, so an open point gets exactly 1.
        """
        shape = points[0].shape
        open_sky, all_sky = np.full(shape, 1e-4, np.float32), np.full(shape, 1e-4, np.float32)
        back, all_back = np.zeros(shape, np.float32), np.full(shape, 1e-4, np.float32)
        assert self._light_map is not None
        facings = [_dot(normals, way) for way in _DOME]
        fronts = [np.flatnonzero(facing > 0.02) for facing in facings]
        origins = [(points[0][front], points[1][front], points[2][front]) for front in fronts]
        past = self.scene.visibilities(origins, _DOME, _DOME_SPREAD)
        for way, facing, seeing, share in zip(_DOME, facings, fronts, past, strict=True):
            c = facing[seeing]
            flat = np.minimum(c * np.float32(1.0 / _DOME_SPREAD), 1.0)
            weight = c * flat * flat * (3.0 - 2.0 * flat)
            seen = np.minimum(share * c, weight)
            if way[2] > 0:
                open_sky[seeing] += seen
                all_sky[seeing] += weight
            else:
                x, y, z = (p[seeing] for p in points)
                reach = z * np.float32(-1.0 / way[2])
                x, y = x + np.float32(way[0]) * reach, y + np.float32(way[1]) * reach
                back[seeing] += seen * self._at(self._light_map, x, y)
                all_back[seeing] += weight
        return _reopened(open_sky / all_sky), back / all_back

    def _map_points(self) -> Points:
        """The floor points of the map, row by row in y."""
        steps = np.linspace(-_MAP_HALF, _MAP_HALF, _MAP_SIZE)
        x, y = np.meshgrid(steps + self.scene.center[0], steps + self.scene.center[1])
        flat = x.ravel().astype(np.float32), y.ravel().astype(np.float32)
        return flat[0], flat[1], np.full_like(flat[0], _LIFT)

    def _map_openness(self) -> Array:
        """Share of the sky that is open over the floor, float32 square, 1 at its border."""
        points = self._map_points()
        total = np.zeros_like(points[0])
        for share in self.scene.visibilities([points] * len(_SKY), _SKY, _SKY_SPREAD):
            total += share
        grid = (total / len(_SKY)).reshape(_MAP_SIZE, _MAP_SIZE)
        # Under the object lies no floor that could be seen: what stands there is drawn in from
        # around it, so that the floor right beside the object is not darkened by it twice.
        covered = self.scene.distance(*points).reshape(grid.shape) < 0.005
        grid = np.where(covered, 0.5, grid)
        for _ in range(40 if covered.any() else 0):
            grid = np.where(covered, _blurred(grid), grid)
        steps = np.abs(np.linspace(-1.0, 1.0, _MAP_SIZE))
        fade = np.clip((1.0 - np.maximum(steps[:, None], steps[None, :])) * 3.0, 0.0, 1.0)
        result: Array = (1.0 - (1.0 - grid) * fade).astype(np.float32)
        result.flags.writeable = False
        return result

    def _map_light(self) -> Array:
        """Light on the floor around the object before exposure, blurred, float32 square."""
        x, y, zero = self._map_points()
        zero = np.zeros_like(zero)
        light = self.stage((x, y, zero), (zero, zero, zero + 1.0)) / self.exposure
        grid = light.reshape(_MAP_SIZE, _MAP_SIZE)
        for _ in range(6):
            grid = _blurred(grid)
        return grid.astype(np.float32)

    def _at(self, grid: Array, x: Array, y: Array) -> Array:
        """A map's values at floor points, bilinear, held at its border."""
        scale = (_MAP_SIZE - 1) / (2 * _MAP_HALF)
        last = _MAP_SIZE - 1.01
        u = np.clip((x - np.float32(self.scene.center[0]) + _MAP_HALF) * scale, 0.0, last)
        v = np.clip((y - np.float32(self.scene.center[1]) + _MAP_HALF) * scale, 0.0, last)
        column, row = u.astype(np.int32), v.astype(np.int32)
        fu, fv = u - column.astype(np.float32), v - row.astype(np.float32)
        flat = grid.ravel()
        index = row * _MAP_SIZE + column
        top = flat.take(index) * (1 - fu) + flat.take(index + 1) * fu
        bottom = flat.take(index + _MAP_SIZE) * (1 - fu) + flat.take(index + _MAP_SIZE + 1) * fu
        result: Array = top * (1 - fv) + bottom * fv
        return result


def _halfway(normals: Points, to_eye: Points, key: Vector) -> tuple[Array, Array]:
    """Cosines of the direction halfway between eye and light: to the normal, at least 0, and to
    the eye."""
    hx, hy, hz = (e + np.float32(k) for e, k in zip(to_eye, key, strict=True))
    scale = 1.0 / np.sqrt(np.maximum(hx * hx + hy * hy + hz * hz, 1e-12))
    along = (normals[0] * hx + normals[1] * hy + normals[2] * hz) * scale
    toward = (to_eye[0] * hx + to_eye[1] * hy + to_eye[2] * hz) * scale
    return np.maximum(along, 0.0), toward


def _reopened(openness: Array) -> Array:
    """Openness with the light that the surfaces in the way send on, as if they were mid-gray.

    Mid-gray whatever is asked for: the shade must not know the color.
    """
    result: Array = openness / (1.0 - _SENT_ON * (1.0 - openness))
    return result


def _blurred(grid: Array) -> Array:
    """A small blur, 1 2 1 both ways; the border is repeated."""
    for axis in (0, 1):
        last = grid.shape[axis] - 1
        before = grid.take(np.maximum(np.arange(last + 1) - 1, 0), axis)
        after = grid.take(np.minimum(np.arange(last + 1) + 1, last), axis)
        grid = 0.25 * before + 0.5 * grid + 0.25 * after
    return grid


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


@dataclass(frozen=True)
class TracedScene:
    """All of an image that does not depend on the target colors, as flat arrays ``(H · W,)``.

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
    viewpoint: Viewpoint, light: Light, seed: int, size_px: int, watch: Watch = ignore_progress
) -> TracedScene:
    """Follows the rays of a square image; ``seed`` is that of the gray's grain."""
    shader = Shader(viewpoint.scene, light, viewpoint.light_turn_deg, viewpoint.backdrop_linear1)
    rows, columns = np.divmod(np.arange(size_px * size_px, dtype=np.int64), size_px)
    first = _sample(
        viewpoint, shader, columns + 0.5, rows + 0.5, size_px, lambda share: watch(0.6 * share)
    )
    numbers = range(len(viewpoint.scene.placed))
    shades = [first.shade_of(number) for number in numbers]
    masks = [first.asked == number for number in numbers]
    added, on_stage = first.added, first.stage()
    edge = np.flatnonzero(_edges(first, size_px))
    if edge.size:
        # All extra samples in one go, the eight of a pixel side by side.
        du, dv = np.array(_OFFSETS).T
        count = len(du)
        more = _sample(
            viewpoint,
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


def target_shares(viewpoint: Viewpoint, size_px: int) -> tuple[list[float], list[float]]:
    """Of every object, the image's share that its asked material takes, and the part of it that
    is not hidden behind another object, both 0 to 1, from one ray a pixel.
    """
    rows, columns = np.divmod(np.arange(size_px * size_px), size_px)
    indices = [((v + 0.5) / size_px).astype(np.float32) for v in (columns, rows)]
    rays = viewpoint.camera.rays(*indices)
    ways = [_march(viewpoint.camera.position, solo, rays) for solo in viewpoint.scene.solos]
    nearest = np.min(ways, axis=0)
    shares, unhidden = [], []
    for solo, t in zip(viewpoint.scene.solos, ways, strict=True):
        met = np.flatnonzero(np.isfinite(t))
        part = solo.nearest_part(*_points(viewpoint.camera.position, _pick(rays, met), t[met]))
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
    viewpoint: Viewpoint, shader: Shader, columns: Array, rows: Array, size_px: int, watch: Watch
) -> _Samples:
    """Light along the rays through image positions given in pixels, ``(N,)``."""
    count = columns.size
    camera, scene = viewpoint.camera, viewpoint.scene
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
        floor, normals = hit_stage(camera.position, _pick(rays, piece))
        result.added[piece] = shader.stage(floor, normals) * viewpoint.backdrop_linear1
        watch(0.0)
    hit = np.isfinite(t)
    total, done, before = max(int(np.count_nonzero(hit)), 1), 0, 0
    for number, solo in enumerate(scene.solos):
        fixed = np.array([part.albedo_linear1 or 0.0 for part in solo.parts], np.float32)
        gloss = np.array([part.gloss for part in solo.parts], np.float32)
        metals = np.array([part.metal for part in solo.parts])
        for piece in _pieces(np.flatnonzero(hit & (met == number)), limit):
            way = _pick(rays, piece)
            points = _points(camera.position, way, t[piece])
            part = solo.nearest_part(*points)
            object_mask = _is_target(solo)[part]
            to_eye = (-way[0], -way[1], -way[2])
            normals = solo.normal(*points)
            shade, mirror = shader.surface(points, normals, to_eye)
            mirror = mirror * gloss[part]
            if metals.any():
                own, white = shader.metal(points, normals, to_eye)
                shade = np.where(metals[part], own, shade)
                mirror = np.where(metals[part], white, mirror)
            result.label[piece] = part + np.int8(before)
            result.asked[piece] = np.where(object_mask, np.int8(number), np.int8(-1))
            result.shade[piece] = np.where(object_mask, shade, 0.0)
            result.added[piece] = shade * fixed[part] + mirror
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
        unfinished = ~hit & (t < far)
        if np.count_nonzero(unfinished) < 0.8 * unfinished.size:
            active, t, far = active[unfinished], t[unfinished], far[unfinished]
            dx, dy, dz = dx[unfinished], dy[unfinished], dz[unfinished]
    return result


@dataclass(frozen=True)
class GBuffer:
    """One view of one object under one light.

    Linear light is ``shade × albedo + added`` in every pixel, anti-aliased edges included.
    ``shade`` float32 ``(H, W)``, 0 to 1: the asked material's share of the light (0 where there is
    none; of a metal also above 1). ``added`` float32 ``(H, W)``, 0 upward: everything else, which is
    the highlight inside the mask, and floor, backdrop and fixed materials outside. ``mask`` bool
    ``(H, W)``: every sample of the pixel lies on the asked material. ``touched`` are flat indices of
    the pixels with ``shade`` above 0, ``rest_srgb8`` uint8 ``(H, W)`` the finished gray of all
    others. The arrays
    are shared and read-only.
    """

    shade: Array
    added: Array
    mask: Array
    touched: Array
    rest_srgb8: Array


@lru_cache(maxsize=6)
def gbuffer(
    object_name: str, light: Light, seed: int, size_px: int, metal: bool = False
) -> GBuffer:
    """The G-buffer of a square image; kept for the last six calls."""
    viewpoint = view(object_name, seed)
    traced = trace(_of_metal(viewpoint) if metal else viewpoint, light, seed, size_px)
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


def _of_metal(viewpoint: Viewpoint) -> Viewpoint:
    """The view with all target materials as metal."""

    def metal(item: PlacedShape) -> PlacedShape:
        parts = tuple(replace(part, metal=part.albedo_linear1 is None) for part in item.model.parts)
        return replace(item, model=replace(item.model, parts=parts))

    return replace(viewpoint, scene=Scene([metal(item) for item in viewpoint.scene.placed]))
