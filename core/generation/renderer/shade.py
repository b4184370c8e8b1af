"""How much light leaves a point, as achromatic factors of its albedo.

Everything is linear. The stage is neutral and light that the objects give back is left out, so no
surface ever colors another: a pixel of an object is ``shade × albedo + highlight``, exactly.
"""

from __future__ import annotations

import numpy as np

from core.generation.renderer.light import (
    Light,
    exposure,
    fill_direction,
    key_samples,
    unblocked,
)
from core.generation.renderer.scene import Points, Scene, Vector
from core.generation.renderer.shapes import Array

_DOME_SIZE = 28
_DOME_SPREAD = 0.30
_MAP_SIZE = 48
_MAP_HALF = 2.4
# Rays start this far above the surface, so that a surface does not shade itself.
_LIFT = np.float32(0.003)


def _dome() -> tuple[Vector, ...]:
    """Directions spread evenly over the sphere (a Fibonacci spiral)."""
    k = np.arange(_DOME_SIZE) + 0.5
    z = 1.0 - 2.0 * k / _DOME_SIZE
    angle = k * np.pi * (3.0 - np.sqrt(5.0))
    r = np.sqrt(1.0 - z * z)
    return tuple(
        (float(a), float(b), float(c))
        for a, b, c in zip(r * np.cos(angle), r * np.sin(angle), z, strict=True)
    )


_DOME = _dome()


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
        self.keys, self.key_spread = key_samples(light, turn_deg)
        self.fill = fill_direction(light, turn_deg)
        self.open_floor = float(unblocked(light, np.array([[0.0, 0.0, 1.0]]), 0.0)[0])
        self._floor_map = self._map_floor() if light.occlusion else None

    def surface(self, points: Points, normals: Points, to_eye: Points) -> tuple[Array, Array]:
        """Shade (0 to 1) and highlight (0 upward) at points of objects, float32."""
        light = self.light
        lifted = self._lifted(points, normals)
        total = np.full(points[0].shape, light.ambient * (1.0 - light.occlusion), np.float32)
        sky = 0.5 + 0.5 * normals[2]
        openness = np.ones_like(total)
        if light.occlusion:
            openness, back = self._dome_light(lifted, normals, with_floor=True)
            around = light.ambient * sky * openness + self.floor_linear1 * (1.0 - sky) * back
            total += light.occlusion * around
        key, mirror = self._key(lifted, normals, to_eye)
        total += key
        if light.fill_strength:
            total += light.fill_strength * openness * np.maximum(_dot(normals, self.fill), 0.0)
        return np.minimum(total * self.exposure, 1.0), mirror * self.exposure

    def stage(self, points: Points, normals: Points) -> Array:
        """Shade of the floor and backdrop, float32."""
        light = self.light
        lifted = self._lifted(points, normals)
        sky = 0.5 + 0.5 * normals[2]
        openness, _ = self._dome_light(lifted, normals, with_floor=False)
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
        for key in self.keys:
            facing = _dot(normals, key)
            lit = np.flatnonzero(facing > 0.0)
            if lit.size == 0:
                continue
            x, y, z = (p[lit] for p in points)
            seen = self.scene.visibility((x, y, z), key, self.key_spread)
            diffuse[lit] += facing[lit] * seen
            if to_eye is not None and light.gloss_strength:
                mirror[lit] += seen * self._blinn(
                    tuple(n[lit] for n in normals), tuple(e[lit] for e in to_eye), key
                )
        share = light.key_strength / len(self.keys)
        return diffuse * share, mirror * (share * light.gloss_strength)

    def _blinn(self, normals: tuple[Array, ...], to_eye: tuple[Array, ...], key: Vector) -> Array:
        """Blinn's highlight, stronger at grazing angles (Schlick's Fresnel term over its 4%)."""
        hx, hy, hz = (e + np.float32(k) for e, k in zip(to_eye, key, strict=True))
        scale = 1.0 / np.sqrt(np.maximum(hx * hx + hy * hy + hz * hz, 1e-12))
        along = (normals[0] * hx + normals[1] * hy + normals[2] * hz) * scale
        toward = (to_eye[0] * hx + to_eye[1] * hy + to_eye[2] * hz) * scale
        fresnel = 1.0 + 4.0 * (1.0 - np.clip(toward, 0.0, 1.0)) ** 5
        result: Array = np.maximum(along, 0.0) ** np.float32(self.light.gloss_exponent) * fresnel
        return result

    def _dome_light(self, points: Points, normals: Points, with_floor: bool) -> tuple[Array, Array]:
        """Share of the sky that is open (0 to 1), and the light that the floor receives as seen
        from here, averaged over the directions below.

        Both are quotients over what a flat surface would see, so an open point gets exactly 1.
        """
        shape = points[0].shape
        open_sky, all_sky = np.full(shape, 1e-4, np.float32), np.full(shape, 1e-4, np.float32)
        back, all_back = np.zeros(shape, np.float32), np.full(shape, 1e-4, np.float32)
        for way in _DOME:
            if way[2] < 0 and not with_floor:
                continue
            facing = _dot(normals, way)
            seeing = np.flatnonzero(facing > 0.02)
            if seeing.size == 0:
                continue
            c = facing[seeing]
            flat = np.minimum(c * np.float32(1.0 / _DOME_SPREAD), 1.0)
            weight = c * flat * flat * (3.0 - 2.0 * flat)
            x, y, z = (p[seeing] for p in points)
            seen = np.minimum(self.scene.visibility((x, y, z), way, _DOME_SPREAD) * c, weight)
            if way[2] > 0:
                open_sky[seeing] += seen
                all_sky[seeing] += weight
            else:
                reach = z * np.float32(-1.0 / way[2])
                arriving = self._floor_light(
                    x + np.float32(way[0]) * reach, y + np.float32(way[1]) * reach
                )
                back[seeing] += seen * arriving
                all_back[seeing] += weight
        return open_sky / all_sky, back / all_back

    def _map_floor(self) -> Array:
        """Light on the floor around the scene before exposure, blurred, float32 square."""
        self._floor_map = None
        steps = np.linspace(-_MAP_HALF, _MAP_HALF, _MAP_SIZE)
        x, y = np.meshgrid(steps + self.scene.center[0], steps + self.scene.center[1])
        flat = tuple(v.ravel().astype(np.float32) for v in (x, y, np.zeros_like(x)))
        zero = np.zeros_like(flat[0])
        light = self.stage((flat[0], flat[1], flat[2]), (zero, zero, zero + 1.0)) / self.exposure
        grid = light.reshape(_MAP_SIZE, _MAP_SIZE)
        for _ in range(2):
            for axis in (0, 1):
                padded = np.concatenate(
                    [grid.take([0], axis), grid, grid.take([-1], axis)], axis=axis
                )
                left = padded.take(range(_MAP_SIZE), axis)
                right = padded.take(range(2, _MAP_SIZE + 2), axis)
                grid = 0.25 * left + 0.5 * grid + 0.25 * right
        return grid.astype(np.float32)

    def _floor_light(self, x: Array, y: Array) -> Array:
        """The floor map at floor points, bilinear."""
        assert self._floor_map is not None
        scale = (_MAP_SIZE - 1) / (2 * _MAP_HALF)
        u = np.clip((x - np.float32(self.scene.center[0]) + _MAP_HALF) * scale, 0, _MAP_SIZE - 1.01)
        v = np.clip((y - np.float32(self.scene.center[1]) + _MAP_HALF) * scale, 0, _MAP_SIZE - 1.01)
        column, row = u.astype(np.int32), v.astype(np.int32)
        fu, fv = u - column, v - row
        grid = self._floor_map.ravel()
        at = row * _MAP_SIZE + column
        top = grid.take(at) * (1 - fu) + grid.take(at + 1) * fu
        bottom = grid.take(at + _MAP_SIZE) * (1 - fu) + grid.take(at + _MAP_SIZE + 1) * fu
        result: Array = top * (1 - fv) + bottom * fv
        return result
