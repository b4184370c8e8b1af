"""The engine: one thread that generates all jobs in the order of submission, and answers calls of
tools in between."""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread, current_thread, get_ident, main_thread
from typing import Any, TypeVar

import numpy as np

from truehue.core.engine.calls import Call, Calls
from truehue.core.engine.job import Job
from truehue.core.engine.limits import checked_all
from truehue.core.engine.memory import Held, Key, MemoryLimit, Models, Opener, release_device_memory
from truehue.core.engine.pace import Pace
from truehue.core.engine.records import CallState, ChangeSignal, Delivery, JobState
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import is_out_of_memory, tried_text
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    LoadedModel,
    StepReport,
)

log = logging.getLogger("truehue.engine")

KEPT_FINISHED = 200
# An idle worker looks this often whether the process wants to end without having closed it.
_LOOK_S = 1.0
_CLOSED = "TrueHue is shutting down and takes no more jobs. Start it again."
_UNANSWERED = "TrueHue was shut down before this was answered. Start it again and retry."

_T = TypeVar("_T")
Row = tuple[int, GenerationRequest]  # position in the submitted order, request

MAX_IN_A_ROW = 3

OUT_OF_MEMORY = (
    "Out of memory, also with one image at a time and no other model loaded{}. Choose a smaller "
    "size, or use a smaller model."
)
LOAD_OUT_OF_MEMORY = (
    "Out of memory while the model was loaded, also with no other model loaded. Use a smaller "
    "model."
)


@dataclass(frozen=True)
class _Outcome:
    """The outcome of a batch. ``kind``: drawn, cancelled, refused (this request cannot be drawn),
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
            log.exception("Generating with %s ended by an error of the engine", model_id)
            part.fail_all(f"The engine failed ({_error_text(error)}).")
        models.weigh(Key("model", model_id))
        models.unload_requested()


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
            self._models.unload_requested(in_use=(self._key,))
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
            release_device_memory()
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
        log.error("%s failed while generating", self._id, exc_info=error)
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
        """Other models go first, then half of the batch, then the model lays itself out in less of
        the memory, as in runs, then the request has to fail."""
        log.warning("%s ran out of memory with a batch of %d", self._id, len(batch))
        release_device_memory()
        if self._models.unload_others((self._key,)):
            return
        settings = settings_of(batch[0][1])
        if len(batch) > 1:
            self._caps[settings] = len(batch) // 2
            return
        if self._models.make_room(self._key):
            return
        placement = getattr(self._models.model(self._id), "placement", None)
        problem = OUT_OF_MEMORY.format(tried_text(placement))
        # What has the same size would end the same way, after as long a time.
        alike = [row for row in self._left if settings_of(row[1]) == settings]
        others = [row for row in self._left if settings_of(row[1]) != settings]
        self._left = deque(alike)
        self._end_next(None, problem, outcome.seconds)
        self.fail_all(problem)
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
    """Raises TypeError unless these are as many images as were asked for."""
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
    """The common settings of a batch's requests."""
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


class Engine:
    """Draws with one device, for everybody, one job after the other.

    ``open_model`` gives a model that can draw, ``memory_wanted`` the bytes that it is expected to
    hold; ``open_tool`` and ``tool_memory`` are the same for tools that answer :meth:`call`. All
    are called in the engine's thread, as is everything of models and tools.
    ``memory_limit_bytes`` is what all models together may hold (a number, or a function that is
    asked before each loading); None sets no limit, and models are given up when memory runs out.

    All methods may be called from any thread. The thread starts with the first job.
    """

    def __init__(
        self,
        open_model: Callable[[str], LoadedModel],
        memory_wanted: Callable[[str], int],
        memory_limit_bytes: MemoryLimit = None,
        open_tool: Callable[[str], Held] | None = None,
        tool_memory: Callable[[str], int] = lambda tool_id: 0,
    ) -> None:
        self._board, self._pace = ChangeSignal(), Pace()
        openers = {"model": Opener(open_model, memory_wanted)}
        openers["tool"] = Opener(open_tool or _no_tools, tool_memory)
        self._models = Models(openers, memory_limit_bytes, self._board)
        self._calls = Calls(self._models, self._board)
        self._jobs: OrderedDict[str, Job] = OrderedDict()  # in the order of submission
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._thread: Thread | None = None
        self._closing = False

    def submit(
        self,
        requests: Sequence[GenerationRequest],
        deliver: Callable[[Delivery], None],
        title: str = "",
        owner: str = "",
    ) -> str:
        """Puts a job at the end of the queue and returns its id.

        ``deliver`` is called in the engine's thread, once for each request that was not cancelled,
        as results come: it must not wait for this job. What it raises becomes the request's
        problem. Requests are drawn model by model, and those that differ in text, targets, seed
        and prompt id only are drawn together where the model gains by it.

        Raises BadInput for what :func:`truehue.core.engine.limits.checked_all` refuses,
        TrueHueError after :meth:`close`.
        """
        request_list = checked_all(requests)
        job = Job(uuid.uuid4().hex, request_list, deliver, (title, owner), self._board, self._pace)
        with self._board.change():
            self._opened()
            self._jobs[job.id] = job
            self._waiting.append(job)
        return job.id

    def call(
        self, tool_id: str, function: Callable[[Any], _T], *, title: str = "", owner: str = ""
    ) -> Future[_T]:
        """Has ``function(tool)`` run in the engine's thread; the Future gives what it returns or
        raises (a TrueHueError as it is).

        It runs at once where nothing is drawn, else after the step that is drawn, where the tool
        is in memory or fits there without sending away the model that draws, else after the
        request. A drawing goes one step at least between two rounds of calls. ``function`` should
        be short, since the drawing waits, and may run a second time where memory ran out. Torch's
        global chance is afterwards as it was: a drawing is the same with calls and without.

        A call that waits can be cancelled by its Future; one that runs cannot. In the engine's own
        thread (in ``deliver``, or in another call's function) it runs at once, before this
        returns, since waiting there for a call of another thread, or for a job, would never end.

        Raises TrueHueError after :meth:`close`; calls that wait then get one.
        """
        tool_call = Call(Key("tool", tool_id), function, title, owner)
        own = current_thread() is self._thread
        with self._board.change():
            self._opened()
            if not own:
                self._calls.add(tool_call)
        if own:
            self._calls.now(tool_call)
        return tool_call.future

    def calls(self) -> tuple[CallState, ...]:
        """The calls that run and those that wait, in their order."""
        with self._board.lock:
            return self._calls.states()

    def state(self, job_id: str) -> JobState:
        """The job's state now; raises BadInput for an id that is not (or no longer) known."""
        with self._board.lock:
            job = self._job(job_id)
            ahead_s: float | None = 0.0
            index = None if job.finished else 0
            if job.status == "waiting":
                index = 1 + self._waiting.index(job)
                before = ([self._running] if self._running else []) + list(self._waiting)
                for other in before[: before.index(job)]:
                    ahead_s = _sum(ahead_s, other.seconds_left())
            return job.snapshot(index, ahead_s)

    def states(self) -> tuple[JobState, ...]:
        """All jobs, the newest first; of the finished ones the last 200 are kept."""
        with self._board.lock:
            positions = {job.id: position for position, job in enumerate(self._waiting, start=1)}
            ahead_s: float | None = self._running.seconds_left() if self._running else 0.0
            states: list[JobState] = []
            for job in self._jobs.values():
                waits = job.status == "waiting"
                index = None if job.finished else positions.get(job.id, 0)
                states.append(job.snapshot(index, ahead_s if waits else 0.0))
                if waits:
                    ahead_s = _sum(ahead_s, job.seconds_left())
            return tuple(reversed(states))

    def wait(self, job_id: str, timeout: float | None = None) -> JobState:
        """Waits until the job is finished, or for ``timeout`` seconds, and returns its state.

        Raises TrueHueError in the engine's own thread, which would wait for itself.
        """
        with self._board.lock:
            job = self._job(job_id)
            if current_thread() is self._thread and not job.finished:
                raise TrueHueError(
                    "A delivery or a call cannot wait for a job: the engine would wait for itself."
                )
            self._board.lock.wait_for(lambda: job.finished, timeout)
            return job.snapshot(None, 0.0) if job.finished else self.state(job_id)

    def changes(self, after: int = -1, timeout: float | None = None) -> int:
        """A count that grows whenever any job or model changes; waits until it is above ``after``,
        or for ``timeout`` seconds."""
        with self._board.lock:
            self._board.lock.wait_for(lambda: self._board.changes > after, timeout)
            return self._board.changes

    def cancel(self, job_id: str) -> None:
        """Ends a waiting job at once and a running one within a step; a finished one stays as it
        is. What was delivered stays. Raises BadInput for an unknown id."""
        with self._board.change():
            self._cancel(self._job(job_id))

    def loaded(self) -> tuple[tuple[str, int], ...]:
        """The models and tools in memory, by id, with the bytes that they hold, the last used
        first. What draws and also answers (Janus) may be there twice."""
        return self._models.loaded()

    def unload(self, model_id: str) -> None:
        """Gives up a model's or tool's memory, at once or, if it is drawing, after its part of the
        job."""
        self._models.ask_unload(model_id)

    def close(self, timeout: float | None = None) -> bool:
        """Cancels all jobs, ends the calls that wait with a TrueHueError, unloads all models and
        tools and ends the thread; may be called twice.

        Returns False if the thread was still busy (with a step, or loading) after ``timeout``
        seconds; it then ends by itself.
        """
        with self._board.change():
            self._closing = True
            for job in [*self._waiting, *([self._running] if self._running else [])]:
                self._cancel(job)
        self._calls.refuse(_UNANSWERED)
        thread = self._thread
        if thread is not None and thread is not current_thread():
            thread.join(timeout)
        return thread is None or not thread.is_alive()

    def _opened(self) -> None:
        """Has the thread run; raises once it is closed. The caller holds the lock."""
        if self._closing:
            raise TrueHueError(_CLOSED)
        if self._thread is None:
            self._thread = Thread(target=self._work, name="truehue-engine")
            self._thread.start()

    def _job(self, job_id: str) -> Job:
        job = self._jobs.get(job_id)
        if job is None:
            raise BadInput(
                f"There is no job {job_id!r:.60}. Of the finished ones the last {KEPT_FINISHED} "
                "are kept, until TrueHue is started again."
            )
        return job

    def _cancel(self, job: Job) -> None:
        """The caller holds the lock."""
        job.stop.set()
        if job.status == "waiting":
            self._waiting.remove(job)
            self._end(job)

    def _end(self, job: Job) -> None:
        """The caller holds the lock."""
        job.ends()
        finished = [other.id for other in self._jobs.values() if other.finished]
        for job_id in finished[: -KEPT_FINISHED or None]:
            del self._jobs[job_id]

    def _work(self) -> None:
        try:
            while (job := self._next()) is not None:
                try:
                    generate_job(job, self._models, self._calls)
                except BaseException as error:  # whatever it is, the others still want to draw
                    log.exception("Job %s ended by an error of the engine", job.id)
                    job.fails_rest(f"The engine failed ({type(error).__name__}: {error}).")
                with self._board.change():
                    self._running = None
                    self._end(job)
        finally:
            with self._board.change():
                self._closing = True  # also where the process ends: nobody would answer any more
            self._calls.refuse(_UNANSWERED)
            self._models.unload_all()

    def _next(self) -> Job | None:
        """The next job, as soon as there is one; None when the engine is to end."""
        while True:
            self._models.unload_requested()
            self._calls.answer()
            with self._board.lock:
                if self._closing or not main_thread().is_alive():
                    return None
                if self._waiting:
                    with self._board.change():
                        self._running = self._waiting.popleft()
                        self._running.starts()
                        return self._running
                self._board.lock.wait_for(self._has_work, _LOOK_S)

    def _has_work(self) -> bool:
        unwanted, calls = self._models.has_unload_requests, self._calls.some_wait
        return bool(self._closing or self._waiting or unwanted or calls)


def _no_tools(tool_id: str) -> Held:
    raise TrueHueError(f"This engine only generates images: it was given no way to open {tool_id}.")


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second
