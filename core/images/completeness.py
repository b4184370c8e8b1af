"""Check that a file has all the pixels that its header promises.

Decoders fill missing pixels: PNG with black, JPEG with gray 128 or a blurred image, TIFF with
arbitrary data. Filled pixels must not be measured, so such a file is refused. The complete check
runs only if the decoded image looks like a filled one; see each function.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from PIL import Image

from truehue.core.errors import ImageError

_ADAM7 = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)
"""First column, first row, step of columns, step of rows. Source: PNG, third edition, 8.1."""

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By a PNG's color type."""

_AT_ONCE = 2**20
_RESTARTS, _SCAN = 0xDD, 0xDA
_PROGRESSIVE = (0xC2, 0xC6, 0xCA, 0xCE)
_BARE = frozenset((0x01, *range(0xD0, 0xD9)))
"""JPEG: the markers that matter here; those that have no length."""

_HARMLESS = "extraneous"
_MISSING = ("Corrupt JPEG data", "Premature end", "Inconsistent progression")
"""What libjpeg's warnings begin with; bytes too many take nothing away."""

_NO_COMPRESSION, _JPEG_IN_TIFF = 1, 7


def refuse_filled_up(image: Image.Image, stream: IO[bytes], name: str) -> None:
    """Raises ImageError for a PNG or JPEG, decoded already, of which a part is missing."""
    if image.format == "PNG":
        short = _png_is_short(image, stream)
    elif image.format in ("JPEG", "MPO"):
        short = _jpeg_is_short(image, stream)
    else:
        return
    if short:
        raise ImageError(
            f"{name} is cut short: its header promises {image.width} × {image.height} pixels, and "
            "not all of them are in the file. Save or download it again."
        )


def refuse_short_tiff(image: Image.Image, stream: IO[bytes], name: str) -> None:
    """Raises ImageError for a TIFF, not decoded yet, whose strips or tiles do not hold the image
    that its header promises; a file of another kind passes."""
    if image.format != "TIFF":
        return
    size = stream.seek(0, 2)
    why = next(_tiff_lacks(getattr(image, "tag_v2", {}), size, stream), "")
    if why:
        raise ImageError(
            f"{name} is damaged or cut short: {why}. Save or download it again, best as a PNG."
        )


# ── PNG ──────────────────────────────────────────────────────────────────────────────────────────


def _png_is_short(image: Image.Image, stream: IO[bytes]) -> bool:
    """A row that never came is all zeros; only then the rows are counted. The last row to come is
    the last one, or of an interlaced file the last odd one."""
    stream.seek(16)
    width, height, depth, kind, *_, interlaced = struct.unpack(">IIBBBBB", stream.read(13))
    last = height - 1 if not interlaced else 2 * (height // 2) - 1
    if last >= 0 and np.asarray(image.crop((0, last, width, last + 1))).any():
        return False
    bits = depth * _CHANNELS[kind]
    expected = 0
    for x, y, across, down in _ADAM7 if interlaced else ((0, 0, 1, 1),):
        columns, rows = -(-(width - x) // across), -(-(height - y) // down)
        if columns > 0 and rows > 0:
            expected += rows * (1 + -(-columns * bits // 8))
    return _inflated(stream, expected) < expected


def _inflated(stream: IO[bytes], enough: int) -> int:
    """How many bytes of rows there are, up to ``enough``."""
    unpack, count = zlib.decompressobj(), 0
    for data in _idat(stream):
        while data and not unpack.eof:
            count += len(unpack.decompress(data, _AT_ONCE))
            if count >= enough:
                return count
            data = unpack.unconsumed_tail
    while not unpack.eof and count < enough and (more := unpack.decompress(b"", _AT_ONCE)):
        count += len(more)
    return count


def _idat(stream: IO[bytes]) -> Iterator[bytes]:
    stream.seek(8)
    while len(head := stream.read(8)) == 8:
        length, kind = struct.unpack(">I4s", head)
        if kind == b"IDAT":
            yield stream.read(length)
        else:
            stream.seek(length, 1)
        stream.seek(4, 1)


# ── JPEG ─────────────────────────────────────────────────────────────────────────────────────────


def _jpeg_is_short(image: Image.Image, stream: IO[bytes]) -> bool:
    """A block that never came is gray 128. Only where the last pixel is that, or where a gap can
    look otherwise, the file is read again with warnings as errors: with several scans, restarts,
    other than one or three channels, or a last block of one row or column, into which its neighbor
    runs."""
    stream.seek(0)
    data = stream.read()
    several, restarts = _scans(data, len(image.getbands()))
    corner = np.asarray(image)[-1, -1]
    runs_in = image.width % 8 == 1 or image.height % 8 == 1
    odd = len(image.getbands()) not in (1, 3)
    gray = bool((corner == 128).all())
    return (several or restarts or runs_in or odd or gray) and jpeg_warns(data)


def _scans(data: bytes, channels: int) -> tuple[bool, bool]:
    """Whether a JPEG has several scans, and whether it has restart markers; from its header."""
    index, several, restarts = 2, False, False
    while index + 4 <= len(data):
        if data[index] != 0xFF:
            return True, True  # bytes between the markers: look closely
        marker = data[index + 1]
        if marker == 0xFF or marker in _BARE:
            index += 1 if marker == 0xFF else 2
            continue
        several |= marker in _PROGRESSIVE
        restarts |= marker == _RESTARTS
        if marker == _SCAN:
            return several or data[index + 4] < channels, restarts
        index += 2 + int.from_bytes(data[index + 2 : index + 4], "big")
    return True, True


def jpeg_warns(data: bytes) -> bool:
    """Whether libjpeg warns that coded data of a JPEG is missing or wrong. At an eighth of the
    size: all of it is decoded, and little is computed from it."""
    import simplejpeg

    for space in ("GRAY", "CMYK"):
        try:
            simplejpeg.decode_jpeg(
                data, space, fastdct=True, fastupsample=True, min_height=1, min_width=1
            )
        except ValueError as error:
            if str(error).startswith(_MISSING):
                return _HARMLESS not in str(error)
            continue  # a kind that cannot become gray
        return False
    return False


# ── TIFF ─────────────────────────────────────────────────────────────────────────────────────────


def _tiff_lacks(tags: Any, size: int, stream: IO[bytes]) -> Iterator[str]:
    """A message about the mismatch."""
    width, height = int(tags[256]), int(tags[257])
    bits = tags.get(258, (1,))
    planes = len(bits) if tags.get(284, 1) == 2 else 1
    tiled = 324 in tags
    across, down = (
        (int(tags[322]), int(tags[323])) if tiled else (width, int(tags.get(278, height)))
    )
    down = max(1, down if tiled else min(down, height))
    offsets, counts = (tags.get(tag) for tag in ((324, 325) if tiled else (273, 279)))
    if offsets is None:
        return
    offsets, counts = _number_tuple(offsets), _number_tuple(counts or ())
    rows, columns = math.ceil(height / down), math.ceil(width / max(1, across))
    label = "tiles" if tiled else "strips"
    if len(offsets) < rows * columns * planes:
        yield f"it needs {rows * columns * planes:,} {label} and lists {len(offsets):,}"
    plain = tags.get(259, 1) == _NO_COMPRESSION
    row_bytes = math.ceil(across * (sum(bits) if planes == 1 else max(bits)) / 8)
    for number, offset in enumerate(offsets[: rows * columns * planes]):
        remaining_rows = height - number // columns % rows * down
        needed = row_bytes * (down if tiled else min(down, remaining_rows)) if plain else 0
        count = counts[number] if number < len(counts) else needed
        if plain and count < needed:
            yield f"one of its {label} has {count:,} bytes of {needed:,}"
        if offset + (needed if plain else count) > size:
            yield f"one of its {label} lies beyond the end of the file"
        if tags.get(259) == _JPEG_IN_TIFF:
            stream.seek(offset)
            if _strip_is_short(stream.read(count), bytes(tags.get(347, b""))):
                yield f"one of its {label} is not whole"


def _strip_is_short(strip: bytes, tables: bytes) -> bool:
    """Whether a JPEG inside a TIFF warns; ``tables`` are those that all of them share."""
    return jpeg_warns(tables[:-2] + strip[2:] if tables else strip)


def _number_tuple(value: Any) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (int(value),)
