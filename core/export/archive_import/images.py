"""Pictures and masks of an archive: each is what its name says, or the archive is refused."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import numpy as np

from truehue.core.errors import BadInput, StorageError
from truehue.core.export.archive_import.zip_file import RunZip
from truehue.core.files import Progress, read_png
from truehue.core.images.load import encode_png, image_id
from truehue.core.images.pixels import Mask

Size = tuple[int, int]
"""Width and height in pixels."""

_HEAD = struct.Struct(">8sI4sIIBB")
_START = b"\x89PNG\r\n\x1a\n"
_RGB8, _GRAY1 = (8, 2), (1, 0)
_MOST_BESIDE = 2**20
"""Bytes of a PNG beside its pixels: what a program writes into the files that it keeps."""


def import_images(
    archive: RunZip,
    into: Path,
    images: Mapping[str, Size],
    masks: Mapping[str, Size],
    progress: Progress,
) -> None:
    """Writes the pictures and masks of an archive below ``into``; there may be none.

    ``images`` and ``masks`` are the sizes that the results say, by the names of the pixels. A file
    is looked at before the next one is written, and what stays of it are its pixels alone: a
    profile or a gamma would show other colors than were measured. Raises BadInput for a file that
    is no PNG of ours, belongs to no result, or holds other pixels than its name says.
    """
    names = archive.pictures
    for done, name in enumerate(names):
        stem, is_image = PurePosixPath(name).stem, name.startswith("images/")
        size = (images if is_image else masks).get(stem)
        shown = f"{stem}.png in {archive.shown}"
        if size is None:
            raise BadInput(f"{shown} belongs to no result of the run.")
        if _size_of(archive.head(name, _HEAD.size), _RGB8 if is_image else _GRAY1) != size:
            raise BadInput(f"{shown} is no image of ours, or has another size than its result.")
        path = archive.write(name, into, _most_bytes(size, is_image))
        try:
            pixels = read_png(path, "RGB" if is_image else "1")
        except StorageError as error:
            raise BadInput(f"{shown} is no image of ours.") from error
        digest, content = _image(pixels) if is_image else _mask(pixels)
        if digest != stem:
            raise BadInput(f"{shown} holds other pixels than its name says.")
        path.write_bytes(content)
        progress(done + 1, len(names))


def _size_of(head: bytes, kind: tuple[int, int]) -> Size | None:
    """The size that a PNG of that depth and kind of color says it has; None for anything else."""
    if len(head) < _HEAD.size:
        return None
    start, _, name, width, height, *header_tail = _HEAD.unpack(head)
    return (width, height) if (start, name, *header_tail) == (_START, b"IHDR", *kind) else None


def _most_bytes(size: Size, is_image: bool) -> int:
    """No PNG of so many pixels is larger, unless most of it is something else."""
    width, height = size
    raw = height * (1 + (3 * width if is_image else (width + 7) // 8))
    return raw + raw // 100 + _MOST_BESIDE


def _image(srgb8: np.ndarray) -> tuple[str, bytes]:
    return image_id(srgb8), encode_png(srgb8)


def _mask(pixels: np.ndarray) -> tuple[str, bytes]:
    mask = Mask(pixels, "")
    return mask.content_sha256, mask.png()
