"""Images and masks: one lossless PNG for each set of pixels, and one row."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from truehue.core.concepts.matching import normal
from truehue.core.errors import MaskError, NotStored, StorageError
from truehue.core.files import content_path, read_png, write_once
from truehue.core.images import load as core_images
from truehue.core.images.pixels import Mask
from truehue.core.masks.registry import EXACT_MAKERS, is_proposal
from truehue.core.masks.selection import WHOLE
from truehue.core.records import EvidenceRecord, ImageRecord, MaskRecord
from truehue.core.runs.records import NOT_KEPT
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import IMAGE, note_maker

_COLUMNS = "image_id, width, height, name, source, notes, origin, created_at"

NO_PIXELS = (
    "The run that generated this image did not keep its pixels. Its masks, colors and verdicts are "
    "stored."
)


class Images:
    """The stored images, keyed by their pixels. An image is added once and never changed."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder

    def add(
        self,
        srgb8: np.ndarray,
        name: str,
        source: str,
        notes: Sequence[str] = (),
        origin: Mapping[str, Any] | None = None,
        maker: str = "",
    ) -> ImageRecord:
        """Store ``srgb8``, uint8 ``(H, W, 3)``, and return its record.

        Pixels that are stored already keep their first record, whatever the other arguments say;
        a file that got lost is written again. ``maker`` is who brings them
        (:func:`truehue.storage.makers.note_maker`). Raises :class:`ImageError` for another type or
        shape, :class:`BadInput` for text or an ``origin`` that cannot be stored, and
        :class:`DataFolderError` if the file cannot be written or the data folder is gone.
        """
        image_id = core_images.image_id(srgb8)
        height, width, _ = srgb8.shape
        if isinstance(notes, str):
            notes = (notes,)
        row = [
            image_id,
            width,
            height,
            canonical.text(name, "name"),
            canonical.require_text(source, "source"),
            canonical.dump([canonical.text(note, "a note") for note in notes]),
            canonical.dump(canonical.mapping(origin or {}, "origin")),
            self._database.now(),
        ]
        path = content_path(self._folder, image_id)
        self._database.require_writable()
        if not path.is_file():
            write_once(path, core_images.encode_png(srgb8))
        # The file comes first, so that a row never points at nothing.
        with self._database.transaction() as cursor:
            inserted = cursor.execute(
                f"INSERT INTO images ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING RETURNING image_id",
                row,
            ).fetchall()
            note_maker(self._database, cursor, IMAGE, {image_id: bool(inserted)}, maker)
        if not path.is_file():  # deleted by somebody else in between
            write_once(path, core_images.encode_png(srgb8))
        return self.get(image_id)

    def get(self, image_id: str) -> ImageRecord:
        """Return the record of an image by its id or the first 8 or more characters of it.

        Raises :class:`NotStored` if none or more than one fits.
        """
        return _record(self._database.row_by_id("images", _COLUMNS, "image_id", image_id))

    def by_ids(self, image_ids: Collection[str]) -> dict[str, ImageRecord]:
        """Return the records of many images by their whole ids; one that is not stored is left
        out."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM images WHERE image_id IN (SELECT unnest(?::VARCHAR[]))",
            [sorted(image_ids)],
        )
        return {record.image_id: record for record in map(_record, rows)}

    def path(self, image_id: str) -> Path:
        """Return where the PNG of a stored image lies; :class:`NotStored` otherwise."""
        return content_path(self._folder, self.get(image_id).image_id)

    def file(self, image_id: str) -> Path:
        """Return where the PNG of the whole id lies, without asking whether it is stored."""
        return content_path(self._folder, image_id)

    def srgb8(self, image_id: str) -> np.ndarray:
        """Return the pixels of a stored image, uint8 ``(H, W, 3)``, exactly as they were added.

        They are checked against their id. Raises :class:`NotStored`, and :class:`StorageError` if
        the file is gone, broken or holds other pixels.
        """
        record = self.get(image_id)
        path = content_path(self._folder, record.image_id)
        if record.source == NOT_KEPT and not path.is_file():
            raise StorageError(NO_PIXELS)
        pixels = read_png(path, "RGB")
        if core_images.image_id(pixels) != record.image_id:
            raise StorageError(
                f"{path} holds other pixels than were stored. Move the file away and add the "
                "image again, or put a copy back."
            )
        return pixels

    def recent(
        self, limit: int = 50, offset: int = 0, source: str | None = None, text: str = ""
    ) -> list[ImageRecord]:
        """Return ``limit`` records, newest first, after leaving out ``offset`` of them.

        ``source`` asks for images of that source only, for instance ``render``; ``text`` for those
        whose name, source or origin (model, object, color, prompt) holds every word.
        """
        location, values = _narrowed(source, text)
        return self._records(
            f"{location} ORDER BY created_at DESC, image_id LIMIT ? OFFSET ?",
            [*values, max(limit, 0), max(offset, 0)],
        )

    def counts(self, text: str = "") -> dict[str, int]:
        """Return how many images of each source hold every word, by source."""
        location, values = _narrowed(None, text)
        rows = self._database.rows(
            f"SELECT source, count(*) FROM images {location} GROUP BY source ORDER BY source",
            values,
        )
        return {str(source): int(number) for source, number in rows}

    def count(self) -> int:
        """Return the number of stored images."""
        return self._database.count("images")

    def _records(self, clauses: str, values: Sequence[Any]) -> list[ImageRecord]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM images {clauses}", values)
        return [_record(row) for row in rows]


def _narrowed(source: str | None, text: str) -> tuple[str, list[Any]]:
    """The WHERE of a source and of words, and its values."""
    tests, values = [], []
    if source is None:
        tests.append(f"source <> '{NOT_KEPT}'")  # nothing can be shown of them
    else:
        tests.append("source = ?")
        values.append(source)
    for word in text.lower().split()[:20]:
        tests.append(
            "contains(lower(name || ' ' || source || ' ' || coalesce(array_to_string("
            "from_json(json_extract(origin, '$.*'), '[\"VARCHAR\"]'), ' '), '')), ?)"
        )
        values.append(word)
    return (f"WHERE {' AND '.join(tests)}" if tests else "", values)


def _record(row: tuple[Any, ...]) -> ImageRecord:
    stored_id, width, height, name, source, notes, origin, created_at = row
    return ImageRecord(
        image_id=stored_id,
        width=width,
        height=height,
        name=name,
        source=source,
        notes=tuple(json.loads(notes)),
        origin=json.loads(origin),
        created_at=aware(created_at),
    )


_SELECTED = "image_id, mask_id, selected_at"
_MASK_COLUMNS = "mask_id, image_id, content_sha256, area_px, maker, parameters, created_at"

OF_IMAGES = "WHERE image_id IN (SELECT unnest(?::VARCHAR[]))"
"""The rows of many images, whose whole ids are the one value."""

Record = TypeVar("Record", MaskRecord, EvidenceRecord)


def by_image(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The records by the id of their image, in their order."""
    grouped: dict[str, list[Record]] = {}
    for record in records:
        grouped.setdefault(record.image_id, []).append(record)
    return grouped


@dataclass(frozen=True)
class MaskCandidates:
    """The masks that may count of an image, the one that counts first: the selected one, then the
    others newest first. After a selection was cleared these are only masks that came with the image
    and proposals, perhaps none. ``selected`` says that the first is one that somebody selected."""

    masks: tuple[MaskRecord, ...]
    selected: bool = False

    def of_object(self, name: str) -> MaskRecord | None:
        """The mask in which an image of the object with this normal name is measured: the one that
        somebody selected, unless it names another object; else the newest that names the object, the
        newest that is not the whole image, or any. None where no mask counts."""
        if self.selected and _object_of(self.masks[0]) in ("", name):
            return self.masks[0]
        named = [mask for mask in self.masks if _object_of(mask) == name]
        parts = [mask for mask in self.masks if mask.maker != WHOLE]
        return next(iter((*named, *parts, *self.masks)), None)


def _object_of(mask: MaskRecord) -> str:
    return normal(str(mask.parameters.get("object") or ""))


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
        maker = canonical.require_text(mask.maker, "maker")
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
        path = content_path(self._folder, content)
        self._database.require_writable()
        if not path.is_file():
            write_once(path, mask.png())
        self._database.insert(
            f"INSERT INTO masks ({_MASK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
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
        return _mask_record(self._database.row_by_id("masks", _MASK_COLUMNS, "mask_id", mask_id))

    def path(self, mask_id: str) -> Path:
        """Return where the PNG of a stored mask lies; :class:`NotStored` otherwise.

        It is named by ``content_sha256``: equal masks share one file.
        """
        return content_path(self._folder, self.get(mask_id).content_sha256)

    def pixels(self, mask_id: str) -> np.ndarray:
        """Return the pixels of a stored mask, bool ``(H, W)``, exactly as they were added.

        They are checked against ``content_sha256``. Raises :class:`NotStored`, and
        :class:`StorageError` if the file is gone, broken or holds other pixels.
        """
        record = self.get(mask_id)
        path = content_path(self._folder, record.content_sha256)
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

    def select(self, image_id: str, mask_id: str | None) -> None:
        """Note which mask is selected on a stored image, by whole ids; None where the selection was
        cleared. Raises :class:`NotStored` for a mask that is not one of the image's."""
        if mask_id and self.get(mask_id).image_id != image_id:
            raise NotStored("That mask belongs to another image. Select the object again.")
        self._database.insert(
            f"INSERT INTO selected_masks ({_SELECTED}) VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET mask_id = excluded.mask_id, selected_at = excluded.selected_at",
            [image_id, mask_id, self._database.now()],
        )

    def current(self, image_ids: Collection[str]) -> dict[str, MaskRecord]:
        """Return the mask that counts of each of these images, by whole ids: the one that was selected
        or stored last. Where the selection was cleared it is the mask that came with the image, or
        the proposal; an image without either is left out."""
        return {
            image_id: candidates.masks[0]
            for image_id, candidates in self.candidates(image_ids).items()
            if candidates.masks
        }

    def candidates(self, image_ids: Collection[str]) -> dict[str, MaskCandidates]:
        """Return the masks that may count of each of these images, by whole ids; an image without any
        mask is left out."""
        selections = self._selections(image_ids)
        return {
            image_id: _candidates(records, *selections.get(image_id, (None, None)))
            for image_id, records in self.for_images(image_ids).items()
        }

    def _selections(self, image_ids: Collection[str]) -> dict[str, tuple[str | None, datetime]]:
        """Mask and time of the last selection of each of these images that has one."""
        rows = self._database.rows(
            f"SELECT {_SELECTED} FROM selected_masks {OF_IMAGES}", [sorted(image_ids)]
        )
        return {image_id: (mask_id, aware(at)) for image_id, mask_id, at in rows}

    def file(self, record: MaskRecord) -> Path:
        """Return where the PNG of a mask lies."""
        return content_path(self._folder, record.content_sha256)

    def count(self) -> int:
        """Return the number of stored masks."""
        return self._database.count("masks")

    def _records(self, clauses: str, values: Sequence[Any]) -> list[MaskRecord]:
        rows = self._database.rows(f"SELECT {_MASK_COLUMNS} FROM masks {clauses}", values)
        return [_mask_record(row) for row in rows]


def _candidates(
    records: Sequence[MaskRecord], mask_id: str | None, selected_at: datetime | None
) -> MaskCandidates:
    """Those of the masks of an image, newest first, that may count since ``mask_id`` was selected."""
    newest = records[0].created_at
    if selected_at is None or newest is None or newest > selected_at:
        return MaskCandidates(tuple(records))
    if mask_id:
        selected = [record for record in records if record.mask_id == mask_id]
        others = [record for record in records if record.mask_id != mask_id]
        return MaskCandidates((*selected, *others), selected=bool(selected))
    exact = [record for record in records if record.maker in EXACT_MAKERS]
    proposals = [record for record in records if is_proposal(record.parameters)]
    return MaskCandidates((*exact, *proposals))


def _mask_record(row: tuple[Any, ...]) -> MaskRecord:
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
