"""Image files to sRGB pixels, once and for all: orientation, profile, depth and transparency.

What a file says about its color is honored here and nowhere else, and whatever was converted is
said in a note. A file that cannot be read raises; no pixels are ever made up.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from truehue.core.errors import ImageError, MaskError, NoPixels
from truehue.core.files import png_of
from truehue.core.images.decode import MAX_PIXELS, Decoded, decode
from truehue.core.images.icc import lab_to_srgb, percent, profile_to_srgb

__all__ = ["MAX_PIXELS", "LoadedImage", "encode_png", "image_id", "load_image", "load_mask"]

_INSIDE = 128  # of 255: from here on a mask counts as inside and a pixel as opaque


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

    Only the first picture of a file with several is read. Transparency is laid over white on the
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


def image_id(srgb8: NDArray[np.uint8]) -> str:
    """SHA-256, hex, of the size and the pixels: ``srgb8 HxW``, a line feed, then the bytes."""
    _check_srgb8(srgb8)
    height, width, _ = srgb8.shape
    digest = hashlib.sha256(f"srgb8 {height}x{width}\n".encode())
    digest.update(np.ascontiguousarray(srgb8).data)
    return digest.hexdigest()


def encode_png(srgb8: NDArray[np.uint8]) -> bytes:
    """Pixels as a PNG that is marked as sRGB; :func:`load_image` gives back the same pixels."""
    _check_srgb8(srgb8)
    return png_of(srgb8, srgb=True)


def load_mask(source: str | Path | bytes, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Read a mask file for an image of ``shape`` (H, W); True is inside.

    Inside means 128 of 255 or more in the brightest channel; color profiles are not applied. In
    a file with varying alpha, inside is opaque too (alpha 128 or more); where all opaque pixels
    have one color, whichever it is, alpha alone decides: that is a painted layer. One alpha for
    the whole file is left out of account, unless it hides everything.

    Raises :class:`truehue.core.errors.ImageError` for a file that is no image, :class:`MaskError`
    for another size and :class:`NoPixels` for a mask that holds one pixel or none.
    """
    name = _name_of(source, "The mask")
    decoded = decode(source, name)
    values = _brightest(decoded.image)
    inside = values >= _INSIDE
    alpha = decoded.alpha
    opaque = np.ones_like(inside) if alpha is None else alpha >= _INSIDE
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
    return inside


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
