"""A run executed: its pictures are the items of truehue.core.batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from truehue.core.batch import execute as batch
from truehue.core.batch.execute import Watch, WorkerPool
from truehue.core.batch.records import BatchState
from truehue.core.batch.team import Team
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.weights.sources import Sources
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.worker import RunWork, WorkerSettings


@dataclass(frozen=True)
class ExecutionSettings(WorkerPool):
    """Who does the work (see :class:`truehue.core.batch.execute.WorkerPool`), and where weights and
    servers are."""

    sources: Sources = field(default_factory=Sources.here)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)


def execute(
    folder: RunFolder,
    crew: ExecutionSettings | None = None,
    *,
    retry_failed: bool = False,
    watch: Watch = lambda state: None,
    team: Team | None = None,
) -> BatchState:
    """Does what of a run is not done yet, and returns how it ended: see
    :func:`truehue.core.batch.execute.execute`."""
    crew = crew or ExecutionSettings()
    settings = WorkerSettings(crew.sources, dict(crew.endpoints))
    work = RunWork(folder.path, settings)
    return batch.execute(work, crew, retry_failed=retry_failed, watch=watch, team=team)
