"""Color profiles of stored pictures outside of runs: measured once, then kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truehue.core.concepts.records import PROFILE_VERSION, ColorProfile
from truehue.core.errors import MaskError
from truehue.storage.concept_images.images import Images
from truehue.storage.concept_images.masks import Masks
from truehue.storage.database.connection import Database
from truehue.storage.runs.concepts import PROFILE, profile_of_columns

_NAMES = ", ".join(PROFILE)


class ImageProfiles:
    """The profiles by image, mask and version of the measure."""

    def __init__(self, database: Database, images: Images, masks: Masks) -> None:
        self._database, self._images, self._masks = database, images, masks

    def of(self, image_id: str, mask_id: str) -> ColorProfile:
        """Return the profile of the object that a stored mask of a stored image shows.

        It is measured at the first call. Raises :class:`NotStored`, :class:`MaskError` for a mask
        of another image, :class:`NoPixels`, and :class:`StorageError` for a file that is gone.
        """
        profiles = self.stored([(image_id, mask_id)])
        if profiles:
            return profiles[image_id, mask_id]
        from truehue.core.concepts.profile import profile_of

        image, mask = self._images.get(image_id), self._masks.get(mask_id)
        if mask.image_id != image.image_id:
            raise MaskError(
                f"The mask {mask.mask_id[:12]} is of the image {mask.image_id[:12]}, not of "
                f"{image.image_id[:12]}: choose one of this image's masks."
            )
        profile = profile_of(self._images.srgb8(image.image_id), self._masks.pixels(mask.mask_id))
        self._database.insert(
            f"INSERT INTO picture_profiles (image_id, mask_id, version, {_NAMES}) VALUES "
            f"(?, ?, ?{', ?' * len(PROFILE)}) ON CONFLICT DO NOTHING",
            [image.image_id, mask.mask_id, PROFILE_VERSION, *_values(profile)],
        )
        return profile

    def stored(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], ColorProfile]:
        """Return those of many that were measured already, by whole ids of image and mask."""
        rows = self._database.rows(
            f"SELECT image_id, mask_id, {_NAMES} FROM picture_profiles JOIN ("
            "SELECT unnest(?::VARCHAR[]) AS image_id, unnest(?::VARCHAR[]) AS mask_id"
            ") USING (image_id, mask_id) WHERE version = ?",
            [[image for image, _ in pairs], [mask for _, mask in pairs], PROFILE_VERSION],
        )
        return {(image, mask): profile_of_columns(values) for image, mask, *values in rows}


def _values(profile: ColorProfile) -> list[Any]:
    values = (getattr(profile, name) for name in PROFILE)
    return [list(value) if isinstance(value, tuple) else value for value in values]
