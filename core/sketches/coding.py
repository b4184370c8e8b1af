"""Region maps as bytes, for a page: run lengths in LEB128 varints.

Version, width, height, number of maps; then for each map its number of regions, and pairs of a
label and a run length in raster order until the map is covered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.sketches.records import LONGEST_SIDE

CODING_VERSION = 1
MOST_MAPS = 16
_MOST_BYTES = 4  # of a varint: 28 bits, more than pixels of the largest sketch


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
    if not (0 < width <= LONGEST_SIDE and 0 < height <= LONGEST_SIDE and 0 < count <= MOST_MAPS):
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
    for more in range(1, _MOST_BYTES):
        lengths += values >= 1 << (7 * more)
    starts = np.cumsum(lengths) - lengths
    out = np.zeros(int(lengths.sum()), np.uint8)
    for index in range(_MOST_BYTES):
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
    if int(lengths.max()) > _MOST_BYTES:
        raise BadInput("These are no region maps: a number in them is too large.")
    index = np.arange(septets.size) - np.repeat(starts, lengths)
    parts = (septets & 0x7F).astype(np.int64) << (7 * index)
    return np.add.reduceat(parts, starts)
