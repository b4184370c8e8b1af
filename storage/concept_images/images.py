"""Images: one lossless PNG for each set of pixels, and one row."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.errors import StorageError
from truehue.core.files import read_png, shelf, write_once
from truehue.core.images import load as core_images
from truehue.core.records import ImageRecord
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import IMAGE, note_maker

_COLUMNS = "image_id, width, height, name, source, notes, origin, created_at"


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
            canonical.required(source, "source"),
            canonical.dump([canonical.text(note, "a note") for note in notes]),
            canonical.dump(canonical.mapping(origin or {}, "origin")),
            self._database.now(),
        ]
        path = shelf(self._folder, image_id)
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
        return shelf(self._folder, self.get(image_id).image_id)

    def file(self, image_id: str) -> Path:
        """Return where the PNG of the whole id lies, without asking whether it is stored."""
        return shelf(self._folder, image_id)

    def srgb8(self, image_id: str) -> np.ndarray:
        """Return the pixels of a stored image, uint8 ``(H, W, 3)``, exactly as they were added.

        They are checked against their id. Raises :class:`NotStored`, and :class:`StorageError` if
        the file is gone, broken or holds other pixels.
        """
        record = self.get(image_id)
        path = shelf(self._folder, record.image_id)
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

        ``source`` asks for images of that source only, for instance ``render``; ``words`` for those
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
    if source is not None:
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
