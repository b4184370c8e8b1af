"""Conversion of image files to sRGB pixels: orientation, profile, depth and transparency.

Only this module applies a file's color metadata, and it notes every conversion. An unreadable file
raises an error; no pixels are ever invented.

Profiles are read by LittleCMS through Pillow. The intent is relative colorimetric without black
point compensation: white goes to white, and every color that sRGB can hold keeps its Lab. The
transform works on 8-bit values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

from truehue.core.color.spaces import SRGB8_TO_LINEAR1, linear1_to_srgb1
from truehue.core.errors import ImageError, MaskError, NoPixels
from truehue.core.images.decode import MAX_PIXELS, Decoded, decode

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
    """Convert an image by its embedded profile.

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
    """A LAB image, read as CIELAB under D50 as ICC does, to sRGB uint8 (H, W, 3) and a note."""
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
    """The conversion of each gray level: sRGB (256, 3)."""
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


__all__ = [
    "MAX_PIXELS",
    "LoadedImage",
    "encode_png",
    "image_id",
    "load_image",
    "load_mask",
    "warnings_in",
]

_OTHER_COLORS = (
    "laid over white",
    "were clipped",
    "approximate",
    "read as sRGB",
    "it was not used",
    "EXIF data is damaged",
)
_GENERATED_PIXELS = 2_400_000  # an image with more is taken for a photograph
_INSIDE = 128  # of 255: from here on a mask counts as inside and a pixel as opaque
_BLACK, _MAX_BETWEEN_PERCENT = 32, 25.0
"""Soft edges are between black and white in fewer pixels than photographs."""


@dataclass(frozen=True, eq=False)
class LoadedImage:
    """One image as TrueHue measures it.

    ``srgb8``: uint8 (H, W, 3), C-contiguous, not writeable. ``notes``: one sentence for each thing
    that was converted, in order. ``opaque``: bool (H, W), True where alpha is 128 of 255 or more,
    not writeable; None when nothing is transparent.
    """

    srgb8: NDArray[np.uint8]
    name: str
    notes: tuple[str, ...]
    opaque: NDArray[np.bool_] | None = None


def load_image(source: str | Path | bytes, name: str | None = None) -> LoadedImage:
    """Read a file (path, or its bytes) as sRGB; ``name`` stands in messages and in the result.

    Only the first image of a file with several is read. Transparency is laid over white on the
    encoded values, as browsers do, after the profile was applied. 16-bit files are rounded to 8
    bits first, because the profile transform works on 8 bits.

    Raises :class:`truehue.core.errors.ImageError`: not an image, empty, missing, a folder, cut
    short, more than ``MAX_PIXELS`` pixels, or of a kind that has no defined white.
    """
    name = name or _name_of(source, "The image")
    decoded = decode(source, name)
    notes = decoded.notes
    alpha = decoded.alpha
    srgb8 = _to_srgb(decoded, None if alpha is None else alpha > 0)
    opaque = None
    if alpha is not None:
        opaque = _upright(alpha >= _INSIDE, decoded.orientation)
        opaque.flags.writeable = False
        notes.append(
            f"Transparency was laid over white; {percent(1 - float(opaque.mean()))} of pixels are "
            "more than half transparent."
        )
        srgb8 = _over_white(srgb8, alpha)
    srgb8 = _upright(srgb8, decoded.orientation)
    srgb8.flags.writeable = False
    return LoadedImage(srgb8, name, tuple(notes), opaque)


def warnings_in(notes: Sequence[str]) -> list[str]:
    """Those notes of an image after which its colors are others than the file means."""
    return [note for note in notes if any(words in note for words in _OTHER_COLORS)]


def image_id(srgb8: NDArray[np.uint8]) -> str:
    """SHA-256, 64 hex digits, of uint8 sRGB ``(H, W, 3)``: ``srgb8 HxW``, a line feed, then the
    bytes."""
    _check_srgb8(srgb8)
    height, width, _ = srgb8.shape
    digest = hashlib.sha256(f"srgb8 {height}x{width}\n".encode())
    digest.update(np.ascontiguousarray(srgb8).data)
    return digest.hexdigest()


def encode_png(srgb8: NDArray[np.uint8]) -> bytes:
    """uint8 sRGB ``(H, W, 3)`` as a PNG that is marked as sRGB; :func:`load_image` gives back the
    same pixels."""
    _check_srgb8(srgb8)
    from truehue.core.files import png_of  # writing needs more than reading

    # Somebody waits for a dropped photograph: half the time, for files that are a tenth larger.
    is_photograph = srgb8.shape[0] * srgb8.shape[1] > _GENERATED_PIXELS
    return png_of(srgb8, srgb=True, level=2 if is_photograph else 4)


def load_mask(source: str | Path | bytes, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Read a mask file for an image of ``shape`` (H, W); True is inside.

    Inside means 128 of 255 or more in the brightest channel; color profiles are not applied. In
    a file with varying alpha, inside is opaque too (alpha 128 or more); where all opaque pixels
    have one color, whichever it is, alpha alone decides: that is a painted layer. One alpha for
    the whole file is left out of account, unless it hides everything.

    Raises :class:`truehue.core.errors.ImageError` for a file that is no image, :class:`MaskError`
    for another size and :class:`NoPixels` for a mask that holds one pixel or none.
    """
    return mask_with_note(source, shape)[0]


def mask_with_note(
    source: str | Path | bytes, shape: tuple[int, int]
) -> tuple[NDArray[np.bool_], str]:
    """The mask as :func:`load_mask`, bool ``(H, W)``, and what to know about it: empty where it is
    black and white."""
    name = _name_of(source, "The mask")
    decoded = decode(source, name)
    values = _brightest(decoded.image)
    inside = values >= _INSIDE
    alpha = decoded.alpha
    opaque = np.ones_like(inside) if alpha is None else alpha >= _INSIDE
    one_color = False
    if alpha is not None and (alpha.min() != alpha.max() or alpha.max() == 0):
        painted = np.asarray(decoded.image)[opaque]
        one_color = len(painted) > 0 and bool((painted == painted[0]).all())
        inside = opaque if one_color else inside & opaque
    inside = _upright(inside, decoded.orientation)
    if inside.shape != tuple(shape):
        (height, width), (rows, columns) = inside.shape, shape
        raise MaskError(
            f"{name} is {width} × {height} pixels, but the image is {columns} × {rows}. "
            "Give a mask of the image's size."
        )
    count = int(np.count_nonzero(inside))
    if count == 0:
        raise NoPixels(
            f"{name} marks no pixel. Inside means 128 of 255 or more, and its largest opaque value "
            f"is {int(values[opaque].max(initial=0))}. Paint the object white on black."
        )
    if count == 1:
        raise NoPixels(f"{name} marks one pixel only, too few to measure. Mark a larger area.")
    between = (values[opaque] >= _BLACK) & (values[opaque] < 256 - _BLACK)
    between_percent = 100.0 * float(np.mean(between))
    if one_color or between_percent <= _MAX_BETWEEN_PERCENT:
        return inside, ""
    return inside, (
        f"{name} is neither black nor white in {between_percent:.0f}% of its pixels: is it a mask? Inside "
        "means 128 of 255 or more."
    )


def object_pixels(
    image: LoadedImage, mask: str | Path | bytes | None
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """The pixels to measure, bool (H, W), and what was assumed about them: those inside a mask file;
    without one the opaque pixels, and all where nothing is transparent. Raises as
    :func:`load_mask`."""
    shape = (image.srgb8.shape[0], image.srgb8.shape[1])
    if mask is not None:
        inside, note = mask_with_note(mask, shape)
        return inside, (note,) if note else ()
    if image.opaque is not None:
        return image.opaque, ("No mask: opaque pixels are measured.",)
    return np.ones(shape, dtype=bool), (
        "No mask: the whole image is measured, including its background.",
    )


def _name_of(source: str | Path | bytes, of_bytes: str) -> str:
    return of_bytes if isinstance(source, bytes) else Path(source).name or str(source)


def _to_srgb(decoded: Decoded, visible: NDArray[np.bool_] | None) -> NDArray[np.uint8]:
    """By profile if there is a good one, else as sRGB; uint8 (H, W, 3), notes are added."""
    image, notes = decoded.image, decoded.notes
    if decoded.has_profile:
        converted, note = profile_to_srgb(image, decoded.profile, visible)
        notes.append(note)
        if converted is not None:
            return converted
    if image.mode == "LAB":
        converted, note = lab_to_srgb(image, visible)
        notes.append(note)
        return converted
    if image.mode == "CMYK":
        notes.append(
            "Ink values (CMYK) without a usable color profile: converted by a simple formula, so "
            "colors are approximate."
        )
    return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))


def _over_white(srgb8: NDArray[np.uint8], alpha: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rounded ``color * alpha + white * (1 - alpha)``; the sum stays below 65536."""
    opacity = alpha[..., None].astype(np.uint16)
    mixed = srgb8 * opacity + np.uint16(255) * (np.uint16(255) - opacity)
    return ((mixed + np.uint16(127)) // np.uint16(255)).astype(np.uint8)


def _upright(pixels: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Apply an EXIF orientation (1 to 8) to (H, W) or (H, W, C); C-contiguous."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.swapaxes(0, 1)  # 5; the others follow from it by flips
    down = slice(None, None, -1 if orientation in (3, 4, 7, 8) else 1)
    across = slice(None, None, -1 if orientation in (2, 3, 6, 7) else 1)
    return np.ascontiguousarray(pixels[down, across])


def _brightest(image: Image.Image) -> NDArray[np.uint8]:
    """The largest channel (H, W) of a mask file; L* of a LAB one."""
    if image.mode == "LAB":
        return np.asarray(image.getchannel("L"))
    values = np.asarray(image.convert("RGB") if image.mode == "CMYK" else image)
    return values if values.ndim == 2 else np.asarray(values.max(axis=-1))


def _check_srgb8(srgb8: NDArray[np.uint8]) -> None:
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.size == 0:
        raise ImageError(
            f"Pixels must be uint8 of shape (H, W, 3), not {srgb8.dtype} of {srgb8.shape}."
        )


def scaled_down(srgb8: np.ndarray, side: int) -> np.ndarray:
    """uint8 ``(h, w, 3)`` of an image ``(H, W, 3)``, its longer side at most ``side`` pixels.

    Areas are averaged in linear light: fine texture keeps its lightness, which the usual average of
    coded values darkens. An image that is small enough comes back as it is.
    """
    import cv2  # which storage loads without

    height, width = srgb8.shape[:2]
    longer = max(height, width)
    if longer <= side:
        return srgb8
    size = (max(1, round(width * side / longer)), max(1, round(height * side / longer)))
    linear1 = SRGB8_TO_LINEAR1.astype(np.float32).take(srgb8)
    small = cv2.resize(linear1, size, interpolation=cv2.INTER_AREA)
    return np.rint(255 * linear1_to_srgb1(small.clip(0, 1))).astype(np.uint8)
