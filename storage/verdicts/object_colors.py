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

    def has(self, mask_id: str, version: str) -> bool:
        """Whether the color inside a mask, a whole id, is stored in this version."""
        found = self._database.rows(
            "SELECT 1 FROM object_colors WHERE mask_id = ? AND version = ?", [mask_id, version]
        )
        return bool(found)

    def for_images(self, image_ids: Collection[str]) -> dict[str, ObjectColor]:
        """Return the color of each of these images inside the mask that counts
        (:meth:`Masks.current`), or else the newest one, by whole ids; none where the selection of the
        image was cleared and nothing stands out."""
        rows = self._database.rows(
            """
            SELECT image_id, mask_id, version, lab, pixel_count FROM object_colors
            WHERE image_id IN (SELECT unnest(?::VARCHAR[]))
            ORDER BY created_at DESC, rowid DESC
            """,
            [sorted(image_ids)],
        )
        current = self._masks.current({row[0] for row in rows}) if rows else {}
        colors = dict[str, ObjectColor]()
        for image_id, mask_id, version, lab, pixels in rows:
            mask = current.get(image_id)
            if mask is None:  # nothing that is selected, or that nobody selected, was measured
                continue
            color = ObjectColor(image_id, mask_id, version, (lab[0], lab[1], lab[2]), pixels)
            known = colors.setdefault(image_id, color)
            if mask_id == mask.mask_id != known.mask_id:
                colors[image_id] = color
        return colors
