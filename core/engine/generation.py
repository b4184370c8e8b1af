"""One job, drawn: models in turn, batches, and what is done about all that can go wrong."""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from threading import get_ident, main_thread

import numpy as np

from truehue.core.engine.calls import Calls
from truehue.core.engine.job import Job
from truehue.core.engine.memory import Key, Models, tidy
from truehue.core.engine.records import Delivery
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import is_out_of_memory
from truehue.core.generation.request import Cancelled, GeneratedImage, GenerationRequest, StepReport

Row = tuple[int, GenerationRequest]  # position in the submitted order, request

log = logging.getLogger("truehue.engine")

MAX_IN_A_ROW = 3

OUT_OF_MEMORY = (
    "Out of memory, also with one image at a time and no other model loaded. Choose a smaller "
    "size, let parts of the model wait in main memory (offload), or use a smaller model."
)
LOAD_OUT_OF_MEMORY = (
    "Out of memory while the model was loaded, also with no other model loaded. Let parts of it "
    "wait in main memory (offload), or use a smaller model."
)


@dataclass(frozen=True)
class _Outcome:
    """What came of a batch. ``kind``: drawn, cancelled, refused (this request cannot be drawn),
    memory, or broken (the model does not work, foreseen or not)."""

    kind: str
    images: Sequence[GeneratedImage] = ()
    text: str = ""
    seconds: float = 0.0


def generate_job(job: Job, models: Models, calls: Calls) -> None:
    """Draws all that a job asks, until its ``stop`` is set. What comes to its end is delivered,
    once; what ``stop`` prevents is not. ``calls`` are answered between steps and requests."""
    for model_id, rows in by_model(job.requests):
        if job.stop.is_set():
            return
        part = _ModelsPart(job, models, calls, model_id, rows)
        try:
            part.draw()
        except BaseException as error:  # of the engine itself: the other models can still draw
            log.exception("Drawing with %s ended by an error of the engine", model_id)
            part.fail_all(f"The engine failed ({_error_text(error)}).")
        models.weigh(Key("model", model_id))
        models.obey()


class _ModelsPart:
    """The part of a job that one model draws."""

    def __init__(
        self, job: Job, models: Models, calls: Calls, model_id: str, rows: list[Row]
    ) -> None:
        self._job, self._models, self._calls = job, models, calls
        self._id, self._key = model_id, Key("model", model_id)
        self._thread = get_ident()
        self._calls_s = 0.0  # spent on calls within the batch
        self._left = deque(rows)
        self._caps: dict[Hashable, int] = {}  # of the batch, where memory ran out
        self._alone = 0  # so many of the next are drawn one by one, to find the bad one
        self._broken_in_a_row = self._lost_in_a_row = 0

    def draw(self) -> None:
        # A model that draws one by one gains nothing from another order than the asked one.
        if self._opens() and self._batch_size() > 1:
            self._left = deque(row for group in by_settings(self._left) for row in group)
        while self._left and not self._job.stop.is_set():
            self._models.obey(in_use=(self._key,))
            self._calls.answer(self._key)
            if self._opens():
                batch = self._next_batch()
                self._take(batch, self._attempt(batch))

    def fail_all(self, problem: str) -> None:
        """All that is left has this problem, and is delivered so."""
        while self._left and not self._job.stop.is_set():
            self._end_next(None, problem, None)

    def _opens(self) -> bool:
        """Has the model in memory; else all that is left has failed."""
        text = ""
        if not self._models.is_loaded(self._key):
            self._job.loads(self._id)
        try:
            self._models.model(self._id)
        except TrueHueError as error:
            text = str(error)
        except BaseException as error:
            log.exception("%s could not be loaded", self._id)
            text = f"{self._id} could not be loaded ({_error_text(error)})."
            if is_out_of_memory(error):
                text = LOAD_OUT_OF_MEMORY
        if text:
            tidy()
            self.fail_all(text)
        return not text

    def _batch_size(self) -> int:
        return max(1, self._models.model(self._id).batch_size)

    def _next_batch(self) -> list[Row]:
        """As many of the next as may be drawn at once."""
        settings = settings_of(self._left[0][1])
        limit = 1 if self._alone else min(self._batch_size(), self._caps.get(settings, 2**31))
        batch: list[Row] = []
        for row in self._left:
            if len(batch) == limit or settings_of(row[1]) != settings:
                break
            batch.append(row)
        return batch

    def _attempt(self, batch: list[Row]) -> _Outcome:
        requests = [request for _, request in batch]
        job, model = self._job, self._models.model(self._id)
        job.draws(requests)
        began, self._calls_s = time.monotonic(), 0.0
        try:
            images = model.draw(requests, self._on_step, job.stop)
            _check(images, len(requests))
        except BaseException as error:  # a model is foreign code: it may raise anything
            return self._outcome(error, time.monotonic() - began - self._calls_s)
        seconds = time.monotonic() - began - self._calls_s
        job.measured(requests, seconds)
        return _Outcome("drawn", images, seconds=seconds / len(batch))

    def _on_step(self, report: StepReport) -> None:
        if not main_thread().is_alive():  # the process wants to end and waits for this thread
            self._job.stop.set()
        self._job.stepped(report)
        # Some models report from a thread of their own: there no tool may run.
        own = get_ident() == self._thread
        if own and self._calls.some_wait and not self._job.stop.is_set():
            spent_s = self._calls.answer(self._key, may_go=False)
            self._calls_s += spent_s
            self._job.paused(spent_s)

    def _outcome(self, error: BaseException, seconds: float) -> _Outcome:
        """Of an error only text is kept: its traceback would hold the model's memory."""
        if self._job.stop.is_set():
            return _Outcome("cancelled")
        if is_out_of_memory(error):
            return _Outcome("memory", seconds=seconds)
        if isinstance(error, BadInput):
            return _Outcome("refused", text=str(error), seconds=seconds)
        if isinstance(error, TrueHueError):  # of the model, not of this request
            return _Outcome("broken", text=str(error), seconds=seconds)
        if isinstance(error, Cancelled):
            return _Outcome("broken", text="The model stopped by itself.", seconds=seconds)
        log.error("%s failed while drawing", self._id, exc_info=error)
        return _Outcome("broken", text=f"The model failed ({_error_text(error)}).", seconds=seconds)

    def _take(self, batch: list[Row], outcome: _Outcome) -> None:
        if outcome.kind == "drawn":
            self._broken_in_a_row = 0
            for image in outcome.images:
                self._end_next(image, None, outcome.seconds)
            if self._lost_in_a_row >= MAX_IN_A_ROW:
                self.fail_all(
                    f"Not generated: the last {self._lost_in_a_row} images could not be saved."
                )
        elif outcome.kind == "memory":
            self._after_memory(batch, outcome)
        elif outcome.kind != "cancelled" and len(batch) > 1:
            self._alone = len(batch)
        elif outcome.kind != "cancelled":
            self._end_next(None, outcome.text, outcome.seconds)
            self._broken_in_a_row += outcome.kind == "broken"
            if self._broken_in_a_row >= MAX_IN_A_ROW:
                self.fail_all(
                    f"Not tried: {self._id} failed {MAX_IN_A_ROW} times in a row. {outcome.text}"
                )

    def _after_memory(self, batch: list[Row], outcome: _Outcome) -> None:
        """Other models go first, then half of the batch, then the request has to fail."""
        log.warning("%s ran out of memory with a batch of %d", self._id, len(batch))
        tidy()
        if self._models.unload_others((self._key,)):
            return
        settings = settings_of(batch[0][1])
        if len(batch) > 1:
            self._caps[settings] = len(batch) // 2
            return
        # What has the same size would end the same way, after as long a time.
        alike = [row for row in self._left if settings_of(row[1]) == settings]
        others = [row for row in self._left if settings_of(row[1]) != settings]
        self._left = deque(alike)
        self._end_next(None, OUT_OF_MEMORY, outcome.seconds)
        self.fail_all(OUT_OF_MEMORY)
        self._left.extend(others)
        self._models.unload(self._key)

    def _end_next(
        self, image: GeneratedImage | None, problem: str | None, seconds: float | None
    ) -> None:
        """The next request has come to its end: it is delivered and counted, once."""
        position, request = self._left.popleft()
        self._alone = max(0, self._alone - 1)
        job = self._job
        assert job.deliver is not None
        try:
            job.deliver(Delivery(job.id, position, request, image, problem, seconds))
        except BaseException as error:  # of the caller's code: a full disk, a closed database
            self._lost_in_a_row += 1
            if self._lost_in_a_row <= MAX_IN_A_ROW:
                log.exception("Image %d of job %s could not be kept", position, job.id)
            reason = str(error) if isinstance(error, TrueHueError) else f"({_error_text(error)})"
            problem = problem or f"It was generated but could not be saved: {reason}"
        else:
            self._lost_in_a_row = 0
        if problem is None:
            job.drew(request)
        else:
            job.fails(request, problem)


def _error_text(error: BaseException) -> str:
    """An error nobody foresaw, as text."""
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _check(images: Sequence[GeneratedImage], count: int) -> None:
    """Raises TypeError unless these are as many pictures as were asked for."""
    if len(images) != count:
        raise TypeError(f"{len(images)} images came back for {count} requests")
    for image in images:
        pixels = image.srgb8
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise TypeError(f"an image came back as {pixels.dtype} {pixels.shape}")


def by_model(requests: Sequence[GenerationRequest]) -> list[tuple[str, list[Row]]]:
    """Rows of each model, models in the order of their first appearance."""
    groups: dict[str, list[Row]] = {}
    for position, request in enumerate(requests):
        groups.setdefault(request.model, []).append((position, request))
    return list(groups.items())


def by_settings(rows: Iterable[Row]) -> list[list[Row]]:
    """Rows of one model that differ in text, targets, seed and prompt id only, and so may share
    a batch; settings in the order of their first appearance."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(settings_of(row[1]), []).append(row)
    return list(groups.values())


def settings_of(request: GenerationRequest) -> Hashable:
    """What all requests of a batch have in common."""
    options = json.dumps(dict(request.options), sort_keys=True, default=repr)
    return (
        request.model,
        request.steps,
        request.guidance,
        request.width,
        request.height,
        request.negative_text,
        options,
    )
