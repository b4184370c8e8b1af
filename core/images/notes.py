"""What a file says about its orientation and color outside its pixels and its ICC profile."""

from __future__ import annotations

import struct

from PIL import Image

_EXIF, _INTEROP = 0x8769, 0xA005  # folders inside EXIF
_ORIENTATION, _COLOR_SPACE, _INTEROP_INDEX = 0x0112, 0xA001, 0x0001
_ADOBE_RGB, _UNCALIBRATED = 2, 0xFFFF
# x, y of white, red, green, blue, as PNG's cHRM lists them.
_SRGB_XY = (0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06)
# Coding points of H.273: BT.709 primaries, and curves that are sRGB or read as it; 2 is unknown.
_SRGB_PRIMARIES, _SRGB_CURVES = (1, 2), (1, 2, 6, 13, 14, 15)


def stated_color_notes(image: Image.Image, head: bytes) -> tuple[int, list[str]]:
    """EXIF orientation (1 to 8) that is still to be applied, and notes on color that is not read.

    ``image`` is loaded; ``head`` is the beginning of its file. Damaged EXIF makes a note.
    """
    notes: list[str] = []
    orientation = 1
    try:
        exif = image.getexif()
        orientation = exif.get(_ORIENTATION, 1)
        adobe = bool(exif) and _says_adobe_rgb(exif)
    except Exception:  # EXIF is foreign data, and its reader raises nearly anything
        notes.append("The EXIF data is damaged: orientation and color space were not read from it.")
        adobe = False
    if orientation not in range(1, 9):
        orientation = 1
    if "icc_profile" in image.info:
        return orientation, notes
    if adobe:
        notes.append(
            "EXIF names Adobe RGB, but the file holds no color profile: it was read as sRGB."
        )
    stated = _coding_points(image, head)
    if stated and (stated[0] not in _SRGB_PRIMARIES or stated[1] not in _SRGB_CURVES):
        notes.append(
            f"The file names another color space than sRGB (H.273 primaries {stated[0]}, curve "
            f"{stated[1]}) without a color profile: it was read as sRGB."
        )
    elif not stated and _png_states_other(image):
        notes.append(
            "The file names its own gamma or primaries without a color profile: it was read as "
            "sRGB."
        )
    return orientation, notes


def _says_adobe_rgb(exif: Image.Exif) -> bool:
    """Some writers put 2 for Adobe RGB; cameras write 'uncalibrated' and the mark R03 (DCF 2.0)."""
    space = exif.get_ifd(_EXIF).get(_COLOR_SPACE)
    if space == _UNCALIBRATED:
        return str(exif.get_ifd(_INTEROP).get(_INTEROP_INDEX, "")).strip("\0 ") == "R03"
    return bool(space == _ADOBE_RGB)


def _coding_points(image: Image.Image, head: bytes) -> tuple[int, int] | None:
    """Primaries and curve from PNG's cICP or AVIF's nclx box, which Pillow does not read."""
    if image.format == "PNG":
        index = head.find(b"\0\0\0\x04cICP")
        return (head[index + 8], head[index + 9]) if 0 <= index < len(head) - 10 else None
    if image.format == "AVIF":
        index = head.find(b"colrnclx")
        if 0 <= index < len(head) - 12:
            primaries, curve = struct.unpack_from(">HH", head, index + 8)
            return primaries, curve
    return None


def _png_states_other(image: Image.Image) -> bool:
    """PNG's gAMA and cHRM; PNG says that an sRGB chunk overrules both."""
    if image.format != "PNG" or "srgb" in image.info:
        return False
    gamma = image.info.get("gamma", 1 / 2.2)
    xy = image.info.get("chromaticity", _SRGB_XY)
    apart = any(abs(a - b) > 0.005 for a, b in zip(xy, _SRGB_XY, strict=False))
    return abs(gamma - 1 / 2.2) > 0.01 or apart
