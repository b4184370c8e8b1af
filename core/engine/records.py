"""Public records of the engine: deliveries, problems, the state of a job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

import numpy as np

from truehue.core.generation.request import GeneratedImage, GenerationRequest

FINISHED = ("done", "cancelled", "failed")


@dataclass(frozen=True, eq=False)
class Delivery:
    """The result of one request: an image, or a sentence on the problem that prevented it.

    ``position`` counts from 0 in the submitted order. ``seconds`` is the drawing time of this
    image (its share of a batch), None where nothing was tried.
    """

    job_id: str
    position: int
    request: GenerationRequest
    image: GeneratedImage | None = None
    problem: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Problem:
    """A sentence that says why requests failed, and how many of the job it stands for."""

    text: str
    count: int


@dataclass(frozen=True)
class CallState:
    """A call of a tool at one moment; ``status`` is ``waiting``, ``loading`` or ``running``."""

    tool: str
    title: str
    owner: str
    status: str


@dataclass(frozen=True, eq=False)
class JobState:
    """A job at one moment.

    ``status`` is ``waiting``, ``loading``, ``drawing``, ``done``, ``cancelled`` or ``failed``
    (which means that nothing at all was drawn). ``place`` is 0 for the job that runs, 1 for the
    next, None for a finished one. Of ``total`` requests, ``done`` were drawn and kept and
    ``failed`` have a problem; ``problems`` are the first 20 different ones. ``step`` of ``steps``
    and ``preview_srgb8``, uint8 ``(h, w, 3)``, speak of the batch being drawn. ``elapsed_s`` counts
    from the job's turn; ``eta_s`` is the time until it is finished, for a waiting job with the
    jobs before it, and None while it is not known (loading is not part of it). ``submitted_at`` is
    seconds since 1970.
    """

    id: str
    title: str
    owner: str
    status: str
    place: int | None
    total: int
    done: int
    failed: int
    problems: tuple[Problem, ...]
    model: str
    step: int
    steps: int
    elapsed_s: float
    eta_s: float | None
    preview_srgb8: np.ndarray | None
    message: str
    submitted_at: float

    @property
    def finished(self) -> bool:
        """True when nothing more will come."""
        return self.status in FINISHED


class ChangeSignal:
    """Readers hold ``lock`` for a snapshot, writers use :meth:`change`, pages wait for it."""

    def __init__(self) -> None:
        self.lock = Condition()
        self.changes = 0

    @contextmanager
    def change(self) -> Iterator[None]:
        """Holds the lock; afterwards counts one change and wakes all who wait."""
        with self.lock:
            try:
                yield
            finally:
                self.changes += 1
                self.lock.notify_all()
