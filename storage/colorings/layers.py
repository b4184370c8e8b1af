"""The layers of a study's colorings as PNGs, and what was measured of them: made of the events, and
made again where missing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.concepts.records import PROFILE_VERSION, ColorProfile
from truehue.core.errors import BadInput, NotStored
from truehue.core.files import png_of, read_png, replace_file, shelf
from truehue.core.records import LayerRecord
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import not_stored

_COLUMNS = "event_id, participant_id, position, checksum, matches, colored, created_at"


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
                    f"INSERT OR REPLACE INTO coloring_layers ({_COLUMNS}) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [event_id, *known, checksum, matches, colored, self._database.now()],
                )
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return self.get(event_id)

    def get(self, event_id: str) -> LayerRecord:
        """What is known of the layer of an answer. Raises :class:`NotStored`."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM coloring_layers WHERE event_id = ?", [event_id]
        )
        if not rows:
            raise not_stored("drawn coloring", event_id)
        return _record(rows[0])

    def of_study(self, study_id: str) -> dict[str, LayerRecord]:
        """What is known of the layers of a study, by the answer."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM coloring_layers SEMI JOIN "
            "(SELECT participant_id FROM study_participants WHERE study_id = ?) "
            "USING (participant_id)",
            [study_id],
        )
        return {row[0]: _record(row) for row in rows}

    def path(self, event_id: str) -> Path:
        """Where the PNG of a layer lies, without asking whether it was made."""
        return shelf(self._folder, event_id)

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


def _record(row: tuple[Any, ...]) -> LayerRecord:
    event_id, participant_id, position, checksum, matches, colored, created_at = row
    return LayerRecord(
        event_id, participant_id, position, checksum, matches, colored, aware(created_at)
    )
