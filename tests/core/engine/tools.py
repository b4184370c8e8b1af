"""Tools that keep the contract of truehue.core.masks.grounded.records.Tool, and an engine with
them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import current_thread

from tests.core.engine.models import WAIT_S, FlatModel, House, until
from truehue.core.engine import Engine
from truehue.core.errors import BadInput


@dataclass
class Tool:
    """Answers with its name, and can be made to stand in the middle of an answer."""

    name: str
    memory_bytes: int = 100
    unloaded: int = 0
    threads: set[str] = field(default_factory=set)

    def say(self, word: str = "") -> str:
        assert not self.unloaded
        self.threads.add(current_thread().name)
        return f"{self.name} {word}".strip()

    def unload(self) -> None:
        self.unloaded += 1


@dataclass
class Workshop(House):
    """A house with tools in it."""

    tool_makers: dict[str, Callable[[], Tool]] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)

    def open_tool(self, tool_id: str) -> Tool:
        self.opened.append(tool_id)
        maker = self.tool_makers.get(tool_id, lambda: Tool(tool_id))
        if tool_id == "absent":
            raise BadInput("The weights of absent are missing.")
        self.tools[tool_id] = maker()
        return self.tools[tool_id]

    @contextmanager
    def engine(self, limit: int | Callable[[], int] | None = None) -> Iterator[Engine]:
        engine = self.made(limit)
        try:
            yield engine
        finally:
            assert engine.close(WAIT_S)

    def made(self, limit: int | Callable[[], int] | None = None) -> Engine:
        return Engine(
            self.open_model,
            self.memory_wanted,
            limit,
            open_tool=self.open_tool,
            tool_memory=self.memory_wanted,
        )


def say(tool: Tool) -> str:
    return tool.say()


def gated(steps: int = 5, **fields: object) -> tuple[threading.Semaphore, Workshop]:
    """A model that takes a step whenever the gate is released."""
    gate = threading.Semaphore(0)
    make = lambda: FlatModel(steps=steps, gate=gate, **fields)  # type: ignore[arg-type]  # noqa: E731
    return gate, Workshop({"flat": make})


def at_step(engine: Engine, job: str, step: int) -> None:
    until(engine, lambda: engine.state(job).step == step)
