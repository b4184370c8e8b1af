"""Files of which a part is missing are refused; whole ones, however dark or gray, are read."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from truehue.core.errors import ImageError
from truehue.core.images.completeness import _ADAM7
from truehue.core.images.load import load_image

SIDE = 100


def picture(side: int = SIDE) -> np.ndarray:
    """Every pixel another color, none of them gray or black."""
    y, x = np.mgrid[0:side, 0:side]
    return np.stack([60 + x, 40 + y, 200 - (x + y) // 2], axis=-1).astype(np.uint8)


def png(rows: int, depth: int = 8, interlaced: bool = False, dark: bool = False) -> bytes:
    """A PNG of RGB whose stream of pixels ends, properly, after so many rows."""
    values = picture() * (0 if dark else 1)
    samples = values if depth == 8 else (values.astype(">u2") * 257).astype(">u2")
    passes = _ADAM7 if interlaced else ((0, 0, 1, 1),)
    lines = [
        b"\0" + line.tobytes()
        for x, y, across, down in passes
        for line in samples[y::down, x::across]
    ]
    head = struct.pack(">IIBBBBB", SIDE, SIDE, depth, 2, 0, 0, int(interlaced))
    out = b"\x89PNG\r\n\x1a\n"
    for kind, data in (
        (b"IHDR", head),
        (b"IDAT", zlib.compress(b"".join(lines[:rows]))),
        (b"IEND", b""),
    ):
        out += struct.pack(">I", len(data)) + kind + data
        out += struct.pack(">I", zlib.crc32(kind + data))
    return out


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("depth", [8, 16])
def test_a_png_with_missing_rows_is_refused(depth: int, interlaced: bool) -> None:
    every = sum(-(-(SIDE - y) // down) for _, y, _, down in _ADAM7) if interlaced else SIDE
    for rows in (1, 30, every - 1):
        with pytest.raises(ImageError, match=r"its header promises 100 × 100"):
            load_image(png(rows, depth, interlaced), "a.png")
    assert np.array_equal(load_image(png(every, depth, interlaced)).srgb8, picture())
    assert not load_image(png(every, depth, interlaced, dark=True)).srgb8.any()


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1), (3, 3)])
def test_a_black_png_of_any_kind_is_read(mode: str, size: tuple[int, int]) -> None:
    out = io.BytesIO()
    Image.new(mode, size).save(out, "PNG")
    assert load_image(out.getvalue()).srgb8.shape == (*size[::-1], 3)


def jpeg(srgb8: np.ndarray, mode: str = "RGB", **options: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(srgb8).convert(mode).save(out, "JPEG", quality=90, **options)
    return out.getvalue()


KINDS: dict[str, dict[str, Any]] = {
    "baseline": {},
    "progressive": {"progressive": True},
    "4:4:4": {"subsampling": 0},
    "restarts": {"restart_marker_blocks": 3},
    "gray": {"mode": "L"},
    "cmyk": {"mode": "CMYK"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", [100, 97])
def test_a_jpeg_that_ends_early_is_refused(kind: str, side: int) -> None:
    """With an end marker of its own, so that nothing is missing but pixels."""
    whole = jpeg(picture(side), **KINDS[kind])
    assert load_image(whole).srgb8.shape == (side, side, 3)
    for part in (0.4, 0.7, 0.95):
        with pytest.raises(ImageError, match="cut short"):
            load_image(whole[: int(len(whole) * part)] + b"\xff\xd9", "a.jpg")


def test_a_jpeg_that_says_it_is_larger_is_refused() -> None:
    small = jpeg(picture(48)[:40])
    index = small.index(b"\xff\xc0") + 5
    bent = small[:index] + struct.pack(">HH", 1000, 1000) + small[index + 4 :]
    with pytest.raises(ImageError, match=r"1000 × 1000"):
        load_image(bent)


@pytest.mark.parametrize("kind", KINDS)
def test_a_gray_jpeg_is_read(kind: str) -> None:
    """It looks as one that was filled up."""
    gray = np.full((50, 70, 3), 128, dtype=np.uint8)
    assert np.abs(load_image(jpeg(gray, **KINDS[kind])).srgb8.astype(int) - 128).max() <= 3


def test_bytes_too_many_in_a_jpeg_take_nothing_away() -> None:
    whole = jpeg(picture(97))
    padded = whole[:-2] + b"\0\0\0\0" + whole[-2:]
    assert np.array_equal(load_image(padded).srgb8, load_image(whole).srgb8)


def tiff(compression: str = "raw", **options: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(picture()).save(out, "TIFF", compression=compression, **options)
    return out.getvalue()


def bent(content: bytes, tag: int, change: Callable[[int], int]) -> bytes:
    """A TIFF (little-endian) with another number in a tag that holds one, or in all of its list."""
    entry, made = int.from_bytes(content[4:8], "little") + 2, bytearray(content)
    while int.from_bytes(made[entry : entry + 2], "little") != tag:
        entry += 12
    kind, count = struct.unpack("<HI", made[entry + 2 : entry + 8])
    size = {3: 2, 4: 4}[kind]
    position = (
        entry + 8 if size * count <= 4 else int.from_bytes(made[entry + 8 : entry + 12], "little")
    )
    for index in range(position, position + size * count, size):
        value = change(int.from_bytes(made[index : index + size], "little"))
        made[index : index + size] = value.to_bytes(size, "little")
    return bytes(made)


@pytest.mark.parametrize("compression", ["raw", "jpeg", "tiff_lzw", "tiff_deflate", "packbits"])
def test_a_tiff_with_missing_rows_is_refused(compression: str) -> None:
    whole = tiff(compression, tiffinfo={TiffImagePlugin.ROWSPERSTRIP: 40})
    close = 0 if compression != "jpeg" else 40
    assert np.abs(load_image(whole).srgb8.astype(int) - picture()).max() <= close
    for tag, change in (
        (TiffImagePlugin.STRIPBYTECOUNTS, lambda count: count // 3),
        (TiffImagePlugin.STRIPOFFSETS, lambda offset: offset + 10**6),
        (TiffImagePlugin.IMAGELENGTH, lambda rows: 3 * rows),
    ):
        with pytest.raises(ImageError, match=r"damaged|cut short"):
            load_image(bent(whole, tag, change), "a.tif")
