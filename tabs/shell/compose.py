"""Compose the context of an app from the parts of all features."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truehue.core.engine import Engine
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.opening import memory_wanted, open_model
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.tools import open_tool, tool_memory
from truehue.tabs.feature import AppParts, Feature, kinds_of
from truehue.tabs.features import FEATURES
from truehue.tabs.page.context import Context
from truehue.tabs.page.fidelity import Fidelity
from truehue.tabs.page.jobs import Jobs
from truehue.tabs.page.limits import ConcurrencyLimits, limits_of
from truehue.tabs.page.roles import OWNER
from truehue.tabs.page.staging import Staging
from truehue.tabs.shell.allowance import WorkspaceAllowance
from truehue.tabs.shell.workspaces import FOLDER, Demonstration, Workspaces
from truehue.tabs.shell.zero_gpu import remote_openers

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
    features: Sequence[Feature] = FEATURES,
    **options: Any,
) -> Context:
    """A context with the services of all ``features``; nothing of it works yet, and no thread has
    begun.

    ``options`` are further fields of :class:`truehue.tabs.page.context.Context`.
    """
    sources = Sources.local() if sources is None else sources
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
    far = remote_openers(near, sources)
    if far is not None:  # they hold nothing here
        opens, memory = far, (lambda _: 0, lambda _: 0)
    engine = Engine(opens[0], memory[0], _all_memory, opens[1], memory[1])
    demo = bool(options.get("demo"))
    fields: dict[str, Any] = {
        "local": local and not demo,
        "data_label": data_label,
        **options,
    }
    limits = limits_of(demo)
    concurrency = ConcurrencyLimits(kinds_of(features), limits.work)
    shared: dict[type, Any] | None = {} if demo else None

    def fields_at(storage: Storage, runs: Sequence[Path], owner: str | None) -> dict[str, Any]:
        """The fields of a context with the services of one data folder."""
        parts = AppParts(
            storage, engine, sources, endpoints, runs, shared, owner, {Fidelity: fidelity}
        )
        parts.add(features)
        queues = [feature.named(feature.jobs)(parts) for feature in features if feature.jobs]
        return {
            "storage": storage,
            "engine": engine,
            "staging": Staging(storage.data_dir / "incoming", limits.staged_bytes),
            "jobs": Jobs(storage.jobs, concurrency, queues, limits.jobs_of_one, demo),
            "sources": sources,
            "endpoints": endpoints,
            "runs": runs,
            "services": parts.services,
            **fields,
        }

    if not demo:
        return Context(**fields_at(storage, tuple(runs), None))
    # The samples are runs of another folder to a visitor.
    visitors_runs = (storage.data_dir / "runs", *runs)

    def furnish(workspace: Storage, allowance: WorkspaceAllowance) -> Context:
        owner = workspace.data_dir.name
        return Context(**fields_at(workspace, visitors_runs, owner), allowance=allowance)

    workspaces = Workspaces(storage, storage.data_dir / FOLDER, furnish, limits)
    return Demonstration(**fields_at(storage, tuple(runs), OWNER.id), desks=workspaces)


def _all_memory() -> int:
    """Bytes that models may hold together: a model that needs more room sends others away. On a CPU
    without the network for salient objects, which stays."""
    from truehue.core.machine import machine

    local_machine = machine()
    salient = sys.modules.get("truehue.core.masks.salient")
    if local_machine.device != "cpu" or salient is None:
        return local_machine.memory_bytes
    return local_machine.memory_bytes - int(salient.memory_bytes())
