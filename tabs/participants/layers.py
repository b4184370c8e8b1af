"""Colorings rendered by the server: the layer of an answer as a PNG, and the check that a practice
sketch has colors. One at a time, without delaying pages."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truehue.annotation.colorings import checksum, paint, read_action
from truehue.core.errors import NotStored, TrueHueError
from truehue.core.records import SketchRecord
from truehue.core.sketches.regions import RegionMaps, decoded_regions
from truehue.core.studies import Event

if TYPE_CHECKING:
    from truehue.storage.store import Storage

log = logging.getLogger("truehue")

CLOSING_S = 20.0


@dataclass(frozen=True)
class FinishedColoring:
    """A coloring that was stored: whose, of which sketch, and the event that ended it."""

    participant_id: str
    sketch_id: str
    event: Event


class LayerRenderer:
    """Draws for all studies of a data folder. Any thread may call."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._waiting: deque[FinishedColoring | str] = deque()
        self._drawing = self._closed = False
        self._changed = threading.Condition()

    def sketches(self, sketch_ids: Collection[str]) -> Mapping[str, SketchRecord]:
        """Those of the sketches that are stored."""
        return self._storage.sketches.by_ids(sketch_ids)

    def later(self, answered: FinishedColoring) -> None:
        """Draws it as soon as those before it are drawn; what never comes to that is drawn when it
        is first looked at."""
        self._wait(answered)

    def drop(self, event_id: str) -> None:
        """Forgets the layer of an answer that was taken back: whoever finishes a sketch again and
        again leaves one picture of it."""
        self._wait(event_id)

    def _wait(self, work: FinishedColoring | str) -> None:
        with self._changed:
            self._waiting.append(work)
            if not self._drawing and not self._closed:
                self._drawing = True
                threading.Thread(target=self._draw_all, name="layers", daemon=True).start()

    def close(self) -> None:
        """Ends with the one that is being drawn: the others are drawn when they are looked at."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._drawing, CLOSING_S)

    def now(self, answered: FinishedColoring) -> np.ndarray:
        """Draws it and stores the layer, with whether the page had the same pixels."""
        event = answered.event
        assert event.position is not None
        log_ = self._storage.study_events.actions(
            answered.participant_id, [event.position], event.number
        )
        layer = self.layer(answered.sketch_id, log_[event.position])
        own = checksum(layer)
        matches = own == event.body.get("checksum")
        self._storage.coloring_layers.add(event.id, layer, own, matches)
        return layer

    def layer(self, sketch_id: str, actions: Iterable[Mapping[str, Any]]) -> np.ndarray:
        """The layer of a log on a stored sketch, uint8 RGBA ``(H, W, 4)``."""
        return paint([read_action(action) for action in actions], self.maps(sketch_id))

    def maps(self, sketch_id: str) -> RegionMaps:
        """The regions of a stored sketch."""
        return decoded_regions(sketch_id, self._storage.sketches.regions(sketch_id))

    def _draw_all(self) -> None:
        """Draws until nothing waits any more; the next one begins another thread."""
        while True:
            with self._changed:
                if not self._waiting or self._closed:
                    self._drawing = False
                    self._changed.notify_all()
                    return
                work = self._waiting.popleft()
            try:
                if isinstance(work, str):
                    self._storage.coloring_layers.remove(work)
                else:
                    self.now(work)
            except NotStored:  # erased meanwhile
                continue
            except TrueHueError as error:
                log.warning("A coloring was not drawn: %s", error)
            except Exception:
                log.exception("A coloring was not drawn.")
