"""Work that detectors, segmenters and presence models do for Inspect, watched and cancelled.

A piece of work runs in a thread of its own and puts its questions to the engine one by one, so that
the queue of the device stays in the hands of the engine and nothing on the page waits for it.
No Gradio here.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Unanswered
from dataclasses import dataclass, field
from threading import Condition, Event, Lock
from typing import Any

import numpy as np

from core.engine import Engine
from core.errors import BadInput, TrueHueError
from core.generation.request import Cancelled
from core.masks.grounded.records import Box, Detection, Presence, Segment
from tabs.page.errors import message_of

_LOOK_S = 0.1
THREADS = 4
KEPT_JOBS = 100
KEPT_SEGMENT_BYTES = 128 * 2**20


@dataclass
class Search:
    """One piece of work: ``status`` is working, done, failed or cancelled; ``result`` plain JSON.

    ``doing`` is what it is at, ``words`` what the page says of it (that, or what it waits for);
    ``count`` grows with every change.
    """

    id: str
    doing: str
    words: str = ""
    status: str = "working"
    result: dict[str, Any] = field(default_factory=dict)
    count: int = 0
    stop: Event = field(default_factory=Event)

    def as_json(self) -> dict[str, Any]:
        """What the page is told."""
        return {
            "job": self.id, "status": self.status, "words": self.words, "count": self.count,
            **self.result,
        }  # fmt: skip


class Searches:
    """All pieces of work of this app; the last hundred are kept. For any thread."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Search] = OrderedDict()
        self.segments = Segments()
        self._changed = Condition()
        self._pool = ThreadPoolExecutor(THREADS, "truehue-find")

    def start(self, doing: str, work: Callable[[Search], dict[str, Any]]) -> Search:
        """Begins ``work``, which is given its job and returns what the page is told at the end."""
        job = Search(uuid.uuid4().hex, doing, f"{doing}…")
        with self._changed:
            self._jobs[job.id] = job
            while len(self._jobs) > KEPT_JOBS:
                self._jobs.popitem(last=False)
        self._pool.submit(self._run, job, work)
        return job

    def does(self, job: Search, doing: str) -> None:
        """It begins another step."""
        job.doing = doing
        self.say(job, f"{doing}…")

    def say(self, job: Search, words: str) -> None:
        """Changes the words of a job that works."""
        if words != job.words:
            with self._changed:
                job.words, job.count = words, job.count + 1
                self._changed.notify_all()

    def state(self, job_id: str, seen: int = -1, timeout_s: float = 0.0) -> dict[str, Any]:
        """What the page is told of a job, once it is another state than ``seen`` or the time is
        over. Raises BadInput for an unknown job."""
        with self._changed:
            job = self._jobs.get(job_id)
            if job is None:
                raise BadInput("This search is not known any more: begin it again.")
            self._changed.wait_for(lambda: job.count != seen or job.status != "working", timeout_s)
            return job.as_json()

    def cancel(self, job_id: str) -> None:
        """Ends a job before its next question; what is being computed is thrown away."""
        with self._changed:
            if (job := self._jobs.get(job_id)) is not None:
                job.stop.set()

    def close(self) -> None:
        """Ends all of them."""
        with self._changed:
            for job in self._jobs.values():
                job.stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Search, work: Callable[[Search], dict[str, Any]]) -> None:
        status, words, result = "failed", "", {}
        try:
            result = work(job)
            status = "cancelled" if job.stop.is_set() else "done"
        except Cancelled:
            status = "cancelled"
        except Exception as error:
            words = message_of(error)
        with self._changed:
            job.status, job.words, job.result = status, words, result
            job.count += 1
            self._changed.notify_all()


class Segments:
    """The last segments that points were cut out to, so that undo and redo ask no model. For any
    thread."""

    def __init__(self, most_bytes: int = KEPT_SEGMENT_BYTES) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[str, Segment] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> Segment | None:
        """The segment under that key, if it is kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, segment: Segment) -> None:
        """Keeps a segment, and lets the longest unused go."""
        with self._lock:
            self._kept[key] = segment
            held = sum(one.pixels.nbytes for one in self._kept.values())
            while held > self._most and len(self._kept) > 1:
                held -= self._kept.popitem(last=False)[1].pixels.nbytes


@dataclass(frozen=True)
class Asked:
    """A tool of the engine as a search's thread asks it: every question waits its turn.

    It is a detector, segmenter or presence model by itself, as
    :mod:`core.masks.grounded.records` describes them. The search's ``doing`` are the words while it
    works.
    """

    engine: Engine
    tool_id: str
    name: str
    searches: Searches
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
        self, srgb8: np.ndarray, labels: Sequence[str], box_threshold: float, text_threshold: float
    ) -> tuple[Detection, ...]:
        """As :meth:`core.masks.grounded.records.Detector.detect`."""
        return self._ask(lambda tool: tool.detect(srgb8, labels, box_threshold, text_threshold))

    def embed(self, srgb8: np.ndarray, name: str = "") -> Any:
        """As :meth:`core.masks.grounded.records.Segmenter.embed`."""
        return self._ask(lambda tool: tool.embed(srgb8, name))

    def from_boxes(self, embedding: Any, boxes: Sequence[Box]) -> tuple[Segment, ...]:
        """As :meth:`core.masks.grounded.records.Segmenter.from_boxes`."""
        return self._ask(lambda tool: tool.from_boxes(embedding, boxes))

    def from_points(
        self, embedding: Any, points: Sequence[tuple[float, float]], inside: Sequence[bool],
        box: Box | None = None,
    ) -> Segment:  # fmt: skip
        """As :meth:`core.masks.grounded.records.Segmenter.from_points`."""
        return self._ask(lambda tool: tool.from_points(embedding, points, inside, box))

    def ask(self, srgb8: np.ndarray, object_names: Sequence[str]) -> tuple[Presence, ...]:
        """As :meth:`core.masks.grounded.records.PresenceModel.ask`."""
        return self._ask(lambda tool: tool.ask(srgb8, object_names))

    def _ask(self, question: Callable[[Any], Any]) -> Any:
        owner = self.search.id
        future: Future[Any] = self.engine.call(
            self.tool_id, question, title=self.search.doing, owner=owner
        )
        while True:
            if self.search.stop.is_set():
                future.cancel()
                raise Cancelled
            try:
                return future.result(_LOOK_S)
            except CancelledError:
                raise TrueHueError("The queue ended before this was answered.") from None
            except Unanswered:
                # The model's own error may be of this kind too.
                if future.done():
                    return future.result()
                self.searches.say(self.search, self._words())

    def _words(self) -> str:
        for place, call in enumerate(self.engine.calls()):
            if call.owner != self.search.id:
                continue
            if call.status == "loading":
                return f"Loading {self.name}…"
            if call.status == "waiting" and place:
                return f"Waiting for {place} before this…"
            if call.status == "waiting":
                return "Waiting for the image that is being drawn…"
        return f"{self.search.doing}…"
