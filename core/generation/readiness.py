"""Can a model draw on this machine, and if not, what is missing. Loads nothing."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

from truehue.core.errors import BadInput
from truehue.core.generation.backends.endpoints import Endpoint, configured_endpoints
from truehue.core.generation.entry import ModelEntry
from truehue.core.generation.weights.pipeline_folder import check_source
from truehue.core.generation.weights.sources import Sources, find, how_to_get
from truehue.core.machine import GIB, WORKING_GIB, Machine

_PACKAGES = {
    "diffusers": ("torch", "diffusers", "transformers", "accelerate", "safetensors"),
    "transformers": ("torch", "transformers", "accelerate", "safetensors"),
    "served": ("openai",),
}
_ALSO = {"kolors": ("sentencepiece",)}


def missing(
    entry: ModelEntry,
    machine: Machine | None,
    sources: Sources,
    endpoints: Mapping[str, Endpoint] | None = None,
) -> tuple[str, ...]:
    """What is missing before the model can draw here, one sentence each; empty when it can.

    ``machine`` None leaves the memory out. ``endpoints`` are the servers that were set up, by the
    name in ``served:name``; None takes what the environment names. Raises BadInput where the
    environment names no address.
    """
    problems = list(entry.needs)
    packages = (*_PACKAGES.get(entry.kind, ()), *_ALSO.get(entry.id, ()))
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    if absent:
        problems.append(
            f"Missing packages: {', '.join(absent)}. Run: pip install {' '.join(absent)}"
        )
    if entry.kind == "served":
        problems += unknown_server(entry, servers(endpoints))
    if entry.kind in ("diffusers", "transformers"):
        memory_gib = entry.memory_gib
        model_source = find(entry, sources)
        if model_source is None:
            problems += how_to_get(entry, sources)
        else:
            try:
                checked = check_source(entry, model_source)
                memory_gib = checked.memory_gib if checked else memory_gib
            except BadInput as error:
                problems.append(str(error))
        if machine is not None and memory_gib:
            problems += _memory(entry, memory_gib, machine)
    return tuple(problems)


def servers(endpoints: Mapping[str, Endpoint] | None) -> Mapping[str, Endpoint]:
    """The given servers, by name; those of the environment where None is given."""
    if endpoints is not None:
        return endpoints
    return {endpoint.name: endpoint for endpoint in configured_endpoints()}


def unknown_server(entry: ModelEntry, endpoints: Mapping[str, Endpoint]) -> tuple[str, ...]:
    """The sentence for a served model whose name is not set up; nothing for one that is."""
    name = server_name(entry)
    if name in endpoints:
        return ()
    names = ", ".join(endpoints) or "none"
    return (f"No server is set up under the name {name!r:.80} (set up: {names}).",)


def server_name(entry: ModelEntry) -> str:
    """``lab`` of ``served:lab``."""
    return entry.id.partition(":")[2].strip()


def _memory(entry: ModelEntry, memory_gib: float, machine: Machine) -> list[str]:
    """On a GPU what does not fit waits in main memory; on a CPU numbers take four bytes."""
    whole = memory_gib if machine.device != "cpu" else memory_gib * 2
    room = machine.ram_bytes + (machine.memory_bytes if machine.device == "cuda" else 0)
    if whole + WORKING_GIB <= room / GIB:
        return []
    return [
        f"{entry.name} takes about {whole + WORKING_GIB:.0f} GiB of memory and this machine has "
        f"{room / GIB:.0f} GiB: it may be stopped by the system."
    ]
