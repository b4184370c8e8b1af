"""The context of an app: the parts of all features made, and put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.engine import Engine
from core.generation.backends.endpoints import Endpoint
from core.generation.opening import memory_wanted, open_model
from core.generation.weights.sources import Sources
from core.masks.grounded.tools import open_tool, tool_memory
from tabs.accounts.control import Control
from tabs.generate.queue import Queue
from tabs.inspect.finding import Segments
from tabs.library.service import Library
from tabs.page.context import Context
from tabs.page.jobs import Jobs
from tabs.page.limits import limits_of
from tabs.page.staging import Staging
from tabs.participants.service import Participation
from tabs.runs.jobs import RunJobs
from tabs.runs.supervisor import RunSupervisor
from tabs.runs.trial import Trials
from tabs.studies.results import ResultsKeeper
from tabs.studies.shelf import StudyShelf

if TYPE_CHECKING:
    from storage.store import Storage


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

    ``options`` are further fields of :class:`tabs.page.context.Context`.
    """
    sources = Sources.here() if sources is None else sources
    endpoints = {} if endpoints is None else endpoints
    # Made here and not when first asked for: two visitors at once must not get two queues. Its
    # thread starts with the first job.
    engine = Engine(
        partial(open_model, sources=sources, endpoints=endpoints),
        partial(memory_wanted, sources=sources),
        _all_memory,
        partial(open_tool, sources=sources),
        partial(tool_memory, sources=sources),
    )
    demo = bool(options.get("demo"))
    limits = limits_of(demo)
    supervisor = RunSupervisor(storage, engine, sources, endpoints, runs)
    control = Control(storage.accounts, storage.data_dir)
    studies = (Participation(storage), StudyShelf(storage), ResultsKeeper())
    services = (Library(storage), supervisor, Segments(), Trials(), control, *studies)
    return Context(
        storage,
        data_label,
        engine,
        Staging(storage.data_dir / "incoming", limits.staged_bytes),
        Jobs(storage.jobs, (Queue(engine), RunJobs(supervisor)), limits.jobs_of_one),
        sources=sources,
        endpoints=endpoints,
        local=local and not demo,
        runs=runs,
        services={type(service): service for service in services},
        **options,
    )


def _all_memory() -> int:
    """Bytes that models may hold together: a model that needs more room sends others away."""
    from core.machine import machine

    return machine().memory_bytes
