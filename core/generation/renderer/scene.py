"""A scene: models placed on the floor, and how much light reaches a point past them.

Every object of a scene is also a scene of its own, with its own box and sphere: rays are followed
past one object after the other, so that most of them pass most objects without a single step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.generation.renderer import shapes
from core.generation.renderer.objects import Model, Part
from core.generation.renderer.shapes import Array

Points = tuple[Array, Array, Array]
Vector = tuple[float, float, float]

_VISIBILITY_STEPS = 40
# The dozens of small steps of a distance are taken on so many points at a time: arrays of 128 KiB
# upward would come from the system and go back to it at every one of them, which takes longer.
_BLOCK = 24576


@dataclass(frozen=True)
class Placed:
    """A model made ``scale`` times as large, turned by ``yaw_deg`` about the z axis and then moved
    to ``(x, y)``."""

    model: Model
    object_id: int = 0
    yaw_deg: float = 0.0
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0

    def local(self, x: Array, y: Array, z: Array) -> Points:
        """World coordinates in the model's own axes."""
        if self.x or self.y:
            x, y = x - np.float32(self.x), y - np.float32(self.y)
        x, y = shapes.rotated(x, y, np.deg2rad(self.yaw_deg))
        if self.scale != 1.0:
            smaller = np.float32(1.0 / self.scale)
            x, y, z = x * smaller, y * smaller, z * smaller
        return x, y, z

    def distances(self, x: Array, y: Array, z: Array, only_blocking: bool = False) -> list[Array]:
        """Signed distance to every part, or to all that throw shadows, in world coordinates."""
        local = self.local(x, y, z)
        parts = self.model.parts
        distances = [part.distance(*local) for part in parts if part.blocks or not only_blocking]
        if self.scale != 1.0:
            distances = [d * np.float32(self.scale) for d in distances]
        return distances

    def corners(self) -> Array:
        """The eight corners of the box in world coordinates, float64 ``(8, 3)``."""
        low, high = self.model.low, self.model.high
        grid = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
        local = np.where(grid == 1, high, low) * self.scale
        yaw = np.deg2rad(self.yaw_deg)
        x = local[:, 0] * np.cos(yaw) - local[:, 1] * np.sin(yaw) + self.x
        y = local[:, 0] * np.sin(yaw) + local[:, 1] * np.cos(yaw) + self.y
        return np.stack([x, y, local[:, 2]], axis=1)


class Scene:
    """Placed models as one solid. Parts are numbered through all models."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        self.placed = tuple(placed)
        self.parts: tuple[Part, ...] = tuple(p for item in placed for p in item.model.parts)
        self.object_ids: tuple[int, ...] = tuple(
            item.object_id for item in placed for _ in item.model.parts
        )
        corners = np.concatenate([item.corners() for item in placed])
        self.low, self.high = corners.min(axis=0) - 0.002, corners.max(axis=0) + 0.002
        self.center = (self.low + self.high) / 2
        self.radius = float(np.linalg.norm(corners - self.center, axis=1).max())
        self.rays_at_once = max(item.model.rays_at_once for item in self.placed)
        self.solos: tuple[Scene, ...] = (
            (self,) if len(self.placed) == 1 else tuple(Scene([item]) for item in self.placed)
        )

    def distance(self, x: Array, y: Array, z: Array) -> Array:
        """Signed distance to the nearest part."""
        return self._distance(x, y, z, False)

    def _distance(self, x: Array, y: Array, z: Array, only_blocking: bool) -> Array:
        """Distance to the nearest part, or to the nearest that throws a shadow, in blocks."""
        if x.size <= _BLOCK:
            return self._distance_at_once(x, y, z, only_blocking)
        result = np.empty(x.shape, np.float32)
        for begin in range(0, x.size, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            result[block] = self._distance_at_once(x[block], y[block], z[block], only_blocking)
        return result

    def _distance_at_once(self, x: Array, y: Array, z: Array, only_blocking: bool) -> Array:
        nearest: Array | None = None
        for item in self.placed:
            for d in item.distances(x, y, z, only_blocking):
                nearest = d if nearest is None else np.minimum(nearest, d)
        assert nearest is not None
        return nearest

    def distance_within(self, x: Array, y: Array, z: Array, limit: float) -> Array:
        """Signed distance to the nearest part where it is below ``limit``; elsewhere at least
        ``limit``."""
        if len(self.solos) == 1:
            return self.distance(x, y, z)
        nearest = np.full(x.shape, limit, np.float32)
        for solo in self.solos:
            near = np.ones(x.shape, bool)
            for p, low, high in zip((x, y, z), solo.low, solo.high, strict=True):
                near &= (p > np.float32(low - limit)) & (p < np.float32(high + limit))
            at = np.flatnonzero(near)
            nearest[at] = np.minimum(nearest[at], solo.distance(x[at], y[at], z[at]))
        return nearest

    def nearest_part(self, x: Array, y: Array, z: Array) -> Array:
        """Number of the nearest part, int8."""
        distances = [d for item in self.placed for d in item.distances(x, y, z)]
        return np.argmin(np.stack(distances), axis=0).astype(np.int8)

    def normal(self, x: Array, y: Array, z: Array) -> Points:
        """Outward unit normals at surface points, from four distances on a tetrahedron."""
        step = np.float32(0.0015)
        a = self.distance(x + step, y - step, z - step)
        b = self.distance(x - step, y - step, z + step)
        c = self.distance(x - step, y + step, z - step)
        d = self.distance(x + step, y + step, z + step)
        nx, ny, nz = a - b - c + d, c + d - a - b, b + d - a - c
        scale = 1.0 / np.sqrt(np.maximum(nx * nx + ny * ny + nz * nz, 1e-20))
        return nx * scale, ny * scale, nz * scale

    def visibility(self, origin: Points, direction: Vector, spread: float) -> Array:
        """How much of a small round light each point sees past the objects, 0 to 1, float32.

        ``direction`` is the unit vector to the light's middle and ``spread`` the tangent of its
        angular radius. The nearest miss of the ray, relative to the cone's width there, says how
        much is covered; a ray that hits sees nothing.
        """
        result = self.solos[0]._cover(origin, direction, spread)
        for solo in self.solos[1:]:
            open_rays = np.flatnonzero(result > 0.004)
            past = solo._cover(
                (origin[0][open_rays], origin[1][open_rays], origin[2][open_rays]),
                direction,
                spread,
            )
            result[open_rays] = np.minimum(result[open_rays], past)
        result = np.maximum(result, 0.0)
        return result * result * (3.0 - 2.0 * result)

    def _cover(self, origin: Points, direction: Vector, spread: float) -> Array:
        """The nearest miss of the way past this one scene, relative to the cone's width there, at
        most 1, float32."""
        dx, dy, dz = (np.float32(v) for v in direction)
        x, y, z = origin
        cx, cy, cz = (np.float32(v) for v in self.center)
        ox, oy, oz = cx - x, cy - y, cz - z
        along = ox * dx + oy * dy + oz * dz
        aside2 = ox * ox + oy * oy + oz * oz - along * along
        reach = self.radius + spread * np.maximum(along, 0.0)
        active = np.flatnonzero((aside2 < reach * reach) & (along > -self.radius))
        result = np.ones(x.shape, dtype=np.float32)
        if active.size == 0:
            return result

        x, y, z, along = x[active], y[active], z[active], along[active]
        # Half the chord through the (widened) bounding sphere: where to begin and to end.
        chord = np.sqrt(np.maximum(reach[active] ** 2 - aside2[active], 0.0))
        t = np.maximum(along - chord, 0.008).astype(np.float32)
        end = (along + chord).astype(np.float32)
        cover = np.ones(active.shape, dtype=np.float32)
        inverse = np.float32(1.0 / spread)
        # No finer than the cone is wide: what matters is how much of its width is covered.
        least = np.float32(0.3 * spread)
        for _ in range(_VISIBILITY_STEPS):
            h = self._distance(x + dx * t, y + dy * t, z + dz * t, True)
            cover = np.minimum(cover, h * inverse / t)
            t = t + np.maximum(np.maximum(h, least * t), 0.005)
            going = (cover > 0.004) & (t < end)
            count = int(np.count_nonzero(going))
            if count < 0.7 * going.size:
                done = ~going
                result[active[done]] = cover[done]
                active, cover, t, end = active[going], cover[going], t[going], end[going]
                x, y, z = x[going], y[going], z[going]
            if count == 0:
                break
        result[active] = cover
        return result
