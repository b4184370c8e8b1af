"""The image of a question as it is sent: in color, without color, or black."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import ImageError
from truehue.core.images.load import image_id, load_image
from truehue.core.vlm.variants import gray


class Version(StrEnum):
    """``gray`` asks what a model knows without color, ``black`` what it says without seeing."""

    COLORED = "colored"
    GRAY = "gray"
    BLACK = "black"


def as_sent(srgb8: NDArray[np.uint8], version: Version) -> NDArray[np.uint8]:
    """uint8 ``(H, W, 3)`` in and out. Gray is :func:`truehue.core.vlm.variants.gray`;
    black is an image of the same size."""
    if version is Version.BLACK:
        return np.zeros_like(srgb8)
    return gray(srgb8) if version is Version.GRAY else srgb8


def picture(path: Path, expected_id: str, version: Version) -> NDArray[np.uint8]:
    """The pixels of a question's image as they are sent. Raises ImageError where the file cannot be
    read, or holds other pixels than the question was made for."""
    srgb8 = load_image(path).srgb8
    if image_id(srgb8) != expected_id:
        raise ImageError(f"{path} holds other pixels than those the question was made for.")
    return as_sent(srgb8, version)
