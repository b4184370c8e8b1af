"""Sketches: the line art as one gray PNG, and a row with its source."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.core.files import content_path, png_of, read_png, write_once
from truehue.core.records import SketchRecord
from truehue.core.sketches.records import LONGEST_SIDE
from truehue.core.sketches.regions import coded_regions
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware

if TYPE_CHECKING:
    from truehue.core.sketches.records import Sketch


_COLUMNS = (
    "sketch_id, content_sha256, width, height, words, source, note, maker, warnings, closing, "
    "created_at"
)
_ID = re.compile(r"[0-9a-f]{32}")


class Sketches:
    """The stored sketches. Any thread may call; a sketch is added once and never changed."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database, self._folder = database, folder

    def add(
        self, sketch: Sketch, text: str, source: str, note: str = "", maker: str = ""
    ) -> SketchRecord:
        """Store a sketch, and return its record; one that is stored keeps its first record, and
        gets its file back where that was lost.

        ``words`` say what it shows, ``source`` where it came from (``starter``, ``import``,
        ``generated``), ``maker`` is the id of the actor. Raises :class:`BadInput` for ink that is
        not uint8 ``(H, W)`` of at most 2,048 pixels a side, and for an id that is none.
        """
        ink = np.ascontiguousarray(sketch.ink)
        if ink.dtype != np.uint8 or ink.ndim != 2 or not ink.size or max(ink.shape) > LONGEST_SIDE:
            raise BadInput(
                f"The ink of a sketch is uint8 (H, W) of at most {LONGEST_SIDE:,} pixels a side, "
                f"not {ink.dtype} {ink.shape}."
            )
        if not _ID.fullmatch(sketch.id):
            raise BadInput("The id of a sketch is 32 hexadecimal characters.", "sketch")
        height, width = ink.shape
        warnings = [{"code": warning.code, "words": warning.words} for warning in sketch.warnings]
        row = [
            sketch.id,
            content_sha256(ink),
            width,
            height,
            canonical.text(text, "words"),
            canonical.require_text(source, "source"),
            canonical.text(note, "note"),
            canonical.text(maker, "maker"),
            canonical.dump(warnings),
            int(sketch.closing),
            self._database.now(),
        ]
        path = self.path(sketch.id)
        self._database.require_writable()
        if not path.is_file():
            write_once(path, png_of(ink))
        self._write_regions(sketch.id, ink)
        # The file comes first, so that a row never points at nothing.
        self._database.insert(
            f"INSERT INTO sketches ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            row,
        )
        return self.get(sketch.id)

    def get(self, sketch_id: str) -> SketchRecord:
        """The record of a sketch. Raises :class:`NotStored`."""
        records = self.by_ids([sketch_id])
        if sketch_id not in records:
            raise NotStored(
                f"There is no sketch {str(sketch_id)[:40]!r}: it may come from another folder."
            )
        return records[sketch_id]

    def by_ids(self, sketch_ids: Collection[str]) -> dict[str, SketchRecord]:
        """The records of many sketches by id; one that is not stored is excluded."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM sketches WHERE sketch_id IN (SELECT unnest(?::VARCHAR[]))",
            [sorted(sketch_ids)],
        )
        return {record.id: record for record in map(_record, rows)}

    def use(self, sketch_id: str, maker: str = "") -> None:
        """Select a stored sketch as the default for its words. Raises :class:`NotStored`."""
        text = self.get(sketch_id).words
        with self._database.transaction() as cursor:
            cursor.execute(
                "INSERT INTO sketch_uses (number, sketch_id, words, maker, created_at) "
                "SELECT coalesce(max(number) + 1, 0), ?, ?, ?, ? FROM sketch_uses",
                [sketch_id, text, canonical.text(maker, "maker"), self._database.now()],
            )

    def all(self) -> list[SketchRecord]:
        """All sketches; of those of the same words the one that is taken for them comes first.

        That is the one :meth:`use` named last; then those that it named before, then the others,
        the newest first, starter drawings last: storing one takes no other's place.
        """
        rows = self._database.rows(f"""
            SELECT {_COLUMNS} FROM sketches LEFT JOIN (
                SELECT sketch_id, max(number) AS used FROM sketch_uses GROUP BY sketch_id
            ) USING (sketch_id)
            ORDER BY used DESC NULLS LAST, source = 'starter', created_at DESC, sketch_id
        """)
        return [_record(row) for row in rows]

    def path(self, sketch_id: str) -> Path:
        """The path of a sketch's line art, without a check that it is stored."""
        return content_path(self._folder, sketch_id)

    def ink(self, sketch_id: str) -> np.ndarray:
        """The ink of a stored sketch, uint8 ``(H, W)``, 255 paper and 0 ink, as it was added.

        Raises :class:`NotStored`, and :class:`StorageError` where the file is gone, broken or holds
        other pixels.
        """
        record = self.get(sketch_id)
        path = self.path(record.id)
        ink = read_png(path, "L")
        if content_sha256(ink) != record.content_sha256:
            raise StorageError(
                f"{path} holds another drawing than was stored. Move the file away and add the "
                "sketch again, or put a copy back."
            )
        return ink

    def regions(self, sketch_id: str) -> bytes:
        """The regions of a stored sketch, as truehue.core.sketches.regions.coded_regions writes
        them: of the file beside its ink, which is made again where it is missing. Raises as
        :meth:`ink`."""
        path = self._regions_path(sketch_id)
        if not path.is_file():
            self._write_regions(sketch_id, self.ink(sketch_id))
        return path.read_bytes()

    def _write_regions(self, sketch_id: str, ink: np.ndarray) -> None:
        # Finding them takes a second, and they follow from the id: a file is right for ever.
        path = self._regions_path(sketch_id)
        if not path.is_file():
            write_once(path, coded_regions(ink))

    def _regions_path(self, sketch_id: str) -> Path:
        return self.path(sketch_id).with_suffix(".regions")


def content_sha256(ink: np.ndarray) -> str:
    """What the pixels of a file are compared by: 64 hexadecimal characters."""
    digest = hashlib.sha256(f"{ink.shape[1]}x{ink.shape[0]} ".encode())
    digest.update(np.ascontiguousarray(ink).tobytes())
    return digest.hexdigest()


def _record(row: tuple[Any, ...]) -> SketchRecord:
    fields = dict(zip(_COLUMNS.split(", "), row, strict=True))
    return SketchRecord(
        id=fields["sketch_id"],
        content_sha256=fields["content_sha256"],
        width=fields["width"],
        height=fields["height"],
        words=fields["words"],
        source=fields["source"],
        note=fields["note"],
        maker=fields["maker"],
        warnings=tuple((load["code"], load["words"]) for load in json.loads(fields["warnings"])),
        closing=fields["closing"],
        created_at=aware(fields["created_at"]),
    )
