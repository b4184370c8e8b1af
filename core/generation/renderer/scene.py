"""A scene: models placed on the floor, and the light that reaches a point past them.

Every object of a scene is also a scene of its own, with its own box and sphere. Rays are traced
past one object after the other, so that most of them pass most objects without a single step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.generation.renderer import shapes
from truehue.core.generation.renderer.objects import Model, Part
from truehue.core.generation.renderer.shapes import Array

Points = tuple[Array, Array, Array]
Vector = tuple[float, float, float]

_VISIBILITY_STEPS = 40
# The dozens of small steps of a distance are taken on so many points at a time: arrays of 128 KiB
# upward would come from the system and go back to it at every one of them, which takes longer.
_BLOCK = 24576
# Sets of rays are followed together up to so many: more of them take no less time.
_RAYS_TOGETHER = 98304


@dataclass(frozen=True)
class PlacedShape:
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
        x, y = shapes.rotate(x, y, np.deg2rad(self.yaw_deg))
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

    def __init__(self, placed: Sequence[PlacedShape]) -> None:
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
            indices = np.flatnonzero(near)
            nearest[indices] = np.minimum(
                nearest[indices], solo.distance(x[indices], y[indices], z[indices])
            )
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
        return self._seen([origin], [direction], spread)[0]

    def visibilities(
        self, origins: Sequence[Points], directions: Sequence[Vector], spread: float
    ) -> Iterator[Array]:
        """:meth:`visibility` of each of these sets of points in its own direction, to the same
        bits.

        Small sets are followed together: in most steps few rays of a set are still under way, and
        a call of numpy takes longer than what it computes.
        """
        begin = 0
        while begin < len(origins):
            end, count = begin + 1, origins[begin][0].size
            while end < len(origins) and count + origins[end][0].size <= _RAYS_TOGETHER:
                count += origins[end][0].size
                end += 1
            yield from self._seen(origins[begin:end], directions[begin:end], spread)
            begin = end

    def _seen(
        self, origins: Sequence[Points], directions: Sequence[Vector], spread: float
    ) -> list[Array]:
        rays = _Rays.of(origins, directions)
        result = self.solos[0]._cover(rays, spread)
        for solo in self.solos[1:]:
            open_rays = np.flatnonzero(result > 0.004)
            past = solo._cover(rays.picked(open_rays), spread)
            result[open_rays] = np.minimum(result[open_rays], past)
        result = np.maximum(result, 0.0)
        result = result * result * (3.0 - 2.0 * result)
        return np.split(result, np.cumsum([points[0].size for points in origins])[:-1])

    def _cover(self, rays: _Rays, spread: float) -> Array:
        """The nearest miss of the way past this one scene, relative to the cone's width there, at
        most 1, float32."""
        cx, cy, cz = (np.float32(v) for v in self.center)
        ox, oy, oz = cx - rays.x, cy - rays.y, cz - rays.z
        along = ox * rays.dx + oy * rays.dy + oz * rays.dz
        aside2 = ox * ox + oy * oy + oz * oz - along * along
        reach = self.radius + spread * np.maximum(along, 0.0)
        active = np.flatnonzero((aside2 < reach * reach) & (along > -self.radius))
        result = np.ones(rays.x.shape, dtype=np.float32)
        if active.size == 0:
            return result

        rays, along = rays.picked(active), along[active]
        # Half the chord through the (widened) bounding sphere: where to begin and to end.
        chord = np.sqrt(np.maximum(reach[active] ** 2 - aside2[active], 0.0))
        t = np.maximum(along - chord, 0.008).astype(np.float32)
        end = (along + chord).astype(np.float32)
        cover = np.ones(active.shape, dtype=np.float32)
        inverse = np.float32(1.0 / spread)
        # No finer than the cone is wide: what matters is how much of its width is covered.
        least = np.float32(0.3 * spread)
        for _ in range(_VISIBILITY_STEPS):
            x, y, z = rays.x + rays.dx * t, rays.y + rays.dy * t, rays.z + rays.dz * t
            h = self._distance(x, y, z, True)
            cover = np.minimum(cover, h * inverse / t)
            t = t + np.maximum(np.maximum(h, least * t), 0.005)
            unfinished = (cover > 0.004) & (t < end)
            # A ray that is done goes on until its set is thinned out, and may still meet something:
            # when that is depends on its set alone, whatever is followed with it.
            stays = unfinished | rays.of_full_sets(unfinished)
            if not stays.all():
                done = ~stays
                result[active[done]] = cover[done]
                active, cover, t, end = active[stays], cover[stays], t[stays], end[stays]
                rays = rays.picked(stays)
            if active.size == 0:
                break
        result[active] = cover
        return result


@dataclass(frozen=True)
class _Rays:
    """Sets of rays, each with a direction: where they begin, their way, and their set's number.

    ``dx``, ``dy`` and ``dz`` float32, of one shape with the rest, or of no dimension where there is
    one set alone.
    """

    x: Array
    y: Array
    z: Array
    dx: Array
    dy: Array
    dz: Array
    number: Array | None

    @classmethod
    def of(cls, origins: Sequence[Points], directions: Sequence[Vector]) -> _Rays:
        ways = np.array(directions, np.float32)
        if len(origins) == 1:
            return cls(*origins[0], ways[0, 0], ways[0, 1], ways[0, 2], None)
        numbers = np.repeat(np.arange(len(origins)), [points[0].size for points in origins])
        x, y, z = (np.concatenate(parts) for parts in zip(*origins, strict=True))
        dx, dy, dz = (np.ascontiguousarray(part)[numbers] for part in ways.T)
        return cls(x, y, z, dx, dy, dz, numbers)

    def picked(self, index: Array) -> _Rays:
        """Those with these numbers, or where this is true."""
        x, y, z = self.x[index], self.y[index], self.z[index]
        if self.number is None:
            return _Rays(x, y, z, self.dx, self.dy, self.dz, None)
        ways = self.dx[index], self.dy[index], self.dz[index]
        return _Rays(x, y, z, *ways, self.number[index])

    def of_full_sets(self, unfinished: Array) -> Array:
        """Whether of a ray's set at least seven in ten are under way, bool ``(N,)`` or ``()``."""
        if self.number is None:
            return np.asarray(np.count_nonzero(unfinished) >= 0.7 * unfinished.size)
        size = np.bincount(self.number)
        full: Array = np.bincount(self.number[unfinished], minlength=size.size) >= 0.7 * size
        return full[self.number]
