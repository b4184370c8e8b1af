"""A job of the engine: its requests, its results, and its state at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Event

import numpy as np

from truehue.core.engine.pace import Pace, RemainingTime
from truehue.core.engine.records import FINISHED, ChangeSignal, Delivery, JobState, Problem
from truehue.core.generation.request import GenerationRequest, StepReport

SHOWN_PROBLEMS = 20
_PROBLEM_CHARACTERS = 1000  # a library's message may quote a whole tensor


class Job:
    """The engine's state of a job. The engine's one thread writes, under the board's lock."""

    def __init__(
        self,
        job_id: str,
        requests: tuple[GenerationRequest, ...],
        deliver: Callable[[Delivery], None],
        names: tuple[str, str],
        board: ChangeSignal,
        pace: Pace,
    ) -> None:
        """``names`` are title and owner."""
        self.id, (self.title, self.owner) = job_id, names
        self.requests: tuple[GenerationRequest, ...] = requests
        self.deliver: Callable[[Delivery], None] | None = deliver
        self.stop = Event()
        self.status = "waiting"
        self.total, self.done, self.failed = len(requests), 0, 0
        self._board, self._time = board, RemainingTime(requests, pace)
        self._problems: dict[str, int] = {}
        self._model = ""
        self._step = self._steps = 0
        self._began = self._ended = 0.0
        self._preview: np.ndarray | None = None
        self._submitted_at = time.time()

    @property
    def finished(self) -> bool:
        return self.status in FINISHED

    @property
    def left(self) -> int:
        """Requests that have not come to their end."""
        return self.total - self.done - self.failed

    def starts(self) -> None:
        """Its turn has come. The caller holds the lock."""
        self.status = "loading"
        self._began = time.monotonic()

    def loads(self, model: str) -> None:
        with self._board.change():
            self.status, self._model = "loading", model
            self._step = self._steps = 0

    def draws(self, batch: Sequence[GenerationRequest]) -> None:
        """A batch of one model begins."""
        with self._board.change():
            self.status, self._model = "drawing", batch[0].model
            self._step = self._steps = 0
            self._time.begins(batch)

    def stepped(self, report: StepReport) -> None:
        """A step of the batch is over."""
        preview = report.preview_srgb8
        if preview is not None:
            preview = np.array(preview)  # the model may paint over its own
            preview.flags.writeable = False
        with self._board.change():
            self._step, self._steps = report.step, report.steps
            if preview is not None:
                self._preview = preview
            self._time.stepped(report.step, report.steps)

    def paused(self, seconds: float) -> None:
        """For so many seconds, within a batch, calls were answered."""
        with self._board.change():
            self._time.paused(seconds)

    def measured(self, batch: Sequence[GenerationRequest], seconds: float) -> None:
        """A batch was drawn in so many seconds."""
        with self._board.change():
            self._time.measured(batch, seconds)

    def drew(self, request: GenerationRequest) -> None:
        """One image was drawn and kept."""
        with self._board.change():
            self.done += 1
            self._time.off(request)

    def fails(self, request: GenerationRequest, problem: str) -> None:
        """One request has come to its end without an image that is kept."""
        with self._board.change():
            self.failed += 1
            self._time.off(request)
            self._note(problem, 1)

    def fails_rest(self, problem: str) -> None:
        """All that has not come to its end has this problem. Nothing is delivered: this is for
        when delivering itself has failed."""
        with self._board.change():
            if self.left:
                self._note(problem, self.left)
            self.failed += self.left

    def ends(self) -> None:
        """Nothing more will come. The caller holds the lock."""
        if self.left:
            self.status = "cancelled"
        else:
            self.status = "failed" if not self.done else "done"
        self._ended = time.monotonic()
        self._began = self._began or self._ended
        # Finished jobs are kept for a while: their images and prompts are not.
        self._preview, self.deliver, self.requests = None, None, ()

    def seconds_left(self) -> float | None:
        """Remaining seconds of generation, or None. The caller holds the lock."""
        return self._time.seconds()

    def snapshot(self, index: int | None, ahead_s: float | None) -> JobState:
        """Its state; ``ahead_s`` is the time of the jobs before it. The caller holds the lock."""
        left_s = None if self.finished else self.seconds_left()
        now = self._ended if self.finished else time.monotonic()
        return JobState(
            id=self.id,
            title=self.title,
            owner=self.owner,
            status=self.status,
            place=index,
            total=self.total,
            done=self.done,
            failed=self.failed,
            problems=tuple(Problem(text, count) for text, count in self._problems.items()),
            model=self._model,
            step=self._step,
            steps=self._steps,
            elapsed_s=now - self._began if self._began else 0.0,
            eta_s=None if left_s is None or ahead_s is None else left_s + ahead_s,
            preview_srgb8=self._preview,
            message=self._message(index),
            submitted_at=self._submitted_at,
        )

    def _note(self, problem: str, count: int) -> None:
        problem = problem[:_PROBLEM_CHARACTERS]
        if problem in self._problems or len(self._problems) < SHOWN_PROBLEMS:
            self._problems[problem] = self._problems.get(problem, 0) + count

    def _message(self, index: int | None) -> str:
        failed = f", {self.failed:,} failed" if self.failed else ""
        if self.status == "waiting":
            ahead = (index or 1) - 1
            return "Next" if ahead <= 0 else f"Waiting behind {ahead} job{'s' * (ahead > 1)}"
        if self.status == "cancelled":
            return f"Cancelled: {self.done:,} generated{failed}, {self.left:,} not generated"
        if self.finished:
            return f"{self.done:,} of {self.total:,} generated{failed}"
        if self.stop.is_set():
            return "Stopping"
        if self.status == "loading":
            return f"Loading {self._model}".rstrip()
        number = min(self.done + self.failed + 1, self.total)
        return f"Generating {number:,} of {self.total:,}{failed}"
