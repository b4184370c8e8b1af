"""Colorings that somebody keeps for themselves, outside of any study."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from truehue.core.records import ColoringHead, ColoringRecord
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import not_stored

_COLUMNS = "coloring_id, sketch_id, words, actions, maker, created_at"
_HEAD = "coloring_id, sketch_id, words, maker, created_at"


class Colorings:
    """The kept colorings. Any thread may call; one is added whole, and may be deleted."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Their logs never change: what was counted once need not be read again.
        self._lengths: dict[str, int] = {}

    def add(
        self, sketch_id: str, message: str, actions: Sequence[Mapping[str, Any]], maker: str
    ) -> ColoringRecord:
        """Store a coloring of a stored sketch. ``actions`` are checked by the caller; ``maker`` is
        the id of the actor. Raises :class:`NotStored` for another sketch."""
        coloring_id = secrets.token_hex(16)
        text = canonical.dump([canonical.mapping(dict(action), "actions") for action in actions])
        with self._database.transaction() as cursor:
            known = cursor.execute("SELECT 1 FROM sketches WHERE sketch_id = ?", [sketch_id])
            if not known.fetchall():
                raise not_stored("sketch", sketch_id)
            cursor.execute(
                f"INSERT INTO colorings ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    coloring_id,
                    sketch_id,
                    canonical.text(message, "words"),
                    text,
                    canonical.text(maker, "maker"),
                    self._database.now(),
                ],
            )
        self._lengths[coloring_id] = len(actions)
        return self.get(coloring_id)

    def get(self, coloring_id: str) -> ColoringRecord:
        """The coloring of that id. Raises :class:`NotStored`."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM colorings WHERE coloring_id = ?", [coloring_id]
        )
        if not rows:
            raise not_stored("coloring", coloring_id)
        return _record(rows[0])

    def head(self, coloring_id: str) -> ColoringHead:
        """What a list shows of the coloring of that id. Raises :class:`NotStored`."""
        rows = self._database.rows(
            f"SELECT {_HEAD} FROM colorings WHERE coloring_id = ?", [coloring_id]
        )
        heads = self._heads(rows)
        if not heads:
            raise not_stored("coloring", coloring_id)
        return heads[0]

    def all(self, maker: str | None = None, limit: int | None = None) -> list[ColoringHead]:
        """All colorings, or those of one maker, the newest first; no more than ``most``. No log is
        read whose length is known."""
        rows = self._database.rows(
            f"SELECT {_HEAD} FROM colorings WHERE ?::VARCHAR IS NULL OR maker = ? "
            "ORDER BY created_at DESC, coloring_id LIMIT ?",
            [maker, maker, limit],
        )
        return self._heads(rows)

    def _heads(self, rows: Sequence[tuple[Any, ...]]) -> list[ColoringHead]:
        """Those that were not deleted meanwhile."""
        unknown = [row[0] for row in rows if row[0] not in self._lengths]
        if unknown:
            lengths = self._database.rows(
                "SELECT coloring_id, json_array_length(actions) FROM colorings "
                "WHERE coloring_id IN (SELECT unnest(?::VARCHAR[]))",
                [unknown],
            )
            self._lengths.update({coloring_id: int(length) for coloring_id, length in lengths})
        return [
            ColoringHead(item, sketch_id, text, self._lengths[item], maker, aware(created_at))
            for item, sketch_id, text, maker, created_at in rows
            if item in self._lengths
        ]

    def delete(self, coloring_id: str) -> None:
        """Delete a coloring. Raises :class:`NotStored`."""
        with self._database.transaction() as cursor:
            gone = cursor.execute(
                "DELETE FROM colorings WHERE coloring_id = ? RETURNING coloring_id", [coloring_id]
            ).fetchall()
            if not gone:
                raise not_stored("coloring", coloring_id)
        self._lengths.pop(coloring_id, None)


def _record(row: tuple[Any, ...]) -> ColoringRecord:
    coloring_id, sketch_id, text, actions, maker, created_at = row
    return ColoringRecord(
        coloring_id, sketch_id, text, tuple(json.loads(actions)), maker, aware(created_at)
    )
