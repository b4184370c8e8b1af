"""From a model's id to a model that can draw, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from truehue.core.errors import BadInput
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.entry import ModelEntry
from truehue.core.generation.memory import check_space
from truehue.core.generation.readiness import server_name, servers, unknown_server
from truehue.core.generation.registry import model
from truehue.core.generation.request import LoadedModel
from truehue.core.generation.weights.pipeline_folder import check_source
from truehue.core.generation.weights.sources import Sources, find, source
from truehue.core.machine import GIB, WORKING_GIB, machine, placement

# The renderer's own arrays for one scene of 1024 x 1024.
RENDERER_BYTES = GIB // 4


def open_model(
    model_id: str, sources: Sources | None = None, endpoints: Mapping[str, Endpoint] | None = None
) -> LoadedModel:
    """Loads the model of that id, laid out by what is free on this machine now.

    ``endpoints`` are the servers that were set up, by the name in ``served:name``; None takes what
    the environment names. Raises BadInput for an unknown id and for models that are not drawn with
    here, ModelMissing with the way to get the weights, and BadModelFolder for files that cannot be
    loaded.
    """
    entry = model(model_id)
    if entry.kind == "renderer":
        from truehue.core.generation.backends.reference import ReferenceRenderer

        return ReferenceRenderer()
    if entry.kind == "served":
        return _served(entry, servers(endpoints))
    if entry.kind == "folder":
        raise BadInput(f"{entry.name} cannot generate here. {' '.join(entry.needs)}")
    model_source = source(entry, sources or Sources.here())
    if entry.kind == "transformers":
        from truehue.core.generation.backends import janus

        check_source(entry, model_source)
        local_machine = machine()
        device_placement = placement(
            entry.memory_gib, local_machine, largest_gib=entry.largest_gib, fp16=entry.fp16
        )
        check_space(
            entry.name, entry.memory_gib * device_placement.bytes_a_number / 2, local_machine
        )
        return janus.load(entry, model_source.folder, device_placement, model_source.revision)
    from truehue.core.generation.backends.loading import load

    return load(entry, model_source, machine())


def memory_wanted(model_id: str, sources: Sources | None = None) -> int:
    """Bytes that the model is expected to take on its device, drawing included, were the device
    empty. From the files where they are here, else from the registry; 0 where neither says.

    Raises BadInput for an unknown id.
    """
    entry = model(model_id)
    if entry.kind == "renderer":
        return RENDERER_BYTES
    if entry.kind in ("served", "folder"):
        return 0
    whole, largest = entry.memory_gib, entry.largest_gib
    model_source = find(entry, sources or Sources.here())
    if model_source is not None:
        try:
            checked = check_source(entry, model_source)
        except BadInput:
            # Loading says what is wrong with the files; here only their size is asked.
            checked = None
        if checked is not None:
            whole, largest = checked.memory_gib, checked.largest_gib
    if not whole:
        return 0
    local_machine = machine()
    empty = replace(local_machine, free_bytes=local_machine.memory_bytes)
    device_placement = placement(whole, empty, largest_gib=largest or None, fp16=entry.fp16)
    held = {"none": whole, "model": largest, "sequential": 0.0}[device_placement.offload]
    return int((held * device_placement.bytes_a_number / 2 + WORKING_GIB) * GIB)


def _served(entry: ModelEntry, endpoints: Mapping[str, Endpoint]) -> LoadedModel:
    from truehue.core.generation.backends.served import ServedModel

    for sentence in unknown_server(entry, endpoints):
        raise BadInput(sentence)
    return ServedModel(endpoints[server_name(entry)])
