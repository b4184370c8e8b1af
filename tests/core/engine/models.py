"""Small models that keep the contract of LoadedModel and misbehave when told to."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from truehue.core.engine import Delivery, Engine
from truehue.core.errors import BadInput
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    OnStep,
    StepReport,
)

WAIT_S = 300.0
"""Longer than any test should wait: reached only when something hangs."""


class OutOfMemoryError(RuntimeError):
    """Named as torch names its own."""


Before = Callable[[Sequence[GenerationRequest]], None]


def nothing(requests: Sequence[GenerationRequest]) -> None:
    """Before a batch: all is well."""


@dataclass
class FlatModel:
    """Draws flat fields whose color follows from text and seed.

    ``before`` is called with each batch and may raise; ``gate``, when given, is waited for at each
    step, so that a test can stand in the middle of a drawing.
    """

    name: str = "flat"
    steps: int = 3
    batch_size: int = 1
    memory_bytes: int = 100
    before: Before = nothing
    gate: threading.Semaphore | None = None
    batches: list[tuple[str, ...]] = field(default_factory=list)
    unloaded: int = 0
    threads: set[str] = field(default_factory=set)

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: threading.Event
    ) -> list[GeneratedImage]:
        assert not self.unloaded
        self.threads.add(threading.current_thread().name)
        self.batches.append(tuple(request.text for request in requests))
        self.before(requests)
        for step in range(1, self.steps + 1):
            if self.gate is not None:
                while not self.gate.acquire(timeout=0.01):
                    if stop.is_set():
                        raise Cancelled
            preview = np.full((4, 4, 3), step % 250, np.uint8)
            on_step(StepReport(step, self.steps, preview))
            preview[:] = 255  # a model may use its buffer again
            if stop.is_set():
                raise Cancelled
        return [GeneratedImage(flat(request), {"seed": request.seed}) for request in requests]

    def unload(self) -> None:
        self.unloaded += 1


def flat(request: GenerationRequest) -> np.ndarray:
    """The picture of a request, uint8 ``(8, 8, 3)``."""
    digest = hashlib.sha256(f"{request.text} {request.seed}".encode()).digest()
    return np.broadcast_to(np.frombuffer(digest[:3], np.uint8), (8, 8, 3)).copy()


@dataclass
class House:
    """Models by id, with a record of what was opened, and an engine over them."""

    makers: dict[str, Callable[[], FlatModel]]
    wanted: dict[str, int] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)
    models: dict[str, FlatModel] = field(default_factory=dict)

    def open_model(self, model_id: str) -> FlatModel:
        self.opened.append(model_id)
        if model_id not in self.makers:
            raise BadInput(f"The weights of {model_id} are missing. Put them into the folder.")
        self.models[model_id] = self.makers[model_id]()
        return self.models[model_id]

    def memory_wanted(self, model_id: str) -> int:
        return self.wanted.get(model_id, 100)

    @contextmanager
    def engine(self, limit: int | Callable[[], int] | None = None) -> Iterator[Engine]:
        engine = Engine(self.open_model, self.memory_wanted, limit)
        try:
            yield engine
        finally:
            assert engine.close(WAIT_S)


class Inbox:
    """Keeps deliveries, and notes in which thread they came."""

    def __init__(self) -> None:
        self.got: list[Delivery] = []
        self.threads: set[str] = set()

    def __call__(self, delivery: Delivery) -> None:
        self.threads.add(threading.current_thread().name)
        self.got.append(delivery)

    @property
    def positions(self) -> list[int]:
        return [delivery.position for delivery in self.got]

    @property
    def problems(self) -> list[str | None]:
        return [delivery.problem for delivery in self.got]


def asked(count: int, model: str = "flat", **fields: object) -> list[GenerationRequest]:
    """Requests "prompt 0", "prompt 1" and so on."""
    return [
        GenerationRequest(model, f"prompt {n}", seed=n, **fields)  # type: ignore[arg-type]
        for n in range(count)
    ]


def until(engine: Engine, true: Callable[[], bool]) -> Engine:
    """Waits, change by change, until something of the engine holds; returns the engine."""
    seen = -1
    for _ in range(10_000):
        if true():
            return engine
        seen = engine.changes(seen, 5.0)
    raise AssertionError("it never came true")
