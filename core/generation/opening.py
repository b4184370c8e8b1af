"""Open a generator of any kind by its id, or report its missing files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from truehue.core.errors import BadInput
from truehue.core.generation.backends.endpoints import Endpoint, configured_endpoints
from truehue.core.generation.backends.families import FAMILIES, family_named
from truehue.core.generation.memory import check_space
from truehue.core.generation.quantization import missing_for
from truehue.core.generation.registry import ModelEntry, model
from truehue.core.generation.request import LoadedModel
from truehue.core.generation.weights.folders import check_source, pipeline_in
from truehue.core.generation.weights.sources import Sources, find, how_to_get, source
from truehue.core.machine import (
    GIB,
    WORKING_GIB,
    Machine,
    Placement,
    machine,
    placement,
    with_reserve,
)
from truehue.core.packages import absent, how_to_install

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
    if lacking := absent(packages):
        extra, way = ("vlm", "a server") if entry.kind == "served" else ("models", entry.kind)
        problems.append(how_to_install(lacking, f"generate with {way}", extra))
    problems += missing_for(entry.name, entry.quantization)
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
    """The name of a server, such as ``lab`` of ``served:lab``."""
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


# The renderer's own arrays for one scene of 1024 x 1024.
RENDERER_BYTES = GIB // 4


def open_model(
    model_id: str,
    sources: Sources | None = None,
    endpoints: Mapping[str, Endpoint] | None = None,
    reserved_bytes: int = 0,
) -> LoadedModel:
    """Loads the model of that id, laid out by what is free on this machine now but for the bytes
    that are reserved for others.

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
    model_source = source(entry, sources or Sources.local())
    if entry.kind == "transformers":
        from truehue.core.generation.backends import janus

        check_source(entry, model_source)
        local_machine = machine()
        lay_out = partial(_janus_placement, entry)
        device_placement = lay_out(with_reserve(local_machine, reserved_bytes, lay_out))
        check_space(
            entry.name, entry.memory_gib * device_placement.bytes_a_number / 2, local_machine
        )
        return janus.load(entry, model_source.folder, device_placement, model_source.revision)
    from truehue.core.generation.backends.loading import load

    return load(entry, model_source, machine(), reserved_bytes)


def _janus_placement(entry: ModelEntry, local_machine: Machine) -> Placement:
    largest_gib = entry.largest_gib
    return placement(entry.memory_gib, local_machine, largest_gib=largest_gib, fp16=entry.fp16)


def expected_placement(
    model_id: str, local_machine: Machine, sources: Sources, reserved_bytes: int = 0
) -> tuple[Placement, int] | None:
    """Where a model would be laid out beside what is reserved, and the bytes that its weights take
    on its device; None for one that has no weights here, or of which nobody knows how large it is."""
    entry = model(model_id)
    if entry.kind not in ("diffusers", "transformers"):
        return None
    lay_out = partial(_janus_placement, entry)
    whole, largest = entry.memory_gib, entry.largest_gib
    model_source = find(entry, sources)
    if model_source is not None and entry.kind == "diffusers":
        with suppress(BadInput):  # loading says what is wrong with the files
            if (checked := check_source(entry, model_source)) is not None:
                from truehue.core.generation.backends.loading import choose_placement

                lay_out = partial(choose_placement, entry, checked)
                whole, largest = checked.memory_gib, checked.largest_gib
    if not whole:
        return None
    at = lay_out(with_reserve(local_machine, reserved_bytes, lay_out))
    kept_gib = {"none": whole, "model": largest or whole, "sequential": 0.0}[at.offload]
    return at, int(kept_gib * at.bytes_a_number / 2 * GIB)


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
    model_source = find(entry, sources or Sources.local())
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
    from truehue.core.generation.backends.endpoints import ServedModel

    for sentence in unknown_server(entry, endpoints):
        raise BadInput(sentence)
    return ServedModel(endpoints[server_name(entry)])


_NO_DIFFUSION = {
    "renderer": "is no diffusion model: it computes its images without guidance.",
    "transformers": "generates token by token, not by diffusion.",
    "served": "generates on a server whose guidance cannot be changed from here.",
    "folder": "does not generate here: its images are imported.",
}


def why_no_cfr(entry: ModelEntry, guidance: float | None = None) -> str:
    """Why CFR cannot be applied to a model, as a sentence; empty where it can, or where only the
    loaded pipeline will show (any folder or repository).

    ``guidance`` is what the model is asked to draw with, None for its own.
    """
    if entry.kind in _NO_DIFFUSION:
        return f"{entry.name} {_NO_DIFFUSION[entry.kind]}"
    family = FAMILIES.get(entry.pipeline)
    if family is not None and not family.two_predictions:
        return (
            f"{entry.name} makes one prediction only: its guidance is distilled into the weights."
        )
    if family is not None and not family.cfr:
        return f"CFR was not tested with {entry.name}."
    own = entry.defaults.guidance if entry.defaults is not None else None
    scale = own if guidance is None else guidance
    if scale is not None and scale <= 1:
        return f"At guidance {scale:g} {entry.name} has nothing to lower: set it above 1."
    return ""


def check_settings(
    entry: ModelEntry, guidance: bool, negative_text: str, size_px: int | None
) -> None:
    """Raises BadInput, with the setting as its field, for one that the model's pipeline does not
    take: every image would fail. ``guidance`` says whether any is named. What only a loaded
    pipeline or a server knows is not looked at."""
    if entry.kind == "transformers" and entry.defaults is not None:
        if negative_text.strip():
            raise BadInput(f"{entry.name} takes no negative prompt: leave it empty.", "negative")
        side_px = entry.defaults.width
        if size_px not in (None, side_px):
            raise BadInput(
                f"{entry.name} generates {side_px} × {side_px} pixels only: leave the size out.",
                "size",
            )
    if entry.kind != "diffusers" or not (guidance or negative_text or size_px):
        return
    family = family_named(entry.pipeline or pipeline_in(find(entry, Sources.local())))
    if family is None:
        return
    if guidance and not family.guidance:
        raise BadInput(
            f"{entry.name} has no guidance to set: its files decide it. Leave guidance out, and a "
            "protocol that sets it.",
            "guidance",
        )
    if negative_text and not family.negative:
        raise BadInput(f"{entry.name} takes no negative prompt: leave it empty.", "negative")
    if size_px is not None and size_px % family.multiple_px:
        raise BadInput(
            f"{entry.name} generates sides that are multiples of {family.multiple_px} pixels; "
            f"{size_px} is none.",
            "size",
        )
