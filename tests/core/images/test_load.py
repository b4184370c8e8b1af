"""Files of every kind, written as bytes or by Pillow, against pixels worked out by hand."""

from __future__ import annotations

import hashlib
import struct
import zlib
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFilter

from truehue.core.errors import BadInput, ImageError, MaskError, NoPixels
from truehue.core.files import png_of
from truehue.core.images.load import (
    MAX_PIXELS,
    encode_png,
    image_id,
    load_image,
    load_mask,
    mask_with_note,
    warnings_in,
)

RGB = np.array([[[250, 10, 20], [0, 128, 255]], [[1, 2, 3], [90, 60, 30]], [[7, 8, 9], [5, 5, 5]]])
RGB = RGB.astype(np.uint8)  # (3, 2, 3): height, width and every value differ


def saved(pixels, kind: str, **options) -> bytes:
    out = BytesIO()
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    image.save(out, kind, **options)
    return out.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, depth, color_type, rows=(), before=b"") -> bytes:
    """A PNG of any kind from its packed rows; ``before`` holds chunks that precede the pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + before
        + chunk(b"IDAT", pixels)
        + chunk(b"IEND", b"")
    )


def row16(*values: int) -> bytes:
    return struct.pack(f">{len(values)}H", *values)


def pixels_of(data: bytes) -> list:
    return load_image(data).srgb8.tolist()


# Plain files


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "PPM"])
def test_plain_files_come_as_they_are(tmp_path, kind):
    path = tmp_path / f"photo.{kind.lower()}"
    path.write_bytes(saved(RGB, kind))
    for source in (path, str(path)):
        image = load_image(source)
        np.testing.assert_array_equal(image.srgb8, RGB)
        assert image.notes == ()
        assert image.name == path.name
        assert image.opaque is None
        assert image.srgb8.flags.c_contiguous
        assert not image.srgb8.flags.writeable


@pytest.mark.parametrize(
    ("kind", "options"), [("WEBP", {"lossless": True}), ("TIFF", {"compression": "tiff_lzw"})]
)
def test_compressed_files(kind, options):
    np.testing.assert_array_equal(load_image(saved(RGB, kind, **options)).srgb8, RGB)


@pytest.mark.parametrize("kind", ["JPEG", "AVIF"])
def test_lossy_files_hold_their_color(kind):
    flat = np.full((16, 16, 3), (200, 90, 40), np.uint8)
    image = load_image(saved(flat, kind, quality=95))
    assert image.srgb8.shape == (16, 16, 3)
    assert np.abs(image.srgb8.astype(int) - flat).max() <= 3
    assert image.notes == ()


def test_name_can_be_given():
    assert load_image(saved(RGB, "PNG"), "cup.png").name == "cup.png"
    with pytest.raises(ImageError, match=r"^cup\.png"):
        load_image(b"nothing", "cup.png")


def test_palette_1_bit_and_gray():
    palette = Image.fromarray(np.array([[0, 1, 2]], np.uint8), mode="P")
    palette.putpalette([10, 20, 30, 200, 100, 0, 1, 2, 3])
    for kind in ("PNG", "GIF", "BMP", "TIFF"):
        image = load_image(saved(palette, kind))
        assert image.srgb8.tolist() == [[[10, 20, 30], [200, 100, 0], [1, 2, 3]]]
        assert image.notes == ()
    bits = saved(Image.fromarray(np.array([[True, False]])), "PNG")
    assert pixels_of(bits) == [[[255] * 3, [0] * 3]]
    gray = load_image(saved(np.array([[0, 77, 255]], np.uint8), "PNG"))
    assert gray.srgb8.tolist() == [[[0] * 3, [77] * 3, [255] * 3]]
    assert gray.notes == ("The file is gray: its one channel fills red, green and blue.",)


# Orientation


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
@pytest.mark.parametrize(
    ("orientation", "upright"),
    [
        (1, RGB),
        (2, RGB[:, ::-1]),
        (3, RGB[::-1, ::-1]),
        (4, RGB[::-1]),
        (5, RGB.swapaxes(0, 1)),
        (6, np.rot90(RGB, -1)),
        (7, np.rot90(RGB, -1)[::-1]),
        (8, np.rot90(RGB, 1)),
    ],
)
def test_orientation(kind, orientation, upright):
    exif = Image.Exif()
    exif[0x0112] = orientation
    big = np.kron(RGB, np.ones((16, 16, 1), np.uint8))  # blocks that JPEG does not mix
    options = {
        "PNG": {},
        "JPEG": {"quality": 100, "subsampling": 0},
        "TIFF": {},
        "WEBP": {"lossless": True},
    }
    image = load_image(saved(big, kind, exif=exif, **options[kind]))
    seen = image.srgb8[8::16, 8::16]
    assert seen.shape == upright.shape
    assert np.abs(seen.astype(int) - upright).max() <= (2 if kind == "JPEG" else 0)
    turned = "Turned upright as the camera's orientation mark says."
    assert image.notes == ((turned,) if orientation != 1 else ())
    assert image.srgb8.flags.c_contiguous


def test_orientation_turns_opaque_too():
    exif = Image.Exif()
    exif[0x0112] = 6
    rgba = np.dstack([RGB, np.array([[0, 255], [255, 255], [255, 255]], np.uint8)])
    image = load_image(saved(rgba, "PNG", exif=exif))
    assert image.opaque.tolist() == [[True, True, False], [True, True, True]]
    assert image.srgb8[0, 2].tolist() == [255, 255, 255]
    assert not image.opaque.flags.writeable


def test_damaged_exif_is_said():
    data = png(1, 1, 8, 2, [b"\1\2\3"], chunk(b"eXIf", b"II*\0garbage that is no folder"))
    image = load_image(data)
    assert image.srgb8.tolist() == [[[1, 2, 3]]]
    bad = png(1, 1, 8, 2, [b"\1\2\3"], chunk(b"eXIf", b"not EXIF at all"))
    assert "EXIF data is damaged" in load_image(bad).notes[0]


# Transparency


def test_alpha_over_white():
    rgba = np.array([[[200, 100, 0, 255], [200, 100, 0, 0]], [[200, 100, 0, 128], [0, 0, 0, 127]]])
    image = load_image(saved(rgba.astype(np.uint8), "PNG"))
    # 128/255 of 200, 100, 0 and 127/255 of white: 227.39, 177.19, 127; 128/255 of white is 128.
    assert image.srgb8.tolist() == [
        [[200, 100, 0], [255, 255, 255]],
        [[227, 177, 127], [128, 128, 128]],
    ]
    assert image.opaque.tolist() == [[True, False], [True, False]]
    assert image.notes == (
        "Transparency was laid over white; 50.0% of pixels are more than half transparent.",
    )
    assert warnings_in(image.notes) == [*image.notes]


def test_alpha_rounds_for_every_pair():
    color, alpha = np.meshgrid(np.arange(256), np.arange(256))
    rgba = np.dstack([color, color, color, alpha]).astype(np.uint8)
    share = alpha / 255
    expected = np.rint(color * share + 255 * (1 - share))
    np.testing.assert_array_equal(load_image(saved(rgba, "PNG")).srgb8[..., 1], expected)


def test_alpha_that_hides_nothing_is_not_mentioned():
    rgba = np.dstack([RGB, np.full((3, 2), 255, np.uint8)])
    for kind in ("PNG", "TIFF", "WEBP"):
        image = load_image(saved(rgba, kind, **({"lossless": True} if kind == "WEBP" else {})))
        np.testing.assert_array_equal(image.srgb8, RGB)
        assert image.opaque is None
        assert image.notes == ()


def test_share_is_never_rounded_to_nothing():
    rgba = np.full((100, 100, 4), 255, np.uint8)
    rgba[0, 0, 3] = 0
    assert "less than 0.1%" in load_image(saved(rgba, "PNG")).notes[0]


def test_gray_with_alpha():
    data = png(2, 1, 8, 4, [bytes([50, 255, 50, 0])])
    image = load_image(data)
    assert image.srgb8.tolist() == [[[50] * 3, [255] * 3]]
    assert len(image.notes) == 2


def test_transparent_colors_of_palettes():
    colors = chunk(b"PLTE", bytes([10, 20, 30, 40, 50, 60]))
    data = png(2, 1, 8, 3, [b"\0\1"], colors + chunk(b"tRNS", bytes([255, 51])))
    # 51/255 is a fifth: 0.2 * 40 + 0.8 * 255 = 212, and so on.
    assert pixels_of(data) == [[[10, 20, 30], [212, 214, 216]]]
    gif = Image.fromarray(np.array([[0, 1]], np.uint8), mode="P")
    gif.putpalette([10, 20, 30, 40, 50, 60])
    image = load_image(saved(gif, "GIF", transparency=1))
    assert image.srgb8.tolist() == [[[10, 20, 30], [255, 255, 255]]]
    assert image.opaque.tolist() == [[True, False]]


@pytest.mark.parametrize(
    ("depth", "color_type", "row", "key", "expected"),
    [
        (1, 0, b"\x40", row16(0), [255, 255]),
        (2, 0, b"\x10", row16(1), [0, 255]),
        (4, 0, b"\x12", row16(2), [17, 255]),
        (8, 0, b"\x12\x13", row16(0x13), [0x12, 255]),
        (16, 0, row16(200 * 257, 201 * 257), row16(201 * 257), [200, 255]),
    ],
)
def test_one_transparent_gray(depth, color_type, row, key, expected):
    image = load_image(png(2, 1, depth, color_type, [row], chunk(b"tRNS", key)))
    assert image.srgb8[0, :, 0].tolist() == expected
    assert image.opaque is not None


def test_one_transparent_color():
    data = png(2, 1, 8, 2, [b"\1\2\3\4\5\6"], chunk(b"tRNS", row16(4, 5, 6)))
    assert load_image(data).opaque.tolist() == [[True, False]]
    row = row16(4 * 257, 5 * 257, 6 * 257 + 1, 4 * 257, 5 * 257, 6 * 257)
    deep = png(2, 1, 16, 2, [row], chunk(b"tRNS", row16(4 * 257, 5 * 257, 6 * 257)))
    image = load_image(deep)  # all 16 bits count: the first pixel is one step away
    assert image.opaque.tolist() == [[True, False]]
    assert image.srgb8.tolist() == [[[4, 5, 6], [255, 255, 255]]]


# Depth

DEEP = np.array([[[0, 129, 65535], [128, 385, 40000]], [[32767, 32768, 257], [65406, 65407, 1]]])
DEEP = DEEP.astype(np.uint16)
DEEP_AT_8 = np.rint(DEEP / 257).astype(np.uint8)
ROUNDED = "16-bit values were rounded to 8 bits."


def test_the_deep_example_tells_rounding_from_cutting():
    assert (DEEP_AT_8 != DEEP >> 8).sum() == 2


@pytest.mark.parametrize("extension", [".png", ".tiff"])
@pytest.mark.parametrize("with_alpha", [False, True])
def test_16_bit_color(extension, with_alpha):
    alpha = np.full((2, 2, 1), 65535, np.uint16)
    values = np.concatenate([DEEP[..., ::-1], alpha][: 1 + with_alpha], axis=-1)  # OpenCV: BGR
    image = load_image(cv2.imencode(extension, values)[1].tobytes())
    np.testing.assert_array_equal(image.srgb8, DEEP_AT_8)
    assert image.notes == (ROUNDED,)
    assert image.opaque is None


def test_16_bit_alpha():
    data = png(2, 1, 16, 6, [row16(1000, 20000, 65535, 65535, 5, 5, 5, 0)])
    image = load_image(data)
    assert image.srgb8.tolist() == [[[4, 78, 255], [255, 255, 255]]]
    assert image.opaque.tolist() == [[True, False]]


def test_16_bit_gray_with_alpha_and_orientation():
    exif = Image.Exif()
    exif[0x0112] = 3
    data = png(2, 1, 16, 4, [row16(200, 65535, 65535, 0)], chunk(b"eXIf", exif.tobytes()[6:]))
    image = load_image(data)
    assert image.srgb8.tolist() == [[[255] * 3, [1] * 3]]
    assert [note.split()[0] for note in image.notes] == ["16-bit", "The", "Turned", "Transparency"]


def test_every_16_bit_gray_is_rounded():
    values = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    expected = np.rint(values / 257)
    for kind in ("PNG", "TIFF", "PPM"):
        image = load_image(saved(Image.fromarray(values), kind))
        np.testing.assert_array_equal(image.srgb8[..., 2], expected)
        assert image.notes[0] == ROUNDED


def test_16_bit_ppm():
    data = b"P6 1 1 65535\n" + row16(128, 129, 65535)
    assert pixels_of(data) == [[[0, 1, 255]]]


def test_16_bit_tiff_with_white_at_0():
    values = np.array([[0, 65535, 129]], np.uint16)
    data = saved(Image.fromarray(values), "TIFF", tiffinfo={262: 0})
    assert load_image(data).srgb8[0, :, 0].tolist() == [255, 0, 254]  # 65406 / 257 = 254.498


def test_16_bit_tiff_turned():
    values = np.array([[257, 514, 771]], np.uint16)
    data = saved(Image.fromarray(values), "TIFF", tiffinfo={274: 6})
    assert load_image(data).srgb8[..., 0].tolist() == [[1], [2], [3]]


def tiff_16(photometric: int, samples: list[int], extra: int | None = None) -> bytes:
    """A little-endian, uncompressed TIFF of one pixel with 16 bits a sample."""
    count = len(samples)
    tags = [(256, 4, 1, 1), (257, 4, 1, 1), (258, 3, count, None), (259, 3, 1, 1)]
    tags += [
        (262, 3, 1, photometric),
        (273, 4, 1, None),
        (277, 3, 1, count),
        (279, 4, 1, 2 * count),
    ]
    tags += [(338, 3, 1, extra)] if extra is not None else []
    depths_at = 8 + 2 + 12 * len(tags) + 4
    body = struct.pack("<2sHIH", b"II", 42, 8, len(tags))
    for tag, kind, length, value in tags:
        index = {258: depths_at, 273: depths_at + 2 * count}.get(tag, value)
        body += struct.pack("<HHII", tag, kind, length, index)
    return body + bytes(4) + struct.pack(f"<{2 * count}H", *[16] * count, *samples)


def test_hand_made_tiffs():
    assert pixels_of(tiff_16(2, [129, 40000, 65535])) == [[[1, 156, 255]]]
    image = load_image(tiff_16(2, [129, 40000, 65535, 0], extra=2))
    assert image.srgb8.tolist() == [[[255, 255, 255]]]
    assert image.opaque.tolist() == [[False]]


def test_16_bit_kinds_that_stay_cut_are_said():
    ink = load_image(tiff_16(5, [65535, 0, 0, 0]))
    assert ink.srgb8.tolist() == [[[0, 255, 255]]]
    assert ink.notes[0] == "16-bit values were cut to their upper 8 bits."
    assert warnings_in(ink.notes[:1]) == []
    # Premultiplied alpha: color 0x4000 at half alpha is twice that, 0x80 at 8 bits.
    image = load_image(tiff_16(2, [0x4000, 0, 0, 0x8000], extra=1))
    assert image.opaque.tolist() == [[True]]
    assert np.abs(image.srgb8[0, 0].astype(int) - [191, 127, 127]).max() <= 1


# Other kinds of color


def test_cmyk_without_a_profile():
    ink = Image.frombytes("CMYK", (3, 1), bytes([255, 0, 0, 0, 0, 0, 0, 255, 0, 51, 0, 51]))
    image = load_image(saved(ink, "TIFF"))
    assert image.srgb8.tolist() == [[[0, 255, 255], [0, 0, 0], [204, 163, 204]]]
    assert "approximate" in image.notes[0]
    assert warnings_in(image.notes) == [*image.notes]


def test_cmyk_jpeg():
    ink = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    image = load_image(saved(ink, "JPEG", quality=100))
    assert np.abs(image.srgb8.astype(int) - [255, 0, 0]).max() <= 2


def test_ycbcr_tiff():
    red = Image.new("YCbCr", (4, 4), (76, 85, 255))
    image = load_image(saved(red, "TIFF", compression="tiff_lzw"))
    assert np.abs(image.srgb8.astype(int) - [254, 0, 0]).max() <= 2
    with pytest.raises(ImageError, match="uncompressed YCbCr"):
        load_image(saved(red, "TIFF"))


def test_several_pictures_give_the_first():
    frames = [Image.new("RGB", (4, 3), color) for color in [(200, 0, 0), (0, 200, 0), (0, 0, 200)]]
    for kind in ("GIF", "PNG", "WEBP", "TIFF"):
        options = {"lossless": True} if kind == "WEBP" else {}
        data = saved(frames[0], kind, save_all=True, append_images=frames[1:], **options)
        image = load_image(data)
        assert (image.srgb8 == (200, 0, 0)).all(), kind
        assert image.notes == ("The file holds several images or pages; the first one was read.",)


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.ones((2, 2), np.float32), "floating point"),
        (np.ones((2, 2), np.int32), "32-bit"),
    ],
)
def test_values_without_a_white_are_refused(array, text):
    with pytest.raises(ImageError, match=text) as caught:
        load_image(saved(Image.fromarray(array), "TIFF"))
    assert "Save it as" in str(caught.value)


# Color that is stated outside a profile


def test_exif_adobe_rgb_without_profile():
    direct, by_camera = Image.Exif(), Image.Exif()
    direct[0x8769] = {0xA001: 2}
    by_camera[0x8769] = {0xA001: 0xFFFF, 0xA005: {1: "R03"}}
    for exif in (direct, by_camera):
        image = load_image(saved(RGB, "JPEG", exif=exif))
        assert image.notes == (
            "EXIF names Adobe RGB, but the file holds no color profile: it was read as sRGB.",
        )
    plain = Image.Exif()
    plain[0x8769] = {0xA001: 1}
    assert load_image(saved(RGB, "JPEG", exif=plain)).notes == ()


def test_color_that_png_states_without_a_profile():
    def notes(*chunks: bytes) -> tuple[str, ...]:
        return load_image(png(1, 1, 8, 2, [b"\1\2\3"], b"".join(chunks))).notes

    linear, usual = (chunk(b"gAMA", struct.pack(">I", v)) for v in (100000, 45455))
    assert "gamma" in notes(linear)[0]
    assert notes(usual) == ()
    assert notes(chunk(b"sRGB", b"\0"), linear) == ()
    assert "H.273 primaries 12" in notes(chunk(b"cICP", bytes([12, 13, 0, 1])))[0]
    assert notes(chunk(b"cICP", bytes([1, 13, 0, 1]))) == ()


def test_color_that_avif_states_without_a_profile():
    data = bytearray(saved(RGB, "AVIF", quality=100))
    assert load_image(bytes(data)).notes == ()
    index = data.index(b"colrnclx") + 8
    data[index : index + 2] = struct.pack(">H", 12)
    assert "H.273 primaries 12" in load_image(bytes(data)).notes[0]


# What is refused


def test_missing_folder_and_empty(tmp_path):
    with pytest.raises(ImageError, match="does not exist"):
        load_image(tmp_path / "gone.png")
    with pytest.raises(ImageError, match="is a folder"):
        load_image(tmp_path)
    with pytest.raises(ImageError, match="cannot be opened"):
        load_image("a" * 5000)
    (tmp_path / "empty.png").touch()
    for source in (tmp_path / "empty.png", b""):
        with pytest.raises(ImageError, match=r"empty \(0 bytes\)"):
            load_image(source)


def test_not_an_image(tmp_path):
    path = tmp_path / "notes.png"
    path.write_text("this is text")
    with pytest.raises(ImageError, match="not an image") as caught:
        load_image(path)
    for word in ("notes.png", "PNG", "JPEG", "TIFF", "WebP"):
        assert word in str(caught.value)
    with pytest.raises(ImageError, match="HEIC"):
        load_image(struct.pack(">I", 24) + b"ftypheic" + bytes(64))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "AVIF", "BMP", "GIF", "PPM"])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_files_cut_short(kind, share):
    noise = np.random.default_rng(3).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    options = {"compression": "tiff_lzw"} if kind == "TIFF" else {}
    data = saved(noise, kind, **options)
    with pytest.raises(ImageError, match="cut short"):
        load_image(data[: int(len(data) * share)])


def test_16_bit_file_cut_short():
    noise = np.random.default_rng(3).integers(0, 65536, (64, 64, 3), dtype=np.uint16)
    for extension in (".png", ".tiff"):
        data = cv2.imencode(extension, noise)[1].tobytes()
        with pytest.raises(ImageError, match="cut short"):
            load_image(data[: len(data) * 3 // 4])


@pytest.mark.parametrize("size", [(0, 5), (5, 0)])
def test_no_pixels(size):
    with pytest.raises(ImageError, match="no pixels"):
        load_image(png(*size, 8, 2))


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize(
    "side", [8001, 10_000, 40_000]
)  # ours; where Pillow warns; where it raises
def test_too_many_pixels_are_refused_from_the_header(side):
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(ImageError, match="64 megapixels"):
        load_image(png(side, side, 8, 2))  # there is nothing to decode
    assert before == Image.MAX_IMAGE_PIXELS


@pytest.mark.filterwarnings("error::PIL.Image.DecompressionBombWarning")
def test_too_many_pixels_where_warnings_are_errors():
    with pytest.raises(ImageError, match="64 megapixels"):
        load_image(png(10_000, 10_000, 8, 2))


def test_exactly_the_limit_is_read():
    assert load_image(saved(Image.new("1", (8000, 8000)), "PNG")).srgb8.size == 3 * MAX_PIXELS


VICTIMS = [
    saved(RGB, "PNG"),
    saved(RGB, "JPEG"),
    saved(RGB, "TIFF"),
    saved(RGB, "GIF"),
    saved(RGB, "BMP"),
    saved(RGB, "WEBP", lossless=True),
    tiff_16(2, [129, 40000, 65535]),
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(VICTIMS),
    st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=4),
)
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_raise_image_error_or_are_read(data, wounds):
    damaged = bytearray(data)
    for index, value in wounds:
        damaged[int(index * len(damaged))] = value
    try:
        image = load_image(bytes(damaged))
    except ImageError:
        return  # said so; anything else that is raised fails the test
    assert image.srgb8.dtype == np.uint8
    assert image.srgb8.ndim == 3


# Names and storage


def test_image_id():
    srgb8 = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert image_id(srgb8) == hashlib.sha256(b"srgb8 2x2\n" + bytes(range(12))).hexdigest()
    wide = srgb8.reshape(1, 4, 3)
    assert image_id(wide) != image_id(srgb8)
    assert image_id(np.asfortranarray(srgb8)) == image_id(srgb8)


def test_png_round_trip():
    noise = np.random.default_rng(1).integers(0, 256, (37, 53, 3), dtype=np.uint8)
    data = encode_png(noise)
    assert b"sRGB" in data[:64]
    image = load_image(data)
    np.testing.assert_array_equal(image.srgb8, noise)
    assert image.notes == ()
    np.testing.assert_array_equal(load_image(encode_png(noise[::-1, ::2])).srgb8, noise[::-1, ::2])


def test_a_photograph_is_written_at_a_faster_level() -> None:
    """A generated image keeps the smaller file."""
    pixels = np.zeros((1600, 1600, 3), np.uint8)
    pixels[::7, ::5] = 200
    assert encode_png(pixels) == png_of(pixels, srgb=True, level=2)
    generated = pixels[:1024, :1024]
    assert (
        encode_png(generated)
        == png_of(generated, srgb=True, level=4)
        != png_of(generated, srgb=True, level=2)
    )


@pytest.mark.parametrize(
    "pixels", [np.zeros((2, 2, 3)), np.zeros((2, 2), np.uint8), np.zeros((0, 2, 3), np.uint8)]
)
def test_other_arrays_are_refused(pixels):
    for use in (image_id, encode_png):
        with pytest.raises(ImageError, match="uint8"):
            use(pixels)


# Masks

SHAPE = (2, 3)
INSIDE = [[True, True, False], [False, True, False]]
GRAY = np.array([[255, 128, 127], [0, 200, 1]], np.uint8)


def layer(color, alpha) -> bytes:
    rgba = np.zeros((2, 3, 4), np.uint8)
    rgba[..., :3] = color
    rgba[..., 3] = alpha
    return saved(rgba, "PNG")


def test_masks_of_every_kind(tmp_path):
    path = tmp_path / "mask.png"
    path.write_bytes(saved(GRAY, "PNG"))
    palette = Image.fromarray(np.array(INSIDE).astype(np.uint8), mode="P")
    palette.putpalette([0, 0, 0, 128, 0, 0])
    painted = np.where(np.array(INSIDE)[..., None], np.uint8([30, 0, 90]), np.uint8(0))
    files = [
        path,
        saved(Image.fromarray(np.array(INSIDE)), "PNG"),
        saved(np.dstack([GRAY] * 3), "BMP"),
        saved(np.dstack([GRAY, GRAY * 0, GRAY * 0]), "PNG"),  # a mask painted in red
        saved(Image.fromarray(GRAY.astype(np.uint16) * 257), "PNG"),
        saved(palette, "PNG"),
        layer(GRAY[..., None], 255),
        layer(0, GRAY),  # painted in black on nothing
        layer(255, GRAY),
        layer(painted, GRAY),  # painted in a dark blue on nothing
    ]
    for source in files:
        mask = load_mask(source, SHAPE)
        assert mask.dtype == bool
        assert mask.tolist() == INSIDE


def test_mask_layer_of_many_colors():
    alpha = np.array([[255, 255, 255], [255, 255, 0]], np.uint8)
    assert load_mask(layer(GRAY[..., None], alpha), SHAPE).tolist() == INSIDE


def test_mask_of_the_whole_image():
    assert load_mask(saved(np.full(SHAPE, 255, np.uint8), "PNG"), SHAPE).all()
    assert load_mask(layer(255, 255), SHAPE).all()


def test_masks_that_are_refused(tmp_path):
    with pytest.raises(MaskError, match=r"3 × 2 pixels, but the image is 5 × 4"):
        load_mask(saved(GRAY, "PNG"), (4, 5))
    with pytest.raises(NoPixels, match="largest opaque value is 1"):
        load_mask(saved(np.ones(SHAPE, np.uint8), "PNG"), SHAPE)
    with pytest.raises(NoPixels, match="marks no pixel"):
        load_mask(layer(255, 0), SHAPE)
    single = np.zeros(SHAPE, np.uint8)
    single[1, 1] = 255
    with pytest.raises(NoPixels, match="one pixel only"):
        load_mask(saved(single, "PNG"), SHAPE)
    with pytest.raises(BadInput, match="The mask is not an image"):
        load_mask(b"text", SHAPE)
    with pytest.raises(BadInput, match=r"gone\.png does not exist"):
        load_mask(tmp_path / "gone.png", SHAPE)


def test_a_photograph_for_a_mask_is_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    photograph = Image.fromarray(rng.integers(60, 200, (40, 60, 3), dtype=np.uint8))
    photograph.save(tmp_path / "cup.png")
    inside, note = mask_with_note(tmp_path / "cup.png", (40, 60))
    assert (inside == load_mask(tmp_path / "cup.png", (40, 60))).all()
    assert note.startswith(
        "cup.png is neither black nor white in 100% of its pixels: is it a mask?"
    )
    # A mask with soft edges is one.
    soft = np.zeros((40, 60), np.uint8)
    soft[10:30, 15:45] = 255
    Image.fromarray(soft).filter(ImageFilter.GaussianBlur(2)).save(tmp_path / "soft.png")
    assert mask_with_note(tmp_path / "soft.png", (40, 60))[1] == ""
    # So is a layer painted in any one color.
    painted = np.zeros((40, 60, 4), np.uint8)
    painted[10:30, 15:45] = (100, 60, 120, 255)
    Image.fromarray(painted).save(tmp_path / "layer.png")
    inside, note = mask_with_note(tmp_path / "layer.png", (40, 60))
    assert (int(inside.sum()), note) == (600, "")
