"""Files in Display P3 and Adobe RGB (1998) give the Lab of the color that they encode.

Under test is the app's own way from the bytes of a file to Lab (D65). The judge is colour-science,
which never sees a profile: it goes from the numbers in the file to Lab by its own definition of the
space. The profiles come from ``tests/icc.py``, which has the published colorimetry, and the first
test checks that both sides mean the same space.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from pathlib import Path

import colour
import cv2
import numpy as np
import pytest
from PIL import Image

from tests import icc
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.images.load import load_image

SRGB = colour.RGB_COLOURSPACES["sRGB"]
D65 = np.array(icc.D65_XY)
SPACES = {
    "Display P3": (icc.display_p3(), colour.RGB_COLOURSPACES["Display P3"]),
    "Adobe RGB (1998)": (icc.adobe_rgb(), colour.RGB_COLOURSPACES["Adobe RGB (1998)"]),
}
PRIMARIES = {"Display P3": icc.P3_PRIMARIES, "Adobe RGB (1998)": icc.ADOBE_PRIMARIES}


def png(rgb: np.ndarray, profile: bytes) -> bytes:
    out = BytesIO()
    Image.fromarray(rgb).save(out, "PNG", icc_profile=profile)
    return out.getvalue()


def lab_asked(values: np.ndarray, space: colour.RGB_Colourspace) -> np.ndarray:
    """The judge's Lab of encoded values (N, 3) in 0 to 1 of a space with a D65 white."""
    return colour.XYZ_to_Lab(colour.RGB_to_XYZ(values, space, apply_cctf_decoding=True), D65)


def lab_found(srgb8: np.ndarray) -> np.ndarray:
    """Our Lab (N, 3) of the pixels of an image."""
    return np.asarray(srgb8_to_lab(srgb8)).reshape(-1, 3)


def distance(lab1: np.ndarray, lab2: np.ndarray) -> np.ndarray:
    return colour.delta_E(lab1, lab2, method="CIE 2000")


def in_gamut_pixels(space: colour.RGB_Colourspace, count: int = 4000) -> np.ndarray:
    """Encoded values uint8 (N, 3) of a space that sRGB can hold, dark ones among them."""
    values = np.random.default_rng(7).integers(0, 256, (4 * count, 3))
    values[::8] //= 8
    rgb = values.astype(np.uint8)
    srgb = colour.RGB_to_RGB(rgb / 255, space, SRGB, apply_cctf_decoding=True)  # linear
    return rgb[((srgb >= 0) & (srgb <= 1)).all(axis=-1)][:count]


@pytest.mark.parametrize("name", SPACES)
def test_both_sides_have_the_same_primaries_and_white(name: str) -> None:
    _, space = SPACES[name]
    np.testing.assert_allclose(space.primaries, PRIMARIES[name], rtol=0, atol=1e-12)
    np.testing.assert_allclose(space.whitepoint, D65, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WEBP", "JPEG", "AVIF"])
def test_wide_gamut_files_give_the_lab_they_encode(tmp_path: Path, name: str, kind: str) -> None:
    profile, space = SPACES[name]
    rgb = in_gamut_pixels(space, 1000)
    if kind in ("JPEG", "AVIF"):  # flat, and compared with what the codec really kept
        rgb = np.repeat(rgb[1:2], 1024, axis=0)
    options = {"WEBP": {"lossless": True}, "JPEG": {"quality": 95}, "AVIF": {"quality": 95}}
    path = tmp_path / f"photo.{kind.lower()}"
    Image.fromarray(rgb.reshape(-1, 8, 3)).save(
        path, kind, icc_profile=profile, **options.get(kind, {})
    )
    saved = np.asarray(Image.open(path)).reshape(-1, 3)
    image = load_image(path)
    target = lab_asked(saved / 255, space)
    away = distance(target, lab_found(image.srgb8))
    # No 8-bit file can come nearer than the rounded exact values, 0.9 ΔE in the darkest colors.
    exact = colour.RGB_to_RGB(
        saved / 255, space, SRGB, apply_cctf_decoding=True, apply_cctf_encoding=True
    )
    best = distance(target, lab_asked(np.rint(255 * exact) / 255, SRGB))
    assert away.max() < best.max() + 0.1
    assert np.mean(away) < np.mean(best) + 0.02
    assert np.mean(away < 0.5) > 0.95
    assert image.notes == (
        f"Converted from the embedded color profile “{name}” to sRGB (relative colorimetric).",
    )


@pytest.mark.parametrize("name", SPACES)
def test_raw_numbers_would_be_another_color(name: str) -> None:
    profile, space = SPACES[name]
    rgb = np.array([[[200, 60, 60], [120, 180, 120]]], np.uint8)
    target = lab_asked(rgb.reshape(-1, 3) / 255, space)
    assert distance(target, lab_found(load_image(png(rgb, profile)).srgb8)).max() < 0.6
    assert distance(target, lab_found(rgb)).min() > 1.5


def test_a_known_pixel() -> None:
    profile, space = SPACES["Display P3"]
    rgb = np.array([[[200, 60, 60]]], np.uint8)
    exact = 255 * colour.RGB_to_RGB(
        rgb[0, 0] / 255, space, SRGB, apply_cctf_decoding=True, apply_cctf_encoding=True
    )
    image = load_image(png(rgb, profile))
    assert image.srgb8[0, 0].tolist() == np.rint(exact).tolist()


@pytest.mark.parametrize("extension", [".png", ".tiff"])
def test_16_bit_files_with_profile(extension: str) -> None:
    space = SPACES["Display P3"][1]
    deep = np.random.default_rng(2).integers(20000, 45000, (8, 8, 3), dtype=np.uint16)
    data = with_profile(cv2.imencode(extension, deep[..., ::-1])[1].tobytes(), icc.display_p3())
    image = load_image(data)
    away = lab_asked(deep.reshape(-1, 3) / 65535, space) - lab_found(image.srgb8)
    assert np.linalg.norm(away, axis=-1).max() < 1
    assert image.notes[0] == "16-bit values were rounded to 8 bits."
    assert "Display P3" in image.notes[1]


def with_profile(data: bytes, profile: bytes) -> bytes:
    """A PNG (after IHDR) or a little-endian TIFF (tag 34675 in a new directory) with a profile."""
    if data.startswith(b"\x89PNG"):
        body = b"iCCP" + b"p\0\0" + zlib.compress(profile)
        chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
        return data[:33] + chunk + data[33:]
    assert data.startswith(b"II*\0")
    (start,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, start)
    entries = data[start + 2 : start + 2 + 12 * count]
    entries += struct.pack("<HHII", 34675, 7, len(profile), len(data))
    moved = data + profile + bytes(len(profile) % 2 + len(data) % 2)
    folder = struct.pack("<H", count + 1) + entries + bytes(4)
    return moved[:4] + struct.pack("<I", len(moved)) + moved[8:] + folder
