"""Images of a study's trials, and plates with digits, as files for pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import NotStored
from core.images.load import encode_png
from core.images.plates import Axis, plate
from core.images.scaled import scaled_down
from tabs.page.once import Once
from tabs.participants.view import SIDES

if TYPE_CHECKING:
    from storage.store import Storage

MOST_KEPT = 64
"""Scaled images in memory: at the largest side up to 5 MB each."""
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
"""Images are named by their content; the address has a link in it, so no cache between shares it.
"""


class Pictures:
    """Makes and keeps them. Belongs to one event loop."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._scaled = Once(self._scale, at_once=2, most_kept=MOST_KEPT)
        self._plates = Once(_plate, at_once=1, most_kept=64)

    def path(self, image_id: str) -> Path:
        """The file of an image with its exact pixels. Raises NotStored."""
        path = self._storage.images.path(image_id)
        if not path.is_file():
            raise NotStored(f"The file of image {image_id} is gone.")
        return path

    async def scaled(self, image_id: str, side: int) -> bytes:
        """PNG of an image whose longer side is at most ``side`` pixels, one of ``SIDES``; empty
        where it is no longer than that anyway. Raises NotStored."""
        return await self._scaled.get(image_id, side)

    async def plate(self, digit: str, axis: Axis, seed: int) -> bytes:
        """PNG of a plate."""
        return await self._plates.get(digit, axis, seed)

    def _scale(self, image_id: str, side: int) -> bytes:
        from PIL import Image

        with Image.open(self.path(image_id)) as opened:  # the head of the file alone
            if max(opened.size) <= side:
                return b""
        return encode_png(scaled_down(self._storage.images.srgb8(image_id), side))


def nearest_side(side: int) -> int:
    """The smallest of ``SIDES`` that is at least ``side``; 0, the exact image, above them all."""
    return next((one for one in SIDES if one >= side), 0) if side > 0 else 0


def _plate(digit: str, axis: Axis, seed: int) -> bytes:
    return encode_png(plate(digit, axis, seed).srgb8)
