"""Regions of a sketch that one click fills, with gaps in its lines closed and no white fringe.

A ball as wide as the gap cannot leave through it. The cores of regions are the paper that lies
further from every line than the ball's radius. A watershed of the distance to the lines separates
cores at their narrowest connection. Each wider closing divides the regions of the one before; a
region in which no ball fits stays unchanged.

A page gets region maps as bytes, run lengths in LEB128 varints: version, width, height, number of
maps; then for each map its number of regions, and pairs of a label and a run length in raster order
until the map is covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.errors import BadInput
from truehue.core.sketches.records import LONGEST_SIDE, check_ink, scale_of, sketch_id

CODING_VERSION = 1
MAX_MAPS = 16
_MAX_BYTES = 4  # of a varint: 28 bits, more than pixels of the largest sketch


def encode(maps: Sequence[np.ndarray]) -> bytes:
    """Label maps, whole numbers ``(H, W)`` of one size with labels from 0 on, as bytes."""
    height, width = maps[0].shape
    values = [np.array([CODING_VERSION, width, height, len(maps)], np.int64)]
    for labels in maps:
        flat = labels.reshape(-1)
        starts = np.concatenate(([0], np.flatnonzero(flat[1:] != flat[:-1]) + 1))
        runs = np.diff(np.append(starts, flat.size))
        values.append(np.array([int(flat.max())], np.int64))
        values.append(np.stack([flat[starts].astype(np.int64), runs], axis=-1).reshape(-1))
    return _varints(np.concatenate(values))


def decode(data: bytes) -> tuple[np.ndarray, ...]:
    """The label maps that :func:`encode` got: uint16 ``(H, W)``, int32 where labels need it.

    Raises BadInput for bytes that are cut short, of another version or no region maps at all.
    """
    values = _numbers(data)
    if values.size < 4 or values[0] != CODING_VERSION:
        raise BadInput("These are no region maps of this version. Load the page again.")
    width, height, count = (int(value) for value in values[1:4])
    if not (0 < width <= LONGEST_SIDE and 0 < height <= LONGEST_SIDE and 0 < count <= MAX_MAPS):
        raise BadInput("These region maps have a size that no sketch has.")
    index, maps = 4, []
    for _ in range(count):
        rest = values[index + 1 :]
        pairs = rest[: rest.size // 2 * 2].reshape(-1, 2)
        ends = np.cumsum(pairs[:, 1])
        used = int(np.searchsorted(ends, width * height)) + 1
        if used > ends.size or ends[used - 1] != width * height or not pairs[:used, 1].all():
            raise BadInput("These region maps are damaged or cut short.")
        regions = int(values[index])
        if int(pairs[:used, 0].max()) != regions:
            raise BadInput("These region maps count their regions wrongly.")
        kind = label_type(regions)
        maps.append(np.repeat(pairs[:used, 0].astype(kind), pairs[:used, 1]).reshape(height, width))
        index += 1 + 2 * used
    if index != values.size:
        raise BadInput("There is something behind these region maps.")
    return tuple(maps)


def label_type(regions: int) -> type[np.generic]:
    """The numbers that labels up to ``regions`` are kept in."""
    return np.uint16 if regions < 1 << 16 else np.int32


def _varints(values: np.ndarray) -> bytes:
    """Whole numbers int64 ``(N,)`` from 0 on, seven bits a byte, low ones first."""
    lengths = np.ones(values.size, np.int64)
    for more in range(1, _MAX_BYTES):
        lengths += values >= 1 << (7 * more)
    starts = np.cumsum(lengths) - lengths
    out = np.zeros(int(lengths.sum()), np.uint8)
    for index in range(_MAX_BYTES):
        reached = lengths > index
        septet = (values[reached] >> (7 * index)) & 0x7F
        out[starts[reached] + index] = septet | np.where(lengths[reached] > index + 1, 0x80, 0)
    return out.tobytes()


def _numbers(data: bytes) -> np.ndarray:
    """The whole numbers int64 ``(N,)`` that :func:`_varints` wrote."""
    septets = np.frombuffer(data, np.uint8)
    if not septets.size or septets[-1] & 0x80:
        raise BadInput("These region maps are cut short.")
    last = np.flatnonzero(septets < 0x80)
    starts = np.concatenate(([0], last[:-1] + 1))
    lengths = last - starts + 1
    if int(lengths.max()) > _MAX_BYTES:
        raise BadInput("These are no region maps: a number in them is too large.")
    index = np.arange(septets.size) - np.repeat(starts, lengths)
    parts = (septets & 0x7F).astype(np.int64) << (7 * index)
    return np.add.reduceat(parts, starts)


CLOSINGS_PX = (0, 4, 10, 24)
"""The widest gap that is closed, in pixels at a longer side of 1024."""

LINE = 160
"""Of 255: darker pixels are lines, which end regions. An antialiased line of one pixel, wherever
it lies, has a pixel of half its darkness in each row or column that it crosses."""

GROWTH_PX = 12
"""How far regions reach under lines, at a longer side of 1024."""

_MIN_GROWTH_PX = 2.0
_ROOM = 1.2
"""A core is one of its own where the ball has this much room and half a pixel: passages that are
just as wide as the ball would fall to pieces otherwise."""

MAX_REGIONS = 20_000
"""Under one closing: more are hatching or noise that nobody colors, and the numbers of a page."""

_KEPT = 8
_CODED_KEPT_BYTES = 64 * 2**20


@dataclass(frozen=True)
class RegionMaps:
    """The regions of a sketch under each of ``CLOSINGS_PX``.

    ``labels`` are uint16 or int32 ``(H, W)``, not writeable: 0 is no region (deep ink), 1 to n are
    regions in raster order of their first pixel.
    """

    labels: tuple[np.ndarray, ...] = field(repr=False)
    _rows: dict[int, tuple[np.ndarray, np.ndarray]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        height, width = self.labels[0].shape
        return height, width

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of regions under each closing."""
        return tuple(int(labels.max()) for labels in self.labels)

    def label(self, closing: int, x: int, y: int) -> int:
        """The region at a pixel; 0 where there is none, and outside of the sketch."""
        height, width = self.shape
        return int(self.labels[closing][y, x]) if 0 <= x < width and 0 <= y < height else 0

    def surround(self, closing: int) -> np.ndarray:
        """Which regions touch the border of the sketch, the paper around the drawing: bool
        ``(n + 1,)`` by label, never 0."""
        labels = self.labels[closing]
        touching = np.zeros(self.counts[closing] + 1, bool)
        for edge in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
            touching[edge] = True
        touching[0] = False
        return touching

    def rows(self, closing: int, label: int) -> slice:
        """The rows that a region lies on; all of them where there is no such region.

        The first call for a closing looks at its whole map; the next ones cost nothing.
        """
        if closing not in self._rows:
            labels = self.labels[closing]
            height, width = labels.shape
            first, last = (np.zeros(int(labels.max()) + 1, np.int32) for _ in range(2))
            row = np.repeat(np.arange(height, dtype=np.int32), width)
            last[labels.reshape(-1)] = row  # of several the last one written stays
            first[labels.reshape(-1)[::-1]] = row[::-1]
            self._rows[closing] = first, last
        first, last = self._rows[closing]
        if not 0 < label < first.size:
            return slice(None)
        return slice(int(first[label]), int(last[label]) + 1)


_coded: LruCache[bytes] = LruCache(_CODED_KEPT_BYTES, len)
_maps: LruCache[RegionMaps] = LruCache(_KEPT)


def regions(ink: np.ndarray) -> RegionMaps:
    """The regions of a sketch's ink, uint8 ``(H, W)``; the last ones asked for are kept.

    Raises BadInput for what is no ink, and for ink of more than :data:`MAX_REGIONS`.
    """
    return _maps.get(sketch_id(ink), lambda: _read_only(decode(coded_regions(ink))))


def coded_regions(ink: np.ndarray) -> bytes:
    """The regions of a sketch's ink as :mod:`truehue.core.sketches.regions` writes them; kept as
    well.

    Raises as :func:`regions`.
    """
    return _coded.get(sketch_id(ink), lambda: encode(label_maps(ink)))


def decoded_regions(sketch_id: str, coded: bytes) -> RegionMaps:
    """The regions that :func:`coded_regions` wrote of the sketch of that id; the last ones that
    were asked for are kept. Raises BadInput for what it did not write."""
    return _maps.get(sketch_id, lambda: _read_only(decode(coded)))


def label_maps(ink: np.ndarray) -> tuple[np.ndarray, ...]:
    """The label maps of every closing, made now: int32 or uint16 ``(H, W)``. Raises as
    :func:`regions`."""
    import cv2

    check_ink(ink)
    scale = scale_of(ink.shape)
    paper = (ink >= LINE).view(np.uint8)
    if not paper.any():
        return tuple(np.zeros(ink.shape, np.uint16) for _ in CLOSINGS_PX)
    count, labels = cv2.connectedComponents(paper, connectivity=4, ltype=cv2.CV_32S)
    _require_few(count - 1)  # before anything that costs more
    squared = _squared_distance(paper)
    under = _Growth(paper.view(bool), max(GROWTH_PX * scale, _MIN_GROWTH_PX))
    maps = []
    for gap_px in CLOSINGS_PX:
        if gap_px:
            labels = _divided(labels, squared, (gap_px * scale + 1) / 2)
        maps.append(_in_raster_order(under.grown(labels)))
        _require_few(int(maps[-1].max()))
    return tuple(maps)


def _require_few(count: int) -> None:
    if count > MAX_REGIONS:
        raise BadInput(
            f"This drawing falls into {count:,} regions, more than {MAX_REGIONS:,}: it is full of "
            "hatching or specks. Remove larger specks, or import a drawing of clean lines."
        )


def _squared_distance(paper: np.ndarray) -> np.ndarray:
    """Squared distance int32 ``(H, W)`` from each paper pixel to the nearest line pixel, between
    their middles; the border of the sketch is no line."""
    import cv2

    if paper.all():
        return np.full(paper.shape, paper.size, np.int32)
    distance = cv2.distanceTransform(paper, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    # Whole numbers, so that no rounding of some machine decides which region a pixel is in.
    return np.rint(np.square(distance, dtype=np.float64)).astype(np.int32)


class _Growth:
    """How regions grow under lines: which paper pixel is the nearest to each line pixel."""

    def __init__(self, paper: np.ndarray, reach_px: float) -> None:
        from scipy import ndimage

        self._to = np.flatnonzero(~paper)
        self._from = np.zeros(0, np.int64)
        if not self._to.size:
            return
        nearest = ndimage.distance_transform_edt(
            ~paper, return_distances=False, return_indices=True
        )
        rows, columns = nearest[0].reshape(-1)[self._to], nearest[1].reshape(-1)[self._to]
        width = paper.shape[1]
        near = (rows - self._to // width) ** 2 + (columns - self._to % width) ** 2 <= reach_px**2
        self._to = self._to[near]
        self._from = rows[near].astype(np.int64) * width + columns[near]

    def grown(self, labels: np.ndarray) -> np.ndarray:
        """Labels ``(H, W)`` with those of line pixels within reach of a region."""
        out = labels.copy().reshape(-1)
        out[self._to] = out[self._from]
        return out.reshape(labels.shape)


def _divided(labels: np.ndarray, squared: np.ndarray, radius: float) -> np.ndarray:
    """Regions int32 ``(H, W)`` divided where a ball of that radius cannot pass."""
    import cv2

    core = (squared > radius**2).view(np.uint8)
    count, cores = cv2.connectedComponents(core, connectivity=4, ltype=cv2.CV_32S)
    roomy = np.zeros(count, bool)
    roomy[cores[squared > (_ROOM * radius + 0.5) ** 2]] = True
    roomy[0] = False
    region_of_core = np.zeros(count, np.int64)
    region_of_core[cores.reshape(-1)] = labels.reshape(-1)
    cores_of_region = np.bincount(region_of_core[roomy], minlength=int(labels.max()) + 1)
    several = cores_of_region > 1
    if not several.any():
        return labels
    divided = several[labels]
    markers = np.cumsum(roomy) * (roomy & several[region_of_core])
    return _flooded(labels, np.where(divided, squared, -1), markers[cores].astype(np.int32))


def _flooded(labels: np.ndarray, squared: np.ndarray, markers: np.ndarray) -> np.ndarray:
    """Labels with the pixels of ``squared`` from 0 on given to the marker that floods them first.

    A flood goes through wide places before narrow ones: the minimum spanning forest rooted at the
    markers. Every edge has a weight of its own (width, then distance to the markers, then its
    place), so that the order of equal ones decides nothing.
    """
    import cv2
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

    inside = squared >= 0
    free = inside & (markers == 0)
    roots = int(markers.max()) + 1
    node = markers.astype(np.int64)
    node[free] = np.arange(roots, roots + int(np.count_nonzero(free)))
    away = np.rint(
        cv2.distanceTransform((markers == 0).view(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    ).astype(np.int64)
    ends: list[np.ndarray] = []
    for item, other in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        joined = (free[item] | free[other]) & inside[item] & inside[other]
        joined &= labels[item] == labels[other]
        narrow = np.minimum(squared[item][joined], squared[other][joined]).astype(np.int64)
        far = np.maximum(away[item][joined], away[other][joined])
        pair = np.sort(np.stack([node[item][joined], node[other][joined]]), axis=0)
        ends.append(np.stack([pair[0], pair[1], narrow, far]))
    first, second, narrow, far = np.concatenate(ends, axis=1)
    # A pixel may touch a marker on several sides: one edge of these is enough.
    _, once = np.unique(first * (int(node.max()) + 1) + second, return_index=True)
    first, second, narrow, far = first[once], second[once], narrow[once], far[once]
    weight = ((int(narrow.max()) - narrow) << 36) + (far << 24) + np.arange(1, narrow.size + 1)
    marker = np.arange(1, roots)
    graph = coo_matrix(
        (
            np.concatenate([weight.astype(np.float64), np.full(marker.size, 0.5)]),
            (np.concatenate([first, np.zeros_like(marker)]), np.concatenate([second, marker])),
        ),
        shape=(int(node.max()) + 1,) * 2,
    )
    forest = minimum_spanning_tree(graph).tocoo()
    apart = forest.row != 0  # the root joined all markers; without it each has its own tree
    trees = coo_matrix((forest.data[apart], (forest.row[apart], forest.col[apart])), graph.shape)
    _, tree = connected_components(trees, directed=False)
    return np.where(inside, int(labels.max()) + 1 + tree[node], labels).astype(np.int32)


def _in_raster_order(labels: np.ndarray) -> np.ndarray:
    """The same regions, numbered from 1 in the order of their first pixels; 0 stays 0."""
    flat = labels.reshape(-1)
    firsts = np.full(int(flat.max()) + 1, -1, np.int64)
    firsts[flat[::-1]] = np.arange(flat.size - 1, -1, -1)  # the last one written is the first
    firsts[0] = -1
    present = np.flatnonzero(firsts >= 0)
    number = np.zeros(firsts.size, label_type(present.size))
    number[present[np.argsort(firsts[present])]] = np.arange(1, present.size + 1)
    return number[labels]


def _read_only(maps: tuple[np.ndarray, ...]) -> RegionMaps:
    for labels in maps:
        labels.flags.writeable = False
    return RegionMaps(maps)


def check_closing(closing: object) -> int:
    """An index of ``CLOSINGS_PX``. Raises BadInput for anything else."""
    if type(closing) is not int or not 0 <= closing < len(CLOSINGS_PX):
        raise BadInput(f"A closing is 0 to {len(CLOSINGS_PX) - 1}.", "closing")
    return closing
