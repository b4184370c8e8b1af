"""Masks: one 1-bit PNG for each set of pixels, and one row for each way that led to it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from truehue.core.errors import MaskError, StorageError
from truehue.core.files import read_png, shelf, write_once
from truehue.core.images.pixels import Mask
from truehue.core.records import EvidenceRecord, ImageRecord, MaskRecord
from truehue.storage.concept_images.images import Images
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware

_COLUMNS = "mask_id, image_id, content_sha256, area_px, maker, parameters, created_at"

OF_IMAGES = "WHERE image_id IN (SELECT unnest(?::VARCHAR[]))"
"""The rows of many images, whose whole ids are the one value."""

Record = TypeVar("Record", MaskRecord, EvidenceRecord)


def by_image(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The records by the id of their image, in their order."""
    grouped: dict[str, list[Record]] = {}
    for record in records:
        grouped.setdefault(record.image_id, []).append(record)
    return grouped


class Masks:
    """The stored masks. A mask is added once and never changed."""

    def __init__(self, database: Database, folder: Path, images: Images) -> None:
        self._database = database
        self._folder = folder
        self._images = images

    def add(self, image: str | ImageRecord, mask: Mask) -> MaskRecord:
        """Store ``mask``, made on the stored image ``image`` or that id, and return its record.

        The same pixels, maker and parameters on the same image keep their first record. Raises
        :class:`NotStored` for an unknown image, :class:`MaskError` for pixels that are not bool
        ``(H, W)`` of the image's size, :class:`BadInput` for parameters that are not plain JSON.
        """
        if not isinstance(image, ImageRecord):
            image = self._images.get(image)
        pixels = mask.pixels
        if pixels.dtype != np.bool_ or pixels.shape != (image.height, image.width):
            raise MaskError(
                f"A mask for this image is bool {(image.height, image.width)}, not "
                f"{pixels.dtype} {pixels.shape}: make it from the image as it is stored."
            )
        maker = canonical.required(mask.maker, "maker")
        parameters = canonical.mapping(mask.parameters, "parameters")
        content = mask.content_sha256
        mask_id = canonical.digest(
            {
                "image_id": image.image_id,
                "content_sha256": content,
                "maker": maker,
                "parameters": parameters,
            }
        )
        path = shelf(self._folder, content)
        self._database.require_writable()
        if not path.is_file():
            write_once(path, mask.png())
        self._database.insert(
            f"INSERT INTO masks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                mask_id,
                image.image_id,
                content,
                mask.area_px,
                maker,
                canonical.dump(parameters),
                self._database.now(),
            ],
        )
        if not path.is_file():  # deleted by somebody else in between
            write_once(path, mask.png())
        return self.get(mask_id)

    def get(self, mask_id: str) -> MaskRecord:
        """Return the record of a mask by its id or the first 8 or more characters of it.

        Raises :class:`NotStored` if none or more than one fits.
        """
        return _record(self._database.row_by_id("masks", _COLUMNS, "mask_id", mask_id))

    def path(self, mask_id: str) -> Path:
        """Return where the PNG of a stored mask lies; :class:`NotStored` otherwise.

        It is named by ``content_sha256``: equal masks share one file.
        """
        return shelf(self._folder, self.get(mask_id).content_sha256)

    def pixels(self, mask_id: str) -> np.ndarray:
        """Return the pixels of a stored mask, bool ``(H, W)``, exactly as they were added.

        They are checked against ``content_sha256``. Raises :class:`NotStored`, and
        :class:`StorageError` if the file is gone, broken or holds other pixels.
        """
        record = self.get(mask_id)
        path = shelf(self._folder, record.content_sha256)
        pixels = read_png(path, "1")
        if Mask(pixels, record.maker).content_sha256 != record.content_sha256:
            raise StorageError(
                f"{path} holds another mask than was stored. Move the file away and add the mask "
                "again, or put a copy back."
            )
        return pixels

    def for_image(self, image_id: str) -> list[MaskRecord]:
        """Return the masks of a stored image, newest first; :class:`NotStored` if there is none
        such image."""
        image = self._images.get(image_id)
        return self._records(
            "WHERE image_id = ? ORDER BY created_at DESC, mask_id", [image.image_id]
        )

    def for_images(self, image_ids: Collection[str]) -> dict[str, list[MaskRecord]]:
        """Return the masks of many images, by image and newest first; an image without any, or
        one that is not stored, is left out. The ids are whole ones."""
        return by_image(
            self._records(f"{OF_IMAGES} ORDER BY created_at DESC, mask_id", [sorted(image_ids)])
        )

    def file(self, record: MaskRecord) -> Path:
        """Return where the PNG of a mask lies."""
        return shelf(self._folder, record.content_sha256)

    def count(self) -> int:
        """Return the number of stored masks."""
        return self._database.count("masks")

    def _records(self, clauses: str, values: Sequence[Any]) -> list[MaskRecord]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM masks {clauses}", values)
        return [_record(row) for row in rows]


def _record(row: tuple[Any, ...]) -> MaskRecord:
    mask_id, image_id, content_sha256, area_px, maker, parameters, created_at = row
    return MaskRecord(
        mask_id=mask_id,
        image_id=image_id,
        content_sha256=content_sha256,
        area_px=area_px,
        maker=maker,
        parameters=json.loads(parameters),
        created_at=aware(created_at),
    )
