"""The context of an app: the parts of all features made, and put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truehue.core.engine import Engine
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.opening import memory_wanted, open_model
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.tools import open_tool, tool_memory
from truehue.tabs.accounts.control import Control
from truehue.tabs.explore.scores import ScoreMeans
from truehue.tabs.generate.queue import Queue
from truehue.tabs.inspect.finding import Segments
from truehue.tabs.inspect.measures import ImageMeasures
from truehue.tabs.library.service import Library
from truehue.tabs.page.concurrency import ConcurrencyLimits
from truehue.tabs.page.context import Context
from truehue.tabs.page.fidelity import Fidelity
from truehue.tabs.page.jobs import Jobs
from truehue.tabs.page.limits import Limits, limits_of
from truehue.tabs.page.roles import OWNER
from truehue.tabs.page.staging import Staging
from truehue.tabs.participants.service import Participation
from truehue.tabs.runs.jobs import run_jobs
from truehue.tabs.runs.limit import RunLimit
from truehue.tabs.runs.supervisor import RunSupervisor
from truehue.tabs.runs.trial import Trials
from truehue.tabs.shell.allowance import WorkspaceAllowance
from truehue.tabs.shell.workspaces import FOLDER, Demonstration, Workspaces
from truehue.tabs.shell.zero_gpu import far_models
from truehue.tabs.studies.cache import StudyCache
from truehue.tabs.studies.colorings.current import ColoringCache
from truehue.tabs.studies.colorings.facts import ColoringFactsService
from truehue.tabs.studies.colorings.layers import ColoringMeasurements
from truehue.tabs.studies.results import ResultsService
from truehue.tabs.vlm.jobs import evaluation_jobs
from truehue.tabs.vlm.service import EvaluationService

if TYPE_CHECKING:
    from truehue.storage.store import Storage


def make_context(
    storage: Storage,
    data_label: str,
    *,
    sources: Sources | None = None,
    endpoints: Mapping[str, Endpoint] | None = None,
    local: bool = True,
    runs: Sequence[Path] = (),
    **options: Any,
) -> Context:
    """A context with all its services; nothing of it works yet, and no thread has begun.

    ``options`` are further fields of :class:`truehue.tabs.page.context.Context`.
    """
    sources = Sources.here() if sources is None else sources
    endpoints = {} if endpoints is None else endpoints
    # Made here and not when first asked for: two visitors at once must not get two queues. Its
    # thread starts with the first job.
    near = partial(open_model, sources=sources, endpoints=endpoints)
    fidelity = Fidelity(storage.data_dir)
    fidelity.registration()

    def tool_of(tool: str) -> Any:
        return fidelity.open(tool) if fidelity.opens(tool) else open_tool(tool, sources)

    def memory_of(tool: str) -> int:
        return fidelity.memory(tool) if fidelity.opens(tool) else tool_memory(tool, sources)

    opens: tuple[Callable[[str], Any], ...] = (near, tool_of)
    memory: tuple[Callable[[str], int], ...] = (
        partial(memory_wanted, sources=sources),
        memory_of,
    )
    far = far_models(near, sources)
    if far is not None:  # they hold nothing here
        opens, memory = far, (lambda _: 0, lambda _: 0)
    engine = Engine(opens[0], memory[0], _all_memory, opens[1], memory[1])
    parts = _Parts(engine, sources, endpoints, tuple(runs), fidelity)
    demo = bool(options.get("demo"))
    fields: dict[str, Any] = {"local": local and not demo, **options}
    if not demo:
        return Context(**parts.at(storage, limits_of(False)), data_label=data_label, **fields)
    limits = limits_of(True)
    turns, run_turns = ConcurrencyLimits(limits.work), RunLimit()
    # Samples are runs of another folder to who sits at a desk.
    at_desks = replace(parts, runs=(storage.data_dir / "runs", *runs))

    def furnish(workspace: Storage, allowance: WorkspaceAllowance) -> Context:
        desk_parts = at_desks.at(workspace, limits, turns, run_turns, workspace.data_dir.name)
        return Context(**desk_parts, data_label=data_label, allowance=allowance, **fields)

    desks = Workspaces(storage, storage.data_dir / FOLDER, furnish, limits)
    samples = parts.at(storage, limits, turns, run_turns, OWNER.id)
    return Demonstration(**samples, data_label=data_label, desks=desks, **fields)


@dataclass(frozen=True)
class _Parts:
    """What contexts of several data folders have in common."""

    engine: Engine
    sources: Sources
    endpoints: Mapping[str, Endpoint]
    runs: Sequence[Path]
    fidelity: Fidelity

    def at(
        self,
        storage: Storage,
        limits: Limits,
        turns: ConcurrencyLimits | None = None,
        run_turns: RunLimit | None = None,
        owner: str | None = None,
    ) -> dict[str, Any]:
        """The fields of a context with the services of a data folder; ``owner`` is whose drawings
        alone are told of."""
        supervisor = RunSupervisor(
            storage, self.engine, self.sources, self.endpoints, self.runs, run_turns
        )
        evaluation_service = EvaluationService(storage, self.engine, self.sources, supervisor.turns)
        jobs = (
            Queue(self.engine, owner),
            run_jobs(supervisor),
            evaluation_jobs(evaluation_service),
        )
        services = (
            Library(storage),
            supervisor,
            evaluation_service,
            Segments(),
            Trials(),
            Control(storage.accounts, storage.data_dir, storage.copy_database),
            Participation(storage),
            StudyCache(storage),
            ResultsService(),
            ColoringFactsService(),
            ColoringMeasurements(),
            ColoringCache(),
            ScoreMeans(),
            ImageMeasures(),
            self.fidelity,
        )
        return {
            "storage": storage,
            "engine": self.engine,
            "staging": Staging(storage.data_dir / "incoming", limits.staged_bytes),
            "jobs": Jobs(storage.jobs, jobs, limits.jobs_of_one, turns),
            "sources": self.sources,
            "endpoints": self.endpoints,
            "runs": self.runs,
            "services": {type(service): service for service in services},
        }


def _all_memory() -> int:
    """Bytes that models may hold together: a model that needs more room sends others away."""
    from truehue.core.machine import machine

    return machine().memory_bytes
