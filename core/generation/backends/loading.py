"""Load a pipeline from a folder on this machine into memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.backends.diffusion import DiffusersModel
from truehue.core.generation.backends.families import FAMILIES, Previewer, call_defaults, fit
from truehue.core.generation.backends.layout import encode_once, lay_out
from truehue.core.generation.memory import BadModelFolder, check_space, is_out_of_memory, save_count
from truehue.core.generation.quantization import QUANTIZATIONS, quantized_part
from truehue.core.generation.registry import ModelEntry
from truehue.core.generation.weights.folders import (
    PipelineFolder,
    check_source,
    known_classes,
    load_parts,
    refuse_unfilled,
)
from truehue.core.generation.weights.sources import Source, part_file
from truehue.core.machine import Machine, Placement, placement, with_reserve


def load(
    entry: ModelEntry, source: Source, machine: Machine | Placement, reserved_bytes: int = 0
) -> DiffusersModel:
    """Loads a checked folder; never from the network, never foreign code, never pickles.

    The placement follows from ``machine`` and what is reserved there for others, unless it is a
    placement itself. Raises BadModelFolder
    for a folder that cannot be loaded safely and whole, and lets errors of memory that ran out
    through (``is_out_of_memory`` knows them), NotEnoughMemory among them.
    """
    checked = check_source(entry, source)
    if checked is None:
        raise BadInput(f"{entry.name} is no diffusers pipeline.")
    if isinstance(machine, Machine):
        choose = partial(choose_placement, entry, checked)
        device_placement = choose(with_reserve(machine, reserved_bytes, choose))
        check_space(entry.name, checked.memory_gib * device_placement.bytes_a_number / 2, machine)
    else:
        device_placement = machine
    pipeline = _load(entry, source, checked, device_placement)
    refuse_unfilled(pipeline, checked)
    pipeline.set_progress_bar_config(disable=True)
    encode_once(pipeline)
    # Fitted before parts are hooked: afterwards, encoding would push others off the device.
    offloaded = device_placement.offload != "none"
    previewer = _previewer(pipeline) if offloaded else None
    held = lay_out(pipeline, device_placement)
    previewer = previewer if offloaded else _previewer(pipeline)
    origin = source.base or source
    about = {
        "repo": source.repo,
        "revision": source.revision or f"sha256:{source.fingerprint()}",
        "variant": checked.variant,
    }
    if source.base is not None:
        about |= {
            "base_repo": origin.repo,
            "base_revision": origin.revision or f"sha256:{origin.fingerprint()}",
        }
    if entry.quantization:
        about["quantization"] = QUANTIZATIONS[entry.quantization].label
    loaded = DiffusersModel(entry, pipeline, device_placement, about, previewer, *held)
    save_count(loaded)
    return loaded


def choose_placement(entry: ModelEntry, checked: PipelineFolder, machine: Machine) -> Placement:
    """The placement by what the files really hold, and the decoder's in float32."""
    # On a CPU, and where the model overflows in float16, all of it is in float32.
    wide = machine.device != "cpu" and (machine.bf16 or entry.fp16)
    decoder_gib = checked.decoder_gib if wide else 0.0
    return placement(
        max(checked.memory_gib + decoder_gib, 1e-6),
        machine,
        largest_gib=max(checked.largest_gib + 2 * decoder_gib, 1e-6),
        fp16=entry.fp16,
    )


def _load(
    entry: ModelEntry, source: Source, checked: PipelineFolder, device_placement: Placement
) -> Any:
    import diffusers
    import torch

    pipeline_class = getattr(diffusers, checked.pipeline, None)
    if not (isinstance(pipeline_class, type) and hasattr(pipeline_class, "from_pretrained")):
        raise BadModelFolder(
            f"{checked.folder / 'model_index.json'} asks for {checked.pipeline}, which diffusers "
            f"{diffusers.__version__} does not have. Update diffusers, or take another model."
        )
    if not {"prompt", "width", "height"} <= call_defaults(pipeline_class).keys():
        raise BadModelFolder(
            f"{checked.folder} holds {checked.pipeline}, which does not draw from text alone. Take "
            "a text-to-image pipeline."
        )
    if entry.pipeline and checked.pipeline != entry.pipeline:
        raise BadModelFolder(
            f"{checked.folder} holds {checked.pipeline}, and {entry.name} is a {entry.pipeline}: "
            "this is the folder of another model."
        )
    dtype = getattr(torch, device_placement.dtype)
    parts: dict[str, Any] = {}
    family = FAMILIES.get(checked.pipeline)
    options = dict(family.at_load) if family else {}
    with _quiet(), known_classes(checked):
        try:
            if entry.quantization:
                parts[entry.part] = _quantized(entry, source, checked, device_placement)
            elif source.base is not None:
                parts[entry.part] = _part(entry, source, checked, dtype)
            parts |= load_parts(checked, dtype, without={*parts, *options})
            return pipeline_class.from_pretrained(
                checked.folder,
                # The decoder's numbers come whole from the files, and are not rounded before.
                dtype={"default": dtype, "vae": torch.float32},
                variant=checked.variant,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                **parts,
                **options,
            )
        except BadInput:  # BadModelFolder among them
            raise
        except Exception as error:  # what a broken file raises has no family of its own
            if is_out_of_memory(error):
                raise
            raise BadModelFolder(
                f"{checked.folder} could not be loaded ({type(error).__name__}: {error}). Download "
                "it again."
            ) from error


def _quantized(
    entry: ModelEntry, source: Source, checked: PipelineFolder, device_placement: Placement
) -> Any:
    """The denoiser in fewer bytes."""
    import diffusers
    import torch

    if device_placement.offload == "sequential":
        raise BadInput(
            f"{entry.name} does not fit on the device, and quantized weights cannot be moved layer "
            "by layer. Free memory, or take the model without quantization."
        )
    named = next(part for part in checked.parts if part.name == entry.part)
    return quantized_part(
        entry.name,
        entry.quantization,
        getattr(diffusers, named.class_name),
        checked.folder / named.name,
        getattr(torch, device_placement.dtype),
        variant=checked.variant,
        file=part_file(entry, source.folder) if source.base is not None else None,
    )


def _part(entry: ModelEntry, source: Source, checked: PipelineFolder, dtype: Any) -> Any:
    """One part with the base's configuration and other weights.

    SRPO publishes the transformer alone and loads it over FLUX.1 [dev]'s (its README); here its
    own are read directly, so that the base's transformer need not be there.
    """
    import diffusers
    import torch
    from accelerate import init_empty_weights  # type: ignore[import-untyped, unused-ignore]
    from safetensors import safe_open

    named = next(part for part in checked.parts if part.name == entry.part)
    part_class = getattr(diffusers, named.class_name)
    config = part_class.load_config(checked.folder / named.name, local_files_only=True)
    with init_empty_weights():
        part = part_class.from_config(config)
    with safe_open(part_file(entry, source.folder), framework="pt") as file:
        # One by one: the file is in float32 and twice as large as what is kept of it.
        weights = {name: file.get_tensor(name).to(dtype) for name in file.keys()}  # noqa: SIM118
    try:
        part.load_state_dict(weights, assign=True)
    except RuntimeError as error:
        raise BadModelFolder(
            f"{part_file(entry, source.folder)} does not fit {named.class_name} of {checked.folder}: "
            f"{str(error).splitlines()[0]}"
        ) from error
    # Buffers that are computed, not stored, must leave the empty device too.
    empty = [name for name, buffer in part.named_buffers() if buffer.device == torch.device("meta")]
    if empty:
        raise BadModelFolder(f"{part_file(entry, source.folder)} lacks {', '.join(empty)}.")
    return part.eval()


def _previewer(pipeline: Any) -> Previewer | None:
    try:
        return fit(pipeline)
    except (RuntimeError, TypeError, ValueError, AttributeError) as error:
        # A pipeline that we have no row for may encode in its own way: it draws without previews.
        if type(pipeline).__name__ in FAMILIES or is_out_of_memory(error):
            raise
        return None


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars on the console while weights are read, and no warning of an autoencoder of
    another class than the pipeline is annotated with, which works; as they were afterwards."""
    from diffusers.utils import logging as of_diffusers
    from transformers.utils import logging as of_transformers

    def wanted(record: logging.LogRecord) -> bool:
        message = record.getMessage()
        return not (message.startswith("Expected types for vae") and "AutoencoderTiny" in message)

    of_pipelines = logging.getLogger("diffusers.pipelines.pipeline_utils")
    of_pipelines.addFilter(wanted)
    libraries = (of_diffusers, of_transformers)
    were = [library.is_progress_bar_enabled() for library in libraries]
    for library in libraries:
        library.disable_progress_bar()
    try:
        yield
    finally:
        of_pipelines.removeFilter(wanted)
        for library, was in zip(libraries, were, strict=True):
            if was:
                library.enable_progress_bar()
