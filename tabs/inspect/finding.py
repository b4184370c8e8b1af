"""Work of detectors, segmenters and presence models for Inspect, with progress and cancel.

Each piece of work runs in its own thread and sends calls to the engine one by one, so that the
engine controls the device's queue and the page never waits. It does not use Gradio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as Unanswered
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.engine import Engine
from truehue.core.errors import TrueHueError
from truehue.core.generation.request import Cancelled
from truehue.core.masks.grounded.records import (
    PAPER_QUESTION,
    Box,
    Detection,
    Presence,
    PresenceQuestion,
    Segment,
)
from truehue.tabs.page.jobs import Job

_LOOK_S = 0.1
KEPT_SEGMENT_BYTES = 128 * 2**20


@dataclass
class Search:
    """A job that looks for something, and what it is at (``doing``)."""

    job: Job
    doing: str

    def does(self, doing: str) -> None:
        """It begins another step."""
        self.doing = doing
        self.job.tell(f"{doing}…")


class Segments(LruCache[Segment]):
    """The last segments that points were cut out to, so that undo and redo ask no model."""

    def __init__(self, max_bytes: int = KEPT_SEGMENT_BYTES) -> None:
        super().__init__(max_bytes, lambda segment: segment.pixels.nbytes, at_least=1)


@dataclass(frozen=True)
class EngineTool:
    """A tool of the engine as a search's thread asks it: every question waits its turn.

    It is a detector, segmenter or presence model by itself, as
    :mod:`truehue.core.masks.grounded.records` describes them. The search's ``doing`` are the words
    while it works.
    """

    engine: Engine
    tool_id: str
    name: str
    search: Search

    @property
    def id(self) -> str:
        """The model's id."""
        return self.tool_id

    @property
    def memory_bytes(self) -> int:
        """The engine knows what it holds."""
        return 0

    @property
    def about(self) -> dict[str, Any]:
        """What tells its weights from others."""
        return self._ask(lambda tool: dict(getattr(tool, "about", {})))

    def unload(self) -> None:
        """The engine does that."""

    def detect(
        self,
        srgb8: np.ndarray,
        labels: Sequence[str],
        box_threshold: float,
        text_threshold: float,
        autocast: bool = False,
    ) -> tuple[Detection, ...]:
        """As :meth:`truehue.core.masks.grounded.records.Detector.detect`."""
        return self._ask(
            lambda tool: tool.detect(srgb8, labels, box_threshold, text_threshold, autocast)
        )

    def embed(self, srgb8: np.ndarray, name: str = "", autocast: bool = False) -> Any:
        """As :meth:`truehue.core.masks.grounded.records.Segmenter.embed`."""
        return self._ask(lambda tool: tool.embed(srgb8, name, autocast))

    def from_boxes(self, embedding: Any, boxes: Sequence[Box]) -> tuple[Segment, ...]:
        """As :meth:`truehue.core.masks.grounded.records.Segmenter.from_boxes`."""
        return self._ask(lambda tool: tool.from_boxes(embedding, boxes))

    def from_points(
        self,
        embedding: Any,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None = None,
    ) -> Segment:
        """As :meth:`truehue.core.masks.grounded.records.Segmenter.from_points`."""
        return self._ask(lambda tool: tool.from_points(embedding, points, inside, box))

    def ask(
        self,
        srgb8: np.ndarray,
        object_names: Sequence[str],
        form: PresenceQuestion = PAPER_QUESTION,
    ) -> tuple[Presence, ...]:
        """As :meth:`truehue.core.masks.grounded.records.PresenceModel.ask`."""
        return self._ask(lambda tool: tool.ask(srgb8, object_names, form))

    def _ask(self, question: Callable[[Any], Any]) -> Any:
        owner = self.search.job.id
        future: Future[Any] = self.engine.call(
            self.tool_id, question, title=self.search.doing, owner=owner
        )
        while True:
            if self.search.job.stop.is_set():
                future.cancel()
                raise Cancelled
            try:
                return future.result(_LOOK_S)
            except CancelledError:
                raise TrueHueError("The queue ended before this finished.") from None
            except Unanswered:
                # The model's own error may be of this kind too.
                if future.done():
                    return future.result()
                self.search.job.tell(self._text())

    def _text(self) -> str:
        for index, call in enumerate(self.engine.calls()):
            if call.owner != self.search.job.id:
                continue
            if call.status == "loading":
                return f"Loading {self.name}…"
            if call.status == "waiting" and index:
                return f"Waiting for {index} before this…"
            if call.status == "waiting":
                return "Waiting for the image being generated…"
        return f"{self.search.doing}…"
