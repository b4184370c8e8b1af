"""Images of a study's trials, and plates with digits, as files for pages."""

from __future__ import annotations

import shutil
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

import brotli

from truehue.annotation.screening import Patch
from truehue.core.errors import NotStored
from truehue.core.images.load import encode_png, scaled_down
from truehue.core.images.plates import Axis, patch_field, plate
from truehue.core.sketches.images import ink_png
from truehue.tabs.page.asset_files import Body
from truehue.tabs.page.single_flight import SingleFlightCache
from truehue.tabs.participants.view import SIDES

if TYPE_CHECKING:
    from truehue.storage.store import Storage

MAX_KEPT = 2_000
"""Scaled images on the disk: what 200 people see in turn is scaled once."""
MAX_SKETCHES = 256
"""Sketches in memory: about 100 kB each."""


class _Regions(Body):
    """Packed in a moment: the best packing would keep everybody waiting for a few kilobytes."""

    @cached_property
    def brotli(self) -> bytes:
        return bytes(brotli.compress(self.plain, quality=5))


class ParticipantImages:
    """Makes and keeps them. Belongs to one event loop."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._folder = Path(mkdtemp(prefix="truehue-scaled-"))
        finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._scaled = SingleFlightCache(
            self._scale, at_once=2, most_kept=MAX_KEPT, drop=self._remove
        )
        self._plates = SingleFlightCache(_plate, at_once=1, most_kept=64)
        self._patches = SingleFlightCache(_patch, at_once=1, most_kept=64)
        self._inks = SingleFlightCache(self._ink, at_once=1, most_kept=MAX_SKETCHES)
        self._regions = SingleFlightCache(self._coded, at_once=1, most_kept=MAX_SKETCHES)

    def path(self, image_id: str) -> Path:
        """The file of an image with its exact pixels. Raises NotStored."""
        path = self._storage.images.path(image_id)
        if not path.is_file():
            raise NotStored(f"The file of image {image_id} is gone.")
        return path

    async def scaled(self, image_id: str, side: int) -> Path:
        """The PNG file of an image whose longer side is at most ``side`` pixels, one of ``SIDES``;
        that of the image where it is no longer than that anyway. Raises NotStored."""
        return await self._scaled.get(image_id, side)

    async def plate(self, digit: str, axis: Axis, seed: int) -> bytes:
        """PNG of a plate."""
        return await self._plates.get(digit, axis, seed)

    async def patch(self, patch: Patch) -> bytes:
        """PNG of a field with a square that hardly differs."""
        return await self._patches.get(patch)

    async def ink(self, sketch_id: str) -> bytes:
        """The line layer of a sketch as a PNG. Raises NotStored."""
        return await self._inks.get(sketch_id)

    async def regions(self, sketch_id: str) -> Body:
        """The regions of a sketch. Raises NotStored."""
        return await self._regions.get(sketch_id)

    def _ink(self, sketch_id: str) -> bytes:
        return ink_png(self._storage.sketches.ink(sketch_id))

    def _coded(self, sketch_id: str) -> Body:
        return _Regions(self._storage.sketches.regions(sketch_id), "application/octet-stream")

    def _scale(self, image_id: str, side: int) -> Path:
        from PIL import Image

        path = self.path(image_id)
        with Image.open(path) as opened:  # the head of the file alone
            if max(opened.size) <= side:
                return path
        scaled = self._folder / f"{image_id}-{side}.png"
        scaled.write_bytes(encode_png(scaled_down(self._storage.images.srgb8(image_id), side)))
        return scaled

    def _remove(self, path: Path) -> None:
        if path.is_relative_to(self._folder):
            path.unlink(missing_ok=True)


def nearest_side(side: int) -> int:
    """The smallest of ``SIDES`` that is at least ``side``; 0, the exact image, above them all."""
    return next((number for number in SIDES if number >= side), 0) if side > 0 else 0


def _patch(patch: Patch) -> bytes:
    return encode_png(patch_field(patch.field, patch.patch, patch.place))


def _plate(digit: str, axis: Axis, seed: int) -> bytes:
    return encode_png(plate(digit, axis, seed).srgb8)
