"""Decoding of image files: accepted formats, bit depth, and metadata about color.

It works on Pillow's images; :mod:`truehue.core.images.load` converts the result to sRGB. Pillow's
own limits stay as they are, and a truncated file is never filled.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from truehue.core.errors import ImageError
from truehue.core.images.completeness import refuse_filled_up, refuse_short_tiff

_EXIF, _INTEROP = 0x8769, 0xA005  # folders inside EXIF
_TAG_ORIENTATION, _COLOR_SPACE, _INTEROP_INDEX = 0x0112, 0xA001, 0x0001
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
        orientation = exif.get(_TAG_ORIENTATION, 1)
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


MAX_PIXELS = 64_000_000
"""More pixels than this are refused from the header, before anything is decoded."""
_most_pixels = MAX_PIXELS

# In this order: the first five come with Pillow's core, the others load when they are reached.
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "PPM", "TIFF", "WEBP", "AVIF")
_ACCEPTED = "PNG, JPEG, TIFF, WebP, AVIF, BMP, GIF and PPM/PGM files work"
_PNG = b"\x89PNG\r\n\x1a\n"
_SIGNATURES = (
    (0, _PNG[:4], "PNG"),
    (0, b"\xff\xd8\xff", "JPEG"),
    (0, b"BM", "BMP"),
    (0, b"GIF8", "GIF"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (8, b"WEBP", "WebP"),
    (4, b"ftypavif", "AVIF"),
)
_PHOTOMETRIC = 262  # TIFF tag; 0 means that white is 0, 6 means YCbCr
_HEAD_BYTES = 1 << 16

Pixels8 = NDArray[np.uint8]


def limit_pixels(limit: int) -> None:
    """From now on fewer pixels are taken: where strangers send files, several are decoded at once
    in the memory that there is."""
    global _most_pixels
    _most_pixels = min(limit, MAX_PIXELS)


@dataclass
class Decoded:
    """A file's first image, at 8 bits and upright only after ``orientation`` is applied.

    ``image`` has mode L, RGB, CMYK or LAB. ``alpha`` is uint8 (H, W), or None when nothing is
    transparent. ``has_profile`` with ``profile`` None means a profile that cannot be unpacked.
    """

    image: Image.Image
    alpha: Pixels8 | None
    has_profile: bool
    profile: bytes | None
    orientation: int
    notes: list[str]


def decode(source: str | Path | bytes, name: str) -> Decoded:
    """Read a path or the bytes of a file. Raises :class:`truehue.core.errors.ImageError`."""
    with _stream(source, name) as stream:
        head = stream.read(_HEAD_BYTES)
        if not head:
            raise ImageError(f"{name} is empty (0 bytes). Save or download it again.")
        image = _open(stream, head, name)
        _refuse_unread_kinds(image, name)
        notes: list[str] = []
        # Pillow turns TIFF files upright by itself and then forgets that it did.
        turned = _tag(image, _TAG_ORIENTATION)
        rawmode = _rawmode(image)
        try:
            if getattr(image, "is_animated", False):
                notes.append("The file holds several images or pages; the first one was read.")
            refuse_short_tiff(image, stream, name)
            image.load()
            refuse_filled_up(image, stream, name)
            flat, alpha = _to_8_bits(image, rawmode, stream, notes)
        except ImageError:
            raise
        except Exception as error:  # decoders raise nearly anything on damaged files
            raise ImageError(
                f"{name} is damaged or cut short and cannot be read whole "
                f"({error or type(error).__name__}). Save or download it again."
            ) from error
        orientation, exif_notes = stated_color_notes(image, head)
        if orientation != 1 or turned in range(2, 9):
            notes.append("Turned upright as the camera's orientation mark says.")
        return Decoded(
            flat,
            alpha,
            "icc_profile" in image.info,
            image.info.get("icc_profile"),
            orientation,
            notes + exif_notes,
        )


@contextmanager
def _stream(source: str | Path | bytes, name: str) -> Iterator[IO[bytes]]:
    """The file opened for reading; says why when it cannot be."""
    if isinstance(source, bytes):
        yield BytesIO(source)
        return
    try:
        path = Path(source)
        if path.is_dir():
            raise ImageError(f"{name} is a folder. Choose an image file in it.")
        if not path.exists():
            looked = "" if name == str(path) else f" (looked for {path})"
            raise ImageError(f"{name} does not exist{looked}. Check the path.")
        if not path.is_file():
            raise ImageError(f"{name} is no ordinary file. Choose an image file.")
        stream = path.open("rb")
    except (OSError, ValueError) as error:
        if isinstance(error, ImageError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise ImageError(f"{name} cannot be opened ({reason}). Check path and rights.") from error
    with stream:
        yield stream


def _open(stream: IO[bytes], head: bytes, name: str) -> Image.Image:
    """Read the header and refuse what is too large, before a pixel is decoded."""
    stream.seek(0)
    limit = _most_pixels // 1_000_000
    advice = f"TrueHue reads up to {limit} megapixels. Make the image smaller or crop it."
    try:
        if head.startswith(_PNG):
            from PIL.PngImagePlugin import PngImageFile

            # Image.open would first import the readers of four other formats.
            image: Image.Image = PngImageFile(stream)
        else:
            image = Image.open(stream, formats=_FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        # Pillow's limit lies above ours; a warning arrives here where warnings are errors.
        raise ImageError(f"{name} is too large. {advice}") from error
    except Exception as error:  # header parsers raise nearly anything on damaged files
        raise ImageError(f"{name} {_why_unknown(head, error)}") from error
    width, height = image.size
    if width * height > _most_pixels:
        raise ImageError(
            f"{name} has {width} × {height} = {width * height / 1e6:.1f} megapixels. {advice}"
        )
    if width < 1 or height < 1:
        raise ImageError(f"{name} has no pixels ({width} × {height}). Save it again.")
    return image


def _why_unknown(head: bytes, error: Exception) -> str:
    """The message for a file that Pillow cannot identify, by its first bytes."""
    for offset, mark, kind in _SIGNATURES:
        if head[offset:].startswith(mark):
            detail = "" if isinstance(error, UnidentifiedImageError) else f" ({error})"
            return (
                f"begins as a {kind} file, but it is damaged, cut short, has no pixels or is of "
                f"a kind that cannot be read{detail}. Save it again, best as an 8- or 16-bit PNG."
            )
    if head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"hevc"):
        return f"is a HEIC file, which cannot be read. Export it as JPEG or PNG ({_ACCEPTED})."
    return f"is not an image that can be read. {_ACCEPTED}."


def _rawmode(image: Image.Image) -> str:
    """How the file packs its values, such as ``RGB;16B``; known only before decoding."""
    tiles = getattr(image, "tile", None)
    arguments: Any = tiles[0].args if tiles else ""
    return str(arguments[0] if isinstance(arguments, tuple) and arguments else arguments)


def _tag(image: Image.Image, tag: int) -> Any:
    """A tag of a TIFF file; None in other files and where it is absent."""
    return getattr(image, "tag_v2", {}).get(tag)


def _refuse_unread_kinds(image: Image.Image, name: str) -> None:
    kind = ""
    tiles = getattr(image, "tile", None)
    if tiles and tiles[0].codec_name == "raw" and _tag(image, _PHOTOMETRIC) == 6:
        # LibTIFF turns compressed YCbCr into RGB; Pillow's own reader would take it for RGB.
        raise ImageError(
            f"{name} is an uncompressed YCbCr TIFF, which cannot be read. Save it as RGB."
        )
    if image.mode == "F":
        kind = "floating point values"
    elif image.mode == "I" and image.format != "PPM":
        kind = "signed or 32-bit whole numbers"
    elif image.mode.startswith("I;16") and ";12" in _rawmode(image):
        kind = "12-bit values"
    if kind:
        raise ImageError(
            f"{name} holds {kind}, and nothing says which value is white. "
            "Save it as an 8- or 16-bit PNG or TIFF."
        )


def _to_8_bits(
    image: Image.Image, rawmode: str, stream: IO[bytes], notes: list[str]
) -> tuple[Image.Image, Pixels8 | None]:
    """The image as mode L, RGB, CMYK or LAB, and its alpha."""
    key = image.info.get("transparency")
    alpha: Pixels8 | None = None
    if image.mode.startswith("I"):
        values = np.asarray(image).astype(np.uint16)
        if _tag(image, _PHOTOMETRIC) == 0:
            values = np.uint16(65535) - values  # Pillow turns only shallower files around
        alpha = _alpha_of_key(values, key)
        flat = Image.fromarray(_rounded()[values])
        notes.append("16-bit values were rounded to 8 bits.")
    elif ";16" in rawmode:
        flat, alpha = _deep(image, stream, key, notes)
    elif image.mode == "P" and key is None:
        flat = image.convert("RGB")
    elif image.mode in ("P", "PA", "RGBA", "RGBa", "La"):
        rgba = image.convert("RGBA")
        flat, alpha = rgba.convert("RGB"), np.asarray(rgba.getchannel("A"))
    elif image.mode == "LA":
        flat, alpha = image.getchannel("L"), np.asarray(image.getchannel("A"))
    elif image.mode in ("1", "L"):
        flat = image if image.mode == "L" else image.convert("L")
        # Pillow spreads 2- and 4-bit grays over 0 to 255, but leaves the transparent gray as is.
        spread = {"L;2": 85, "L;4": 17}.get(rawmode, 1)
        alpha = _alpha_of_key(np.asarray(flat), key * spread if isinstance(key, int) else None)
    elif image.mode == "RGB":
        flat = image
        alpha = _alpha_of_key(np.asarray(flat), key) if key is not None else None
    elif image.mode in ("CMYK", "LAB"):
        flat = image
    else:
        raise ValueError(f"values of kind {image.mode} are not read")
    if flat.mode == "L":
        notes.append("The file is gray: its one channel fills red, green and blue.")
    return flat, None if alpha is None or alpha.min() == 255 else alpha


def _rounded() -> Pixels8:
    """A table (65536,) from 16 bits to the nearest 8 bits: v / 257, which never ends in .5."""
    return np.rint(np.arange(65536) / 257).astype(np.uint8)


def _alpha_of_key(values: NDArray[Any], key: object) -> Pixels8 | None:
    """Alpha (H, W) of a file in which one gray or one color stands for transparent."""
    if not isinstance(key, (int, tuple)):
        return None
    same = values == np.asarray(key)
    transparent = same if values.ndim == 2 else same.all(axis=-1)
    return np.where(transparent, np.uint8(0), np.uint8(255))


def _deep(
    image: Image.Image, stream: IO[bytes], key: object, notes: list[str]
) -> tuple[Image.Image, Pixels8 | None]:
    """Files with 16 bits in several channels, of which Pillow keeps the upper 8 bits.

    OpenCV reads all 16. Its upper bytes must be Pillow's pixels, which proves order of channels,
    direction and alpha; where they are not (CMYK, premultiplied alpha), Pillow's are kept.
    """
    upper = np.asarray(image)
    values = None if image.mode == "CMYK" else _opencv_16_bits(stream, upper)
    if values is None:
        notes.append("16-bit values were cut to their upper 8 bits.")
        pixels = upper
    else:
        notes.append("16-bit values were rounded to 8 bits.")
        pixels = _rounded()[values]
    if image.mode == "CMYK":
        return image, None
    if pixels.shape[2] == 4:
        flat, alpha = pixels[..., :3], np.ascontiguousarray(pixels[..., 3])
        if image.format == "PNG" and _is_gray_alpha(stream):
            flat = flat[..., 0]
        return Image.fromarray(np.ascontiguousarray(flat)), alpha
    return Image.fromarray(pixels), None if values is None else _alpha_of_key(values, key)


def _is_gray_alpha(stream: IO[bytes]) -> bool:
    """Whether a PNG is gray with alpha, which Pillow shows as RGBA at 16 bits."""
    stream.seek(25)  # the color type in IHDR
    return stream.read(1) == b"\x04"


def _opencv_16_bits(stream: IO[bytes], upper: Pixels8) -> NDArray[np.uint16] | None:
    """RGB or RGBA uint16 (H, W, C) whose upper bytes are ``upper``, or None."""
    import cv2

    stream.seek(0)
    try:
        bgr = cv2.imdecode(np.frombuffer(stream.read(), np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    channels = upper.shape[2]
    if bgr is None or bgr.dtype != np.uint16 or bgr.ndim != 3 or bgr.shape[2] < channels:
        return None
    values: NDArray[np.uint16] = bgr[..., [2, 1, 0, 3][:channels]]
    if values.shape != upper.shape or not np.array_equal(values >> 8, upper):
        return None
    return values
