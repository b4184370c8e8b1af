"""Saved colorings, layers of study colorings, and their review flags."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.concepts.records import PROFILE_VERSION, ColorProfile
from truehue.core.errors import BadInput, NotStored
from truehue.core.files import content_path, png_of, read_png, replace_file
from truehue.core.records import ColoringHead, ColoringRecord, LayerRecord
from truehue.core.studies import MARK_VALUES, ColoringMark, MarkKind
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import MARK_COLUMNS, not_stored, single_row

_COLORING_COLUMNS = "coloring_id, sketch_id, words, actions, maker, created_at"
_HEAD = "coloring_id, sketch_id, words, maker, created_at"
_LAYER_COLUMNS = "event_id, participant_id, position, checksum, matches, colored, created_at"


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
                f"INSERT INTO colorings ({_COLORING_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
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
            f"SELECT {_COLORING_COLUMNS} FROM colorings WHERE coloring_id = ?", [coloring_id]
        )
        if not rows:
            raise not_stored("coloring", coloring_id)
        return _coloring_record(rows[0])

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
        """All colorings, or those of one maker, the newest first; no more than ``limit``. No log is
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


def _coloring_record(row: tuple[Any, ...]) -> ColoringRecord:
    coloring_id, sketch_id, text, actions, maker, created_at = row
    return ColoringRecord(
        coloring_id, sketch_id, text, tuple(json.loads(actions)), maker, aware(created_at)
    )


class ColoringLayers:
    """The stored layers by the answer that ended them. Any thread may call."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database, self._folder = database, folder

    def add(
        self,
        event_id: str,
        layer: np.ndarray,
        checksum: str,
        matches: bool,
    ) -> LayerRecord:
        """Store the layer of an answer, uint8 RGBA ``(H, W, 4)``, with its ``checksum`` and whether
        the page's ``matches``; one that is stored is replaced.

        Raises :class:`NotStored` where the answer is not there (any more), and :class:`BadInput`
        for another array.
        """
        if layer.dtype != np.uint8 or layer.ndim != 3 or layer.shape[2] != 4:
            raise BadInput(f"A layer is uint8 (H, W, 4), not {layer.dtype} {layer.shape}.")
        colored = float((layer[..., 3] > 0).mean())
        path = self.path(event_id)
        self._database.require_writable()
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, png_of(layer))
        try:
            with self._database.transaction() as cursor:
                # Somebody may have been erased while their coloring was drawn.
                known = cursor.execute(
                    "SELECT participant_id, position FROM study_events WHERE event_id = ?",
                    [event_id],
                ).fetchone()
                if known is None:
                    raise not_stored("answer", event_id)
                cursor.execute(
                    f"INSERT OR REPLACE INTO coloring_layers ({_LAYER_COLUMNS}) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [event_id, *known, checksum, matches, colored, self._database.now()],
                )
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return self.get(event_id)

    def get(self, event_id: str) -> LayerRecord:
        """The record of the layer of an answer. Raises :class:`NotStored`."""
        rows = self._database.rows(
            f"SELECT {_LAYER_COLUMNS} FROM coloring_layers WHERE event_id = ?", [event_id]
        )
        if not rows:
            raise not_stored("drawn coloring", event_id)
        return _layer_record(rows[0])

    def of_study(self, study_id: str) -> dict[str, LayerRecord]:
        """The records of the layers of a study, by answer."""
        rows = self._database.rows(
            f"SELECT {_LAYER_COLUMNS} FROM coloring_layers SEMI JOIN "
            "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
            "USING (participant_id)",
            [study_id],
        )
        return {row[0]: _layer_record(row) for row in rows}

    def path(self, event_id: str) -> Path:
        """The path of a layer's PNG, without a check that it exists."""
        return content_path(self._folder, event_id)

    def layer(self, event_id: str) -> np.ndarray:
        """The stored layer of an answer, uint8 RGBA ``(H, W, 4)``. Raises :class:`StorageError`
        where the file is gone or broken: it can be made again of the events."""
        return read_png(self.path(event_id), "RGBA")

    def profile(self, event_id: str) -> ColorProfile | None:
        """What was measured of a layer, None where nothing was, or by another version."""
        try:
            content = json.loads(self._profile_path(event_id).read_text("utf-8"))
            if content.pop("version") != PROFILE_VERSION:
                return None
            content.pop("background", None)
            lists = {name: tuple(value) for name, value in content.items() if _listed(value)}
            return ColorProfile(**{**content, **lists})
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None  # measured again

    def background(self, event_id: str) -> float | None:
        """The colored share of the surround that was measured of a layer, 0 to 1; None where none
        was."""
        try:
            share = json.loads(self._profile_path(event_id).read_text("utf-8")).get("background")
        except (OSError, ValueError, AttributeError):
            return None
        return float(share) if isinstance(share, int | float) else None

    def save_profile(self, event_id: str, profile: ColorProfile, background: float) -> None:
        """Keep what was measured of a layer beside its PNG, and where the layer is not stored (any
        more), nothing."""
        path = self._profile_path(event_id)
        if not self.path(event_id).is_file():
            return
        self._database.require_writable()
        # Half a file is measured again, so that nobody has to wait for the disk.
        text = json.dumps({"version": PROFILE_VERSION, "background": background, **asdict(profile)})
        with suppress(OSError):
            path.write_text(text, "utf-8")
        try:
            self.get(event_id)
        except NotStored:
            path.unlink(missing_ok=True)

    def remove(self, event_id: str) -> None:
        """Delete the layer of an answer that does not stand any more; its events stay, and give it
        again."""
        with self._database.transaction() as cursor:
            cursor.execute("DELETE FROM coloring_layers WHERE event_id = ?", [event_id])
        self.remove_files([event_id])

    def remove_files(self, event_ids: Iterable[str]) -> None:
        """Delete the PNGs of these answers and what was measured of them, where there are any."""
        for event_id in event_ids:
            self.path(event_id).unlink(missing_ok=True)
            self._profile_path(event_id).unlink(missing_ok=True)

    def _profile_path(self, event_id: str) -> Path:
        return self.path(event_id).with_suffix(".json")


def _listed(value: object) -> bool:
    return isinstance(value, list)


def _layer_record(row: tuple[Any, ...]) -> LayerRecord:
    event_id, participant_id, position, checksum, matches, colored, created_at = row
    return LayerRecord(
        event_id, participant_id, position, checksum, matches, colored, aware(created_at)
    )


class ColoringMarks:
    """The stored marks. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changes = 0
        """How often a mark was added since the start: who keeps them in memory looks again."""

    def add(
        self,
        study_id: str,
        participant_id: str,
        position: int,
        kind: MarkKind | str,
        value: str,
        reason: str = "",
        author: str = "",
    ) -> ColoringMark:
        """Store a mark on a trial. ``author`` is the id of the actor.

        Raises :class:`BadInput` for a kind or value that there is not, and :class:`NotStored` where
        that participant of the study has no such trial.
        """
        if kind not in set(MarkKind) or value not in MARK_VALUES[MarkKind(kind)]:
            raise BadInput(f"{str(kind)[:40]} cannot be {str(value)[:40]!r}.", "value")
        with self._database.transaction() as cursor:
            known = cursor.execute(
                "SELECT 1 FROM study_participants JOIN study_trials USING (participant_id) "
                "WHERE study_id = ? AND participant_id = ? AND position = ?",
                [study_id, participant_id, position],
            )
            if not known.fetchall():
                raise not_stored(f"trial {position} of the participant", participant_id)
            (number,) = single_row(
                cursor,
                "SELECT coalesce(max(number) + 1, 0) FROM coloring_marks WHERE study_id = ?",
                [study_id],
            )
            now = self._database.now()
            row = (
                participant_id,
                position,
                MarkKind(kind).value,
                value,
                canonical.text(reason, "reason"),
                canonical.text(author, "author"),
                number,
                now,
            )
            cursor.execute(
                f"INSERT INTO coloring_marks ({MARK_COLUMNS}, study_id) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*row, study_id],
            )
        self.changes += 1
        return _mark_record(row)

    def of_study(self, study_id: str) -> list[ColoringMark]:
        """The marks of a study in the order of adding."""
        rows = self._database.rows(
            f"SELECT {MARK_COLUMNS} FROM coloring_marks WHERE study_id = ? ORDER BY number",
            [study_id],
        )
        return [_mark_record(row) for row in rows]


def _mark_record(row: tuple[Any, ...]) -> ColoringMark:
    """The mark of a row of its table."""
    participant_id, position, kind, value, reason, author, number, created_at = row
    return ColoringMark(
        participant_id, position, MarkKind(kind), value, reason, author, number, aware(created_at)
    )
