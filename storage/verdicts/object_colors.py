"""Measured colors of objects that no target color is given for, by image, mask and version."""

from __future__ import annotations

from collections.abc import Collection

from truehue.core.errors import MaskError
from truehue.core.records import ObjectColor
from truehue.storage.concept_images.images import Images, Masks
from truehue.storage.database.connection import Database


class ObjectColors:
    """The stored colors. A row is added once and never changed. Any thread may call."""

    def __init__(self, database: Database, images: Images, masks: Masks) -> None:
        self._database, self._images, self._masks = database, images, masks

    def add(self, color: ObjectColor) -> None:
        """Store a measured color; one of the same image, mask and version stays.

        Raises :class:`NotStored` for an unknown image or mask, and :class:`MaskError` for a mask of
        another image.
        """
        image, mask = self._images.get(color.image_id), self._masks.get(color.mask_id)
        if mask.image_id != image.image_id:
            raise MaskError(
                f"The mask {mask.mask_id[:12]} is of the image {mask.image_id[:12]}, not of "
                f"{image.image_id[:12]}: choose one of this image's masks."
            )
        self._database.insert(
            "INSERT INTO object_colors VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                image.image_id,
                mask.mask_id,
                color.version,
                list(color.lab),
                color.pixel_count,
                self._database.now(),
            ],
        )

    def for_images(self, image_ids: Collection[str]) -> dict[str, ObjectColor]:
        """Return the newest color of each of these images that has one, by whole ids."""
        rows = self._database.rows(
            """
            SELECT image_id, mask_id, version, lab, pixel_count FROM object_colors
            WHERE image_id IN (SELECT unnest(?::VARCHAR[]))
            QUALIFY row_number() OVER (PARTITION BY image_id ORDER BY created_at DESC, rowid DESC) = 1
            """,
            [sorted(image_ids)],
        )
        return {
            image_id: ObjectColor(image_id, mask_id, version, (lab[0], lab[1], lab[2]), pixels)
            for image_id, mask_id, version, lab, pixels in rows
        }
