"""Files with ICC profiles, sound, odd and broken: their pixels, their clipping and their notes.

That wide-gamut files give the very Lab they encode is tested in ``tests/gold/test_profiles.py``.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import colour
import numpy as np
import pytest
from PIL import Image, ImageCms

from tests import icc
from truehue.core.images.load import load_image, warnings_in

SRGB = colour.RGB_COLOURSPACES["sRGB"]
SPACES = {
    "Display P3": (icc.display_p3(), colour.RGB_COLOURSPACES["Display P3"]),
    "Adobe RGB (1998)": (icc.adobe_rgb(), colour.RGB_COLOURSPACES["Adobe RGB (1998)"]),
}


def saved(pixels, kind: str = "PNG", **options) -> bytes:
    out = BytesIO()
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    image.save(out, kind, **options)
    return out.getvalue()


# sRGB in effect


def test_srgb_profiles_leave_pixels_untouched():
    noise = np.random.default_rng(4).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    littlecms = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for profile in (icc.srgb(), littlecms):
        image = load_image(saved(noise, icc_profile=profile))
        np.testing.assert_array_equal(image.srgb8, noise)
        assert len(image.notes) == 1
        assert "sRGB in effect" in image.notes[0]


# Colors that sRGB cannot hold


@pytest.mark.parametrize("name", SPACES)
def test_clipped_share_is_counted(name):
    profile, _ = SPACES[name]
    rgb = np.full((10, 10, 3), 128, np.uint8)
    rgb[0] = (0, 255, 0)  # the pure green of either space
    rgb[1] = (255, 255, 255)
    rgb[2] = (0, 0, 0)
    image = load_image(saved(rgb, icc_profile=profile))
    assert image.notes[0].endswith("10.0% of pixels lie outside sRGB and were clipped.")
    assert warnings_in(image.notes) == [*image.notes]
    assert image.srgb8[0, 0].tolist() == [0, 255, 0]
    assert (image.srgb8[1] == 255).all()
    assert (image.srgb8[2] == 0).all()


@pytest.mark.parametrize("name", SPACES)
def test_dark_colors_are_not_called_clipped(name):
    profile, space = SPACES[name]
    dark = np.stack(np.meshgrid(*[np.arange(25)] * 3), axis=-1).reshape(125, 125, 3)
    srgb = colour.RGB_to_RGB(dark / 255, space, SRGB, apply_cctf_decoding=True)
    dark[(srgb < 0).any(axis=-1)] = 0
    image = load_image(saved(dark.astype(np.uint8), icc_profile=profile))
    assert "clipped" not in image.notes[0]


def test_hidden_pixels_are_not_counted_as_clipped():
    rgba = np.full((4, 4, 4), (128, 128, 128, 255), np.uint8)
    rgba[0] = (0, 255, 0, 0)
    image = load_image(saved(rgba, icc_profile=icc.display_p3()))
    assert "clipped" not in image.notes[0]
    assert (image.srgb8[0] == 255).all()


def test_alpha_is_laid_over_white_after_the_profile():
    rgba = np.array([[[200, 60, 60, 255], [200, 60, 60, 51], [0, 0, 0, 0]]], np.uint8)
    image = load_image(saved(rgba, icc_profile=icc.display_p3()))
    opaque = image.srgb8[0, 0].astype(float)
    assert image.srgb8[0, 1].tolist() == np.rint(0.2 * opaque + 0.8 * 255).tolist()
    assert image.opaque.tolist() == [[True, False, False]]
    assert len(image.notes) == 2


def test_profile_and_orientation_and_palette():
    exif = Image.Exif()
    exif[0x0112] = 8
    palette = Image.fromarray(np.array([[0, 1]], np.uint8), mode="P")
    palette.putpalette([200, 60, 60, 128, 128, 128])
    image = load_image(saved(palette, icc_profile=icc.display_p3(), exif=exif))
    loaded_image = load_image(
        saved(np.array([[[200, 60, 60]]], np.uint8), icc_profile=icc.display_p3())
    )
    assert image.srgb8.tolist() == [[[128, 128, 128]], [loaded_image.srgb8[0, 0].tolist()]]


# Gray, ink, Lab


def test_gray_profile():
    ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    image = load_image(saved(ramp, icc_profile=icc.gray(1.8)))
    linear = (ramp / 255) ** (round(1.8 * 256) / 256)
    expected = 255 * colour.cctf_encoding(linear, function="sRGB")
    assert np.abs(image.srgb8 - expected[..., None]).max() < 1
    assert (image.srgb8 == image.srgb8[..., :1]).all()  # gray stays gray
    assert "“Gray 1.8”" in image.notes[-1]
    assert "clipped" not in image.notes[-1]


def test_gray_file_with_an_rgb_profile():
    ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    image = load_image(saved(ramp, "TIFF", icc_profile=icc.adobe_rgb()))
    linear = (ramp / 255) ** icc.ADOBE_GAMMA
    expected = 255 * colour.cctf_encoding(linear, function="sRGB")
    assert np.abs(image.srgb8 - expected[..., None]).max() < 1


def lab_of_ink(c: int, m: int, y: int, k: int) -> tuple[float, float, float]:
    """A press with mild inks, so that all of them lie in sRGB."""
    ink = np.array([[-15, -15, -20], [-18, 30, -5], [-5, -3, 30], [-30, 0, 0]])
    lightness, a, b = [100, 0, 0] + np.array([c, m, y, k]) @ ink
    return lightness, a, b


def srgb255_of_lab_d50(lab) -> np.ndarray:
    xyz = np.linalg.inv(icc.adaptation_to_d50()) @ colour.Lab_to_XYZ(lab, colour.XYZ_to_xy(icc.D50))
    return 255 * colour.XYZ_to_RGB(xyz, SRGB, apply_cctf_encoding=True)


def test_cmyk_with_profile(tmp_path):
    inks = [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, 0, 0)]
    values = bytes(255 * v for ink in inks for v in ink)
    stored = Image.frombytes("CMYK", (len(inks), 1), values)
    profile = icc.cmyk(lab_of_ink)
    path = tmp_path / "press.tiff"
    stored.save(path, icc_profile=profile)
    image = load_image(path)
    for pixel, ink in zip(image.srgb8[0], inks, strict=True):
        # The profile's 8-bit Lab grid is off by up to half a unit.
        assert np.abs(pixel - srgb255_of_lab_d50(lab_of_ink(*ink))).max() < 3, ink
    assert image.notes == (
        "Converted from the embedded color profile “Tiny press” to sRGB (relative colorimetric).",
    )


def test_cmyk_colors_outside_srgb_are_counted():
    profile = icc.cmyk(lambda c, m, y, k: (95 - 20 * (c + m + y + k), -75 * c, -60 * c))
    stored = Image.frombytes("CMYK", (2, 1), bytes([255, 0, 0, 0, 0, 0, 0, 0]))
    image = load_image(saved(stored, "TIFF", icc_profile=profile))
    assert image.notes[0].endswith("50.0% of pixels lie outside sRGB and were clipped.")


def test_lab_tiff():
    lab = [(50.2, 20, -30), (80, -20, 40), (20, 5, 5)]
    values = bytes(v & 255 for L, a, b in lab for v in (round(L * 2.55), a, b))
    image = load_image(saved(Image.frombytes("LAB", (3, 1), values), "TIFF"))
    for pixel, color in zip(image.srgb8[0], lab, strict=True):
        assert np.abs(pixel - srgb255_of_lab_d50(color)).max() < 1.5, color
    assert image.notes == ("Converted from CIELAB (D50) to sRGB.",)
    green = Image.frombytes("LAB", (1, 1), bytes([150, -120 & 255, 100]))
    assert "100.0% of pixels lie outside" in load_image(saved(green, "TIFF")).notes[0]


# Profiles that cannot be used


@pytest.mark.parametrize(
    "profile", [b"garbage", icc.display_p3()[:300], bytes(128), icc.display_p3()[:-100]]
)
def test_broken_profiles_are_said(profile):
    rgb = np.array([[[200, 60, 60]]], np.uint8)
    image = load_image(saved(rgb, icc_profile=profile))
    np.testing.assert_array_equal(image.srgb8, rgb)
    assert "unreadable" in image.notes[0]
    assert "read as sRGB" in image.notes[0]


def test_profile_that_cannot_be_unpacked():
    data = saved(np.array([[[200, 60, 60]]], np.uint8))
    body = b"iCCPp\0\0no zlib stream"
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    image = load_image(data[:33] + chunk + data[33:])
    assert image.srgb8.tolist() == [[[200, 60, 60]]]
    assert "unreadable" in image.notes[0]


def test_profile_for_other_values():
    rgb = np.array([[[200, 60, 60]]], np.uint8)
    image = load_image(saved(rgb, icc_profile=icc.gray(2.2)))
    np.testing.assert_array_equal(image.srgb8, rgb)
    assert "is for GRAY values, but the file holds RGB" in image.notes[0]


def test_cmyk_with_broken_profile_falls_back_to_the_formula():
    stored = Image.new("CMYK", (2, 2), (255, 0, 0, 0))
    image = load_image(saved(stored, "TIFF", icc_profile=b"garbage"))
    assert (image.srgb8 == (0, 255, 255)).all()
    assert "unreadable" in image.notes[0]
    assert "approximate" in image.notes[1]


def test_exif_adobe_rgb_with_a_profile_follows_the_profile():
    exif = Image.Exif()
    exif[0x8769] = {0xA001: 2}
    flat = np.full((16, 16, 3), (200, 60, 60), np.uint8)
    image = load_image(saved(flat, "JPEG", exif=exif, icc_profile=icc.adobe_rgb()))
    assert len(image.notes) == 1
    assert "Adobe RGB (1998)" in image.notes[0]


def test_foreign_profile_names_are_made_harmless():
    profile = icc.rgb_profile("A\nB\x07" + "x" * 200, icc.P3_PRIMARIES, icc.srgb_curve())
    (note,) = load_image(saved(np.zeros((2, 2, 3), np.uint8), icc_profile=profile)).notes
    assert "“A B" in note
    assert "\x07" not in note
    assert len(note) < 200
