"""Where the parts of a pipeline lie: on its device, or waiting in main memory.

With the offload "model" diffusers moves one part after the other to the device, and all of them
back after each image. Here the decoder stays there, and the denoiser until another prompt comes:
it would be moved twice an image, and is most of the weights.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from truehue.core.generation.backends.decoding import free_memory
from truehue.core.machine import GIB, Offload, Placement

OFFLOADING = ("cuda",)
"""Devices with memory of their own, from which parts can be moved."""

_DECODER = "vae"
_STAYING = "maybe_free_model_hooks"
"""The pipeline's own attribute of this name stands for diffusers', where parts stay."""
_PROMPTS = 4
"""Texts that stay encoded: some pipelines encode one prompt by two encoders, each with a blank."""
_NEXT: dict[Offload, Offload] = {"none": "model", "model": "sequential"}


def lay_out(pipeline: Any, device_placement: Placement) -> tuple[int, int]:
    """Moves the pipeline to its device; returns the bytes it takes there and those that wait in
    main memory."""
    sizes = {
        name: sum(tensor.nbytes for tensor in (*part.parameters(), *part.buffers()))
        for name, part in pipeline.components.items()
        if hasattr(part, "parameters")
    }
    whole = sum(sizes.values())
    if device_placement.offload == "none":
        pipeline.to(device_placement.device)
        return whole, 0
    if device_placement.offload == "sequential":
        pipeline.enable_sequential_cpu_offload(device=device_placement.device)
        return 0, whole
    order = [name for name in pipeline.model_cpu_offload_seq.split("->") if name != _DECODER]
    pipeline.model_cpu_offload_seq = "->".join(order)
    pipeline._exclude_from_cpu_offload = [*pipeline._exclude_from_cpu_offload, _DECODER]
    pipeline.enable_model_cpu_offload(device=device_placement.device)
    # Each call ends with it.
    if hasattr(pipeline, "encode_prompt"):
        pipeline.maybe_free_model_hooks = lambda: _reset(pipeline)
    decoder = sizes.pop(_DECODER, 0)
    return max(sizes.values(), default=0) + decoder, whole


def release(pipeline: Any) -> None:
    """Moves what stayed on the device back to main memory; nothing where all parts are there."""
    if _STAYING in vars(pipeline):
        type(pipeline).maybe_free_model_hooks(pipeline)


def _reset(pipeline: Any) -> None:
    """What diffusers does beside moving parts: caches of one call are none of the next one's."""
    for part in pipeline.components.values():
        if hasattr(part, "_reset_stateful_cache"):
            part._reset_stateful_cache()


def smaller(
    pipeline: Any, at: Placement, whole_bytes: int
) -> tuple[Placement, tuple[int, int]] | None:
    """Lays a pipeline out in less of its device's memory, after that ran out; None where there is
    no smaller layout, or main memory does not hold its ``whole_bytes``."""
    import psutil  # type: ignore[import-untyped]

    if at.device not in OFFLOADING or at.offload not in _NEXT:
        return None
    if at.offload == "none" and whole_bytes > psutil.virtual_memory().available:
        return None
    pipeline.remove_all_hooks()
    for name in (_STAYING, "model_cpu_offload_seq", "_exclude_from_cpu_offload"):
        vars(pipeline).pop(name, None)
    pipeline.to("cpu")
    free_memory(at.device)
    offload = _NEXT[at.offload]
    why = f"Memory ran out ({whole_bytes / GIB:.1f} GiB of weights): parts wait in main memory."
    less = replace(at, offload=offload, why=why)
    return less, lay_out(pipeline, less)


def encode_once(pipeline: Any) -> None:
    """Makes a pipeline keep the encoded texts of the last calls, so that the seeds of one prompt
    encode it once. Calls with tensors among their arguments are passed on."""
    own = getattr(pipeline, "encode_prompt", None)
    if own is None:
        return
    encoded: OrderedDict[str, Any] = OrderedDict()

    @functools.wraps(own)
    def encode_prompt(*args: Any, **kwargs: Any) -> Any:
        if not all(map(_is_plain, (*args, *kwargs.values()))):
            release(pipeline)
            return own(*args, **kwargs)
        key = repr((args, sorted(kwargs.items())))
        if key not in encoded:
            release(pipeline)
            encoded[key] = own(*args, **kwargs)
            while len(encoded) > _PROMPTS:
                encoded.popitem(last=False)
        return encoded[key]

    pipeline.encode_prompt = encode_prompt


def _is_plain(value: Any) -> bool:
    """Whether a value's text tells it from any other: no tensor among them."""
    import torch

    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | torch.device | torch.dtype)
