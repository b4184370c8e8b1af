"""Paths of cubic Béziers: smooth curves through points, closed outlines, and what turns them.

Curves pass through their points by Hobby's method (J. D. Hobby, "Smooth, easy to compute
interpolating splines", Discrete & Computational Geometry 1 (1986) 123), which METAFONT draws its
letters with: four points of a circle give very nearly the circle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

FLAT_STEP = 6.0
"""How far apart, in units of the drawing, the points of a flattened curve are at most."""


@dataclass(frozen=True, eq=False)
class Path:
    """A chain of cubic Béziers.

    ``cubics`` is float64 (n, 4, 2): start, two control points, end; each starts where the one
    before ends. A ``closed`` path ends where it starts.
    """

    cubics: np.ndarray
    closed: bool = False

    def flat(self, scale: float = 1.0) -> np.ndarray:
        """Points along the path, float64 (m, 2), about ``FLAT_STEP`` apart times ``scale``."""
        legs = np.diff(self.cubics, axis=1)
        lengths = np.hypot(legs[..., 0], legs[..., 1])
        size = lengths.sum(axis=1) * scale
        straight = np.ptp(legs, axis=1).max(axis=1) < 1e-6
        # Few different counts, so that many pieces are worked out at once.
        steps = np.where(
            straight, 1, 1 << np.clip(np.ceil(np.log2(size / FLAT_STEP + 1)), 2, 6).astype(int)
        )
        ends = np.concatenate([[0], np.cumsum(steps)])
        points = np.empty((ends[-1] + 1, 2))
        points[0] = self.cubics[0, 0]
        for count in np.unique(steps):
            chosen = np.flatnonzero(steps == count)
            places = ends[chosen][:, None] + np.arange(1, count + 1)
            points[places] = _bernstein(int(count)) @ self.cubics[chosen]
        return points

    def moved(self, dx: float, dy: float = 0.0) -> Path:
        """The path, shifted."""
        return Path(self.cubics + np.array([dx, dy]), self.closed)

    def scaled(self, sx: float, sy: float | None = None) -> Path:
        """The path, scaled about the origin; ``sx`` of -1 mirrors it at the vertical axis."""
        return Path(self.cubics * np.array([sx, sx if sy is None else sy]), self.closed)

    def turned(self, degrees: float, about: tuple[float, float] = (0.0, 0.0)) -> Path:
        """The path, turned clockwise (y points down) about a point."""
        angle = math.radians(degrees)
        c, s = math.cos(angle), math.sin(angle)
        matrix = np.array([[c, s], [-s, c]])
        center = np.array(about)
        return Path((self.cubics - center) @ matrix + center, self.closed)

    def mirrored(self, x: float = 0.0) -> Path:
        """The path, mirrored at the vertical line through ``x``."""
        return self.scaled(-1, 1).moved(2 * x)

    def backwards(self) -> Path:
        """The same curve from its end to its start."""
        return Path(self.cubics[::-1, ::-1].copy(), self.closed)

    def along(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """``count`` points evenly spaced by length, and their unit tangents: float64 (count, 2)."""
        flat = self.flat(2.0)
        steps = np.hypot(*np.diff(flat, axis=0).T)
        length = np.concatenate([[0.0], np.cumsum(steps)])
        places = np.linspace(0, length[-1], count, endpoint=not self.closed)

        def at(where: np.ndarray) -> np.ndarray:
            return np.stack([np.interp(where, length, flat[:, axis]) for axis in (0, 1)], axis=1)

        reach = length[-1] / 400
        ends = at(np.clip(places + reach, 0, length[-1])) - at(np.clip(places - reach, 0, None))
        return at(places), ends / np.maximum(np.hypot(*ends.T)[:, None], 1e-9)


@cache
def _bernstein(count: int) -> np.ndarray:
    """Weights (count, 4) of a cubic's four points at ``count`` steps after its start."""
    t = np.arange(1, count + 1) / count
    u = 1 - t
    return np.stack([u**3, 3 * u * u * t, 3 * u * t * t, t**3], axis=1)


def closed(points: str) -> Path:
    """A closed smooth outline through points written ``"x,y x,y …"``; ``"x,y!"`` is a corner.

    Between two corners that follow each other the outline is straight.
    """
    places, corners = _read(points)
    return through(places, corners, closed=True)


def opened(points: str) -> Path:
    """An open smooth line through points, written as for :func:`closed`."""
    places, corners = _read(points)
    return through(places, corners, closed=False)


def through(
    points: Sequence[Sequence[float]] | np.ndarray,
    corners: Iterable[bool] = (),
    closed: bool = False,
) -> Path:
    """A smooth curve through ``points`` (n, 2), with corners at those that ``corners`` marks."""
    places = np.asarray(points, dtype=float)
    sharp = np.zeros(len(places), dtype=bool)
    marks = list(corners)
    sharp[: len(marks)] = marks
    if closed and not sharp.any():
        return Path(_hobby(places, cyclic=True), True)
    if closed:
        first = int(np.argmax(sharp))
        order = (np.arange(len(places) + 1) + first) % len(places)
        places, sharp = places[order], sharp[order]
    breaks = [0, *(i for i in range(1, len(places) - 1) if sharp[i]), len(places) - 1]
    pieces = [_hobby(places[start : end + 1], cyclic=False) for start, end in pairwise(breaks)]
    return Path(np.concatenate(pieces), closed)


def joined(*paths: Path, closed: bool = True) -> Path:
    """Open paths one after the other, straight lines between them where they do not meet."""
    pieces = []
    last = paths[-1].cubics[-1, 3] if closed else paths[0].cubics[0, 0]
    for path in paths:
        start = path.cubics[0, 0]
        if not np.allclose(last, start, atol=1e-6):
            pieces.append(_straight(last, start)[None])
        pieces.append(path.cubics)
        last = path.cubics[-1, 3]
    return Path(np.concatenate(pieces), closed)


def _read(points: str) -> tuple[list[tuple[float, float]], list[bool]]:
    tokens = points.split()
    places = [token.rstrip("!").split(",") for token in tokens]
    return [(float(x), float(y)) for x, y in places], [token.endswith("!") for token in tokens]


def _straight(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    return np.stack([start + (end - start) * t for t in (0, 1 / 3, 2 / 3, 1)])


def _hobby(points: np.ndarray, cyclic: bool) -> np.ndarray:
    """Cubics (n, 4, 2) through ``points``: tension 1 everywhere, curl 1 at the ends."""
    z = points[:, 0] + 1j * points[:, 1]
    if len(z) == 2:
        return _straight(points[0], points[1])[None]
    if cyclic:
        z = np.append(z, z[0])
    chords = np.diff(z)
    lengths = np.maximum(np.abs(chords), 1e-9)
    if cyclic:
        theta, phi = _cyclic_angles(chords, lengths)
    else:
        theta, phi = _open_angles(chords, lengths)
    out = z[:-1] + np.exp(1j * theta) * chords * _velocity(theta, phi)
    into = z[1:] - np.exp(-1j * phi) * chords * _velocity(phi, theta)
    knots = np.stack([z[:-1], out, into, z[1:]], axis=1)
    return np.stack([knots.real, knots.imag], axis=2)


def _cyclic_angles(chords: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    count = len(chords)
    turn = np.angle(chords / np.roll(chords, 1))
    matrix = np.zeros((count, count))
    right = np.zeros(count)
    for k in range(count):
        before, after = 1 / lengths[k - 1], 1 / lengths[k]
        matrix[k, (k - 1) % count] += before
        matrix[k, k] += 2 * before + 2 * after
        matrix[k, (k + 1) % count] += after
        right[k] = -2 * turn[k] * before - turn[(k + 1) % count] * after
    theta = np.linalg.solve(matrix, right)
    return theta, np.roll(-turn - theta, -1)


def _open_angles(chords: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    count = len(chords)
    turn = np.concatenate([[0.0], np.angle(chords[1:] / chords[:-1]), [0.0]])
    matrix = np.zeros((count + 1, count + 1))
    right = np.zeros(count + 1)
    matrix[0, :2] = 1.0
    right[0] = -turn[1]
    matrix[count, count - 1 :] = 1.0
    for k in range(1, count):
        before, after = 1 / lengths[k - 1], 1 / lengths[k]
        matrix[k, k - 1 : k + 2] = before, 2 * before + 2 * after, after
        right[k] = -2 * turn[k] * before - turn[k + 1] * after
    theta = np.linalg.solve(matrix, right)
    return theta[:-1], (-turn - theta)[1:]


def _velocity(theta: np.ndarray, phi: np.ndarray) -> np.ndarray:
    st, ct, sp, cp = np.sin(theta), np.cos(theta), np.sin(phi), np.cos(phi)
    above = 2 + math.sqrt(2) * (st - sp / 16) * (sp - st / 16) * (ct - cp)
    below = 1 + (math.sqrt(5) - 1) / 2 * ct + (3 - math.sqrt(5)) / 2 * cp
    return above / below / 3
