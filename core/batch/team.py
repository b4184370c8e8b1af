"""The interface of a team of workers: processes of this machine, or Ray's actors.

A worker gets a batch of positions, writes each result into its own journal, and reports the end of
the batch. The coordinator (truehue.core.batch.execute) assigns batches and restarts workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

READY, STEPS, DONE, DIED, BROKEN = "ready", "steps", "done", "died", "broken"


@dataclass(frozen=True)
class Batch:
    """Positions with the attempt that each is; ``number`` names the batch."""

    number: int
    items: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TeamEvent:
    """Something that happened to a worker.

    ``kind`` is ``ready`` (it can take its first batch), ``steps`` (it did so many ``steps`` of the
    item in work; other events may tell of steps too), ``done`` (its batch is in its journal;
    ``items`` says of each position, in the order of the batch, the status and the reason of a
    failure; a worker that was told to stop leaves the rest out), ``died`` (its process is gone,
    ``reason`` says how) or ``broken`` (it cannot work at all, and another one could not either:
    ``reason`` is a sentence for people, such as which weights are missing).
    """

    kind: str
    worker: str
    reason: str = ""
    items: tuple[tuple[int, str, str], ...] = ()
    steps: int = 0


class Team(Protocol):
    """Workers by name. Only the coordinator's thread calls it."""

    def start(self, worker: str) -> None:
        """Begins a worker; ``ready`` or ``broken`` comes as an event."""
        ...

    def give(self, worker: str, batch: Batch) -> None:
        """Gives a worker that is ready, or done, its next batch."""
        ...

    def events(self, timeout_s: float) -> list[TeamEvent]:
        """The next events; waits up to ``timeout_s`` for the first event."""
        ...

    def close(self) -> None:
        """Tells all workers to give up the item in work or end it, seals their journals, waits."""
        ...
