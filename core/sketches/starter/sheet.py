"""The sheet that a drawing is made on: shapes that hide what lies behind them, lines, clipping."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from truehue.core.sketches.starter.curves import Path, joined, through
from truehue.core.sketches.starter.outlines import ellipse

SIDE = 1024
"""The side of a finished drawing, in its own units."""
FILLED_SHARE = 0.82
"""How much of the side a subject fills."""
LINE = 5.0
"""The width of a line within a subject."""
OUTER = 2.0
"""How much wider the line is where a subject ends, all of it on the outer side."""


@dataclass(frozen=True, eq=False)
class Mark:
    """One path on the sheet, painted over those before it.

    ``fill`` is ``""``, ``"paper"`` or ``"ink"``; ``width`` is the line's, 0 for none. Nothing is
    painted outside of ``clips``: each is a union of closed paths, and all of them hold. ``taper``
    is ``start``, ``end`` or ``both`` for a line that grows thin there, before it is fitted;
    ``under`` marks the wider line that a group lays below its shapes.
    """

    path: Path
    fill: str = ""
    width: float = 0.0
    clips: tuple[tuple[Path, ...], ...] = ()
    taper: str = ""
    under: bool = False


class Sheet:
    """Collects marks in painter's order, in any units: :meth:`fitted` centers and scales them."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []
        self._clips: tuple[tuple[Path, ...], ...] = ()
        self._matrix = np.eye(3)
        self._extent: Path | None = None

    def shape(self, path: Path, width: float = LINE) -> None:
        """A closed outline that hides what lies behind it."""
        self._put(path, "paper", width)

    def line(self, path: Path, width: float = LINE) -> None:
        """A line, open or closed, that hides nothing."""
        self._put(path, "", width)

    def stroke(self, path: Path, taper: str = "end", width: float = LINE) -> None:
        """An open line that grows thin toward its ``end``, its ``start`` or ``both``."""
        self._marks.append(Mark(self._path(path), "", width, self._clips, taper))

    def dot(self, x: float, y: float, radius: float, ry: float | None = None) -> None:
        """A small solid spot, as a pupil is."""
        self._put(ellipse(x, y, radius, ry), "ink", 0.0)

    def cover(self, path: Path) -> None:
        """Paper without an outline: takes away lines that lie below."""
        self._put(path, "paper", 0.0)

    def merged(self, *paths: Path, width: float = LINE) -> None:
        """Closed outlines as one: no line where they overlap."""
        for path in paths:
            self._put(path, "", 2 * width)
        for path in paths:
            self._put(path, "paper", 0.0)

    @contextmanager
    def inside(self, *paths: Path, width: float = LINE) -> Iterator[None]:
        """A shape whose outline nothing within the block goes beyond; several make a union."""
        if len(paths) == 1:
            self.shape(paths[0], width)
        else:
            self.merged(*paths, width=width)
        before = self._clips
        self._clips = (*before, tuple(self._path(path) for path in paths))
        try:
            yield
        finally:
            self._clips = before
        if len(paths) == 1:
            self.line(paths[0], width)

    @contextmanager
    def framed(self, frame: Path) -> Iterator[None]:
        """A scene: a mat of paper covers what reaches beyond ``frame``, and it alone is fitted."""
        self.shape(frame)
        yield
        low, high = frame.flat().min(axis=0), frame.flat().max(axis=0)
        margin = (high - low) * 2
        (x, y), (u, v) = low - margin, high + margin
        outer = through([(x, y), (u, y), (u, v), (x, v), (x, y)], [True] * 5)
        self.cover(joined(outer, Path(frame.backwards().cubics)))
        self.line(frame, LINE + OUTER)
        self._extent = self._path(frame)

    @contextmanager
    def group(self, outer: float = OUTER) -> Iterator[None]:
        """What is put down within the block gets a heavier line where all of it ends."""
        start = len(self._marks)
        yield
        new = self._marks[start:]
        under = [
            replace(mark, fill="", width=mark.width + 2 * outer, under=True)
            for mark in new
            if mark.path.closed and mark.width and mark.clips == self._clips and not mark.under
        ]
        self._marks[start:] = [*under, *new]

    @contextmanager
    def at(
        self, x: float = 0, y: float = 0, scale: float = 1, turn: float = 0, mirror: bool = False
    ) -> Iterator[None]:
        """Within the block the origin lies at (x, y), scaled, turned clockwise, mirrored first."""
        before = self._matrix
        c, s = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
        flip = -1 if mirror else 1
        self._matrix = before @ np.array([[c * flip, -s, x], [s * flip, c, y], [0, 0, 1]])
        try:
            yield
        finally:
            self._matrix = before

    def fitted(self, share: float = FILLED_SHARE) -> tuple[Mark, ...]:
        """The marks, centered on a square of ``SIDE`` with their longer extent ``share`` of it.

        Lines keep their width. ``share`` 0 leaves everything where it was drawn.
        """
        free = [mark.path for mark in self._marks if not mark.clips]
        points = np.concatenate(
            [path.flat() for path in ([self._extent] if self._extent else free)]
        )
        low, high = points.min(axis=0), points.max(axis=0)
        scale = share * SIDE / float((high - low).max()) if share else 1.0
        shift = np.full(2, SIDE / 2) - (low + high) / 2 * scale if share else np.zeros(2)

        def placed(path: Path) -> Path:
            return Path(path.cubics * scale + shift, path.closed)

        # Marks that share a clip go on sharing it: they are painted together.
        clippings: dict[tuple[tuple[Path, ...], ...], tuple[tuple[Path, ...], ...]] = {}

        def finished(mark: Mark) -> Mark:
            path = placed(mark.path)
            if mark.clips not in clippings:
                unions = tuple(tuple(placed(clip) for clip in union) for union in mark.clips)
                clippings[mark.clips] = unions
            clips = clippings[mark.clips]
            if mark.taper:
                return Mark(_tapered(path, mark.width, mark.taper), "ink", 0.0, clips)
            return Mark(path, mark.fill, mark.width, clips)

        return tuple(finished(mark) for mark in self._marks)

    def _put(self, path: Path, fill: str, width: float) -> None:
        self._marks.append(Mark(self._path(path), fill, width, self._clips))

    def _path(self, path: Path) -> Path:
        return Path(path.cubics @ self._matrix[:2, :2].T + self._matrix[:2, 2], path.closed)


def _tapered(spine: Path, width: float, taper: str) -> Path:
    """The closed outline of a line that grows thin; a hair is left, or it would break into dots."""
    places, tangents = spine.along(max(9, 4 * len(spine.cubics) + 1))
    way = np.linspace(0, 1, len(places))
    full = {"end": 1 - way, "start": way, "both": np.sin(np.pi * way)}[taper]
    halves = (0.34 + 0.66 * full**0.6) * width / 2
    offsets = np.stack([tangents[:, 1], -tangents[:, 0]], axis=1) * halves[:, None]
    left, right = places + offsets, (places - offsets)[::-1]
    caps = tangents[[0, -1]] * halves[[0, -1], None]
    return joined(
        through(left),
        through([left[-1], places[-1] + caps[1], right[0]]),
        through(right),
        through([right[-1], places[0] - caps[0], left[0]]),
    )
