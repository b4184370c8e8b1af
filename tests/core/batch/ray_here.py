"""Ray without a cluster: its actors are objects of this process, for tests that are not about
processes. The nightly tests of ``tests/core/runs/test_ray_cluster.py`` use the real one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

NAMES = ("init", "shutdown", "cluster_resources", "remote", "wait", "get", "kill")


class Dies(BaseException):
    """The actor's process ends here."""


@dataclass(eq=False)
class Task:
    """A call of an actor's method, done when somebody waits for it."""

    actor: Actor
    call: Callable[[], Any]
    done: bool = False
    value: Any = None
    error: Exception | None = None

    def do(self) -> None:
        from ray.exceptions import ActorDiedError

        if self.done:
            return
        self.done = True
        self.actor.calls += 1
        if self.actor.dead is None:
            try:
                self.value = self.call()
                return
            except Dies:
                self.actor.dead = ActorDiedError()
                self.actor.let_go()
            except Exception as error:
                self.error = error
                return
        self.error = self.actor.dead


@dataclass(eq=False)
class Actor:
    """An actor's handle: ``actor.method.remote(...)`` gives a task."""

    of: Any
    options: dict[str, Any]
    dead: Exception | None = None
    calls: int = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.of, name)
        return SimpleNamespace(remote=lambda *values: Task(self, lambda: method(*values)))

    def let_go(self) -> None:
        """What a process leaves when it ends: no lock, and its journal as it stands."""
        worker = self.of._worker
        if worker is not None:
            worker._held.close()
            os.close(worker._journal._descriptor)


@dataclass
class RayHere:
    """Stands for the functions of the module ``ray`` that TrueHue calls."""

    gpus: int = 0
    refuses: str = ""
    begun: list[dict[str, Any]] = field(default_factory=list)
    """The options of every ``init``, and under ``environment`` what Ray's processes would read."""
    ended: int = 0
    actors: list[Actor] = field(default_factory=list)

    def init(self, **options: Any) -> None:
        environment = {name: os.environ[name] for name in os.environ if name.startswith("RAY_")}
        self.begun.append({**options, "environment": environment})
        # As Ray does.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        if self.refuses:
            raise ConnectionError(self.refuses)

    def shutdown(self) -> None:
        self.ended += 1

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0, **({"GPU": float(self.gpus)} if self.gpus else {})}

    def remote(self, kind: Callable[[], Any]) -> Any:
        def options(**values: Any) -> Any:
            def begin() -> Actor:
                self.actors.append(Actor(kind(), values))
                return self.actors[-1]

            return SimpleNamespace(remote=begin)

        return SimpleNamespace(options=options)

    def wait(
        self, tasks: list[Task], *, num_returns: int = 1, timeout: float | None = None
    ) -> tuple[list[Task], list[Task]]:
        """Does as many as are waited for, none where nobody waits; whoever has done the least is
        quickest."""
        for task in sorted(tasks, key=lambda item: item.actor.calls):
            if timeout != 0 and sum(item.done for item in tasks) < num_returns:
                task.do()
        ready = [item for item in tasks if item.done][:num_returns]
        return ready, [item for item in tasks if item not in ready]

    def get(self, task: Task, *, timeout: float | None = None) -> Any:
        task.do()
        if task.error is not None:
            raise task.error
        return task.value

    def kill(self, actor: Actor) -> None:
        from ray.exceptions import ActorDiedError

        actor.dead = actor.dead or ActorDiedError()


@contextmanager
def ray_here(**values: Any) -> Iterator[RayHere]:
    """In place of Ray while the block lasts; SIGINT and SIGTERM are answered as before."""
    import ray

    local = RayHere(**values)
    answers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with pytest.MonkeyPatch.context() as patch:
        for name in NAMES:
            patch.setattr(ray, name, getattr(local, name))
        try:
            yield local
        finally:
            for number, answer in answers.items():
                signal.signal(number, answer)
