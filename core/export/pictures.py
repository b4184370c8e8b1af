"""Pictures and masks of an archive: each is what its name says, or the archive is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from core.errors import BadInput, StorageError
from core.export.files import Progress
from core.files import read_png
from core.image_files import MAX_PIXELS
from core.images import encode_png, image_id
from core.masks.mask import Mask


def checked_pictures(
    folder: Path, image_ids: set[str], mask_ids: set[str], shown: str, progress: Progress
) -> None:
    """Looks at every pixel of the pictures that an unpacked archive brought; there may be none.

    Raises BadInput for a file that is no PNG of ours, belongs to no result, or holds other pixels
    than its name says.
    """
    images = [(path, "RGB", image_ids, _image) for path in _files(folder / "images")]
    masks = [(path, "1", mask_ids, _mask) for path in _files(folder / "masks")]
    files = [*images, *masks]
    for done, (path, mode, ids, named) in enumerate(files):
        if path.stem not in ids:
            raise BadInput(f"{path.name} in {shown} belongs to no result of the run.")
        try:
            marked = _looked(path)
            pixels = read_png(path, mode)
        except (BadInput, StorageError) as error:
            raise BadInput(f"{path.name} in {shown} is no picture of ours.") from error
        name, content = named(pixels, marked)
        if name != path.stem:
            raise BadInput(f"{path.name} in {shown} holds other pixels than its name says.")
        if content:
            # A profile or a gamma would show other colors than were measured.
            path.unlink()
            path.write_bytes(content)
        progress(done + 1, len(files))


def _looked(path: Path) -> bool:
    """Whether the file holds more than pixels; raises BadInput for one that is too large."""
    try:
        with Image.open(path, formats=["PNG"]) as image:
            width, height = image.size
            marked = bool(image.info) or image.mode not in ("RGB", "1")
    except Exception as error:  # header parsers raise nearly anything on damaged files
        raise BadInput("no PNG") from error
    if width * height > MAX_PIXELS:
        raise BadInput("too large")
    return marked


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.png"))


def _image(srgb8: np.ndarray, marked: bool) -> tuple[str, bytes]:
    """The id of the pixels, and where the file held more than them, a file that does not."""
    return image_id(srgb8), encode_png(srgb8) if marked else b""


def _mask(pixels: np.ndarray, marked: bool) -> tuple[str, bytes]:
    made = Mask(pixels, "")
    return made.content_sha256, made.png() if marked else b""
