"""From the color space of a file to sRGB, by its ICC profile, with LittleCMS through Pillow.

The intent is relative colorimetric without black point compensation: white goes to white, and
every color that sRGB can hold keeps its Lab. The transform works on 8-bit values.
"""

from __future__ import annotations

from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

# Pillow's mode, and the color space that a profile for it names.
_SPACE_OF_MODE = {"L": "GRAY", "RGB": "RGB", "CMYK": "CMYK", "LAB": "LAB"}
_SAME_LEVELS = 1  # a profile that moves no lattice point by more is sRGB in effect
_CLIPPED_LEVELS = 2  # 8-bit Lab levels: rounding makes 1, so that more is a color that was lost


def percent(share: float) -> str:
    """A share (0 to 1) in words for a note; a share that is not 0 never reads as 0.0%."""
    return "less than 0.1%" if 0 < share < 0.0005 else f"{100 * share:.1f}%"


def profile_to_srgb(
    image: Image.Image, profile_bytes: bytes | None, visible: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.uint8] | None, str]:
    """Convert a picture by its embedded profile.

    ``image`` has mode L, RGB, CMYK or LAB. ``profile_bytes`` is None when the file holds a
    profile that could not even be unpacked. ``visible`` (H, W) leaves fully transparent pixels
    out of the count of clipped ones.

    Returns sRGB uint8 (H, W, 3) and a note. The array is None when the profile cannot be used or
    changes nothing; the note says which, and the pixels are then read as they are.
    """
    fallback = "pixels were read as sRGB." if image.mode in ("L", "RGB") else "it was not used."
    try:
        profile = ImageCms.ImageCmsProfile(BytesIO(profile_bytes or b""))
        space = profile.profile.xcolor_space.strip().upper()
        name = _name(profile)
        if image.mode == "L" and space == "RGB":  # some tools leave the RGB profile on a gray file
            image = image.convert("RGB")
        if space != _SPACE_OF_MODE.get(image.mode):
            return None, (
                f"The embedded color profile{name} is for {space} values, but the file holds "
                f"{_SPACE_OF_MODE.get(image.mode, image.mode)} values; {fallback}"
            )
        transform = _transform(profile, image.mode)
        if _is_srgb(transform, image.mode):
            return None, f"The embedded color profile{name} is sRGB in effect; nothing was changed."
        if image.mode == "L":
            srgb8 = _apply_to_grays(transform)[np.asarray(image)]
        else:
            srgb8 = np.asarray(_apply(image, transform))
        clipped = _clipped_share(image, profile, srgb8, visible)
    except (OSError, ValueError, TypeError, ImageCms.PyCMSError):
        return None, f"The embedded color profile is unreadable; {fallback}"
    note = f"Converted from the embedded color profile{name} to sRGB (relative colorimetric)."
    return srgb8, note + _clipped_note(clipped)


def lab_to_srgb(
    image: Image.Image, visible: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.uint8], str]:
    """A LAB picture, read as CIELAB under D50 as ICC does, to sRGB uint8 (H, W, 3) and a note."""
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB"))
    srgb8 = np.asarray(_apply(image, _transform(lab, "LAB")))
    clipped = _clipped_share(image, lab, srgb8, visible)
    return srgb8, "Converted from CIELAB (D50) to sRGB." + _clipped_note(clipped)


def _clipped_note(share: float) -> str:
    return f" {percent(share)} of pixels lie outside sRGB and were clipped." if share else ""


def _name(profile: ImageCms.ImageCmsProfile) -> str:
    """The profile's own name in quotes after a space, or nothing; foreign text, so trimmed."""
    try:
        text = ImageCms.getProfileDescription(profile)
    except ImageCms.PyCMSError:
        return ""
    text = "".join(c for c in " ".join((text or "").split()) if c.isprintable())[:80]
    return f" “{text}”" if text else ""


def _transform(
    profile: ImageCms.ImageCmsProfile, mode: str, to: str = "RGB"
) -> ImageCms.ImageCmsTransform:
    target = ImageCms.createProfile("sRGB" if to == "RGB" else "LAB")
    intent = ImageCms.Intent.RELATIVE_COLORIMETRIC
    # LittleCMS's fast way is a level off in dark grays. For RGB it is as good as 8 bits allow.
    flags = ImageCms.Flags.NOOPTIMIZE if mode == "L" else ImageCms.Flags.NONE
    return ImageCms.buildTransform(profile, target, mode, to, intent, flags)


def _apply(image: Image.Image, transform: ImageCms.ImageCmsTransform) -> Image.Image:
    converted = ImageCms.applyTransform(image, transform)
    assert converted is not None  # None only with inPlace=True
    return converted


def _apply_to_grays(transform: ImageCms.ImageCmsTransform) -> NDArray[np.uint8]:
    """What becomes of each gray level: sRGB (256, 3)."""
    ramp = Image.fromarray(np.arange(256, dtype=np.uint8)[None])
    return np.asarray(_apply(ramp, transform))[0]


def _is_srgb(transform: ImageCms.ImageCmsTransform, mode: str) -> bool:
    """Whether a lattice of 9 x 9 x 9 colors (all 256 grays) comes out as it went in."""
    if mode == "RGB":
        steps = np.rint(np.linspace(0, 255, 9)).astype(np.uint8)
        sent = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(27, 27, 3)
        output = np.asarray(_apply(Image.fromarray(sent), transform))
    elif mode == "L":
        sent = np.arange(256, dtype=np.uint8)[:, None]
        output = _apply_to_grays(transform)
    else:
        return False
    return bool(np.abs(output.astype(np.int16) - sent).max() <= _SAME_LEVELS)


def _clipped_share(
    image: Image.Image,
    profile: ImageCms.ImageCmsProfile,
    srgb8: NDArray[np.uint8],
    visible: NDArray[np.bool_] | None,
) -> float:
    """Share of all pixels whose color sRGB cannot hold.

    Clipping leaves a channel at 0 or 255, so only such pixels are looked at. They are compared in
    Lab, as the file has it and as sRGB has it: going back to the file's own values would call
    rounded blacks clipped wherever the file's curve is steep, and cannot be done for ink.
    """
    suspect = ((srgb8 == 0) | (srgb8 == 255)).any(axis=-1)
    if visible is not None:
        suspect &= visible
    lab_levels = _lab_levels(np.asarray(image)[suspect], image.mode, profile)
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
    held = _lab_levels(srgb8[suspect], "RGB", srgb)
    lost = np.abs(lab_levels - held).max(axis=-1, initial=0) > _CLIPPED_LEVELS
    return float(np.count_nonzero(lost) / suspect.size)


def _lab_levels(
    values: NDArray[np.uint8], mode: str, profile: ImageCms.ImageCmsProfile
) -> NDArray[np.int16]:
    """Pixels (N, channels) to Lab levels (N, 3): L* times 2.55, a* + 128, b* + 128."""
    if len(values) == 0:
        return np.zeros((0, 3), np.int16)
    row = Image.frombytes(mode, (len(values), 1), values.tobytes())
    lab = np.asarray(_apply(row, _transform(profile, mode, "LAB")))[0]
    # Pillow hands out a* and b* as signed bytes; the flipped top bit puts their zero at 128.
    return (lab ^ np.array([0, 128, 128], np.uint8)).astype(np.int16)
